// The kernarg segment: explicit arguments as the caller gives them, hidden ones as the code
// object's metadata asks for them.
//
// Source: LLVM AMDGPUUsage, "Code Object V3-V5 Metadata", .value_kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/code_objects/code_object.hpp"

namespace rocdrill::code_objects {

struct Geometry {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< work-items
  std::array<std::uint16_t, 3> group{1, 1, 1};  ///< work-items
  unsigned dimensions = 1;
  std::uint32_t dynamic_lds = 0;   ///< bytes beyond the kernel's own
  std::uint64_t shared_base = 0;   ///< aperture
  std::uint64_t private_base = 0;  ///< aperture
  std::uint64_t queue_va = 0;      ///< amd_queue_t
  std::uint64_t hostcall_va = 0;   ///< 0: device printf and the like are not served
  std::uint64_t heap_va = 0;       ///< 0: device malloc is not served
};

/// `explicit_arguments`: bytes per explicit argument, in order; each as long as the argument is.
/// Refuses a wrong number, a wrong size, and a hidden argument of a kind that is not known. Hidden
/// services that are not there (hostcall, heap, printf buffer, multigrid) are null.
LoadResult<std::vector<std::byte>> make_kernarg(
    const Kernel& kernel, std::span<const std::vector<std::byte>> explicit_arguments,
    const Geometry& geometry);

/// In order.
std::vector<const KernelArgument*> explicit_arguments(const Kernel& kernel);

}  // namespace rocdrill::code_objects
