#include "sim/kernel/kfd.hpp"

#include <algorithm>
#include <cerrno>

namespace rocdrill::kernel {
namespace {

/// One 8 KiB page of 64-bit doorbells per process and GPU (kfd_doorbell.c).
constexpr std::uint32_t doorbells_per_process = 1024;
/// amdgpu_pasid_alloc(16): the upper half of 16 bits, lowest free first.
constexpr std::uint32_t first_pasid = 0x8001;

}  // namespace

const KfdNode* Kfd::find(std::uint32_t gpu_id) const {
  const auto at = std::ranges::find(nodes_, gpu_id, &KfdNode::gpu_id);
  return at == nodes_.end() ? nullptr : &*at;
}

void Kfd::start(EventId event) {
  present_ = true;
  event_ = event;
  ++generation_;
}

void Kfd::stop(EventId event) {
  present_ = false;
  event_ = event;
  nodes_.clear();
  held_.clear();
  pasids_.clear();
}

void Kfd::add(KfdNode node) {
  nodes_.push_back(node);
  ++generation_;
}

void Kfd::remove(std::uint32_t gpu_id) {
  std::erase_if(nodes_, [&](const KfdNode& node) { return node.gpu_id == gpu_id; });
  std::erase_if(held_, [&](const auto& entry) { return entry.first.first == gpu_id; });
  ++generation_;
}

Kfd::Holding* Kfd::holding(int pid, std::uint32_t gpu_id) {
  const auto at = held_.find({gpu_id, pid});
  return at == held_.end() ? nullptr : &at->second;
}

SysResult<void> Kfd::attach(int pid, std::uint32_t gpu_id) {
  if (!find(gpu_id)) return fail(EINVAL);
  held_.try_emplace({gpu_id, pid});
  if (!pasids_.contains(pid)) {
    std::uint32_t pasid = first_pasid;
    while (std::ranges::any_of(pasids_, [&](const auto& each) { return each.second == pasid; })) {
      ++pasid;
    }
    pasids_[pid] = pasid;
  }
  return {};
}

void Kfd::detach(int pid) {
  std::erase_if(held_, [&](const auto& entry) { return entry.first.second == pid; });
  pasids_.erase(pid);
}

std::uint64_t Kfd::available_vram(std::uint32_t gpu_id) const {
  const KfdNode* node = find(gpu_id);
  if (!node) return 0;
  std::uint64_t used = 0;
  for (auto at = held_.lower_bound({gpu_id, INT32_MIN});
       at != held_.end() && at->first.first == gpu_id; ++at) {
    used += at->second.vram_bytes;
  }
  return node->vram_bytes - used;
}

SysResult<void> Kfd::reserve_vram(int pid, std::uint32_t gpu_id, std::uint64_t bytes) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return fail(EINVAL);
  if (bytes > available_vram(gpu_id)) return fail(ENOMEM);
  held->vram_bytes += bytes;
  return {};
}

void Kfd::release_vram(int pid, std::uint32_t gpu_id, std::uint64_t bytes) {
  if (Holding* held = holding(pid, gpu_id)) held->vram_bytes -= std::min(bytes, held->vram_bytes);
}

SysResult<std::uint32_t> Kfd::take_doorbell(int pid, std::uint32_t gpu_id) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return fail(EINVAL);
  std::uint32_t index = 0;
  while (held->doorbells.contains(index)) ++index;
  if (index >= doorbells_per_process) return fail(ENOMEM);
  held->doorbells.insert(index);
  return index;
}

void Kfd::release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return;
  held->doorbells.erase(index);
  held->queues.erase(index);
}

void Kfd::describe_queue(int pid, std::uint32_t gpu_id, std::uint32_t doorbell,
                         const HeldQueue& queue) {
  if (Holding* held = holding(pid, gpu_id)) held->queues[doorbell] = queue;
}

std::size_t Kfd::doorbells_in_use() const {
  std::size_t count = 0;
  for (const auto& [key, held] : held_) count += held.doorbells.size();
  return count;
}

std::set<int> Kfd::holders() const {
  std::set<int> pids;
  for (const auto& [key, held] : held_) pids.insert(key.second);
  return pids;
}

std::set<int> Kfd::holders(std::uint32_t gpu_id) const {
  std::set<int> pids;
  for (const auto& [key, held] : held_) {
    if (key.first == gpu_id) pids.insert(key.second);
  }
  return pids;
}

std::uint32_t Kfd::pasid(int pid) const {
  const auto at = pasids_.find(pid);
  return at == pasids_.end() ? 0 : at->second;
}

const Kfd::Holding* Kfd::held_by(int pid, std::uint32_t gpu_id) const {
  const auto at = held_.find({gpu_id, pid});
  return at == held_.end() ? nullptr : &at->second;
}

}  // namespace rocdrill::kernel
