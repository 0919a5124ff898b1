// The device part of KFD as a process part sees it: what all processes share. It alone owns VRAM
// accounting, doorbells, who holds which GPU, and the order of the timeline. A direct call in
// process; a socket when the process is another program (sim/interpose).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/kernel/process/injections.hpp"
#include "sim/silicon/command_processor/hooks.hpp"
#include "sim/silicon/command_processor/validate.hpp"
#include "stack/formats/kfd_uapi.hpp"
#include "stack/gpu.hpp"
#include "stack/layer.hpp"
#include "stack/result.hpp"
#include "stack/timeline.hpp"

namespace rocdrill::sim {
class MemoryFile;
}

namespace rocdrill::kernel {

/// KFD_IOCTL_MAJOR_VERSION is 1; the minor number is the driver era.
struct KfdEra {
  std::uint32_t minor = 17;
  bool unknown_is_enotty = false;  ///< kfd_ioctl() since 2025: ENOTTY for an unknown number
  bool out_of_tree = false;        ///< AMD's DKMS driver: it has numbers that mainline lacks
};

/// A GPU whose memory another one cannot reach although the topology says so.
struct UnreachablePeer {
  std::uint32_t gpu_id = 0;
  bool through_iommu = false;  ///< the IOMMU has no page for the address; else the link is dead
  EventId event = no_event;
};

/// A GPU node of the KFD topology.
struct GpuFacts {
  std::uint32_t gpu_id = 0;        ///< non-zero, unique on the node
  std::uint32_t render_minor = 0;  ///< 128...
  std::uint32_t card_minor = 0;
  std::uint64_t vram_bytes = 0;
  std::uint32_t gfx_target_version = 0;  ///< 90010 for gfx90a
  std::uint32_t sdma_engines = 0;        ///< PCIe and xGMI ones
  std::uint32_t sdma_xgmi_engines = 0;   ///< the last of them
  std::uint32_t sdma_queues_per_engine = 0;
  std::uint32_t gb_addr_config = 0;  ///< GB_ADDR_CONFIG
  std::uint32_t compute_queues = 0;  ///< HSA queues that can be mapped at a time (num_cp_queues)
  std::uint32_t compute_units = 0;   ///< of the KFD node, over all its XCCs
  std::uint32_t xccs = 1;            ///< of the KFD node
  std::uint32_t engine_mhz = 0;      ///< peak engine clock
  std::uint64_t memory_bytes_per_us = 0;  ///< peak bandwidth of VRAM
  XnackSupport xnack = XnackSupport::none;
  std::vector<std::uint64_t> poisoned = {};  ///< pages of VRAM, sorted: who reads one gets poison
  bool fails_under_load = false;             ///< waves make the hardware raise a fatal error
  bool preempts = true;                      ///< false: its MEC does not take queues off any more
  bool large_bar = true;                     ///< the CPU reaches all of VRAM
  cp::AgentLimits limits;
  std::vector<UnreachablePeer> unreachable{};

  const UnreachablePeer* unreachable_peer(std::uint32_t peer) const {
    for (const UnreachablePeer& each : unreachable)
      if (each.gpu_id == peer) return &each;
    return nullptr;
  }
};

/// 128 bits that name memory of one process for all the others (hsa_amd_ipc_memory_t).
using ShareHandle = std::array<std::uint32_t, 4>;
/// VRAM that a process gave away by handle.
struct SharedVram {
  std::shared_ptr<sim::MemoryFile> memory;
  std::uint32_t gpu_id = 0;
};

/// What a process part may remember of the device part, until the epoch changes.
struct DeviceFacts {
  std::uint64_t epoch = 0;
  KfdEra era;
  bool noretry = true;  ///< module parameter: retry faults off by default
  cp::EventLevel queue_events = cp::EventLevel::errors;
  EventId event = no_event;  ///< behind the topology
  std::vector<GpuFacts> gpus;
  Injections injections;

  const GpuFacts* find(std::uint32_t gpu_id) const;
};

/// A user queue as sysfs shows it.
struct HeldQueue {
  std::uint32_t id = 0;
  std::uint32_t type = 0;  ///< kfd::QueueType
  std::uint64_t ring_bytes = 0;
  std::uint32_t sdma_engine = 0;  ///< asked for by type sdma_by_engine_id, else the driver's choice
  std::uint32_t sdma_id = 0;      ///< among the GPU's queues of its type; the driver's choice

