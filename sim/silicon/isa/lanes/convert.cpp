// Conversions: v_cvt_*.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides. What is out
// of range becomes the nearest value that is not, NaN becomes 0. Half precision goes through
// halves.hpp.
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

// --- shapes
// ----------------------------------------------------------------------------------------

/// One dword to one, through vectors.
template <U32 (*operation)(F32), bool modified>
const Instruction* of_float(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) { return operation(x(a.low_of(n))); });
  return i + 1;
}
template <F32 (*operation)(U32), bool modified>
const Instruction* to_float(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Finish<modified> finish(w, *i);
  walk(w, *i,
       [&](unsigned n) __attribute__((always_inline)) { return finish(operation(a.low_of(n))); });
  return i + 1;
}

/// Lane by lane, for what is rare: a dword from one or two.
template <u32 (*operation)(u32, u32, u32 mode), bool modified>
const Instruction* scalar(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const bool two = i->kind[src1] != Kind::none;
  const Source b = two ? source(w, *i, src1) : a;
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 p = as<U32>(x(a.low_of(n)));
    const U32 q = as<U32>(y(b.low_of(n)));
    U32 out{};
    for (unsigned k = 0; k < width; ++k) out[k] = operation(p[k], q[k], w.mode);
    return out;
  });
  return i + 1;
}

// --- 32 bits
// -----------------------------------------------------------------------------------------

ROCDRILL_INLINE F32 from_signed(U32 a) { return __builtin_convertvector(as<I32>(a), F32); }
#if defined(__AVX512F__)
ROCDRILL_INLINE F32 from_unsigned(U32 a) { return _mm512_maskz_cvtepu32_ps(all, as<__m512i>(a)); }
ROCDRILL_INLINE U32 to_signed(F32 a) {
  const F32 low = as<F32>(_mm512_maskz_max_ps(all, a, splat_f(-0x1p31f)));  // NaN: the bound
  const U32 whole = as<U32>(_mm512_maskz_cvttps_epi32(all, low));
  const U32 in_range = choose(low >= splat_f(0x1p31f), splat(0x7FFFFFFFu), whole);
  return choose(a == a, in_range, U32{});
}
ROCDRILL_INLINE U32 to_unsigned(F32 a) {
  const F32 low = as<F32>(_mm512_maskz_max_ps(all, a, splat_f(0)));  // NaN: 0
  const U32 whole = as<U32>(_mm512_maskz_cvttps_epu32(all, low));
  return choose(low >= splat_f(0x1p32f), splat(0xFFFFFFFFu), whole);
}
#else
/// Halves of 16 bits are exact, and their sum is rounded once.
ROCDRILL_INLINE F32 from_unsigned(U32 a) {
  const F32 high = __builtin_convertvector(as<I32>(a >> 16), F32);
  const F32 low = __builtin_convertvector(as<I32>(a & 0xFFFFu), F32);
  return high * splat_f(0x1p16f) + low;
}
ROCDRILL_INLINE U32 to_signed(F32 a) {
  const I32 inside = (a >= splat_f(-0x1p31f)) & (a < splat_f(0x1p31f));
  const U32 whole = as<U32>(__builtin_convertvector(choose(inside, a, F32{}), I32));
  const U32 outside = choose(a > F32{}, splat(0x7FFFFFFFu), splat(0x80000000u));
  return choose(inside, whole, choose(a == a, outside, U32{}));
}
ROCDRILL_INLINE U32 to_unsigned(F32 a) {
  const I32 low = (a >= F32{}) & (a < splat_f(0x1p31f));
  const I32 high = (a >= splat_f(0x1p31f)) & (a < splat_f(0x1p32f));
  const F32 part = choose(low, a, choose(high, F32(a - splat_f(0x1p31f)), F32{}));
  U32 whole = as<U32>(__builtin_convertvector(part, I32));
  whole = choose(high, whole | 0x80000000u, whole);
  return choose(a >= splat_f(0x1p32f), splat(0xFFFFFFFFu), whole);
}
#endif
ROCDRILL_INLINE U32 to_nearest(F32 a) { return to_signed(round<To::down>(F32(a + splat_f(0.5f)))); }
ROCDRILL_INLINE U32 to_floor(F32 a) { return to_signed(round<To::down>(a)); }
template <unsigned n>
ROCDRILL_INLINE F32 from_byte(U32 a) {
  return __builtin_convertvector(as<I32>(a >> (8 * n) & 0xFFu), F32);
}
/// A signed nibble in sixteenths.
ROCDRILL_INLINE F32 from_nibble(U32 a) {
  return __builtin_convertvector(as<I32>(a << 28) >> 28, F32) * splat_f(0x1p-4f);
}

