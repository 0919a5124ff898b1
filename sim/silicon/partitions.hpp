// Which compute and memory partitions go together, and what one device of a divided GPU gets: pure
// rules over the catalogue. Who may switch, and when, is the driver's (sim/kernel).
//
// Sources: aqua_vanjaram.c (modes by number of XCCs, automatic mode), amdgpu_gfx.c and amdgpu_gmc.c
// (what sysfs takes), amdgpu_amdkfd.c (memory of a device).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/silicon/catalogue.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::silicon {

/// How a driver decides whether a compute mode goes with the present memory mode.
enum class PartitionRules : std::uint8_t {
  counts,  ///< by numbers: memory partitions, compute partitions, XCCs (AMD's tree, older kernels)
  lists,   ///< by a list of memory modes per compute mode (mainline since 2024)
};

/// Whether the driver switches to `compute` while the memory is in `memory`.
bool accepts(const GpuProduct& product, ComputeMode compute, MemoryMode memory,
             PartitionRules rules);

/// The compute modes that it accepts, in the order of the catalogue.
std::vector<ComputeMode> accepted_modes(const GpuProduct& product, MemoryMode memory,
                                        PartitionRules rules);

/// What the driver picks by itself when it starts; nullopt: "Invalid config".
std::optional<ComputeMode> automatic_mode(const GpuProduct& product, MemoryMode memory);

/// Whether AMD's documentation validates the pair, not only the kernel accepts it.
bool validated(const GpuProduct& product, ComputeMode compute, MemoryMode memory);

/// What a write to current_compute_partition asks for: a prefix, in either case. nullopt: EINVAL
/// whatever the memory mode.
std::optional<ComputeMode> parse_compute_mode(const GpuProduct& product, std::string_view text);
/// The same for current_memory_partition, among `modes`.
std::optional<MemoryMode> parse_memory_mode(std::span<const MemoryMode> modes,
                                            std::string_view text);

/// One of the devices that a GPU is divided into. They are all alike.
struct PartitionShape {
  std::uint32_t devices = 1;  ///< of the GPU
  std::uint32_t xccs = 1;
  std::uint32_t compute_units = 0;
  SdmaEngines sdma;
  /// As KFD counts: its share of the memory partition that it lies in.
  std::uint64_t memory_bytes = 0;
};
PartitionShape partition_shape(const GpuProduct& product, ComputeMode compute);

/// The memory partition of device `index`.
std::uint32_t memory_partition_of(const PartitionShape& shape, std::uint32_t index,
                                  MemoryMode memory);

/// Video engines as amd-smi lists them per device; 0 = not known.
struct MediaEngines {
  std::uint32_t decoders = 0, jpeg = 0;
};
MediaEngines media_engines(const GpuProduct& product);

/// The table of docs/partitions.md: every product that can be divided, mode by mode.
std::string partitions_markdown();

}  // namespace rocdrill::silicon
