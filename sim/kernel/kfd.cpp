#include "sim/kernel/kfd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <utility>

namespace rocdrill::kernel {
namespace {

/// One 8 KiB page of 64-bit doorbells per process and GPU (kfd_doorbell.c).
constexpr std::uint32_t doorbells_per_process = 1024;
/// amdgpu_pasid_alloc(16): the upper half of 16 bits, lowest free first.
constexpr std::uint32_t first_pasid = 0x8001;
constexpr std::uint64_t page_bytes = 4096;

}  // namespace

const KfdNode* Kfd::find(std::uint32_t gpu_id) const {
  const auto at = std::ranges::find(nodes_, gpu_id, &KfdNode::gpu_id);
  return at == nodes_.end() ? nullptr : &*at;
}

std::vector<KfdNode> Kfd::nodes_of(std::uint32_t gpu) const {
  std::vector<KfdNode> found;
  std::ranges::copy_if(nodes_, std::back_inserter(found),
                       [gpu](const KfdNode& node) { return node.gpu == gpu; });
  return found;
}

void Kfd::process_closed(int pid) {
  const auto at = kfd_files_.find(pid);
  if (at != kfd_files_.end() && --at->second == 0) kfd_files_.erase(at);
}

int Kfd::user_of(std::uint32_t gpu) const {
  if (!kfd_files_.empty()) return kfd_files_.begin()->first;
  for (const KfdNode& node : nodes_of(gpu)) {
    if (const auto pids = holders(node.gpu_id); !pids.empty()) return *pids.begin();
  }
  return 0;
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
  pasids_.clear();
  locked_ = false;
}

void Kfd::add(KfdNode node) {
  nodes_.push_back(node);
  ++generation_;
  changed();
}

void Kfd::remove(std::uint32_t gpu_id) {
  std::erase_if(nodes_, [&](const KfdNode& node) { return node.gpu_id == gpu_id; });
  std::erase_if(held_, [&](const auto& entry) { return entry.first.first == gpu_id; });
  ++generation_;
  changed();
}

SysResult<void> Kfd::injected_open(std::string_view path) {
  const OpenInjection* fails = nullptr;
  for (OpenInjection& one : injections_.opens) {
    ++one.seen;
    if (!fails && (one.nth == 0 || one.nth == one.seen)) fails = &one;
  }
  if (!fails) return {};
  const std::string got = errno_name(fails->error);
  return fail(fails->error, record(Layer::kernel, Severity::error, "open.injected", path,
                                   {{"call", static_cast<std::int64_t>(fails->seen)},
                                    {field::status, std::string_view(got)}},
                                   fails->event));
}

/// The injection that lets a process with this many queues find no doorbell, or no_event.
EventId Kfd::doorbell_limit(std::size_t queues) const {
  for (const DoorbellLimit& limit : injections_.doorbells) {
    if (queues >= limit.queues) return limit.event;
  }
  return no_event;
}

Kfd::Holding* Kfd::holding(int pid, std::uint32_t gpu_id) {
  ++held_version_;  // asked for only to change it
  const auto at = held_.find({gpu_id, pid});
  return at == held_.end() ? nullptr : &at->second;
}

SysResult<void> Kfd::attach(int pid, std::uint32_t gpu_id) {
  if (!find(gpu_id)) return fail(EINVAL);
  ++held_version_;
  if (!held_by(pid, gpu_id)) {
    Holding held;
    held.vmid = free_vmid(gpu_id);
    held_.emplace(std::pair(gpu_id, pid), std::move(held));
  }
  if (!pasids_.contains(pid)) {
    std::uint32_t pasid = first_pasid;
    while (std::ranges::any_of(pasids_, [&](const auto& each) { return each.second == pasid; })) {
      ++pasid;
    }
    pasids_[pid] = pasid;
  }
  return {};
}

std::uint32_t Kfd::free_vmid(std::uint32_t gpu_id) const {
  std::uint32_t vmid = 0;
  while (std::ranges::any_of(held_, [&](const auto& each) {
    return each.first.first == gpu_id && each.second.vmid == vmid;
  })) {
    ++vmid;
  }
  return vmid;
}

void Kfd::set_thread(int pid, std::uint32_t gpu_id, int tid, std::string name) {
  Holding* held = holding(pid, gpu_id);
  if (!held || held->tid != 0) return;
  held->tid = tid;
  held->thread = std::move(name);
}

void Kfd::detach(int pid) {
  ++held_version_;
  std::erase_if(held_, [&](const auto& entry) { return entry.first.second == pid; });
  pasids_.erase(pid);
  std::erase_if(shared_, [pid](const auto& entry) { return entry.second.first == pid; });
}

std::uint64_t Kfd::available_vram(std::uint32_t gpu_id) {
  const KfdNode* node = find(gpu_id);
  if (!node) return 0;
  const std::uint64_t gone = used_vram(gpu_id) + retired_vram(*node);
  return node->vram_bytes - std::min(gone, node->vram_bytes);
}

std::uint64_t Kfd::used_vram(std::uint32_t gpu_id) const {
  std::uint64_t used = 0;
  for (auto at = held_.lower_bound({gpu_id, INT32_MIN});
       at != held_.end() && at->first.first == gpu_id; ++at) {
    used += at->second.vram_bytes;
  }
  return used;
}

/// The one that holds most explains it.
EventId Kfd::vram_exhausted(int pid, const KfdNode& node, std::uint64_t bytes) {
  const Holding* most = nullptr;
  int holder = pid;
  for (const auto& [key, held] : held_) {
    if (key.first != node.gpu_id || (most && held.vram_bytes <= most->vram_bytes)) continue;
    most = &held;
    holder = key.second;
  }
  const std::string asked = fmt::format("{} bytes of VRAM for pid {}", bytes, pid);
  const std::string got =
      fmt::format("{} bytes free of {}; pid {} holds {}", available_vram(node.gpu_id),
                  node.vram_bytes, holder, most ? most->vram_bytes : 0);
  return record(Layer::kernel, Severity::error, "vram.exhausted", fmt::format("{}", node.gpu_id),
                {{field::asked, std::string_view(asked)},
                 {field::got, std::string_view(got)},
                 {field::status, "ENOMEM"},
                 {field::see, "rocm-smi --showpids"}},
                most && most->event != no_event ? most->event : node.event);
}

/// Free stretches from `first_free` on to the end, then below it.
VramExtents Kfd::place(const KfdNode& node, std::uint64_t bytes) const {
  constexpr std::uint64_t first_free = 16ull << 20;  // below lie the driver's own tables; assumed
  const std::uint64_t base = node.partition * node.vram_bytes;
  VramExtents taken;
  for (const auto& [key, held] : held_) {
    if (key.first == node.gpu_id) taken.insert(taken.end(), held.vram.begin(), held.vram.end());
  }
  for (const auto& [gpu, page] : retired_) {
    if (gpu == node.gpu) taken.push_back({page, page_bytes});
  }
  std::ranges::sort(taken, {}, &VramExtent::begin);
  VramExtents found;
  const auto look = [&](std::uint64_t begin, std::uint64_t end) {
    const auto take = [&](std::uint64_t from, std::uint64_t to) {
      if (to <= from || bytes == 0) return;
      const std::uint64_t size = std::min(bytes, to - from);
      found.push_back({from, size});
      bytes -= size;
    };
    for (const VramExtent& other : taken) {
      if (other.begin >= end) break;
      take(begin, other.begin);
      begin = std::max(begin, other.begin + other.bytes);
    }
    take(begin, end);
  };
  const std::uint64_t middle = base + std::min(first_free, node.vram_bytes);
  look(middle, base + node.vram_bytes);
  look(base, middle);
  return found;
}

SysResult<VramExtents> Kfd::reserve_vram(int pid, std::uint32_t gpu_id, std::uint64_t bytes) {
  Holding* held = holding(pid, gpu_id);
  const KfdNode* node = find(gpu_id);
  if (!held || !node) return fail(EINVAL);
  if (bytes > available_vram(gpu_id)) return fail(ENOMEM, vram_exhausted(pid, *node, bytes));
  const std::uint64_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  VramExtents extents = place(*node, whole);
  held->vram.insert(held->vram.end(), extents.begin(), extents.end());
  for (const VramExtent& extent : extents) held->vram_bytes += extent.bytes;
  return extents;
}

void Kfd::release_vram(int pid, std::uint32_t gpu_id, const VramExtents& extents) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return;
  for (const VramExtent& extent : extents) {
    const auto at = std::ranges::find(held->vram, extent.begin, &VramExtent::begin);
    if (at == held->vram.end() || at->bytes != extent.bytes) continue;
    held->vram.erase(at);
    held->vram_bytes -= std::min(extent.bytes, held->vram_bytes);
  }
}

