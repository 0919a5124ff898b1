// An instruction of the gfx9 family, decoded once: what a wave runs.
//
// LLVM's MC disassembler reads the encoding (decode.cpp); nothing here or in the handlers looks at
// encoded bits. A handler is chosen at decode time from the tables of semantics.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

/// Of headers that the lanes' files include, too: those are compiled once per level of x86-64, and
/// no function may come of it that the linker merges across levels.
#define ROCDRILL_INLINE inline __attribute__((always_inline))

namespace rocdrill::isa {

struct Wave;
struct Instruction;

/// Does what the instruction does and returns the next one: `instruction + 1`, a branch's target,
/// or nullptr when the wave stops (Wave::stop says why).
using Handler = const Instruction* (*)(Wave& wave, const Instruction* instruction);

/// Where an operand lies. Wave::bases has the address of each kind's register 0.
enum class Kind : std::uint8_t {
  none,
  vgpr,
  agpr,
  sgpr,      ///< also VCC, M0, EXEC, FLAT_SCRATCH, TTMP: numbered as encoded, below 128
  constant,  ///< inline constant or literal: two lines of 64 bytes, the low and the high dwords
  special,   ///< SRC_SHARED_BASE, VCCZ, EXECZ, SCC...: Operand::offset is the encoding
};
inline constexpr std::size_t kind_count = 6;

/// Bytes of one VGPR: 64 lanes of 4.
inline constexpr std::uint32_t vgpr_bytes = 256;
inline constexpr std::uint32_t wave_lanes = 64;

/// Bits of Instruction::modifiers, as MC's srcN_modifiers has them.
enum Modifier : std::uint8_t {
  neg = 1,       ///< VOP3P: of the low half
  abs = 2,       ///< VOP3P: neg_hi
  op_sel = 4,    ///< the high half of the source (VOP3P: for the low half of the result)
  op_sel_hi = 8  ///< VOP3P: the high half for the high half. In src0 of VOP3: op_sel of the result
};

/// Byte or word that SDWA takes from, or puts into, a dword.
enum class Select : std::uint8_t { byte_0, byte_1, byte_2, byte_3, word_0, word_1, dword };
enum class Unused : std::uint8_t { pad, sext, preserve };

/// Bits of Instruction::flags.
enum Flag : std::uint16_t {
  clamp = 1 << 0,
  glc = 1 << 1,  ///< of an atomic: returns the value before
  idxen = 1 << 2,
  offen = 1 << 3,
  lds = 1 << 4,          ///< the data goes to LDS (global_load_lds_*, buffer ... lds)
  gds = 1 << 5,          ///< refused: gfx90a and gfx942 have none
  has_saddr = 1 << 6,    ///< FLAT family: Source::saddr is used
  has_vaddr = 1 << 7,    ///< scratch: Source::vaddr is used
  bound_ctrl = 1 << 8,   ///< DPP: invalid lanes read 0
  has_soffset = 1 << 9,  ///< SMEM: an SGPR is added
  is_64 = 1 << 10,       ///< DPP on 64-bit operands
  modified = 1 << 11,    ///< a source has neg or abs, or the result omod or clamp
  far = 1 << 12,         ///< a branch whose target is in another fragment
  sext0 = 1 << 13,       ///< SDWA: what is selected of src0, an integer, is sign-extended
  sext1 = 1 << 14,
};

/// Which half of MODE's rounding and denormal bits an operation obeys.
enum class Precision : std::uint8_t { none, single, half_double };

/// What a counter counts.
enum class Class : std::uint8_t {
  salu,
  smem,
  valu,
  transcendental,
  mfma,
  vmem_load,
  vmem_store,
  vmem_atomic,
  scratch,
  lds,
  branch,
  barrier,
  waitcnt,
  message,
  other
};
inline constexpr std::size_t class_count = 15;

/// One cache line.
struct alignas(64) Instruction {
  Handler run = nullptr;
  /// SDWA, DPP and op_sel: `run` picks the sources apart and has `body` compute.
  Handler body = nullptr;

  /// Bytes from the base of the kind: VGPR number * 256, SGPR number * 4, constants as they come.
  /// Which is which: the enumerations below.
  std::uint32_t offset[5] = {};
  Kind kind[5] = {};
  std::uint8_t modifiers[3] = {};  ///< Modifier bits of src0, src1, src2

  /// SOPP, SOPK: simm16 (sign extended). Branches: instructions to the target, unless `far`.
  /// Memory: the byte offset. DS with two offsets: offset0 | offset1 << 8. hwreg: the raw simm16.
  /// SDWA: dst_sel | dst_unused << 4 | src0_sel << 8 | src1_sel << 12. DPP: dpp_ctrl |
  /// row_mask << 16 | bank_mask << 20. MFMA: cbsz | abid << 4 | blgp << 8. ds_swizzle: offset.
  std::int32_t immediate = 0;
  std::uint32_t code_offset = 0;  ///< bytes from the start of its fragment
  std::uint16_t flags = 0;        ///< Flag bits
  std::uint8_t bytes = 0;         ///< of the encoding: 4, 8 or 12
  Class counted_as = Class::other;
  std::uint8_t omod = 0;       ///< 0 none, 1 *2, 2 *4, 3 /2
  std::uint8_t registers = 0;  ///< memory: dwords of data
  Precision precision = Precision::none;
};
static_assert(sizeof(Instruction) == 64);

/// Indices into offset[] and kind[].
enum : unsigned { dst = 0, src0 = 1, src1 = 2, src2 = 3, sdst = 4 };         ///< SALU and VALU
enum : unsigned { vdst = 0, vaddr = 1, vdata = 2, saddr = 3, soffset = 4 };  ///< FLAT family, MUBUF
inline constexpr unsigned srsrc = saddr;                                     ///< MUBUF, MTBUF
enum : unsigned { ds_dst = 0, ds_addr = 1, ds_data0 = 2, ds_data1 = 3 };     ///< DS
enum : unsigned {
  sm_dst = 0,
  sm_base = 1,
  sm_offset = 2
};  ///< SMEM; sm_dst is the data of a store

}  // namespace rocdrill::isa
