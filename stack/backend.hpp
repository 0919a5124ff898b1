// A node that can be checked and used: the simulated one or the machine itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stack/hip.hpp"
#include "stack/host.hpp"
#include "stack/runtime.hpp"
#include "stack/timeline.hpp"

namespace rocdrill {

/// What a backend can do; a drill or test names what it needs.
enum class Capability : std::uint32_t {
  files = 1u << 0,            ///< host files, identity, commands
  kfd = 1u << 1,              ///< /dev/kfd ioctls
  aql_barrier = 1u << 2,      ///< barrier-AND, barrier-OR
  barrier_value = 1u << 3,    ///< AMD vendor packet
  agent_dispatch = 1u << 4,   ///< agent-dispatch packets reach a handler
  kernel_dispatch = 1u << 5,  ///< kernels execute
  sdma = 1u << 6,
  pm4 = 1u << 7,
  hip = 1u << 8,
  inject = 1u << 9,         ///< faults can be injected
  virtual_time = 1u << 10,  ///< time is simulated; waits cost nothing
  collectives = 1u << 11,   ///< RCCL's rings over executed kernels
};

std::string_view name(Capability capability);

class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(std::initializer_list<Capability> list) {
    for (Capability capability : list) bits_ |= static_cast<std::uint32_t>(capability);
  }
  constexpr bool has(Capability capability) const {
    return (bits_ & static_cast<std::uint32_t>(capability)) != 0;
  }
  constexpr void add(Capability capability) { bits_ |= static_cast<std::uint32_t>(capability); }
  constexpr std::uint32_t bits() const { return bits_; }
  /// Names of what `needed` has and this lacks.
  std::vector<std::string> missing(Capabilities needed) const;

 private:
  std::uint32_t bits_ = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  ///< "sim", "real"
  virtual Capabilities capabilities() const = 0;
  virtual Host& host() = 0;
  /// hsa_init in `process`, which must outlive the runtime.
  virtual HsaResult<std::unique_ptr<Runtime>> open_runtime(Process& process) = 0;
  /// libamdhip64 in `process`; nullptr where there is none.
  virtual std::unique_ptr<Hip> open_hip(Process& process) = 0;
  /// A Python with PyTorch in `process`; nullptr where there is none.
  virtual std::unique_ptr<Framework> open_framework(Process& process) = 0;
  /// The node's history, if this backend keeps one.
  virtual const Timeline* timeline() const { return nullptr; }
};

}  // namespace rocdrill
