// Conversions: V_CVT_* between single, half and double precision and integers, and those that pack
// two results. FP8: fp8.cpp.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides. One thing
// they leave open is assumed: bytes and normalised integers are rounded as MODE says.
#include "sim/silicon/isa/lanes/functions.hpp"
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

// --- values --------------------------------------------------------------------------------------

ROCDRILL_INLINE F32 to_float(I32 a) { return __builtin_convertvector(a, F32); }
ROCDRILL_INLINE F32 to_float(U32 a) {
#if defined(__AVX512F__)
  return __builtin_convertvector(a, F32);
#else  // two exact parts, one rounded sum
  const F32 high = to_float(as<I32>(a >> 16)) * splat_f(65536);
  return high + to_float(as<I32>(a & 0xFFFFu));
#endif
}
/// Truncates and saturates; NaN becomes 0.
ROCDRILL_INLINE I32 to_signed(F32 a) {
  const I32 inside = (a >= splat_f(-0x1p31f)) & (a < splat_f(0x1p31f));
  const I32 plain = __builtin_convertvector(choose(inside, a, F32{}), I32);
  const U32 limit = choose(a < F32{}, splat(0x80000000), splat(0x7FFFFFFF));
  const I32 outside = (a == a) & ~inside;
  return as<I32>(choose(outside, limit, as<U32>(plain)));
}
ROCDRILL_INLINE U32 to_unsigned(F32 a) {
  const F32 positive = choose(a > F32{}, a, F32{});
  const I32 large = positive >= splat_f(0x1p31f);
  const F32 low = choose(large, F32(positive - splat_f(0x1p31f)), positive);
  const I32 inside = low < splat_f(0x1p31f);
  const I32 plain = __builtin_convertvector(choose(inside, low, F32{}), I32);
  return choose(inside, as<U32>(plain) + (as<U32>(large) & 0x80000000u), splat(0xFFFFFFFF));
}
/// The same of doubles: through the dwords that hold 2^52 + the value.
ROCDRILL_INLINE U32 integer_dwords(D64 a) {
  // 1.5 * 2^52 leaves the integer in the low dword, negative or not.
  return low_dwords({as<U64>(F64(a.a + splat_d(0x1.8p52))), as<U64>(F64(a.b + splat_d(0x1.8p52)))});
}
ROCDRILL_INLINE F64 bounded(F64 a, double least, double most) {
  const F64 low = choose(a > splat_d(least), a, splat_d(least));
  const F64 value = choose(low < splat_d(most), low, splat_d(most));
  return choose(a == a, round<To::zero>(value), F64{});
}
ROCDRILL_INLINE U32 to_signed(D64 a) {
  return integer_dwords({bounded(a.a, -0x1p31, 0x1p31 - 1), bounded(a.b, -0x1p31, 0x1p31 - 1)});
}
ROCDRILL_INLINE U32 to_unsigned(D64 a) {
  return integer_dwords({bounded(a.a, 0, 0x1p32 - 1), bounded(a.b, 0, 0x1p32 - 1)});
}
ROCDRILL_INLINE D64 to_double_unsigned(U32 a) {
  // 2^52 + a, whose bits are known, less 2^52
  const D64 sum = doubles(widen(a, splat(0x43300000)));
  return {sum.a - splat_d(0x1p52), sum.b - splat_d(0x1p52)};
}

// --- single precision and integers ---------------------------------------------------------------

template <F32 (*operation)(U32), bool modified>
const Instruction* from_integer(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Finish<modified> finish(w, *i);
  walk(w, *i,
       [&](unsigned n) __attribute__((always_inline)) { return finish(operation(a.low_of(n))); });
  return i + 1;
}
/// clamp has nothing to do: these saturate.
template <U32 (*operation)(F32), bool modified>
const Instruction* to_integer(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) { return operation(x(a.low_of(n))); });
  return i + 1;
}
ROCDRILL_INLINE F32 of_signed(U32 a) { return to_float(as<I32>(a)); }
ROCDRILL_INLINE F32 of_unsigned(U32 a) { return to_float(a); }
template <unsigned byte>
ROCDRILL_INLINE F32 of_byte(U32 a) {
  return to_float(as<I32>(a >> (byte * 8) & 0xFFu));
}
/// Four bits, -8 to 7, in sixteenths.
ROCDRILL_INLINE F32 of_offset(U32 a) { return to_float(as<I32>(a << 28) >> 28) * splat_f(0.0625f); }
ROCDRILL_INLINE U32 signed_of(F32 a) { return as<U32>(to_signed(a)); }
ROCDRILL_INLINE U32 unsigned_of(F32 a) { return to_unsigned(a); }
ROCDRILL_INLINE U32 rounded_up_of(F32 a) {
  return signed_of(round<To::down>(F32(a + splat_f(0.5f))));
}
ROCDRILL_INLINE U32 rounded_down_of(F32 a) { return signed_of(round<To::down>(a)); }

// --- double precision ----------------------------------------------------------------------------

