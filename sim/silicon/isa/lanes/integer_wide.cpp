// Integers of 32 bits with a carry, products of more than 32 bits, integers of 64 bits: VOP2, VOP3.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12.
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

// --- carries -----------------------------------------------------------------------------------
// An operation gets the lanes that have a carry in and says which have one out.

struct Carried {
  U32 value;
  std::uint32_t out;
};
template <Carried (*operation)(U32, U32, std::uint32_t), bool carry_in, bool reversed = false>
const Instruction* carry(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, reversed ? src1 : src0);
  const Source b = source(w, *i, reversed ? src0 : src1);
  const std::uint64_t in = carry_in ? lane_bits(w, *i, src2) : 0;
  std::uint64_t out = 0;
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const Carried result = operation(a.low_of(n), b.low_of(n), carry_in ? mask_of(in, n) : 0);
    out |= placed(result.out, n);
    return result.value;
  });
  put_bits(w, *i, sdst, out & w.exec());
  return i + 1;
}
ROCDRILL_INLINE Carried add(U32 a, U32 b, std::uint32_t) {
  const U32 sum = a + b;
  return {sum, less(sum, a)};
}
ROCDRILL_INLINE Carried add_with_carry(U32 a, U32 b, std::uint32_t in) {
  const U32 sum = a + b - expand(in);
  return {sum, less(sum, a) | (equal(sum, a) & in)};
}
ROCDRILL_INLINE Carried subtract(U32 a, U32 b, std::uint32_t) { return {a - b, less(a, b)}; }
ROCDRILL_INLINE Carried subtract_with_carry(U32 a, U32 b, std::uint32_t in) {
  return {a - b + expand(in), less(a, b) | (equal(a, b) & in)};
}

// --- products ----------------------------------------------------------------------------------

ROCDRILL_INLINE U32 multiply(U32 a, U32 b) { return a * b; }
ROCDRILL_INLINE U32 high(U32 a, U32 b) { return multiply_high(a, b); }
ROCDRILL_INLINE U32 high_signed(U32 a, U32 b) { return multiply_high(as<I32>(a), as<I32>(b)); }

ROCDRILL_INLINE U32 low_24(U32 a) { return a & 0xFFFFFFu; }
ROCDRILL_INLINE U32 low_24_signed(U32 a) { return as<U32>(as<I32>(a << 8) >> 8); }
ROCDRILL_INLINE U32 multiply_24(U32 a, U32 b) { return low_24(a) * low_24(b); }
ROCDRILL_INLINE U32 multiply_24_signed(U32 a, U32 b) { return low_24_signed(a) * low_24_signed(b); }
ROCDRILL_INLINE U32 high_24(U32 a, U32 b) { return multiply_high(low_24(a), low_24(b)); }
ROCDRILL_INLINE U32 high_24_signed(U32 a, U32 b) {
  return high_signed(low_24_signed(a), low_24_signed(b));
}
ROCDRILL_INLINE U32 multiply_add_24(U32 a, U32 b, U32 c) { return multiply_24(a, b) + c; }
ROCDRILL_INLINE U32 multiply_add_24_signed(U32 a, U32 b, U32 c) {
  return multiply_24_signed(a, b) + c;
}

/// v_mad_u64_u32, v_mad_i64_i32: sdst has bit 64 of the sum.
template <bool is_signed>
const Instruction* multiply_add_wide(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source<2>(w, *i, src2);
  std::uint64_t out = 0;
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const U32 x = a.low_of(n);
    const U32 y = b.low_of(n);
    P64 product = multiply_wide(x, y);
    if constexpr (is_signed) {
      const U32 excess = (as<U32>(as<I32>(x) >> 31) & y) + (as<U32>(as<I32>(y) >> 31) & x);
      product = widen(low_dwords(product), high_dwords(product) - excess);
    }
    const P64 addend = c.wide_of(n);
    const P64 sum = {product.a + addend.a, product.b + addend.b};
    const U32 top = high_dwords(product);
    const U32 addend_top = c.high_of(n);
    const U32 sum_top = high_dwords(sum);
    const U32 overflow = is_signed ? sum_top ^ ((top ^ sum_top) & (addend_top ^ sum_top))
                                   : (top & addend_top) | ((top | addend_top) & ~sum_top);
    out |= placed(bits(overflow), n);
    return sum;
  });
  put_bits(w, *i, sdst, out & w.exec());
  return i + 1;
}

