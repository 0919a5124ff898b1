#include "sim/kernel/process/kfd_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sim/silicon/command_processor/signal.hpp"
#include "stack/formats/aql_text.hpp"
#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::kernel {
namespace {

// Header at the start of the CWSR area (kfd_context_save_area_header).
constexpr std::uint64_t error_reason_pointer = 24;
constexpr std::uint64_t error_event_id = 32;

cp::EventLevel level_of(cp::Transition transition) {
  switch (transition) {
    case cp::Transition::failed:
      return cp::EventLevel::errors;
    case cp::Transition::launched:
    case cp::Transition::stalled:
    case cp::Transition::completed:
      return cp::EventLevel::packets;
    default:
      return cp::EventLevel::transitions;
  }
}

/// Late and repeated things are odd, lost ones wrong.
Severity severity_of(cp::Injected what) {
  switch (what) {
    case cp::Injected::doorbell_duplicated:
    case cp::Injected::doorbell_delayed:
    case cp::Injected::completion_late:
      return Severity::warning;
    default:
      return Severity::error;
  }
}

/// Something has still to come, if not memory then time.
bool is_waiting(cp::QueueState state) {
  return state == cp::QueueState::waiting || state == cp::QueueState::active;
}

}  // namespace

cp::EventLevel KfdProcess::HardwareQueue::wanted_level() const {
  const cp::EventLevel timeline = process_.devices_.facts().queue_events;
  return process_.observer_ ? std::max(timeline, cp::EventLevel::packets) : timeline;
}

bool KfdProcess::HardwareQueue::told(cp::Transition transition) const {
  return level_of(transition) <= process_.devices_.facts().queue_events;
}

EventId KfdProcess::HardwareQueue::record_injected(cp::Injected what, std::uint64_t nth,
                                                   std::uint64_t at) {
  const auto fault = std::ranges::find_if(injections_, [&](const QueueInjection& one) {
    const bool from_there_on = what == cp::Injected::read_index_stuck;
    return one.what == what && one.concerns(kind()) &&
           (one.nth == 0 || one.nth == nth || (from_there_on && one.nth < nth));
  });
  const EventId cause = fault == injections_.end() ? no_event : fault->event;
  return process_.devices_.record(
      Layer::silicon, severity_of(what), cp::name(what),
      fmt::format("pid {} queue {}", process_.opener_.pid, id),
      {{"nth", static_cast<std::int64_t>(nth)}, {"at", static_cast<std::int64_t>(at)}}, cause);
}

KfdProcess::AqlQueue::AqlQueue(KfdProcess& process, const cp::QueueConfig& config,
                               const kfd::CreateQueueArgs& args, std::uint32_t doorbell_index,
                               const GpuFacts& gpu)
    : HardwareQueue(process, static_cast<std::uint32_t>(config.id), args, doorbell_index),
      save_area_(args.ctx_save_restore_address),
      runner_(process.make_runner(gpu)),
      queue(config, process.page_table(args.gpu_id), *this, runner_.get()) {
  queue.set_event_level(wanted_level());
  take_injections(process.devices_.facts().injections.queues);
  if (runner_) runner_->set_strain([this] { return fails_under_load(); });
  record_presence("queue.created");
}

/// A queue that was made before anybody looked is told of when somebody does.
void KfdProcess::AqlQueue::heed_level() {
  queue.set_event_level(wanted_level());
  if (!told(cp::Transition::launched)) presence_told_ = false;  // who looks next knows nothing yet
  record_presence("queue.watched");
}

void KfdProcess::AqlQueue::record_presence(std::string_view kind) {
  if (presence_told_ || !told(cp::Transition::launched)) return;
  presence_told_ = true;
  process_.devices_.record(Layer::kernel, Severity::debug, kind,
                           fmt::format("pid {} queue {}", process_.opener_.pid, id),
                           {{"gpu_id", static_cast<std::int64_t>(gpu_id)},
                            {"slots", static_cast<std::int64_t>(queue.config().size_packets)},
                            {"doorbell", static_cast<std::int64_t>(doorbell_index)},
                            {"read_index", static_cast<std::int64_t>(queue.read_index())}},
                           process_.reason());
}

bool KfdProcess::AqlQueue::fails_under_load() {
  const GpuFacts* gpu = process_.devices_.facts().find(gpu_id);
  if (!gpu || !gpu->fails_under_load) return false;
  process_.devices_.hardware_error(process_.opener_.pid, {.kind = HardwareError::Kind::fatal,
                                                          .gpu_id = gpu_id,
                                                          .doorbell = doorbell_index,
                                                          .cause = process_.reason_});
  return true;
}