template <D64 (*operation)(U32), bool modified>
const Instruction* double_from_integer(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i,
         [&](unsigned n) __attribute__((always_inline)) { return finish(operation(a.low_of(n))); });
  return i + 1;
}
template <U32 (*operation)(D64), bool modified>
const Instruction* double_to_integer(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) { return operation(x(a, n)); });
  return i + 1;
}
ROCDRILL_INLINE D64 double_of_signed(U32 a) { return to_double(as<I32>(a)); }

template <bool modified>
const Instruction* widens(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(to_double(x(a.low_of(n))));
  });
  return i + 1;
}
template <bool modified>
const Instruction* narrows(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  const Finish<modified> finish(w, *i);
  walk(w, *i,
       [&](unsigned n) __attribute__((always_inline)) { return finish(to_single(x(a, n))); });
  return i + 1;
}

// --- half precision ------------------------------------------------------------------------------

template <bool modified>
const Instruction* half_to_single(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return half_to_single<true>(w, i);
  const Source a = source(w, *i, src0);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) { return finish(x(a.low_of(n))); });
  return i + 1;
}
template <bool modified>
const Instruction* single_to_half(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return single_to_half<true>(w, i);
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  const FinishHalf<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) { return finish(x(a.low_of(n))); });
  return i + 1;
}
template <bool is_signed, bool modified>
const Instruction* short_to_half(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return short_to_half<is_signed, true>(w, i);
  const Source a = source(w, *i, src0);
  const FinishHalf<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 high = a.low_of(n) << 16;
    return finish(to_float(is_signed ? as<I32>(high) >> 16 : as<I32>(high >> 16)));
  });
  return i + 1;
}
/// In a range of integers, zero for NaN; the high half becomes zero.
template <U32 (*operation)(F32), bool modified>
const Instruction* half_to_short(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return half_to_short<operation, true>(w, i);
  const Source a = source(w, *i, src0);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) { return operation(x(a.low_of(n))); });
  return i + 1;
}
ROCDRILL_INLINE F32 within(F32 a, float least, float most) {
  const F32 low = choose(a > splat_f(least), a, splat_f(least));
  const F32 value = choose(low < splat_f(most), low, splat_f(most));
  return choose(a == a, value, F32{});
}
ROCDRILL_INLINE U32 whole(F32 a) { return as<U32>(__builtin_convertvector(a, I32)); }
/// In the host's rounding mode.
ROCDRILL_INLINE U32 rounded(F32 a) {
#if defined(__AVX512F__)
  return as<U32>(_mm512_maskz_cvtps_epi32(all, a));
#elif defined(__AVX2__)
  return as<U32>(_mm256_cvtps_epi32(a));
#else
  return as<U32>(_mm_cvtps_epi32(a));
#endif
}
ROCDRILL_INLINE U32 to_short(F32 a) { return whole(within(a, -32768, 32767)) & 0xFFFFu; }
ROCDRILL_INLINE U32 to_ushort(F32 a) { return whole(within(a, 0, 65535)); }
ROCDRILL_INLINE U32 to_snorm(F32 a) {
  return rounded(F32(within(a, -1, 1) * splat_f(32767))) & 0xFFFFu;
}
ROCDRILL_INLINE U32 to_unorm(F32 a) { return rounded(F32(within(a, 0, 1) * splat_f(65535))); }

// --- two results in one dword --------------------------------------------------------------------

template <U32 (*operation)(F32), bool modified>
const Instruction* two_of_singles(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return operation(x(a.low_of(n))) | operation(y(b.low_of(n))) << 16;
  });
  return i + 1;
}
template <U32 (*operation)(F32), bool modified>
const Instruction* two_of_halves(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return two_of_halves<operation, true>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const ChangeHalf<modified> y(w, i->modifiers[1]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return operation(x(a.low_of(n))) | operation(y(b.low_of(n))) << 16;
  });
  return i + 1;
}
template <bool modified>
const Instruction* two_truncated(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Finish<modified> finish(w, *i, mode_half_denormals);
  const bool flush = (w.mode & 0x80) == 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 out = to_half<Rounding::zero>(finish(x(a.low_of(n)))) |
                    to_half<Rounding::zero>(finish(y(b.low_of(n)))) << 16;
    return flush ? flushed_halves(out) : out;
  });
  return i + 1;
}
template <bool is_signed>
const Instruction* two_of_integers(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const auto saturated = [](U32 value) __attribute__((always_inline)) {
    if constexpr (!is_signed) return choose(I32(value > splat(0xFFFF)), splat(0xFFFF), value);
    const I32 number = as<I32>(value);
    const U32 low = choose(number < -32768, splat(-32768u), value);
    return choose(number > 32767, splat(32767), low) & 0xFFFFu;
  };
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return saturated(a.low_of(n)) | saturated(b.low_of(n)) << 16;
  });
  return i + 1;
}

/// A byte of the third source is replaced, or of the destination.
template <bool modified, bool in_place>
const Instruction* to_byte(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = in_place ? Source{operand(w, *i, dst), 4 * width, 0} : source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 value = rounded(within(x(a.low_of(n)), 0, 255));
    const U32 place = (b.low_of(n) & 3u) << 3;
    return (c.low_of(n) & ~(splat(0xFF) << place)) | value << place;
  });
  return i + 1;
}

// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified, Element element,
                      Precision precision) {
  return {mnemonic, run, modified, Class::valu, element, precision};
}
template <F32 (*operation)(U32)>
consteval Entry to_f32(std::string_view mnemonic) {
  return entry(mnemonic, from_integer<operation, false>, from_integer<operation, true>,
               Element::b32, Precision::single);
}
template <U32 (*operation)(F32)>
consteval Entry from_f32(std::string_view mnemonic) {
  return entry(mnemonic, to_integer<operation, false>, to_integer<operation, true>, Element::b32,
               Precision::none);
}
template <U32 (*operation)(F32)>
consteval Entry from_f16(std::string_view mnemonic) {
  return entry(mnemonic, half_to_short<operation, false>, half_to_short<operation, true>,
               Element::b16, Precision::half_double);
}
template <U32 (*operation)(F32)>
consteval Entry pair_of_f32(std::string_view mnemonic) {
  return entry(mnemonic, two_of_singles<operation, false>, two_of_singles<operation, true>,
               Element::b32, Precision::single);
}
template <U32 (*operation)(F32)>
consteval Entry pair_of_f16(std::string_view mnemonic) {
  return entry(mnemonic, two_of_halves<operation, false>, two_of_halves<operation, true>,
               Element::b16, Precision::half_double);
}

const Entry table[] = {
    to_f32<of_signed>("v_cvt_f32_i32"),
    to_f32<of_unsigned>("v_cvt_f32_u32"),
    to_f32<of_byte<0>>("v_cvt_f32_ubyte0"),
    to_f32<of_byte<1>>("v_cvt_f32_ubyte1"),
    to_f32<of_byte<2>>("v_cvt_f32_ubyte2"),
    to_f32<of_byte<3>>("v_cvt_f32_ubyte3"),
    to_f32<of_offset>("v_cvt_off_f32_i4"),
    from_f32<signed_of>("v_cvt_i32_f32"),
    from_f32<unsigned_of>("v_cvt_u32_f32"),
    from_f32<rounded_up_of>("v_cvt_rpi_i32_f32"),
    from_f32<rounded_down_of>("v_cvt_flr_i32_f32"),
    entry("v_cvt_f64_f32", widens<false>, widens<true>, Element::b32, Precision::single),
    entry("v_cvt_f32_f64", narrows<false>, narrows<true>, Element::b64, Precision::single),
    entry("v_cvt_f64_i32", double_from_integer<double_of_signed, false>,
          double_from_integer<double_of_signed, true>, Element::b32, Precision::none),
    entry("v_cvt_f64_u32", double_from_integer<to_double_unsigned, false>,
          double_from_integer<to_double_unsigned, true>, Element::b32, Precision::none),
    entry("v_cvt_i32_f64", double_to_integer<to_signed, false>, double_to_integer<to_signed, true>,
          Element::b64, Precision::none),
    entry("v_cvt_u32_f64", double_to_integer<to_unsigned, false>,
          double_to_integer<to_unsigned, true>, Element::b64, Precision::none),
    entry("v_cvt_f32_f16", half_to_single<false>, half_to_single<true>, Element::b16,
          Precision::none),
    entry("v_cvt_f16_f32", single_to_half<false>, single_to_half<true>, Element::b32,
          Precision::half_double),
    entry("v_cvt_f16_i16", short_to_half<true, false>, short_to_half<true, true>, Element::b16,
          Precision::half_double),
    entry("v_cvt_f16_u16", short_to_half<false, false>, short_to_half<false, true>, Element::b16,
          Precision::half_double),
    from_f16<to_short>("v_cvt_i16_f16"),
    from_f16<to_ushort>("v_cvt_u16_f16"),
    from_f16<to_snorm>("v_cvt_norm_i16_f16"),
    from_f16<to_unorm>("v_cvt_norm_u16_f16"),
    entry("v_cvt_pkrtz_f16_f32", two_truncated<false>, two_truncated<true>, Element::b32,
          Precision::none),
    pair_of_f32<to_snorm>("v_cvt_pknorm_i16_f32"),
    pair_of_f32<to_unorm>("v_cvt_pknorm_u16_f32"),
    pair_of_f16<to_snorm>("v_cvt_pknorm_i16_f16"),
    pair_of_f16<to_unorm>("v_cvt_pknorm_u16_f16"),
    entry("v_cvt_pk_i16_i32", two_of_integers<true>, nullptr, Element::b32, Precision::none),
    entry("v_cvt_pk_u16_u32", two_of_integers<false>, nullptr, Element::b32, Precision::none),
    entry("v_cvt_pk_u8_f32", to_byte<false, false>, to_byte<true, false>, Element::b32,
          Precision::single),
    entry("v_cvt_pkaccum_u8_f32", to_byte<false, true>, to_byte<true, true>, Element::b32,
          Precision::single),
};

}  // namespace

std::span<const Entry> convert_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