void Kfd::retire_page(std::uint32_t gpu, std::uint64_t page) {
  retired_.insert({gpu, page});
  ++held_version_;
}

void Kfd::forget_retired_pages(std::uint32_t gpu) {
  if (std::erase_if(retired_, [gpu](const auto& one) { return one.first == gpu; }) != 0)
    ++held_version_;
}

/// Retired pages of a node's share of the memory, but for those that a process still holds.
std::uint64_t Kfd::retired_vram(const KfdNode& node) const {
  const std::uint64_t base = node.partition * node.vram_bytes;
  std::uint64_t bytes = 0;
  for (auto at = retired_.lower_bound({node.gpu, base});
       at != retired_.end() && at->first == node.gpu && at->second - base < node.vram_bytes; ++at) {
    if (!page_in_use(node.gpu, at->second)) bytes += page_bytes;
  }
  return bytes;
}

bool Kfd::page_in_use(std::uint32_t gpu, std::uint64_t page) const {
  return std::ranges::any_of(held_, [&](const auto& entry) {
    const KfdNode* node = find(entry.first.first);
    if (!node || node->gpu != gpu) return false;
    return std::ranges::any_of(entry.second.vram, [page](const VramExtent& extent) {
      return page >= extent.begin && page - extent.begin < extent.bytes;
    });
  });
}