// --- halves
// ------------------------------------------------------------------------------------------

/// Denormals as MODE says: kept in operands, kept in results.
ROCDRILL_INLINE U32 half_operand(U32 a, u32 mode) {
  if ((mode & 0x40) != 0) [[likely]]
    return a;
  return choose((a & 0x7C00u) == splat(0), a & 0x8000u, a);
}
ROCDRILL_INLINE U32 half_result(U32 a, u32 mode) {
  if ((mode & 0x80) != 0) [[likely]]
    return a;
  return choose((a & 0x7C00u) == splat(0), a & 0x8000u, a);
}
constexpr u32 mode_fp16_overflow = 1u << 23;
/// With MODE.FP16_OVFL what is too large for a half stays the largest.
ROCDRILL_INLINE U32 kept_finite(U32 half, F32 from, u32 mode) {
  if ((mode & mode_fp16_overflow) == 0) [[likely]]
    return half;
  const I32 finite = (as<U32>(from) & 0x7F800000u) != splat(0x7F800000u);
  const I32 infinite = (half & 0x7FFFu) == splat(0x7C00u);
  return choose(finite & infinite, (half & 0x8000u) | 0x7BFFu, half);
}

template <bool modified>
const Instruction* f32_to_f16(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  if (modified && ((i->flags & clamp) != 0 || i->omod != 0))
    return w.refuse(i, "v_cvt_f16_f32 with clamp or omod");
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const F32 value = x(a.low_of(n));
    return half_result(kept_finite(to_half(value), value, w.mode), w.mode);
  });
  return i + 1;
}
template <bool modified>
const Instruction* f16_to_f32(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const bool negates = modified && (i->modifiers[0] & neg) != 0;
  const bool positive = modified && (i->modifiers[0] & abs) != 0;
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    U32 value = a.low_of(n) & 0xFFFFu;
    if (positive) value &= 0x7FFFu;
    if (negates) value ^= 0x8000u;
    return finish(from_half(half_operand(value, w.mode)));
  });
  return i + 1;
}
template <bool is_signed>
const Instruction* i16_to_f16(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 value = a.low_of(n);
    const I32 whole = is_signed ? as<I32>(value << 16) >> 16 : as<I32>(value & 0xFFFFu);
    const F32 number = __builtin_convertvector(whole, F32);
    return kept_finite(to_half(number), number, w.mode);
  });
  return i + 1;
}
template <bool is_signed, bool modified>
const Instruction* f16_to_i16(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const bool negates = modified && (i->modifiers[0] & neg) != 0;
  const bool positive = modified && (i->modifiers[0] & abs) != 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    U32 bits = a.low_of(n) & 0xFFFFu;
    if (positive) bits &= 0x7FFFu;
    if (negates) bits ^= 0x8000u;
    const F32 value = from_half(bits);
    const F32 low = splat_f(is_signed ? -32768.0f : 0.0f);
    const F32 high = splat_f(is_signed ? 32767.0f : 65535.0f);
    F32 in_range = choose(value > low, value, low);
    in_range = choose(in_range < high, in_range, high);
    in_range = choose(value == value, in_range, F32{});
    return as<U32>(__builtin_convertvector(in_range, I32)) & 0xFFFFu;
  });
  return i + 1;
}

// --- rare ones, lane by lane
// -------------------------------------------------------------------------

