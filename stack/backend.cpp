#include "stack/backend.hpp"

#include <array>

namespace rocdrill {
namespace {

struct Entry {
  Capability capability;
  std::string_view name;
};

constexpr std::array entries{
    Entry{Capability::files, "files"},
    Entry{Capability::kfd, "kfd"},
    Entry{Capability::aql_barrier, "aql-barrier"},
    Entry{Capability::barrier_value, "barrier-value"},
    Entry{Capability::agent_dispatch, "agent-dispatch"},
    Entry{Capability::kernel_dispatch, "kernel-dispatch"},
    Entry{Capability::sdma, "sdma"},
    Entry{Capability::pm4, "pm4"},
    Entry{Capability::hip, "hip"},
    Entry{Capability::inject, "inject"},
    Entry{Capability::virtual_time, "virtual-time"},
    Entry{Capability::collectives, "collectives"},
};

}  // namespace

std::string_view name(Capability capability) {
  for (const Entry& entry : entries) {
    if (entry.capability == capability) return entry.name;
  }
  return "unknown";
}

std::vector<std::string> Capabilities::missing(Capabilities needed) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (needed.has(entry.capability) && !has(entry.capability)) names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace rocdrill
