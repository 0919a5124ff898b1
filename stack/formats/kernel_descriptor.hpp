// The 64-byte kernel descriptor (symbol "<name>.kd"): what a dispatch packet's kernel_object
// points at.
//
// Sources: LLVM AMDGPUUsage "Kernel Descriptor"; Support/AMDHSAKernelDescriptor.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace rocdrill {

struct KernelDescriptor {
  std::uint32_t group_segment_fixed_size = 0;    ///< bytes of LDS per workgroup
  std::uint32_t private_segment_fixed_size = 0;  ///< bytes of scratch per work-item
  std::uint32_t kernarg_size = 0;                ///< bytes; 0 also where the compiler does not say
  std::uint32_t reserved0 = 0;
  /// From the descriptor's own address to the first instruction; 256-byte aligned.
  std::int64_t kernel_code_entry_byte_offset = 0;
  std::uint8_t reserved1[20] = {};
  std::uint32_t compute_pgm_rsrc3 = 0;
  std::uint32_t compute_pgm_rsrc1 = 0;
  std::uint32_t compute_pgm_rsrc2 = 0;
  std::uint16_t kernel_code_properties = 0;
  std::uint16_t kernarg_preload = 0;
  std::uint32_t reserved2 = 0;

  bool operator==(const KernelDescriptor&) const = default;

  static constexpr std::size_t size = 64;
  static constexpr std::size_t code_alignment = 256;

  /// Nothing if `bytes` is shorter than 64; takes the first 64.
  static std::optional<KernelDescriptor> read(std::span<const std::byte> bytes);

  // COMPUTE_PGM_RSRC1. Register counts are in granules that depend on the processor.
  constexpr unsigned granulated_vgprs() const { return field(compute_pgm_rsrc1, 0, 6); }
  constexpr unsigned granulated_sgprs() const { return field(compute_pgm_rsrc1, 6, 4); }
  constexpr unsigned priority() const { return field(compute_pgm_rsrc1, 10, 2); }
  constexpr unsigned float_round_mode_32() const { return field(compute_pgm_rsrc1, 12, 2); }
  constexpr unsigned float_round_mode_16_64() const { return field(compute_pgm_rsrc1, 14, 2); }
  constexpr unsigned float_denorm_mode_32() const { return field(compute_pgm_rsrc1, 16, 2); }
  constexpr unsigned float_denorm_mode_16_64() const { return field(compute_pgm_rsrc1, 18, 2); }
  /// The low byte of the wave's MODE register: rounding 3:0, denormals 7:4.
  constexpr unsigned float_mode() const { return field(compute_pgm_rsrc1, 12, 8); }
  constexpr bool priv() const { return bit(compute_pgm_rsrc1, 20); }
  constexpr bool dx10_clamp() const { return bit(compute_pgm_rsrc1, 21); }        ///< not on gfx12
  constexpr bool ieee_mode() const { return bit(compute_pgm_rsrc1, 23); }         ///< not on gfx12
  constexpr bool fp16_overflow() const { return bit(compute_pgm_rsrc1, 26); }     ///< gfx9+
  constexpr bool wgp_mode() const { return bit(compute_pgm_rsrc1, 29); }          ///< gfx10+
  constexpr bool mem_ordered() const { return bit(compute_pgm_rsrc1, 30); }       ///< gfx10+
  constexpr bool forward_progress() const { return bit(compute_pgm_rsrc1, 31); }  ///< gfx10+