  template <class Archive>
  void serialize(Archive& archive) {
    archive("id", id);
    archive("type", type);
    archive("ring_bytes", ring_bytes);
    archive("sdma_engine", sdma_engine);
    archive("sdma_id", sdma_id);
  }
};

/// Where memory lies in a GPU's VRAM.
struct VramExtent {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("begin", begin);
    archive("bytes", bytes);
  }
};
using VramExtents = std::vector<VramExtent>;
inline constexpr std::uint64_t vram_page = 4096;

/// What a process part sees of a GPU that is broken, and only the driver can deal with.
struct HardwareError {
  enum class Kind : std::uint8_t {
    poison_consumed,    ///< a queue read a poisoned page
    fatal,              ///< the hardware raised its fatal-error interrupt
    preemption_failed,  ///< a queue could not be taken off the GPU
  };
  Kind kind = Kind::fatal;
  std::uint32_t gpu_id = 0;
  std::uint32_t doorbell = 0;   ///< the queue's
  std::uint64_t page = 0;       ///< of VRAM, for poison
  std::uint32_t memory_of = 0;  ///< whose VRAM; not always that of the GPU whose queue it is
  cp::Requester by = {};
  EventId cause = no_event;  ///< why the queue did what it did; no_event: not known
};

/// A page that a queue needed and could not reach.
struct PageFault {
  std::uint32_t gpu_id = 0;
  std::uint32_t doorbell = 0;  ///< the queue's
  std::uint64_t address = 0;
  cp::Access access = cp::Access::read;
  bool mapped = false;  ///< the page is there, without this permission
  cp::Requester by;
  std::uint64_t packet = 0;  ///< at which the queue stands
  EventId cause = no_event;  ///< why it was asked for; no_event: not known
};

class DeviceService {
 public:
  virtual ~DeviceService() = default;

  /// Valid until the next call on another epoch.
  virtual const DeviceFacts& facts() = 0;

  /// The process acquires a GPU (a KFD process-device). EINVAL for an unknown gpu_id.
  virtual SysResult<void> attach(int pid, std::uint32_t gpu_id) = 0;
  /// End of file: everything that the process held is free again.
  virtual void detach(int pid) = 0;

  /// ENOMEM when the GPU has not that many bytes left.
  virtual SysResult<VramExtents> reserve_vram(int pid, std::uint32_t gpu_id,
                                              std::uint64_t bytes) = 0;
  virtual void release_vram(int pid, std::uint32_t gpu_id, const VramExtents& extents) = 0;
  virtual std::uint64_t available_vram(std::uint32_t gpu_id) = 0;

  /// A doorbell of the process's page on this GPU (0..1023) for a new queue; ENOMEM when all are
  /// taken, or all queues of the SDMA engines.
  virtual SysResult<std::uint32_t> take_doorbell(int pid, std::uint32_t gpu_id,
                                                 const HeldQueue& queue) = 0;
  virtual void release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) = 0;

  /// A GPU's interrupt for a queue of the process: the driver logs it. The event of the fault.
  virtual EventId page_fault(int pid, const PageFault& fault) = 0;
  /// The driver logs it and does what it has to: retires pages, resets the GPU. The error's event.
  virtual EventId hardware_error(int pid, const HardwareError& error) = 0;

  /// A store of one of the process's queues went to a peer that cannot be reached: it is not
  /// acknowledged, and the wave that made it does not end. The event of that.
  virtual EventId store_lost(int pid, std::uint32_t gpu_id, const UnreachablePeer& peer);

  /// Gives VRAM a handle, until the process ends; and finds it again. EINVAL where the process
  /// parts are in other programs than the device part, which have no memory in common.
  virtual SysResult<ShareHandle> share(int /*pid*/, SharedVram /*vram*/) {
    return rocdrill::fail(
        22, unmodelled(Layer::kernel, "IPC handles between programs", "EINVAL", no_event));
  }
  virtual SysResult<SharedVram> find_shared(const ShareHandle& /*handle*/) {
    return rocdrill::fail(22);
  }

  /// Adds to the timeline, at the node's time. no_event where the cause is not known.
  virtual EventId record(Layer layer, Severity severity, std::string_view kind,
                         std::string_view subject, std::initializer_list<Field> fields,
                         EventId cause) = 0;
  /// A request that rocdrill does not model: refused, and said so.
  EventId unmodelled(Layer layer, std::string_view what, std::string_view refused_with,
                     EventId cause) {
    return record(
        layer, Severity::unmodelled, "unmodelled", what,
        {{field::did, "refused: rocdrill does not model this"}, {field::status, refused_with}},
        cause);
  }
};

}  // namespace rocdrill::kernel