void Kfd::announce_reset(std::uint32_t gpu_id, std::uint32_t cause) {
  constexpr std::size_t most = 64;
  if (resets_.size() == most) resets_.erase(resets_.begin());
  resets_.push_back({next_reset_++, gpu_id, cause});
  ++held_version_;
  if (reset_listener_) reset_listener_(resets_.back());
}

namespace {

bool is_sdma(std::uint32_t number) {
  const auto type = static_cast<kfd::QueueType>(number);
  return type == kfd::QueueType::sdma || type == kfd::QueueType::sdma_xgmi ||
         type == kfd::QueueType::sdma_by_engine_id;
}

}  // namespace

std::size_t Kfd::sdma_queues(std::uint32_t gpu_id) const {
  std::size_t count = 0;
  for (const auto& [key, held] : held_) {
    if (key.first != gpu_id) continue;
    count += static_cast<std::size_t>(std::ranges::count_if(
        held.queues, [](const auto& one) { return is_sdma(one.second.type); }));
  }
  return count;
}

/// allocate_sdma_queue(): the lowest free number of the type goes round the engines.
void Kfd::place_on_engine(std::uint32_t gpu_id, HeldQueue& queue) {
  std::set<std::uint32_t> taken;
  for (const auto& [key, held] : held_) {
    if (key.first != gpu_id) continue;
    for (const auto& [index, other] : held.queues) {
      if (other.type == queue.type) taken.insert(other.sdma_id);
    }
  }
  queue.sdma_id = 0;
  while (taken.contains(queue.sdma_id)) ++queue.sdma_id;
  const GpuFacts* gpu = facts().find(gpu_id);
  const auto type = static_cast<kfd::QueueType>(queue.type);
  if (!gpu || type == kfd::QueueType::sdma_by_engine_id) return;
  const std::uint32_t xgmi = gpu->sdma_xgmi_engines;
  const std::uint32_t pcie = std::max(gpu->sdma_engines - xgmi, 1u);
  const bool for_xgmi = type == kfd::QueueType::sdma_xgmi && xgmi != 0;
  queue.sdma_engine = for_xgmi ? pcie + queue.sdma_id % xgmi : queue.sdma_id % pcie;
}

SysResult<std::uint32_t> Kfd::take_doorbell(int pid, std::uint32_t gpu_id, const HeldQueue& queue) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return fail(EINVAL);
  if (is_sdma(queue.type)) {
    const GpuFacts* gpu = facts().find(gpu_id);
    const std::size_t limit =
        gpu ? std::size_t{gpu->sdma_engines} * gpu->sdma_queues_per_engine : 0;
    if (sdma_queues(gpu_id) >= limit) {
      os_.log(3, "amdgpu: No more SDMA queue to allocate", event_);
      return fail(ENOMEM, event_);
    }
  }
  std::uint32_t index = 0;
  while (held->queues.contains(index)) ++index;
  if (index >= doorbells_per_process) return fail(ENOMEM);
  if (const EventId limit = doorbell_limit(held->queues.size()); limit != no_event) {
    const std::string subject = fmt::format("pid {}", pid);
    return fail(ENOMEM, record(Layer::kernel, Severity::error, "doorbells.exhausted", subject,
                               {{"queues", static_cast<std::int64_t>(held->queues.size())},
                                {field::status, "ENOMEM"}},
                               limit));
  }
  HeldQueue held_queue = queue;
  if (is_sdma(queue.type)) place_on_engine(gpu_id, held_queue);
  held->queues[index] = held_queue;
  return index;
}