ROCDRILL_INLINE float single(u32 bits) { return __builtin_bit_cast(float, bits); }
/// In the host's rounding mode.
ROCDRILL_INLINE i32 to_integer(float value) { return _mm_cvtss_si32(_mm_set_ss(value)); }
ROCDRILL_INLINE float half_value(u32 bits) {
  const u32 magnitude = bits & 0x7FFFu;
  const float size = magnitude >= 0x7C00u  ? single(0x7F800000u | (magnitude & 0x3FFu) << 13)
                     : magnitude >= 0x400u ? single((magnitude << 13) + 0x38000000u)
                                           : static_cast<float>(magnitude) * 0x1p-24f;
  return (bits & 0x8000u) != 0 ? -size : size;
}
/// SNORM and UNORM of 16 bits: -1 to 1 and 0 to 1; NaN is 0.
ROCDRILL_INLINE u32 norm_signed(float value) {
  if (!(value == value)) return 0;
  const float in_range = value < -1 ? -1 : value > 1 ? 1 : value;
  return static_cast<u32>(to_integer(in_range * 32767.0f)) & 0xFFFFu;
}
ROCDRILL_INLINE u32 norm_unsigned(float value) {
  const float in_range = value > 0 ? (value < 1 ? value : 1) : 0;
  return static_cast<u32>(to_integer(in_range * 65535.0f)) & 0xFFFFu;
}
u32 pknorm_i16_f32(u32 a, u32 b, u32) {
  return norm_signed(single(a)) | norm_signed(single(b)) << 16;
}
u32 pknorm_u16_f32(u32 a, u32 b, u32) {
  return norm_unsigned(single(a)) | norm_unsigned(single(b)) << 16;
}
u32 norm_i16_f16(u32 a, u32, u32) { return norm_signed(half_value(a)); }
u32 norm_u16_f16(u32 a, u32, u32) { return norm_unsigned(half_value(a)); }
u32 pknorm_i16_f16(u32 a, u32 b, u32) {
  return norm_signed(half_value(a)) | norm_signed(half_value(b)) << 16;
}
u32 pknorm_u16_f16(u32 a, u32 b, u32) {
  return norm_unsigned(half_value(a)) | norm_unsigned(half_value(b)) << 16;
}
u32 pk_u16_u32(u32 a, u32 b, u32) {
  return (a > 0xFFFFu ? 0xFFFFu : a) | (b > 0xFFFFu ? 0xFFFFu : b) << 16;
}
ROCDRILL_INLINE u32 saturate_i16(u32 a) {
  const i32 value = static_cast<i32>(a);
  return static_cast<u32>(value < -32768 ? -32768 : value > 32767 ? 32767 : value) & 0xFFFFu;
}
u32 pk_i16_i32(u32 a, u32 b, u32) { return saturate_i16(a) | saturate_i16(b) << 16; }
/// Towards zero: what is too large stays the largest half.
ROCDRILL_INLINE u32 half_towards_zero(u32 bits) {
  const u32 sign = bits >> 16 & 0x8000u;
  const u32 magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u | (magnitude >> 13 & 0x3FFu);
  if (magnitude == 0x7F800000u) return sign | 0x7C00u;
  if (magnitude >= 0x47800000u) return sign | 0x7BFFu;
  if (magnitude >= 0x38800000u) return sign | ((magnitude - 0x38000000u) >> 13);
  const u32 exponent = magnitude >> 23;
  if (exponent < 102) return sign;
  return sign | (((magnitude & 0x7FFFFFu) | 0x800000u) >> (126 - exponent));
}
u32 pkrtz_f16_f32(u32 a, u32 b, u32) { return half_towards_zero(a) | half_towards_zero(b) << 16; }

