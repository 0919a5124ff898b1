// A kernel dispatch as the shader array gets it from the command processor, and what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/silicon/isa/traffic.hpp"
#include "sim/silicon/isa/wave.hpp"
#include "stack/formats/aql.hpp"
#include "stack/formats/kernel_descriptor.hpp"

namespace rocdrill::isa {

/// What of a GPU decides how waves run on it.
struct Shape {
  std::string processor;  ///< "gfx90a"
  unsigned xccs = 1;
  unsigned compute_units = 104;  ///< of all XCCs
  unsigned lds_bytes_per_cu = 65536;

  /// v0 has all three work-item ids, 10 bits each.
  bool packed_work_item_ids() const;
  /// The hardware holds each wave's scratch base.
  bool architected_scratch() const;
  /// VGPRs and AccVGPRs share 512 registers.
  bool unified_registers() const;
  /// FP16 and BF16 MFMA and DOT2 take denormals as zeros.
  bool matrix_flushes_denormals() const;
  unsigned simds_per_cu() const { return 4; }
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
  /// CUs that the queue may use, one bit each from bit 0 of the first on; empty: all.
  std::vector<std::uint32_t> cu_mask;
  /// Slices (run.hpp) of each resident workgroup, on average, in which none of them ends: then the
  /// dispatch counts as hung; 0: never.
  std::uint64_t most_slices = 0;
  bool counts_traffic = false;  ///< DispatchCounters::traffic; several times slower
};

/// How many waves of a kernel a SIMD holds at a time, and what limits it.
struct Occupancy {
  unsigned waves_per_simd = 0;
  enum class Limit : std::uint8_t { wave_slots, vgprs, lds } limit = Limit::wave_slots;
};
/// `waves`: of a workgroup; `lds_bytes`: of a workgroup. Source: the MI200 and MI300 ISA guides
/// (512 VGPRs of a SIMD's lane in granules of 8, 8 wave slots; before gfx90a 256 in granules of 4,
/// 10).
Occupancy occupancy(const Shape& shape, const KernelDescriptor& descriptor, unsigned waves,
                    std::uint32_t lds_bytes);

/// Of a dispatch. Deterministic: they do not depend on threads or time.
struct DispatchCounters {
  std::uint64_t workgroups = 0;
  std::uint64_t waves = 0;
  std::uint64_t instructions[class_count] = {};  ///< per wave, by Class
  Traffic traffic;                               ///< if Launch::counts_traffic

  void add(const DispatchCounters& other);
  std::uint64_t total() const;
};

enum class End : std::uint8_t {
  completed,
  exception,   ///< Outcome::exception
  unmodelled,  ///< Outcome::text names the instruction
  cancelled,
  hung,  ///< Launch::most_slices were not enough
};

struct Outcome {
  End end = End::completed;
  Exception exception;
  std::string text;      ///< what is not modelled
  std::uint64_t va = 0;  ///< of the instruction that ended it
  std::array<std::uint32_t, 3> workgroup{};
  std::uint32_t wave = 0;  ///< in the workgroup
  DispatchCounters counters;
};

}  // namespace rocdrill::isa
