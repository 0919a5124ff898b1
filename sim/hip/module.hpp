// Code objects of a program: found in its file, matched against an agent, put where the agent
// can run them.
#pragma once

#include <string>
#include <string_view>

#include "sim/code_objects/code_object.hpp"
#include "sim/host/journal.hpp"
#include "stack/hip.hpp"
#include "stack/process.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::hip {

struct ModuleError {
  std::string asked;  ///< "a code object for amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
  std::string what;   ///< what the file has instead
  EventId event = no_event;
  bool bad_file = false;
  bool unmodelled = false;
};

struct FoundCodeObject {
  std::string bytes;
  code_objects::CodeObject object;
  EventId event = no_event;
};

/// Reads `file` through the process, picks the entry for `isa` as HIP does, reads it.
std::expected<FoundCodeObject, ModuleError> find_code_object(Process& process,
                                                             sim::Journal& journal,
                                                             std::string_view file,
                                                             std::string_view isa, EventId device);

struct DispatchResult {
  HsaStatus status = HsaStatus::success;
  /// The launch was refused before a packet was written: wrong arguments, a code object that cannot
  /// be loaded.
  std::string refused;
  bool never_ends = false;  ///< nothing that could complete the packet is left to happen
};

/// Loads the object's segments, relocated, writes the kernarg segment and a kernel-dispatch packet,
/// rings the doorbell and waits: success, or the status that the queue failed with.
DispatchResult dispatch(Runtime& runtime, std::size_t agent, const FoundCodeObject& code,
                        const code_objects::Kernel& kernel, const HipLaunch& how);

}  // namespace rocdrill::hip
