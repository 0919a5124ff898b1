// SOP1, SOP2, SOPC, SOPK: one value per wave.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12
// ("SOP2 instructions" and following).
#include <bit>

#include "sim/silicon/isa/control.hpp"

namespace rocdrill::isa {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

// An operation returns its result and may set `scc`; what does not mention SCC leaves it.
template <u32 (*operation)(u32, u32, u32& scc)>
const Instruction* binary32(Wave& w, const Instruction* i) {
  const u32 a = read32(w, *i, src0);
  write32(w, *i, dst, operation(a, read32(w, *i, src1), w.scc));
  return i + 1;
}
template <u64 (*operation)(u64, u64, u32& scc)>
const Instruction* binary64(Wave& w, const Instruction* i) {
  const u64 a = read64(w, *i, src0);
  write64(w, *i, dst, operation(a, read64(w, *i, src1), w.scc));
  return i + 1;
}
/// 64-bit value, 32-bit second operand: shifts and bit fields.
template <u64 (*operation)(u64, u32, u32& scc)>
const Instruction* shift64(Wave& w, const Instruction* i) {
  const u64 a = read64(w, *i, src0);
  write64(w, *i, dst, operation(a, read32(w, *i, src1), w.scc));
  return i + 1;
}
template <u32 (*operation)(u32, u32& scc)>
const Instruction* unary32(Wave& w, const Instruction* i) {
  write32(w, *i, dst, operation(read32(w, *i, src0), w.scc));
  return i + 1;
}
template <u64 (*operation)(u64, u32& scc)>
const Instruction* unary64(Wave& w, const Instruction* i) {
  write64(w, *i, dst, operation(read64(w, *i, src0), w.scc));
  return i + 1;
}
/// 64 bits in, 32 out: counts and searches.
template <u32 (*operation)(u64, u32& scc)>
const Instruction* count64(Wave& w, const Instruction* i) {
  write32(w, *i, dst, operation(read64(w, *i, src0), w.scc));
  return i + 1;
}
template <bool (*holds)(u32, u32)>
const Instruction* compare32(Wave& w, const Instruction* i) {
  const u32 a = read32(w, *i, src0);
  w.scc = holds(a, read32(w, *i, src1)) ? 1 : 0;
  return i + 1;
}
/// SOPK: the second operand is simm16; unsigned comparisons do not extend its sign.
template <bool (*holds)(u32, u32), bool extended>
const Instruction* compare_k(Wave& w, const Instruction* i) {
  const auto k = static_cast<u32>(i->immediate);
  w.scc = holds(read32(w, *i, src0), extended ? k : k & 0xFFFFu) ? 1 : 0;
  return i + 1;
}

constexpr bool overflows_add(u32 a, u32 b, u32 sum) { return ((a ^ sum) & (b ^ sum)) >> 31 != 0; }
constexpr bool overflows_sub(u32 a, u32 b, u32 d) { return ((a ^ b) & (a ^ d)) >> 31 != 0; }

template <unsigned bits>
u32 shift_add(u32 a, u32 b, u32& scc) {
  const u64 sum = (u64{a} << bits) + b;
  scc = sum > 0xFFFFFFFFull ? 1 : 0;
  return static_cast<u32>(sum);
}
u32 bfe_u32(u32 a, u32 b, u32& scc) {
  const u32 offset = b & 31;
  const u32 width = b >> 16 & 127;
  const u32 value = width == 0 ? 0 : width >= 32 ? a >> offset : a >> offset & ((1u << width) - 1);
  scc = value != 0 ? 1 : 0;
  return value;
}
u32 bfe_i32(u32 a, u32 b, u32& scc) {
  const u32 offset = b & 31;
  const u32 width = b >> 16 & 127;
  u32 value = 0;
  if (width != 0) {
    // The field ends at bit 31: what lies beyond is not there.
    const u32 end = offset + width < 32 ? offset + width : 32;
    value = static_cast<u32>(static_cast<i32>(a << (32 - end)) >> (32 - end + offset));
  }
  scc = value != 0 ? 1 : 0;
  return value;
}
u64 bfe_u64(u64 a, u32 b, u32& scc) {
  const u32 offset = b & 63;
  const u32 width = b >> 16 & 127;
  const u64 value = width == 0    ? 0
                    : width >= 64 ? a >> offset
                                  : a >> offset & ((u64{1} << width) - 1);
  scc = value != 0 ? 1 : 0;
  return value;
}
u64 bfe_i64(u64 a, u32 b, u32& scc) {
  const u32 offset = b & 63;
  const u32 width = b >> 16 & 127;
  u64 value = 0;
  if (width != 0) {
    const u32 end = offset + width < 64 ? offset + width : 64;
    value = static_cast<u64>(static_cast<i64>(a << (64 - end)) >> (64 - end + offset));
  }
  scc = value != 0 ? 1 : 0;
  return value;
}
u32 reverse(u32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0F0F0F0Fu) | (a & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(a);
}
u64 reverse(u64 a) {
  return u64{reverse(static_cast<u32>(a))} << 32 | reverse(static_cast<u32>(a >> 32));
}
/// Every group of four bits becomes all ones if any of it is set.
u64 whole_quads(u64 a) {
  u64 any = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111111111111111ull;
  return any * 15;
}
/// Bit n: any of bits 4n to 4n+3.
u64 quad_mask(u64 a) {
  u64 out = 0;
  for (unsigned n = 0; n < 16; ++n)
    if ((a >> (4 * n) & 15) != 0) out |= u64{1} << n;
  return out;
}
/// Of the first bit that differs from the sign bit, counted from the top; -1 if there is none.
u32 sign_run(u64 a, unsigned size) {
  const u64 sign = a >> (size - 1) & 1;
  for (unsigned n = 1; n < size; ++n)
    if ((a >> (size - 1 - n) & 1) != sign) return n;
  return 0xFFFFFFFFu;
}
u64 spread_bits(u32 a) {  // bit n -> bits 2n and 2n + 1
  u64 out = 0;
  for (unsigned n = 0; n < 32; ++n)
    if ((a >> n & 1) != 0) out |= u64{3} << (2 * n);
  return out;
}

// Whether a saveexec keeps the lanes of EXEC and the mask: D = EXEC; EXEC = operation(S0, EXEC).
template <u64 (*operation)(u64 source, u64 exec)>
const Instruction* save_exec(Wave& w, const Instruction* i) {
  const u64 source = read64(w, *i, src0);
  const u64 exec = w.exec();
  write64(w, *i, dst, exec);
  w.set_exec(operation(source, exec));
  w.scc = w.exec() != 0 ? 1 : 0;
  return i + 1;
}
/// D and EXEC both get the new mask.
template <u64 (*operation)(u64 source, u64 exec)>
const Instruction* write_exec(Wave& w, const Instruction* i) {
  w.set_exec(operation(read64(w, *i, src0), w.exec()));
  write64(w, *i, dst, w.exec());
  w.scc = w.exec() != 0 ? 1 : 0;
  return i + 1;
}

template <typename T>
T result(T value, u32& scc) {  // SCC = not zero
  scc = value != 0 ? 1 : 0;
  return value;
}

const Instruction* s_cselect_b32(Wave& w, const Instruction* i) {
  write32(w, *i, dst, read32(w, *i, w.scc != 0 ? src0 : src1));
  return i + 1;
}
const Instruction* s_cselect_b64(Wave& w, const Instruction* i) {
  write64(w, *i, dst, read64(w, *i, w.scc != 0 ? src0 : src1));
  return i + 1;
}
const Instruction* s_cmov_b32(Wave& w, const Instruction* i) {
  if (w.scc != 0) write32(w, *i, dst, read32(w, *i, src0));
  return i + 1;
}
const Instruction* s_cmov_b64(Wave& w, const Instruction* i) {
  if (w.scc != 0) write64(w, *i, dst, read64(w, *i, src0));
  return i + 1;
}
const Instruction* s_movk_i32(Wave& w, const Instruction* i) {
  write32(w, *i, dst, static_cast<u32>(i->immediate));
  return i + 1;
}
const Instruction* s_cmovk_i32(Wave& w, const Instruction* i) {
  if (w.scc != 0) write32(w, *i, dst, static_cast<u32>(i->immediate));
  return i + 1;
}
const Instruction* s_addk_i32(Wave& w, const Instruction* i) {
  const u32 a = read32(w, *i, dst);
  const auto b = static_cast<u32>(i->immediate);
  w.scc = overflows_add(a, b, a + b) ? 1 : 0;
  write32(w, *i, dst, a + b);
  return i + 1;
}
const Instruction* s_mulk_i32(Wave& w, const Instruction* i) {
  write32(w, *i, dst, read32(w, *i, dst) * static_cast<u32>(i->immediate));
  return i + 1;
}
const Instruction* s_bitset0_b32(Wave& w, const Instruction* i) {
  write32(w, *i, dst, read32(w, *i, dst) & ~(1u << (read32(w, *i, src0) & 31)));
  return i + 1;
}
const Instruction* s_bitset1_b32(Wave& w, const Instruction* i) {
  write32(w, *i, dst, read32(w, *i, dst) | 1u << (read32(w, *i, src0) & 31));
  return i + 1;
}
const Instruction* s_bitset0_b64(Wave& w, const Instruction* i) {
  write64(w, *i, dst, read64(w, *i, dst) & ~(u64{1} << (read32(w, *i, src0) & 63)));
  return i + 1;
}
const Instruction* s_bitset1_b64(Wave& w, const Instruction* i) {
  write64(w, *i, dst, read64(w, *i, dst) | u64{1} << (read32(w, *i, src0) & 63));
  return i + 1;
}
const Instruction* s_bitreplicate_b64_b32(Wave& w, const Instruction* i) {
  write64(w, *i, dst, spread_bits(read32(w, *i, src0)));
  return i + 1;
}
const Instruction* s_bfm_b64(Wave& w, const Instruction* i) {
  const u32 width = read32(w, *i, src0) & 63;
  write64(w, *i, dst, ((u64{1} << width) - 1) << (read32(w, *i, src1) & 63));
  return i + 1;
}
template <unsigned want>
const Instruction* bitcmp32(Wave& w, const Instruction* i) {
  w.scc = (read32(w, *i, src0) >> (read32(w, *i, src1) & 31) & 1) == want ? 1 : 0;
  return i + 1;
}
template <unsigned want>
const Instruction* bitcmp64(Wave& w, const Instruction* i) {
  w.scc = (read64(w, *i, src0) >> (read32(w, *i, src1) & 63) & 1) == want ? 1 : 0;
  return i + 1;
}
template <bool equal>
const Instruction* compare64(Wave& w, const Instruction* i) {
  w.scc = (read64(w, *i, src0) == read64(w, *i, src1)) == equal ? 1 : 0;
  return i + 1;
}
// M0 selects the register relative to the operand's.
const Instruction* s_movrels_b32(Wave& w, const Instruction* i) {
  const u32 number = i->offset[src0] / 4 + w.s[reg::m0];
  if (number >= 102) return w.raise(i, cp::KfdException::wave_illegal_instruction);
  write32(w, *i, dst, w.s[number]);
  return i + 1;
}
const Instruction* s_movreld_b32(Wave& w, const Instruction* i) {
  const u32 number = i->offset[dst] / 4 + w.s[reg::m0];
  if (number >= 102) return w.raise(i, cp::KfdException::wave_illegal_instruction);
  w.s[number] = read32(w, *i, src0);
  return i + 1;
}
const Instruction* s_movrels_b64(Wave& w, const Instruction* i) {
  const u32 number = i->offset[src0] / 4 + w.s[reg::m0];
  if (number >= 101) return w.raise(i, cp::KfdException::wave_illegal_instruction);
  write64(w, *i, dst, w.pair(number));
  return i + 1;
}
const Instruction* s_movreld_b64(Wave& w, const Instruction* i) {
  const u32 number = i->offset[dst] / 4 + w.s[reg::m0];
  if (number >= 101) return w.raise(i, cp::KfdException::wave_illegal_instruction);
  w.set_pair(number, read64(w, *i, src0));
  return i + 1;
}

// --- hwreg ---------------------------------------------------------------------------------------

/// simm16: id 5:0, offset 10:6, width - 1 15:11.
u32* hardware_register(Wave& w, unsigned id) {
  switch (id) {
    case 1:
      return &w.mode;
    case 2:
      return &w.status;
    case 3:
      return &w.trapsts;
    case 4:
      return &w.hw_id;
    case 20:
      return &w.xcc_id;
    default:
      return nullptr;
  }
}
struct Field {
  unsigned id, offset;
  u32 mask;
  explicit Field(i32 immediate) {
    const auto bits = static_cast<u32>(immediate);
    id = bits & 63;
    offset = bits >> 6 & 31;
    const unsigned width = (bits >> 11 & 31) + 1;
    mask = width == 32 ? 0xFFFFFFFFu : (1u << width) - 1;
  }
};
const Instruction* s_getreg_b32(Wave& w, const Instruction* i) {
  const Field field(i->immediate);
  const u32* value = hardware_register(w, field.id);
  if (value == nullptr) return w.refuse(i, "s_getreg_b32 of this hwreg");
  write32(w, *i, dst, *value >> field.offset & field.mask);
  return i + 1;
}
const Instruction* set_register(Wave& w, const Instruction* i) {
  const Field field(i->immediate);
  if (field.id != 1) return w.refuse(i, "s_setreg of a hwreg other than MODE");
  const u32 mask = field.mask << field.offset;
  w.mode = (w.mode & ~mask) | (read32(w, *i, src0) << field.offset & mask);
  return yield_for_mode(w, i + 1);
}

#define BINARY32(name, expression)                                                               \
  Entry {                                                                                        \
    name, binary32<[](u32 a, u32 b, [[maybe_unused]] u32& scc) -> u32 { return (expression); }>, \
        nullptr, Class::salu                                                                     \
  }
#define BINARY64(name, expression)                                                               \
  Entry {                                                                                        \
    name, binary64<[](u64 a, u64 b, [[maybe_unused]] u32& scc) -> u64 { return (expression); }>, \
        nullptr, Class::salu                                                                     \
  }
#define SHIFT64(name, expression)                                                               \
  Entry {                                                                                       \
    name, shift64<[](u64 a, u32 b, [[maybe_unused]] u32& scc) -> u64 { return (expression); }>, \
        nullptr, Class::salu                                                                    \
  }
#define UNARY32(name, expression)                                                                 \
  Entry {                                                                                         \
    name, unary32<[](u32 a, [[maybe_unused]] u32& scc) -> u32 { return (expression); }>, nullptr, \
        Class::salu                                                                               \
  }
#define UNARY64(name, expression)                                                                 \
  Entry {                                                                                         \
    name, unary64<[](u64 a, [[maybe_unused]] u32& scc) -> u64 { return (expression); }>, nullptr, \
        Class::salu                                                                               \
  }
#define COUNT64(name, expression)                                                                 \
  Entry {                                                                                         \
    name, count64<[](u64 a, [[maybe_unused]] u32& scc) -> u32 { return (expression); }>, nullptr, \
        Class::salu                                                                               \
  }
#define COMPARE32(name, expression)                                                  \
  Entry {                                                                            \
    name, compare32<[](u32 a, u32 b) { return (expression); }>, nullptr, Class::salu \
  }
#define COMPARE_K(name, extended, expression)                                                  \
  Entry {                                                                                      \
    name, compare_k<[](u32 a, u32 b) { return (expression); }, extended>, nullptr, Class::salu \
  }
#define SAVE_EXEC(name, expression)                                                            \
  Entry {                                                                                      \
    name, save_exec<[](u64 s, u64 exec) -> u64 { return (expression); }>, nullptr, Class::salu \
  }
#define WRITE_EXEC(name, expression)                                                            \
  Entry {                                                                                       \
    name, write_exec<[](u64 s, u64 exec) -> u64 { return (expression); }>, nullptr, Class::salu \
  }
#define OTHER(name) \
  Entry { #name, name, nullptr, Class::salu }

u32 add_carry(u32 a, u32 b, u32 carry, u32& scc) {
  const u64 sum = u64{a} + b + carry;
  scc = static_cast<u32>(sum >> 32);
  return static_cast<u32>(sum);
}
u32 sub_borrow(u32 a, u32 b, u32 borrow, u32& scc) {
  const u64 subtrahend = u64{b} + borrow;
  scc = subtrahend > a ? 1 : 0;
  return static_cast<u32>(a - subtrahend);
}
u32 add_signed(u32 a, u32 b, u32& scc) {
  scc = overflows_add(a, b, a + b) ? 1 : 0;
  return a + b;
}
u32 sub_signed(u32 a, u32 b, u32& scc) {
  scc = overflows_sub(a, b, a - b) ? 1 : 0;
  return a - b;
}
u32 choose(bool first, u32 a, u32 b, u32& scc) {  // min and max: SCC = the first one was taken
  scc = first ? 1 : 0;
  return first ? a : b;
}
i32 sign(u32 a) { return static_cast<i32>(a); }
i64 sign(u64 a) { return static_cast<i64>(a); }
u32 trailing(u64 value) {
  return value == 0 ? 0xFFFFFFFFu : static_cast<u32>(std::countr_zero(value));
}

const Entry table[] = {
    BINARY32("s_add_u32", add_carry(a, b, 0, scc)),
    BINARY32("s_sub_u32", sub_borrow(a, b, 0, scc)),
    BINARY32("s_addc_u32", add_carry(a, b, scc, scc)),
    BINARY32("s_subb_u32", sub_borrow(a, b, scc, scc)),
    BINARY32("s_add_i32", add_signed(a, b, scc)),
    BINARY32("s_sub_i32", sub_signed(a, b, scc)),
    BINARY32("s_min_i32", choose(sign(a) < sign(b), a, b, scc)),
    BINARY32("s_min_u32", choose(a < b, a, b, scc)),
    BINARY32("s_max_i32", choose(sign(a) >= sign(b), a, b, scc)),
    BINARY32("s_max_u32", choose(a >= b, a, b, scc)),
    OTHER(s_cselect_b32),
    OTHER(s_cselect_b64),
    BINARY32("s_and_b32", result(a& b, scc)),
    BINARY64("s_and_b64", result(a& b, scc)),
    BINARY32("s_or_b32", result(a | b, scc)),
    BINARY64("s_or_b64", result(a | b, scc)),
    BINARY32("s_xor_b32", result(a ^ b, scc)),
    BINARY64("s_xor_b64", result(a ^ b, scc)),
    BINARY32("s_andn2_b32", result(a & ~b, scc)),
    BINARY64("s_andn2_b64", result(a & ~b, scc)),
    BINARY32("s_orn2_b32", result(a | ~b, scc)),
    BINARY64("s_orn2_b64", result(a | ~b, scc)),
    BINARY32("s_nand_b32", result(~(a& b), scc)),
    BINARY64("s_nand_b64", result(~(a& b), scc)),
    BINARY32("s_nor_b32", result(~(a | b), scc)),
    BINARY64("s_nor_b64", result(~(a | b), scc)),
    BINARY32("s_xnor_b32", result(~(a ^ b), scc)),
    BINARY64("s_xnor_b64", result(~(a ^ b), scc)),
    BINARY32("s_lshl_b32", result(a << (b & 31), scc)),
    SHIFT64("s_lshl_b64", result(a << (b & 63), scc)),
    BINARY32("s_lshr_b32", result(a >> (b & 31), scc)),
    SHIFT64("s_lshr_b64", result(a >> (b & 63), scc)),
    BINARY32("s_ashr_i32", result(static_cast<u32>(sign(a) >> (b & 31)), scc)),
    SHIFT64("s_ashr_i64", result(static_cast<u64>(sign(a) >> (b & 63)), scc)),
    BINARY32("s_bfm_b32", ((1u << (a & 31)) - 1) << (b & 31)),
    OTHER(s_bfm_b64),
    BINARY32("s_mul_i32", a* b),
    BINARY32("s_mul_hi_u32", static_cast<u32>(u64{a} * b >> 32)),
    BINARY32("s_mul_hi_i32", static_cast<u32>(i64{sign(a)} * sign(b) >> 32)),
    BINARY32("s_bfe_u32", bfe_u32(a, b, scc)),
    BINARY32("s_bfe_i32", bfe_i32(a, b, scc)),
    SHIFT64("s_bfe_u64", bfe_u64(a, b, scc)),
    SHIFT64("s_bfe_i64", bfe_i64(a, b, scc)),
    BINARY32("s_absdiff_i32", result(sign(a) > sign(b) ? a - b : b - a, scc)),
    BINARY32("s_lshl1_add_u32", shift_add<1>(a, b, scc)),
    BINARY32("s_lshl2_add_u32", shift_add<2>(a, b, scc)),
    BINARY32("s_lshl3_add_u32", shift_add<3>(a, b, scc)),
    BINARY32("s_lshl4_add_u32", shift_add<4>(a, b, scc)),
    BINARY32("s_pack_ll_b32_b16", (a & 0xFFFFu) | b << 16),
    BINARY32("s_pack_lh_b32_b16", (a & 0xFFFFu) | (b & 0xFFFF0000u)),
    BINARY32("s_pack_hh_b32_b16", a >> 16 | (b & 0xFFFF0000u)),

    UNARY32("s_mov_b32", a),
    UNARY64("s_mov_b64", a),
    OTHER(s_cmov_b32),
    OTHER(s_cmov_b64),
    UNARY32("s_not_b32", result(~a, scc)),
    UNARY64("s_not_b64", result(~a, scc)),
    UNARY32("s_wqm_b32", result(static_cast<u32>(whole_quads(a)), scc)),
    UNARY64("s_wqm_b64", result(whole_quads(a), scc)),
    UNARY32("s_brev_b32", reverse(a)),
    UNARY64("s_brev_b64", reverse(a)),
    UNARY32("s_bcnt0_i32_b32", result(static_cast<u32>(std::popcount(~a)), scc)),
    COUNT64("s_bcnt0_i32_b64", result(static_cast<u32>(std::popcount(~a)), scc)),
    UNARY32("s_bcnt1_i32_b32", result(static_cast<u32>(std::popcount(a)), scc)),
    COUNT64("s_bcnt1_i32_b64", result(static_cast<u32>(std::popcount(a)), scc)),
    UNARY32("s_ff0_i32_b32", trailing(static_cast<u32>(~a))),
    COUNT64("s_ff0_i32_b64", trailing(~a)),
    UNARY32("s_ff1_i32_b32", trailing(a)),
    COUNT64("s_ff1_i32_b64", trailing(a)),
    UNARY32("s_flbit_i32_b32", a == 0 ? 0xFFFFFFFFu : static_cast<u32>(std::countl_zero(a))),
    COUNT64("s_flbit_i32_b64", a == 0 ? 0xFFFFFFFFu : static_cast<u32>(std::countl_zero(a))),
    UNARY32("s_flbit_i32", sign_run(a, 32)),
    COUNT64("s_flbit_i32_i64", sign_run(a, 64)),
    UNARY32("s_sext_i32_i8", static_cast<u32>(static_cast<i32>(static_cast<std::int8_t>(a)))),
    UNARY32("s_sext_i32_i16", static_cast<u32>(static_cast<i32>(static_cast<std::int16_t>(a)))),
    OTHER(s_bitset0_b32),
    OTHER(s_bitset1_b32),
    OTHER(s_bitset0_b64),
    OTHER(s_bitset1_b64),
    OTHER(s_bitreplicate_b64_b32),
    UNARY32("s_quadmask_b32", result(static_cast<u32>(quad_mask(a)), scc)),
    UNARY64("s_quadmask_b64", result(quad_mask(a), scc)),
    UNARY32("s_abs_i32", result(sign(a) < 0 ? 0 - a : a, scc)),
    OTHER(s_movrels_b32),
    OTHER(s_movrels_b64),
    OTHER(s_movreld_b32),
    OTHER(s_movreld_b64),
    SAVE_EXEC("s_and_saveexec_b64", s& exec),
    SAVE_EXEC("s_or_saveexec_b64", s | exec),
    SAVE_EXEC("s_xor_saveexec_b64", s ^ exec),
    SAVE_EXEC("s_andn2_saveexec_b64", s & ~exec),
    SAVE_EXEC("s_orn2_saveexec_b64", s | ~exec),
    SAVE_EXEC("s_nand_saveexec_b64", ~(s& exec)),
    SAVE_EXEC("s_nor_saveexec_b64", ~(s | exec)),
    SAVE_EXEC("s_xnor_saveexec_b64", ~(s ^ exec)),
    SAVE_EXEC("s_andn1_saveexec_b64", ~s& exec),
    SAVE_EXEC("s_orn1_saveexec_b64", ~s | exec),
    WRITE_EXEC("s_andn1_wrexec_b64", ~s& exec),
    WRITE_EXEC("s_andn2_wrexec_b64", s & ~exec),

    COMPARE32("s_cmp_eq_i32", a == b),
    COMPARE32("s_cmp_lg_i32", a != b),
    COMPARE32("s_cmp_gt_i32", sign(a) > sign(b)),
    COMPARE32("s_cmp_ge_i32", sign(a) >= sign(b)),
    COMPARE32("s_cmp_lt_i32", sign(a) < sign(b)),
    COMPARE32("s_cmp_le_i32", sign(a) <= sign(b)),
    COMPARE32("s_cmp_eq_u32", a == b),
    COMPARE32("s_cmp_lg_u32", a != b),
    COMPARE32("s_cmp_gt_u32", a > b),
    COMPARE32("s_cmp_ge_u32", a >= b),
    COMPARE32("s_cmp_lt_u32", a < b),
    COMPARE32("s_cmp_le_u32", a <= b),
    {"s_cmp_eq_u64", compare64<true>, nullptr, Class::salu},
    {"s_cmp_lg_u64", compare64<false>, nullptr, Class::salu},
    {"s_bitcmp0_b32", bitcmp32<0>, nullptr, Class::salu},
    {"s_bitcmp1_b32", bitcmp32<1>, nullptr, Class::salu},
    {"s_bitcmp0_b64", bitcmp64<0>, nullptr, Class::salu},
    {"s_bitcmp1_b64", bitcmp64<1>, nullptr, Class::salu},

    OTHER(s_movk_i32),
    OTHER(s_cmovk_i32),
    COMPARE_K("s_cmpk_eq_i32", true, a == b),
    COMPARE_K("s_cmpk_lg_i32", true, a != b),
    COMPARE_K("s_cmpk_gt_i32", true, sign(a) > sign(b)),
    COMPARE_K("s_cmpk_ge_i32", true, sign(a) >= sign(b)),
    COMPARE_K("s_cmpk_lt_i32", true, sign(a) < sign(b)),
    COMPARE_K("s_cmpk_le_i32", true, sign(a) <= sign(b)),
    COMPARE_K("s_cmpk_eq_u32", false, a == b),
    COMPARE_K("s_cmpk_lg_u32", false, a != b),
    COMPARE_K("s_cmpk_gt_u32", false, a > b),
    COMPARE_K("s_cmpk_ge_u32", false, a >= b),
    COMPARE_K("s_cmpk_lt_u32", false, a < b),
    COMPARE_K("s_cmpk_le_u32", false, a <= b),
    OTHER(s_addk_i32),
    OTHER(s_mulk_i32),
    OTHER(s_getreg_b32),
    {"s_setreg_b32", set_register, nullptr, Class::salu},
    {"s_setreg_imm32_b32", set_register, nullptr, Class::salu},
};

}  // namespace

std::span<const Entry> scalar_entries() { return table; }

}  // namespace rocdrill::isa