EventId Kfd::page_fault(int pid, const PageFault& fault) {
  const Holding* held = held_by(pid, fault.gpu_id);
  const KfdNode* node = find(fault.gpu_id);
  const std::string_view access = fault.access == cp::Access::write     ? "write"
                                  : fault.access == cp::Access::execute ? "execute"
                                                                        : "read";
  const std::string address = fmt::format("{:#x}", fault.address);
  const EventId event = record(Layer::silicon, Severity::error, "gpu.memory_fault", address,
                               {{"pid", std::int64_t{pid}},
                                {"access", access},
                                {"packet", static_cast<std::int64_t>(fault.packet)},
                                {field::see, "dmesg"}},
                               fault.cause != no_event ? fault.cause : event_);
  if (!held || !node || !fault_handler_) return event;
  VmFault told{.by = fault.by,
               .address = fault.address,
               .access = fault.access,
               .mapped = fault.mapped,
               .vmid = held->vmid,
               .pasid = pasid(pid),
               .pid = pid,
               .process = "",
               .tid = held->tid,
               .thread = held->thread,
               .partition = node->partition};
  told.by.xcc += node->first_xcc;
  constexpr std::size_t comm = 15;  // TASK_COMM_LEN, with its end
  if (const auto process = os_.processes.find(pid); process != os_.processes.end())
    told.process = process->second.command.substr(0, comm);
  if (told.tid == 0) {
    told.tid = pid;
    told.thread = told.process;
  }
  const auto queue = held->queues.find(fault.doorbell);
  if (queue != held->queues.end()) told.sdma_engine = queue->second.sdma_engine;
  fault_handler_(node->gpu, told, event);
  if (smi_listener_) {
    constexpr auto kind = kfd::SmiEvent::vm_fault;
    smi_listener_(fault.gpu_id, kind,
                  fmt::format("{:x} {:x}:{}\n", std::to_underlying(kind), told.tid, told.thread));
  }
  return event;
}

void Kfd::release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) {
  Holding* held = holding(pid, gpu_id);
  if (!held) return;
  held->queues.erase(index);
}

EventId Kfd::store_lost(int pid, std::uint32_t gpu_id, const UnreachablePeer& peer) {
  const EventId event = DeviceService::store_lost(pid, gpu_id, peer);
  const KfdNode* node = find(gpu_id);
  if (peer.through_iommu && node && iommu_handler_) iommu_handler_(node->gpu, event);
  return event;
}

SysResult<ShareHandle> Kfd::share(int pid, SharedVram vram) {
  const std::uint32_t number = next_share_++;
  shared_[number] = {pid, std::move(vram)};
  return ShareHandle{number, static_cast<std::uint32_t>(pid), 0, 0};
}

SysResult<SharedVram> Kfd::find_shared(const ShareHandle& handle) {
  const auto at = shared_.find(handle[0]);
  if (at == shared_.end() || static_cast<std::uint32_t>(at->second.first) != handle[1])
    return fail(EINVAL);
  return at->second.second;
}

std::size_t Kfd::doorbells_in_use() const {
  std::size_t count = 0;
  for (const auto& [key, held] : held_) count += held.queues.size();
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

EventId Kfd::why_vram_is_held(std::uint32_t gpu_id) const {
  const Holding* most = nullptr;
  for (auto at = held_.lower_bound({gpu_id, std::numeric_limits<int>::min()});
       at != held_.end() && at->first.first == gpu_id; ++at) {
    if (most == nullptr || at->second.vram_bytes > most->vram_bytes) most = &at->second;
  }
  return most ? most->event : no_event;
}

const Kfd::Holding* Kfd::held_by(int pid, std::uint32_t gpu_id) const {
  const auto at = held_.find({gpu_id, pid});
  return at == held_.end() ? nullptr : &at->second;
}

}  // namespace rocdrill::kernel