// --- 64 bits -----------------------------------------------------------------------------------

template <U64 (*operation)(U64 count, U64 value)>
const Instruction* shift(Wave& w, const Instruction* i) {
  const Source counts = source(w, *i, src0);
  const Source values = source<2>(w, *i, src1);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const P64 count = widen(counts.low_of(n) & 63u);
    const P64 value = values.wide_of(n);
    return P64{operation(count.a, value.a), operation(count.b, value.b)};
  });
  return i + 1;
}
ROCDRILL_INLINE U64 shift_left(U64 count, U64 value) { return value << count; }
ROCDRILL_INLINE U64 shift_right(U64 count, U64 value) { return value >> count; }
ROCDRILL_INLINE U64 shift_right_signed(U64 count, U64 value) {
#if defined(__AVX512F__)
  return as<U64>(as<I64>(value) >> as<I64>(count));
#else
  const U64 sign = splat64(1ull << 63) >> count;
  return ((value >> count) ^ sign) - sign;
#endif
}

const Instruction* shift_add(Wave& w, const Instruction* i) {
  const Source values = source<2>(w, *i, src0);
  const Source counts = source(w, *i, src1);
  const Source addends = source<2>(w, *i, src2);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const P64 count = widen(counts.low_of(n) & 7u);
    const P64 value = values.wide_of(n);
    const P64 addend = addends.wide_of(n);
    return P64{(value.a << count.a) + addend.a, (value.b << count.b) + addend.b};
  });
  return i + 1;
}

/// Both dwords: v_mov_b64; v_pk_mov_b32 has two sources and takes a dword of each.
ROCDRILL_INLINE void move_two(Wave& w, const Instruction& i, const Source& low, bool low_of_high,
                              const Source& high, bool high_of_high) {
  std::byte* const to = operand(w, i, dst);
  for (unsigned n = 0; n < blocks; ++n) {
    const U32 first = low_of_high ? low.high_of(n) : low.low_of(n);
    const U32 second = high_of_high ? high.high_of(n) : high.low_of(n);
    store(to + n * 4 * width, first, mask_of(w.exec(), n));
    store(to + n * 4 * width + vgpr_bytes, second, mask_of(w.exec(), n));
  }
}
const Instruction* move(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  move_two(w, *i, a, false, a, true);
  return i + 1;
}
const Instruction* packed_move(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  move_two(w, *i, a, (i->modifiers[0] & op_sel) != 0, b, (i->modifiers[1] & op_sel) != 0);
  return i + 1;
}

const Entry table[] = {
    {"v_add_co_u32", carry<add, false>},
    {"v_addc_co_u32", carry<add_with_carry, true>},
    {"v_sub_co_u32", carry<subtract, false>},
    {"v_subb_co_u32", carry<subtract_with_carry, true>},
    {"v_subrev_co_u32", carry<subtract, false, true>},
    {"v_subbrev_co_u32", carry<subtract_with_carry, true, true>},
    {"v_mul_lo_u32", binary<multiply>},
    {"v_mul_hi_u32", binary<high>},
    {"v_mul_hi_i32", binary<high_signed>},
    {"v_mul_u32_u24", binary<multiply_24>},
    {"v_mul_i32_i24", binary<multiply_24_signed>},
    {"v_mul_hi_u32_u24", binary<high_24>},
    {"v_mul_hi_i32_i24", binary<high_24_signed>},
    {"v_mad_u32_u24", ternary<multiply_add_24>},
    {"v_mad_i32_i24", ternary<multiply_add_24_signed>},
    {"v_mad_u64_u32", multiply_add_wide<false>},
    {"v_mad_i64_i32", multiply_add_wide<true>},
    {"v_lshlrev_b64", shift<shift_left>, nullptr, Class::valu, Element::b64},
    {"v_lshrrev_b64", shift<shift_right>, nullptr, Class::valu, Element::b64},
    {"v_ashrrev_i64", shift<shift_right_signed>, nullptr, Class::valu, Element::b64},
    {"v_lshl_add_u64", shift_add, nullptr, Class::valu, Element::b64},
    {"v_mov_b64", move, nullptr, Class::valu, Element::b64},
    {"v_pk_mov_b32", packed_move, nullptr, Class::valu, Element::packed},
};

}  // namespace

std::span<const Entry> integer_wide_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