bool KfdProcess::AqlQueue::run() {
  const bool settled = settle_kernels();
  const cp::Progress done = queue.run(SIZE_MAX);
  return settle_kernels() || settled || done.launched > 0 || done.completed > 0;
}

/// What became of kernels that have ended since the last look.
bool KfdProcess::AqlQueue::settle_kernels() {
  if (!runner_) return false;
  for (const std::uint32_t data : runner_->interrupts()) process_.interrupt(data);
  const std::vector<KernelRunner::Ended> list = runner_->ended();
  for (const auto& [index, outcome] : list) {
    const isa::Exception& exception = outcome.exception;
    switch (outcome.end) {
      case isa::End::completed:
        queue.complete_kernel_dispatch(index);
        break;
      case isa::End::unmodelled:
        queue.refuse_dispatch(index, fmt::format("{} at {:#x}", outcome.text, outcome.va));
        break;
      case isa::End::exception:
        if (exception.code == cp::KfdException::wave_memory_violation)
          queue.fault_dispatch(index, exception.address, exception.access, exception.by);
        else
          queue.fail_dispatch(index, exception.code);
        break;
      case isa::End::hung: {  // its waves run on, and the packet stays in flight
        const EventId lost = process_.store_lost(gpu_id, runner_->lost_to());
        process_.devices_.record(
            Layer::silicon, Severity::error, "queue.hung",
            fmt::format("pid {} queue {}", process_.opener_.pid, id),
            {{"packet", static_cast<std::int64_t>(index)}, {field::did, "its waves do not end"}},
            lost != no_event ? lost : process_.reason());
        break;
      }
      case isa::End::cancelled:
        break;  // with the queue
    }
  }
  return !list.empty();
}

bool KfdProcess::AqlQueue::waiting() const { return is_waiting(queue.state()); }

void KfdProcess::AqlQueue::injected(cp::Injected what, std::uint64_t nth, std::uint64_t at) {
  const EventId event = record_injected(what, nth, at);
  if (what == cp::Injected::header_before_body) {
    spoiled_ = event;
    spoiled_index_ = at;
  }
  if (what == cp::Injected::read_index_stuck) overrun_ = event;
}

/// A packet that was read before its body was there, or over which its producer could write
/// because the read index stood still, fails for that reason.
EventId KfdProcess::AqlQueue::cause_of(const cp::QueueError& error) const {
  if (refused_ != no_event) return refused_;
  if (error.kfd_code == cp::KfdException::device_memory_violation) return faulted_;
  if (spoiled_ != no_event && spoiled_index_ == error.packet_index) return spoiled_;
  return overrun_ != no_event ? overrun_ : process_.reason();
}

void KfdProcess::AqlQueue::queue_error(cp::Queue&, const cp::QueueError& error) {
  if (process_.observer_)
    show(ObservedPacket::What::failed, error.packet_index, std::nullopt, cp::name(error.kfd_code));
  const std::string subject = fmt::format("pid {} queue {}", process_.opener_.pid, id);
  const std::string status = name(error.status);
  process_.devices_.record(Layer::silicon,
                           refused_ != no_event ? Severity::unmodelled : Severity::error,
                           "queue.failed", subject,
                           {{"packet", static_cast<std::int64_t>(error.packet_index)},
                            {"exception", cp::name(error.kfd_code)},
                            {field::status, std::string_view(status)}},
                           cause_of(error));
  if (!process_.runtime_enabled_ || save_area_ == 0) return;  // path A: the queue wrote the signal
  // Of the process, not of the queue: its memory events are set instead.
  if (error.kfd_code == cp::KfdException::device_memory_violation) return;
  cp::RangeAddressSpace& memory = process_.page_table(gpu_id);
  const auto* reason = static_cast<std::uint64_t*>(
      memory.translate(save_area_ + error_reason_pointer, 8, cp::Access::read));
  const auto* event = static_cast<std::uint32_t*>(
      memory.translate(save_area_ + error_event_id, 4, cp::Access::read));
  if (!reason || !event || *reason % 8 != 0) return;
  auto* word = static_cast<std::uint64_t*>(memory.translate(*reason, 8, cp::Access::write));
  if (!word) return;
  std::atomic_ref(*word).fetch_or(cp::exception_mask(error.kfd_code));
  process_.signal(*event);
}

void KfdProcess::AqlQueue::unmodelled(std::string_view what, cp::Queue&,
                                      std::uint64_t packet_index) {
  refused_ = process_.devices_.unmodelled(
      Layer::silicon, fmt::format("{} (packet {})", what, packet_index),
      "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT", process_.devices_.facts().event);
}

void KfdProcess::AqlQueue::memory_fault(const cp::MemoryFault& fault) {
  faulted_ = process_.page_fault(*this, fault);
}