/// Into the byte of src2 that src1 names. Rounding in MODE's way is assumed.
template <bool modified>
const Instruction* pk_u8_f32(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const F32 value = x(a.low_of(n));
    const U32 place = b.low_of(n);
    const U32 rest = c.low_of(n);
    U32 out{};
    for (unsigned k = 0; k < width; ++k) {
      const float in_range = value[k] > 0 ? (value[k] < 255 ? value[k] : 255) : 0;
      const u32 shift = 8 * (place[k] & 3);
      out[k] = (rest[k] & ~(0xFFu << shift)) | static_cast<u32>(to_integer(in_range)) << shift;
    }
    return out;
  });
  return i + 1;
}

// --- doubles
// -----------------------------------------------------------------------------------------

template <bool modified>
const Instruction* f64_to_f32(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  const Finish<modified> finish(w, *i);
  walk(w, *i,
       [&](unsigned n) __attribute__((always_inline)) { return finish(to_single(x(a, n))); });
  return i + 1;
}
template <bool modified>
const Instruction* f32_to_f64(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(to_double(x(a.low_of(n))));
  });
  return i + 1;
}
template <bool is_signed, bool modified>
const Instruction* i32_to_f64(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 value = a.low_of(n);
    if (is_signed) return finish(to_double(as<I32>(value)));
    D64 out = to_double(as<I32>(value ^ 0x80000000u));
    out.a += splat_d(0x1p31);
    out.b += splat_d(0x1p31);
    return finish(out);
  });
  return i + 1;
}
ROCDRILL_INLINE u32 whole_signed(double value) {
  if (!(value == value)) return 0;
  if (value >= 0x1p31) return 0x7FFFFFFFu;
  if (value <= -0x1p31) return 0x80000000u;
  return static_cast<u32>(static_cast<i32>(value));
}
ROCDRILL_INLINE u32 whole_unsigned(double value) {
  if (!(value > 0)) return 0;
  if (value >= 0x1p32) return 0xFFFFFFFFu;
  return static_cast<u32>(static_cast<std::int64_t>(value));
}
template <u32 (*operation)(double), bool modified>
const Instruction* f64_to_i32(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 value = x(a, n);
    U32 out{};  // in the order of widen(): lanes 0, 1 of four in `a`, 2, 3 in `b`
    for (unsigned k = 0; k < width / 2; ++k) {
      out[k / 2 * 4 + k % 2] = operation(value.a[k]);
      out[k / 2 * 4 + k % 2 + 2] = operation(value.b[k]);
    }
    return out;
  });
  return i + 1;
}

// --- 8-bit floats of gfx940: FNUZ, no infinities, one zero, 0x80 is NaN
// --------------------------------

template <unsigned mantissa_bits, int bias>
struct Tiny {
  static constexpr unsigned dropped = 23 - mantissa_bits;
  static constexpr u32 largest = 0x7F;

  static float value(u32 bits) {
    bits &= 0xFFu;
    if (bits == 0x80) return single(0x7FC00000u);
    const u32 exponent = (bits & 0x7Fu) >> mantissa_bits;
    const u32 mantissa = bits & ((1u << mantissa_bits) - 1);
    const float unit = single(static_cast<u32>(128 - bias - static_cast<int>(mantissa_bits)) << 23);
    const float size =
        exponent == 0
            ? static_cast<float>(mantissa) * unit
            : single((exponent + 127u - static_cast<u32>(bias)) << 23 | mantissa << dropped);
    return (bits & 0x80u) != 0 ? -size : size;
  }
  /// To nearest even, or with `noise` added below the last bit that is kept. What is too large is
  /// NaN, with MODE.FP16_OVFL the largest.
  static u32 from(u32 bits, bool nearest, u32 noise, u32 mode) {
    const u32 sign = bits >> 24 & 0x80u;
    const u32 magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return 0x80;
    const bool saturates = (mode & mode_fp16_overflow) != 0;
    const u32 too_large = saturates ? sign | largest : 0x80u;
    if (magnitude == 0x7F800000u) return too_large;
    const int exponent = static_cast<int>(magnitude >> 23) - 127 + bias;
    const u32 mantissa = (magnitude & 0x7FFFFFu) | (magnitude >> 23 != 0 ? 0x800000u : 0);
    const unsigned shift = dropped + (exponent < 1 ? static_cast<unsigned>(1 - exponent) : 0);
    if (shift > 25) return 0;
    const u32 below = (1u << shift) - 1;
    u32 kept = mantissa;
    if (nearest) {
      kept += (below >> 1) + (mantissa >> shift & 1);
    } else {
      kept += shift >= 32 ? 0 : noise >> (32 - shift) & below;
    }
    kept >>= shift;
    const u32 result =
        exponent < 1 ? kept : kept + (static_cast<u32>(exponent - 1) << mantissa_bits);
    if (result > largest) return too_large;
    return result == 0 ? 0 : sign | result;
  }
};
using Fp8 = Tiny<3, 8>;
using Bf8 = Tiny<2, 16>;

