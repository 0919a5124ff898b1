#include "sim/rocr/vm_fault.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::rocr {
namespace {

std::string_view reason(const kfd::MemoryExceptionData& fault) {
  const kfd::MemoryExceptionFailure& failure = fault.failure;
  const auto error = static_cast<kfd::MemoryError>(fault.error_type);
  if (failure.not_present != 0) return "Page not present or supervisor privilege";
  if (failure.read_only != 0) return "Write access to a read-only page";
  if (failure.no_execute != 0) return "Execute access to a page marked NX";
  if (error == kfd::MemoryError::poison_consumed) return "DRAM ECC failure";
  if (error == kfd::MemoryError::sram_ecc) return "SRAM ECC failure";
  return "Unknown";
}

}  // namespace

void VmFaultHandler::bind(bool exceptions) {
  if (const auto event = thunk_.create_memory_event()) event_ = *event;
  if (!exceptions) return;
  if (const auto event = thunk_.create_exception_event()) exception_ = *event;
}

std::uint32_t VmFaultHandler::node_of(std::uint32_t gpu_id) const {
  const auto node = std::ranges::find(thunk_.nodes(), gpu_id, &TopologyNode::gpu_id);
  return node == thunk_.nodes().end() ? 0 : node->user_id;
}

/// The last event of one of these kinds.
EventId VmFaultHandler::last_error(std::initializer_list<std::string_view> kinds) const {
  EventId last = no_event;
  for (const std::string_view kind : kinds) {
    const auto events = journal_.timeline().find({.kind_prefix = kind});
    for (auto at = events.rbegin(); at != events.rend(); ++at) {
      if (journal_.timeline().at(*at).kind != kind) continue;
      last = std::max(last, *at);
      break;
    }
  }
  return last;
}

void VmFaultHandler::poll() {
  if (!event_ || aborted_) return;
  if (const auto fault = thunk_.memory_exception(*event_)) report(*fault);
  if (aborted_ || !exception_) return;
  if (const auto exception = thunk_.hardware_exception(*exception_)) report(*exception);
}

void VmFaultHandler::report(const kfd::HwExceptionData& exception) {
  const std::uint32_t node = node_of(exception.gpu_id);
  const std::string_view why = exception.reset_cause == 1 ? "ECC" : "GPU Hang";
  std::string text = fmt::format("HW Exception by GPU node-{} (Agent handle: {:#x}) reason :{}",
                                 node, node + 1, why);
  const std::string subject = fmt::format("GPU node-{}", node);
  const EventId event = journal_.record(Layer::runtime, Severity::error, "hsa.aborted", subject,
                                        {{field::asked, "the hardware exception event of KFD"},
                                         {field::got, why},
                                         {field::did, "ends the process: abort()"},
                                         {field::shows, std::string_view(text)},
                                         {field::see, "dmesg"}},
                                        last_error({"gpu.reset", "gpu.poison_consumed"}));
  aborted_ = RuntimeAbort{std::move(text), event};
}

void VmFaultHandler::report(const kfd::MemoryExceptionData& fault) {
  const std::uint32_t user_id = node_of(fault.gpu_id);
  // A handle is an address in the program; here it only tells agents apart.
  std::string text;
  if (thunk_.process().env("HSA_ENABLE_VM_FAULT_MESSAGE") != "0") {
    text = fmt::format(
        "Memory access fault by GPU node-{} (Agent handle: {:#x}) on address {}{}. Reason: {}.",
        user_id, user_id + 1, fault.va == 0 ? "(nil)" : fmt::format("{:#x}", fault.va),
        fault.failure.imprecise != 0 ? "(may not be exact address)" : "", reason(fault));
  }
  const std::string subject = fmt::format("GPU node-{}", user_id);
  const EventId event = journal_.record(Layer::runtime, Severity::error, "hsa.aborted", subject,
                                        {{field::asked, "the memory event of KFD"},
                                         {field::got, reason(fault)},
                                         {field::did, "ends the process: abort()"},
                                         {field::shows, std::string_view(text)},
                                         {field::see, "dmesg"}},
                                        last_error({"gpu.memory_fault", "gpu.poison_consumed"}));
  aborted_ = RuntimeAbort{std::move(text), event};
}

}  // namespace rocdrill::rocr
