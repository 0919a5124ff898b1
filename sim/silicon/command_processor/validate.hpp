// What makes a packet one that the packet processor refuses. Pure functions of the packet, the
// agent's limits and memory; `none` means that it is well formed.
#pragma once

#include <cstdint>
#include <variant>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/command_processor/queue_error.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::cp {

/// Of the agent that the queue belongs to.
struct AgentLimits {
  std::uint32_t max_workgroup_size = 1024;  ///< work-items
  std::uint32_t lds_bytes = 64 * 1024;      ///< per workgroup
  std::uint32_t wavefront_size = 64;        ///< lanes

  template <class Archive>
  void serialize(Archive& archive) {
    archive("max_workgroup_size", max_workgroup_size);
    archive("lds_bytes", lds_bytes);
    archive("wavefront_size", wavefront_size);
  }
};

/// Unknown type, reserved fence scope 3 or reserved bits 15:13 (HSA PSA 1.2 section 2.9.1).
KfdException check_header(aql::Header header);

/// Dimensions, sizes and LDS, in the order in which they are looked at here. Which error the
/// command processor's firmware reports first when several fields are wrong is not documented,
/// nor is its answer to an empty grid (here: DIM_INVALID); both are assumed.
KfdException check_dispatch(const aql::KernelDispatch& packet, const AgentLimits& limits);

/// Finds the first instruction: the descriptor is 64-aligned and readable, the entry behind it
/// 256-aligned (COMPUTE_PGM_LO holds address bits 39:8) and executable. The error is always
/// DISPATCH_CODE_INVALID.
std::variant<std::uint64_t, KfdException> find_entry(AddressSpace& memory,
                                                     std::uint64_t kernel_object);

/// ROCr's own blit kernels have the older amd_kernel_code_t there, whose program resources and
/// properties lie at the same places; what is new in the descriptor (RSRC3, kernarg preload) is
/// something else in it.
bool is_amd_kernel_code(const void* descriptor);

/// Bytes of kernarg that the kernel declares; 0 where the object does not say, as in ROCr's own
/// blit kernels (amd_kernel_code_t). `kernel_object` has passed find_entry.
std::uint32_t kernarg_bytes(AddressSpace& memory, std::uint64_t kernel_object);

}  // namespace rocdrill::cp
