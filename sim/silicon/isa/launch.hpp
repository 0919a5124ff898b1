// A kernel dispatch as the shader array gets it from the command processor, and what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/silicon/isa/wave.hpp"
#include "stack/formats/aql.hpp"
#include "stack/formats/kernel_descriptor.hpp"

namespace rocdrill::isa {

/// What of a GPU decides how waves run on it.
struct Shape {
  std::string processor;  ///< "gfx90a"
  unsigned xccs = 1;
  unsigned compute_units = 104;  ///< of all XCCs
  unsigned waves_per_cu = 32;
  unsigned lds_bytes_per_cu = 65536;

  /// v0 has all three work-item ids, 10 bits each.
  bool packed_work_item_ids() const;
  /// The hardware holds each wave's scratch base.
  bool architected_scratch() const;
  /// VGPRs and AccVGPRs share 512 registers.
  bool unified_registers() const;
};

/// Memory for private segments: `slots` waves at a time, `wave_bytes` each.
struct Scratch {
  std::uint64_t va = 0;
  std::uint64_t wave_bytes = 0;
  std::uint32_t slots = 0;
  std::array<std::uint32_t, 4> descriptor{};  ///< the V# that kernels address it through
};

struct Launch {
  aql::KernelDispatch packet{};
  KernelDescriptor descriptor;
  std::uint64_t entry_va = 0;
  std::uint64_t packet_va = 0;  ///< DISPATCH_PTR
  std::uint64_t queue_va = 0;   ///< QUEUE_PTR
  std::uint64_t dispatch_id = 0;
  Scratch scratch;
  Environment environment;
};

/// Of a dispatch. Deterministic: they do not depend on threads or time.
struct DispatchCounters {
  std::uint64_t workgroups = 0;
  std::uint64_t waves = 0;
  std::uint64_t instructions[class_count] = {};  ///< per wave, by Class

  void add(const DispatchCounters& other);
  std::uint64_t total() const;
};

enum class End : std::uint8_t {
  completed,
  exception,   ///< Outcome::exception
  unmodelled,  ///< Outcome::text names the instruction
  cancelled,
};

struct Outcome {
  End end = End::completed;
  Exception exception;
  std::string text;  ///< what is not modelled
  std::uint64_t va = 0;  ///< of the instruction that ended it
  std::array<std::uint32_t, 3> workgroup{};
  std::uint32_t wave = 0;  ///< in the workgroup
  DispatchCounters counters;
};

}  // namespace rocdrill::isa
