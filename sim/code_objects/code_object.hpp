// A code object: an AMDGPU ELF file, what its header, metadata note and symbols say.
//
// Sources: LLVM AMDGPUUsage "ELF Code Object" and "Code Object Metadata"; ROCr
// amd_hsa_code.cpp. Read with LLVM's Object library, which stays behind this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/code_objects/load_error.hpp"
#include "stack/formats/kernel_descriptor.hpp"
#include "stack/formats/target_id.hpp"

namespace rocdrill::code_objects {

/// An argument, explicit or hidden, as it lies in the kernarg segment. Sizes in bytes.
struct KernelArgument {
  std::string name;       ///< empty for hidden ones, and where the compiler does not say
  std::string type_name;  ///< "float*"; may be empty
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::string value_kind;  ///< "by_value", "global_buffer", "hidden_block_count_x", ...

  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

/// One entry of amdhsa.kernels, and the descriptor that its symbol names.
struct Kernel {
  std::string name;    ///< "saxpy"; for HIP the mangled name
  std::string symbol;  ///< "saxpy.kd"
  std::uint64_t kernarg_segment_size = 0;
  std::uint64_t kernarg_segment_align = 0;
  std::uint64_t group_segment_fixed_size = 0;    ///< LDS, bytes per workgroup
  std::uint64_t private_segment_fixed_size = 0;  ///< scratch, bytes per work-item
  std::uint64_t wavefront_size = 0;
  std::uint64_t sgpr_count = 0;
  std::uint64_t vgpr_count = 0;
  std::uint64_t agpr_count = 0;
  std::uint64_t max_flat_workgroup_size = 0;
  std::vector<std::uint64_t> reqd_workgroup_size;  ///< 3 values or none
  bool uses_dynamic_stack = false;
  std::vector<KernelArgument> arguments;

  /// Nothing if no symbol of that name lies in a loaded segment: such a kernel cannot be launched.
  std::optional<KernelDescriptor> descriptor;
  std::uint64_t descriptor_address = 0;  ///< virtual address in the code object
};

/// A PT_LOAD segment. Addresses are relative to where the loader puts the code object.
struct Segment {
  std::uint64_t address = 0;
  std::uint64_t memory_size = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t file_size = 0;  ///< <= memory_size; the rest is zero
  bool executable = false;
  bool writable = false;
};

struct CodeObject {
  TargetId target;                   ///< from e_flags
  unsigned code_object_version = 0;  ///< 3 to 6, from the ELF ABI version
  unsigned generic_version = 0;      ///< of a generic target (v6), else 0
  std::string metadata_target;  ///< amdhsa.target: "amdgcn-amd-amdhsa--gfx90a:xnack+"; v3 has none
  std::vector<Kernel> kernels;
  std::vector<Segment> segments;

  const Kernel* find_kernel(std::string_view name) const;
};

/// Reads a code object that fills `bytes`. Never throws for bad input and never trusts a length
/// in it; `bytes` need no alignment.
LoadResult<CodeObject> read_code_object(std::span<const std::byte> bytes);

/// The header alone, cheap: target, version; no kernels and segments.
LoadResult<CodeObject> read_header(std::span<const std::byte> bytes);

/// Whether ROCr's loader takes this code object on an agent with this ISA name: compatible()
/// and, for a generic target, a version that the runtime knows.
Compatibility loadable(const CodeObject& code_object, std::string_view agent_isa);

}  // namespace rocdrill::code_objects
