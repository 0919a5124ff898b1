#include "sim/rocr/vm_fault.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::rocr {
namespace {

std::string_view reason(const kfd::MemoryExceptionFailure& failure) {
  if (failure.not_present != 0) return "Page not present or supervisor privilege";
  if (failure.read_only != 0) return "Write access to a read-only page";
  if (failure.no_execute != 0) return "Execute access to a page marked NX";
  return "Unknown";
}

}  // namespace

void VmFaultHandler::bind() {
  if (const auto event = thunk_.create_memory_event()) event_ = *event;
}

void VmFaultHandler::poll() {
  if (!event_ || aborted_) return;
  if (const auto fault = thunk_.memory_exception(*event_)) report(*fault);
}

void VmFaultHandler::report(const kfd::MemoryExceptionData& fault) {
  const auto node = std::ranges::find(thunk_.nodes(), fault.gpu_id, &TopologyNode::gpu_id);
  const std::uint32_t user_id = node == thunk_.nodes().end() ? 0 : node->user_id;
  // A handle is an address in the program; here it only tells agents apart.
  std::string text;
  if (thunk_.process().env("HSA_ENABLE_VM_FAULT_MESSAGE") != "0") {
    text = fmt::format(
        "Memory access fault by GPU node-{} (Agent handle: {:#x}) on address {}{}. Reason: {}.",
        user_id, user_id + 1, fault.va == 0 ? "(nil)" : fmt::format("{:#x}", fault.va),
        fault.failure.imprecise != 0 ? "(may not be exact address)" : "", reason(fault.failure));
  }
  const auto causes = journal_.timeline().find({.kind_prefix = "gpu.memory_fault"});
  const std::string subject = fmt::format("GPU node-{}", user_id);
  const EventId event = journal_.record(Layer::runtime, Severity::error, "hsa.aborted", subject,
                                        {{field::asked, "the memory event of KFD"},
                                         {field::got, reason(fault.failure)},
                                         {field::did, "ends the process: abort()"},
                                         {field::shows, std::string_view(text)},
                                         {field::see, "dmesg"}},
                                        causes.empty() ? no_event : causes.back());
  aborted_ = RuntimeAbort{std::move(text), event};
}

}  // namespace rocdrill::rocr
