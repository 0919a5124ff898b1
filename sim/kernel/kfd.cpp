#include "sim/kernel/kfd.hpp"

#include <algorithm>
#include <cerrno>

namespace rocdrill::kernel {
namespace {

/// One 8 KiB page of 64-bit doorbells per process and GPU (kfd_doorbell.c).
constexpr std::uint32_t doorbells_per_process = 1024;

}  // namespace

const KfdNode* Kfd::find(std::uint32_t gpu_id) const {
  const auto at = std::ranges::find(nodes_, gpu_id, &KfdNode::gpu_id);
  return at == nodes_.end() ? nullptr : &*at;
}

const DeviceFacts& Kfd::facts() {
  if (facts_.epoch != facts_epoch_) {
    facts_ = describe_();
    facts_.epoch = facts_epoch_;
  }
  return facts_;
}

void Kfd::start(EventId event) {
  present_ = true;
  event_ = event;
  ++generation_;
  changed();
}

void Kfd::stop(EventId event) {
  present_ = false;
  event_ = event;
  nodes_.clear();
  held_.clear();
  changed();
}

void Kfd::add(KfdNode node) {
  nodes_.push_back(node);
  ++generation_;
  changed();
}

Kfd::Holding* Kfd::holding(int pid, std::uint32_t gpu_id) {
  const auto at = held_.find({gpu_id, pid});
  return at == held_.end() ? nullptr : &at->second;
}

SysResult<void> Kfd::attach(int pid, std::uint32_t gpu_id) {
  if (!find(gpu_id)) return fail(EINVAL);
  held_.try_emplace({gpu_id, pid});
  return {};
}

void Kfd::detach(int pid) {
  std::erase_if(held_, [&](const auto& entry) { return entry.first.second == pid; });
}

std::uint64_t Kfd::available_vram(std::uint32_t gpu_id) {
  const KfdNode* node = find(gpu_id);
  return node ? node->vram_bytes - used_vram(gpu_id) : 0;
}

std::uint64_t Kfd::used_vram(std::uint32_t gpu_id) const {
  std::uint64_t used = 0;
  for (auto at = held_.lower_bound({gpu_id, INT32_MIN});
       at != held_.end() && at->first.first == gpu_id; ++at) {
    used += at->second.vram_bytes;
  }
  return used;
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

namespace {

bool is_sdma(kfd::QueueType type) {
  return type == kfd::QueueType::sdma || type == kfd::QueueType::sdma_xgmi ||
         type == kfd::QueueType::sdma_by_engine_id;
}

}  // namespace

std::size_t Kfd::sdma_queues(std::uint32_t gpu_id) const {
  std::size_t count = 0;
  for (const auto& [key, held] : held_) {
    if (key.first != gpu_id) continue;
    count += static_cast<std::size_t>(
        std::ranges::count_if(held.doorbells, [](const auto& one) { return is_sdma(one.second); }));
  }
  return count;
}

SysResult<std::uint32_t> Kfd::take_doorbell(int pid, std::uint32_t gpu_id, kfd::QueueType type) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return fail(EINVAL);
  if (is_sdma(type)) {
    const GpuFacts* gpu = facts().find(gpu_id);
    const std::size_t limit = gpu ? std::size_t{gpu->sdma_engines} * gpu->sdma_queues_per_engine : 0;
    if (sdma_queues(gpu_id) >= limit) {
      os_.log(3, "amdgpu: No more SDMA queue to allocate", event_);
      return fail(ENOMEM, event_);
    }
  }
  std::uint32_t index = 0;
  while (held->doorbells.contains(index)) ++index;
  if (index >= doorbells_per_process) return fail(ENOMEM);
  held->doorbells[index] = type;
  return index;
}

void Kfd::release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) {
  if (Holding* held = holding(pid, gpu_id)) held->doorbells.erase(index);
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

}  // namespace rocdrill::kernel