template <class Type>
u32 f32_of_tiny(u32 a, u32, u32) {
  return __builtin_bit_cast(u32, Type::value(a));
}
template <class Type>
const Instruction* pk_f32_of_tiny(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 value = a.low_of(n);
    U32 low{};
    U32 high{};
    for (unsigned k = 0; k < width; ++k) {
      low[k] = f32_of_tiny<Type>(value[k], 0, 0);
      high[k] = f32_of_tiny<Type>(value[k] >> 8, 0, 0);
    }
    return widen(low, high);
  });
  return i + 1;
}
/// Two into a half of the result; the other half stays.
template <class Type, bool modified>
const Instruction* pk_tiny_of_f32(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source old{operand(w, *i, dst), 4 * width, 0};
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 p = as<U32>(x(a.low_of(n)));
    const U32 q = as<U32>(y(b.low_of(n)));
    U32 out = old.low_of(n) & 0xFFFF0000u;
    for (unsigned k = 0; k < width; ++k)
      out[k] |= Type::from(p[k], true, 0, w.mode) | Type::from(q[k], true, 0, w.mode) << 8;
    return out;
  });
  return i + 1;
}
/// Stochastic rounding with the bits of src1, into byte 0.
template <class Type, bool modified>
const Instruction* sr_tiny_of_f32(Wave& w, const Instruction* i) {
  if (((i->modifiers[0] | i->modifiers[1] | i->modifiers[2]) & (op_sel | op_sel_hi)) != 0)
    return w.refuse(i, "v_cvt_sr_* into a byte other than 0");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source old{operand(w, *i, dst), 4 * width, 0};
  const Change<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 p = as<U32>(x(a.low_of(n)));
    const U32 noise = b.low_of(n);
    U32 out = old.low_of(n) & 0xFFFFFF00u;
    for (unsigned k = 0; k < width; ++k) out[k] |= Type::from(p[k], false, noise[k], w.mode);
    return out;
  });
  return i + 1;
}

// --- the table
// ---------------------------------------------------------------------------------------

constexpr Precision single_mode = Precision::single;
constexpr Precision half_double_mode = Precision::half_double;

#define OF_FLOAT(name, operation) \
  Entry { name, of_float<operation, false>, of_float<operation, true>, Class::valu, Element::b32 }
#define TO_FLOAT(name, operation)                                                           \
  Entry {                                                                                   \
    name, to_float<operation, false>, to_float<operation, true>, Class::valu, Element::b32, \
        single_mode                                                                         \
  }
#define RARE(name, operation, element)                                                         \
  Entry {                                                                                      \
    name, scalar<operation, false>, scalar<operation, true>, Class::valu, element, single_mode \
  }
#define RARE_PLAIN(name, operation, element) \
  Entry { name, scalar<operation, false>, nullptr, Class::valu, element }
#define TINY(name, Type)                                                                       \
  Entry{"v_cvt_f32_" name, scalar<f32_of_tiny<Type>, false>, nullptr},                         \
      Entry{"v_cvt_pk_f32_" name, pk_f32_of_tiny<Type>, nullptr},                              \
      Entry{"v_cvt_pk_" name "_f32", pk_tiny_of_f32<Type, false>, pk_tiny_of_f32<Type, true>}, \
      Entry {                                                                                  \
    "v_cvt_sr_" name "_f32", sr_tiny_of_f32<Type, false>, sr_tiny_of_f32<Type, true>           \
  }

