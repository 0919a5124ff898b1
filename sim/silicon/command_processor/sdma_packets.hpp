// SDMA packets as user space writes them: sizes, fields and what an engine generation allows.
// Sources: the kernel's vega10_sdma_pkt_open.h, ROCr's sdma_registers.h, kfdtest. All are runs of
// dwords; dword 0 holds the opcode in bits 7:0 and the sub-opcode in bits 15:8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rocdrill::cp::sdma {

/// By the IP block version, as far as it changes packets.
enum class Generation : std::uint8_t {
  v4_0,    ///< gfx900 to gfx908
  v4_4_0,  ///< gfx90a: copies of up to 2^30 bytes
  v4_4_2,  ///< gfx942, gfx950
  v5_0,    ///< gfx101x: + GCR
  v5_2,    ///< gfx103x, gfx11xx: + copies of up to 2^30 bytes
};
/// For a KFD gfx_target_version (major * 10000 + minor * 100 + stepping: 90402 is gfx942); nothing
/// for gfx8 and older and for gfx12, whose packets differ.
std::optional<Generation> generation(std::uint32_t gfx_target_version);
std::string_view name(Generation generation);

/// Bits of the byte count in COPY_LINEAR, which holds bytes - 1.
constexpr unsigned copy_count_bits(Generation generation) {
  return generation == Generation::v4_4_0 || generation == Generation::v5_2 ? 30 : 22;
}
constexpr bool has_gcr(Generation generation) { return generation >= Generation::v5_0; }

enum class Op : std::uint8_t {
  nop = 0,
  copy = 1,
  write = 2,
  indirect = 4,
  fence = 5,
  trap = 6,
  semaphore = 7,
  poll_regmem = 8,
  cond_exe = 9,
  atomic = 10,
  const_fill = 11,
  pte_pde = 12,
  timestamp = 13,
  srbm_write = 14,
  pre_exe = 15,
  dummy_trap = 16,
  gcr = 17,
};
enum class CopySub : std::uint8_t { linear = 0, linear_sub_window = 4 };
enum class TimestampSub : std::uint8_t { set = 0, get = 1, get_global = 2 };

/// Function field of POLL_REGMEM: (value & mask) <function> reference, unsigned.
enum class PollFunction : std::uint8_t {
  always = 0,
  less = 1,
  less_equal = 2,
  equal = 3,
  not_equal = 4,
  greater_equal = 5,
  greater = 6,
};
bool holds(PollFunction function, std::uint32_t value, std::uint32_t reference);

/// Retry field of POLL_REGMEM that means for ever.
inline constexpr std::uint32_t poll_for_ever = 0xFFF;

/// Operation field of ATOMIC without bit 5, which selects 64 bits: TC_OP_ATOMIC_*_RTN_32 of the
/// kernel's vega10_enum.h. ROCr uses add of 64 bits, 47.
enum class AtomicOp : std::uint8_t {
  swap = 0x07,
  compare_swap = 0x08,
  add = 0x0F,
  sub = 0x10,
  smin = 0x11,
  umin = 0x12,
  smax = 0x13,
  umax = 0x14,
  bit_and = 0x15,
  bit_or = 0x16,
  bit_xor = 0x17,
};
inline constexpr std::uint32_t atomic_64_bits = 0x20;
bool is_modelled_atomic(std::uint32_t operation);

/// Operands of ATOMIC, and what memory holds afterwards. `Value` is unsigned.
template <class Value>
struct AtomicOperands {
  Value source = 0;
  Value compare = 0;
};
template <class Value>
Value apply(AtomicOp operation, Value before, AtomicOperands<Value> operands);

/// The longest packet apart from the data of WRITE_LINEAR and the dwords that NOP skips.
inline constexpr std::size_t max_head_dwords = 13;
using Head = std::array<std::uint32_t, max_head_dwords>;

constexpr std::uint32_t field(std::uint32_t dword, unsigned high, unsigned low) {
  return dword >> low & (~0u >> (31 - (high - low)));
}
constexpr std::uint64_t address(const Head& head, std::size_t dword) {
  return head[dword] | std::uint64_t{head[dword + 1]} << 32;
}

/// Dwords of the packet's head, from its first dword; or, where the packet is not modelled, what
/// it is called.
struct Kind {
  std::size_t head_dwords = 0;  ///< 0: refused
  std::string_view refused;
};
Kind classify(std::uint32_t header, Generation generation);
/// Dwords of the whole packet, from its head.
std::size_t length(const Head& head);

}  // namespace rocdrill::cp::sdma