  // COMPUTE_PGM_RSRC2
  constexpr bool enable_private_segment() const { return bit(compute_pgm_rsrc2, 0); }
  constexpr unsigned user_sgpr_count() const { return field(compute_pgm_rsrc2, 1, 5); }
  constexpr bool workgroup_id_x() const { return bit(compute_pgm_rsrc2, 7); }
  constexpr bool workgroup_id_y() const { return bit(compute_pgm_rsrc2, 8); }
  constexpr bool workgroup_id_z() const { return bit(compute_pgm_rsrc2, 9); }
  constexpr bool workgroup_info() const { return bit(compute_pgm_rsrc2, 10); }
  /// 0: x only, 1: x and y, 2: all three.
  constexpr unsigned workitem_id_dimensions() const { return field(compute_pgm_rsrc2, 11, 2); }
  /// Must be 0 in the descriptor: the command processor fills it from the packet.
  constexpr unsigned granulated_lds() const { return field(compute_pgm_rsrc2, 15, 9); }
  /// EXCP_EN: invalid, denormal, division by 0, overflow, underflow, inexact, int division by 0.
  constexpr unsigned exceptions() const { return field(compute_pgm_rsrc2, 24, 7); }

  // COMPUTE_PGM_RSRC3
  /// gfx90a, gfx942, gfx950: number of the first AccVGPR in the unified register file.
  constexpr unsigned accum_offset() const { return (field(compute_pgm_rsrc3, 0, 6) + 1) * 4; }
  constexpr bool tg_split() const { return bit(compute_pgm_rsrc3, 16); }  ///< the same targets
  constexpr unsigned shared_vgprs() const { return field(compute_pgm_rsrc3, 0, 4); }  ///< gfx10/11

  // kernel_code_properties: which user SGPRs the kernel wants, in this order.
  constexpr bool private_segment_buffer() const { return bit(kernel_code_properties, 0); }
  constexpr bool dispatch_ptr() const { return bit(kernel_code_properties, 1); }
  constexpr bool queue_ptr() const { return bit(kernel_code_properties, 2); }
  constexpr bool kernarg_segment_ptr() const { return bit(kernel_code_properties, 3); }
  constexpr bool dispatch_id() const { return bit(kernel_code_properties, 4); }
  constexpr bool flat_scratch_init() const { return bit(kernel_code_properties, 5); }
  constexpr bool private_segment_size() const { return bit(kernel_code_properties, 6); }
  constexpr bool wavefront_size32() const { return bit(kernel_code_properties, 10); }
  constexpr bool uses_dynamic_stack() const { return bit(kernel_code_properties, 11); }

  // kernarg_preload (gfx90a, gfx942 and later), in dwords.
  constexpr unsigned preload_length() const { return field(kernarg_preload, 0, 7); }
  constexpr unsigned preload_offset() const { return field(kernarg_preload, 7, 9); }

 private:
  static constexpr unsigned field(std::uint32_t word, unsigned low, unsigned width) {
    return word >> low & ((1u << width) - 1u);
  }
  static constexpr bool bit(std::uint32_t word, unsigned position) {
    return field(word, position, 1) != 0;
  }
};
static_assert(sizeof(KernelDescriptor) == KernelDescriptor::size);
static_assert(offsetof(KernelDescriptor, kernel_code_entry_byte_offset) == 16);
static_assert(offsetof(KernelDescriptor, compute_pgm_rsrc3) == 44);
static_assert(offsetof(KernelDescriptor, kernel_code_properties) == 56);

/// First SGPR of each value that the command processor puts there, dense from s0; nothing where
/// the kernel does not ask for it.
struct UserSgprs {
  std::optional<unsigned> private_segment_buffer;  ///< 4 SGPRs
  std::optional<unsigned> dispatch_ptr;            ///< 2
  std::optional<unsigned> queue_ptr;               ///< 2
  std::optional<unsigned> kernarg_segment_ptr;     ///< 2
  std::optional<unsigned> dispatch_id;             ///< 2
  std::optional<unsigned> flat_scratch_init;       ///< 2
  std::optional<unsigned> private_segment_size;    ///< 1
  std::optional<unsigned> kernarg_preload;         ///< preload_length()
  unsigned used = 0;                               ///< <= user_sgpr_count() in valid code
};

UserSgprs user_sgprs(const KernelDescriptor& descriptor);

}  // namespace rocdrill