const Entry table[] = {
    TO_FLOAT("v_cvt_f32_i32", from_signed),
    TO_FLOAT("v_cvt_f32_u32", from_unsigned),
    TO_FLOAT("v_cvt_f32_ubyte0", from_byte<0>),
    TO_FLOAT("v_cvt_f32_ubyte1", from_byte<1>),
    TO_FLOAT("v_cvt_f32_ubyte2", from_byte<2>),
    TO_FLOAT("v_cvt_f32_ubyte3", from_byte<3>),
    TO_FLOAT("v_cvt_off_f32_i4", from_nibble),
    OF_FLOAT("v_cvt_u32_f32", to_unsigned),
    OF_FLOAT("v_cvt_i32_f32", to_signed),
    OF_FLOAT("v_cvt_rpi_i32_f32", to_nearest),
    OF_FLOAT("v_cvt_flr_i32_f32", to_floor),
    {"v_cvt_f16_f32", f32_to_f16<false>, f32_to_f16<true>, Class::valu, Element::b32,
     half_double_mode},
    {"v_cvt_f32_f16", f16_to_f32<false>, f16_to_f32<true>, Class::valu, Element::b16},
    {"v_cvt_f16_u16", i16_to_f16<false>, nullptr, Class::valu, Element::b16, half_double_mode},
    {"v_cvt_f16_i16", i16_to_f16<true>, nullptr, Class::valu, Element::b16, half_double_mode},
    {"v_cvt_u16_f16", f16_to_i16<false, false>, f16_to_i16<false, true>, Class::valu, Element::b16},
    {"v_cvt_i16_f16", f16_to_i16<true, false>, f16_to_i16<true, true>, Class::valu, Element::b16},
    {"v_cvt_f32_f64", f64_to_f32<false>, f64_to_f32<true>, Class::valu, Element::b64, single_mode},
    {"v_cvt_f64_f32", f32_to_f64<false>, f32_to_f64<true>, Class::valu, Element::b32, single_mode},
    {"v_cvt_f64_i32", i32_to_f64<true, false>, i32_to_f64<true, true>, Class::valu, Element::b32},
    {"v_cvt_f64_u32", i32_to_f64<false, false>, i32_to_f64<false, true>, Class::valu, Element::b32},
    {"v_cvt_i32_f64", f64_to_i32<whole_signed, false>, f64_to_i32<whole_signed, true>, Class::valu,
     Element::b64},
    {"v_cvt_u32_f64", f64_to_i32<whole_unsigned, false>, f64_to_i32<whole_unsigned, true>,
     Class::valu, Element::b64},
    RARE("v_cvt_pknorm_i16_f32", pknorm_i16_f32, Element::b32),
    RARE("v_cvt_pknorm_u16_f32", pknorm_u16_f32, Element::b32),
    RARE("v_cvt_pkrtz_f16_f32", pkrtz_f16_f32, Element::b32),
    RARE_PLAIN("v_cvt_pk_u16_u32", pk_u16_u32, Element::b32),
    RARE_PLAIN("v_cvt_pk_i16_i32", pk_i16_i32, Element::b32),
    RARE_PLAIN("v_cvt_norm_i16_f16", norm_i16_f16, Element::b16),
    RARE_PLAIN("v_cvt_norm_u16_f16", norm_u16_f16, Element::b16),
    RARE_PLAIN("v_cvt_pknorm_i16_f16", pknorm_i16_f16, Element::b16),
    RARE_PLAIN("v_cvt_pknorm_u16_f16", pknorm_u16_f16, Element::b16),
    {"v_cvt_pk_u8_f32", pk_u8_f32<false>, pk_u8_f32<true>, Class::valu, Element::b32, single_mode},
    TINY("fp8", Fp8),
    TINY("bf8", Bf8),
};

}  // namespace

std::span<const Entry> convert_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