void KfdProcess::AqlQueue::show(ObservedPacket::What what, std::uint64_t index,
                                std::optional<aql::Header> header, std::string_view reason) {
  cp::RangeAddressSpace& memory = process_.page_table(gpu_id);
  ObservedPacket shown;
  shown.what = what;
  shown.queue = id;
  shown.index = index;
  shown.reason = reason;
  aql::Packet packet;
  const std::uint64_t slot = index % queue.config().size_packets * sizeof packet;
  const void* at =
      what == ObservedPacket::What::completed
          ? nullptr
          : memory.translate(queue.config().ring_base + slot, sizeof packet, cp::Access::read);
  if (at) {
    std::memcpy(packet.bytes.data(), at, sizeof packet);
    if (header) packet.set_header(*header);
    shown.bytes = packet.bytes;
    const std::uint64_t signal = packet.as<aql::Barrier>().completion_signal;
    if (signal != 0 && signal % sizeof(aql::AmdSignal) == 0)
      shown.completion = static_cast<const aql::AmdSignal*>(
          memory.translate(signal, sizeof(aql::AmdSignal), cp::Access::read));
  }
  if (what == ObservedPacket::What::failed) shown.error_path = error_path();
  process_.observer_->packet(shown);
}

ObservedPacket::ErrorPath KfdProcess::AqlQueue::error_path() {
  cp::RangeAddressSpace& memory = process_.page_table(gpu_id);
  ObservedPacket::ErrorPath path;
  if (queue.config().amd_queue_va != 0) {
    const auto* amd_queue = static_cast<const aql::AmdQueue*>(
        memory.translate(queue.config().amd_queue_va, sizeof(aql::AmdQueue), cp::Access::read));
    path.inactive_signal = amd_queue ? amd_queue->queue_inactive_signal : 0;
  }
  if (path.inactive_signal != 0 && path.inactive_signal % sizeof(aql::AmdSignal) == 0)
    path.inactive = static_cast<const aql::AmdSignal*>(
        memory.translate(path.inactive_signal, sizeof(aql::AmdSignal), cp::Access::read));
  if (save_area_ == 0) return path;
  const auto* reason = static_cast<std::uint64_t*>(
      memory.translate(save_area_ + error_reason_pointer, 8, cp::Access::read));
  const auto* event = static_cast<std::uint32_t*>(
      memory.translate(save_area_ + error_event_id, 4, cp::Access::read));
  if (reason && event) {
    path.reason_address = *reason;
    path.event_id = *event;
  }
  return path;
}

void KfdProcess::AqlQueue::observe(const cp::PacketEvent& packet) {
  if (process_.observer_ && packet.transition == cp::Transition::launched)
    show(ObservedPacket::What::launched, packet.index, packet.header);
  if (process_.observer_ && packet.transition == cp::Transition::completed)
    show(ObservedPacket::What::completed, packet.index, packet.header);
  if (told(packet.transition)) record_packet(packet);
}

std::optional<std::int64_t> KfdProcess::AqlQueue::signal_value(std::uint64_t handle) const {
  if (handle == 0 || handle % sizeof(aql::AmdSignal) != 0) return std::nullopt;
  auto* signal = static_cast<aql::AmdSignal*>(
      process_.page_table(gpu_id).translate(handle, sizeof(aql::AmdSignal), cp::Access::read));
  if (!signal) return std::nullopt;
  return cp::signal::load(*signal);
}

/// The bytes of the packet in slot `index`, with the header that its producer wrote.
std::string KfdProcess::AqlQueue::packet_text(std::uint64_t index, aql::Header header) const {
  const std::uint64_t slot = index % queue.config().size_packets * sizeof(aql::Packet);
  const void* at = process_.page_table(gpu_id).translate(queue.config().ring_base + slot,
                                                         sizeof(aql::Packet), cp::Access::read);
  if (!at) return {};
  aql::Packet packet;
  std::memcpy(packet.bytes.data(), at, sizeof packet);
  packet.set_header(header);
  return aql::to_hex(packet);
}

void KfdProcess::AqlQueue::record_packet(const cp::PacketEvent& packet) {
  const std::string subject = fmt::format("pid {} queue {}", process_.opener_.pid, id);
  const std::string kind = fmt::format("packet.{}", cp::name(packet.transition));
  const EventId cause = process_.reason();
  const Field index{"index", static_cast<std::int64_t>(packet.index)};
  const Field type{"type", aql::name(packet.header.type())};
  const auto record = [&](std::initializer_list<Field> fields) {
    process_.devices_.record(Layer::silicon, Severity::debug, kind, subject, fields, cause);
  };
  switch (packet.transition) {
    case cp::Transition::launched: {
      const std::string bytes = packet_text(packet.index, packet.header);
      if (const auto value = signal_value(packet.completion_signal))
        return record({index, type, {"packet", bytes}, {"signal_value", *value}});
      return record({index, type, {"packet", bytes}});
    }
    case cp::Transition::stalled: {
      const cp::Wait wait = queue.waiting_on();
      const std::string bytes = packet_text(packet.index, packet.header);
      return record(
          {index, type, {"packet", bytes}, {field::got, std::string_view(cp::name(wait.reason))}});
    }
    case cp::Transition::completed:
      if (const auto value = signal_value(packet.completion_signal))
        return record({index, type, {"signal_value", *value}});
      return record({index, type});
    case cp::Transition::taken:
      return record({index, type, {"read_index", static_cast<std::int64_t>(queue.read_index())}});
    default:
      return record({index, type});
  }
}

// --- SDMA ----------------------------------------------------------------------------------

KfdProcess::SdmaQueue::SdmaQueue(KfdProcess& process, const cp::SdmaConfig& config,
                                 const kfd::CreateQueueArgs& args, std::uint32_t doorbell_index)
    : HardwareQueue(process, static_cast<std::uint32_t>(config.id), args, doorbell_index),
      queue(config, process.page_table(args.gpu_id), *this) {
  queue.set_event_level(wanted_level());
  take_injections(process.devices_.facts().injections.queues);
}

bool KfdProcess::SdmaQueue::run() {
  const cp::SdmaProgress done = queue.run(SIZE_MAX);
  return done.packets > 0 || done.bytes > 0;
}

bool KfdProcess::SdmaQueue::waiting() const { return is_waiting(queue.state()); }

void KfdProcess::SdmaQueue::queue_error(cp::SdmaQueue&, const cp::SdmaError& error) {
  if (process_.observer_)
    show(ObservedPacket::What::failed, error.index, cp::sdma::max_head_dwords,
         cp::name(error.failure));
  process_.devices_.record(Layer::silicon,
                           refused_ != no_event ? Severity::unmodelled : Severity::error,
                           "sdma.failed", fmt::format("pid {} queue {}", process_.opener_.pid, id),
                           {{"byte", static_cast<std::int64_t>(error.index)},
                            {"header", static_cast<std::int64_t>(error.header)},
                            {field::status, cp::name(error.failure)}},
                           refused_ != no_event   ? refused_
                           : faulted_ != no_event ? faulted_
                                                  : process_.devices_.facts().event);
}

void KfdProcess::SdmaQueue::unmodelled(std::string_view what, cp::SdmaQueue&, std::uint64_t index) {
  refused_ =
      process_.devices_.unmodelled(Layer::silicon, fmt::format("SDMA {} (byte {})", what, index),
                                   "the queue stops", process_.devices_.facts().event);
}

void KfdProcess::SdmaQueue::show(ObservedPacket::What what, std::uint64_t index,
                                 std::uint64_t dwords, std::string_view reason) {
  const cp::SdmaConfig& ring = queue.config();
  std::vector<std::byte> bytes;
  if (what != ObservedPacket::What::completed) {
    const auto* base = static_cast<const std::byte*>(
        process_.page_table(gpu_id).translate(ring.ring_base, ring.ring_bytes, cp::Access::read));
    constexpr std::uint64_t dword = 4;
    bytes.resize(base ? std::min(dwords * dword, ring.ring_bytes) : 0);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = base[(index + i) % ring.ring_bytes];
    const bool nop = bytes.size() >= dword && bytes[0] == std::byte{0} && bytes[1] == std::byte{0};
    if (nop) bytes.resize(dword);
  }
  ObservedPacket shown;
  shown.what = what;
  shown.queue = id;
  shown.sdma = true;
  shown.index = index;
  shown.dwords = dwords;
  shown.bytes = bytes;
  shown.reason = reason;
  process_.observer_->packet(shown);
}

void KfdProcess::SdmaQueue::observe(const cp::SdmaEvent& packet) {
  if (process_.observer_ && packet.transition == cp::Transition::launched)
    show(ObservedPacket::What::launched, packet.index, packet.dwords);
  if (process_.observer_ && packet.transition == cp::Transition::completed)
    show(ObservedPacket::What::completed, packet.index, packet.dwords);
  if (!told(packet.transition)) return;
  process_.devices_.record(Layer::silicon, Severity::debug,
                           fmt::format("sdma.{}", cp::name(packet.transition)),
                           fmt::format("pid {} queue {}", process_.opener_.pid, packet.queue_id),
                           {{"byte", static_cast<std::int64_t>(packet.index)},
                            {"header", static_cast<std::int64_t>(packet.header)}},
                           process_.devices_.facts().event);
}

}  // namespace rocdrill::kernel
