// The steps of a division that is rounded correctly: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides. In two places
// their pseudo code cannot be what the hardware does, as quotients would be wrong: a denominator
// whose reciprocal is denormal is scaled down, not up; and V_DIV_FMAS undoes a scale of 2^64
// (2^128), in the direction that the exponent of the quotient so far shows.
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// What the steps need to know of a format.
struct Single {
  using F = F32;
  using I = I32;
  using U = U32;
  static constexpr int fraction_bits = 23;
  static constexpr int exponent_ones = 255;
  static constexpr int bias = 127;
  static constexpr int scale = 64;          ///< power of two
  static constexpr int near_overflow = 96;  ///< exponents' difference
  static constexpr int tiny = 23;           ///< exponent of a numerator that is scaled
  static constexpr int underflow = -150;    ///< exponents' difference
  static ROCDRILL_INLINE I splat_i(int n) { return I{} + n; }
};
struct Double {
  using F = F64;
  using I = I64;
  using U = U64;
  static constexpr int fraction_bits = 52;
  static constexpr int exponent_ones = 2047;
  static constexpr int bias = 1023;
  static constexpr int scale = 128;
  static constexpr int near_overflow = 768;
  static constexpr int tiny = 53;
  static constexpr int underflow = -1075;
  static ROCDRILL_INLINE I splat_i(int n) { return I{} + n; }
};

template <class T>
using Word = decltype(typename T::U{}[0] + 0);
template <class T>
constexpr Word<T> sign_bit = Word<T>{1} << (sizeof(Word<T>) * 8 - 1);
template <class T>
constexpr Word<T> infinity_bits = Word<T>{T::exponent_ones} << T::fraction_bits;

template <class T>
ROCDRILL_INLINE typename T::F power(int n) {
  return as<typename T::F>(typename T::U{} +
                           (static_cast<Word<T>>(n + T::bias) << T::fraction_bits));
}
template <class T>
ROCDRILL_INLINE typename T::F infinity() {
  return as<typename T::F>(typename T::U{} + infinity_bits<T>);
}
/// Quiet, without a payload.
template <class T>
ROCDRILL_INLINE typename T::F nan_of(Word<T> sign) {
  return as<typename T::F>(typename T::U{} + (infinity_bits<T> | infinity_bits<T> >> 1 | sign));
}
template <class T>
ROCDRILL_INLINE typename T::I exponent(typename T::F a) {
  return as<typename T::I>(as<typename T::U>(a) >> T::fraction_bits & T::exponent_ones);
}
template <class T>
ROCDRILL_INLINE typename T::F magnitude(typename T::F a) {
  return as<typename T::F>(as<typename T::U>(a) & ~sign_bit<T>);
}
template <class T>
struct Scaled {
  typename T::F value;
  typename T::I vcc;
};
/// `value` is the numerator or the denominator.
template <class T>
ROCDRILL_INLINE Scaled<T> scaled(typename T::F value, typename T::F denominator,
                                 typename T::F numerator) {
  using F = typename T::F;
  using I = typename T::I;
  const I exponent_d = exponent<T>(denominator);
  const I exponent_n = exponent<T>(numerator);
  const F d = magnitude<T>(denominator);
  const F n = magnitude<T>(numerator);
  const I zero = (denominator == F{}) | (numerator == F{});
  const I near_overflow = (exponent_n - exponent_d) >= T::splat_i(T::near_overflow);
  const I finite = exponent_d != T::splat_i(T::exponent_ones);
  const I denormal = exponent_d == I{};
  const I small_reciprocal = (d > power<T>(T::bias - 1)) & finite;
  // n / d < 2^(1 - bias), scaled so that no product is inexact
  const I small_quotient = (n * power<T>(T::scale) < d * power<T>(1 - T::bias + T::scale)) & finite;
  const I tiny = exponent_n <= T::splat_i(T::tiny);
  const I is_denominator = value == denominator;
  const I is_numerator = value == numerator;

  // In the order of the pseudo code, each where none before it holds.
  const I branch_1 = ~zero & near_overflow;
  const I rest_1 = ~zero & ~near_overflow;
  const I branch_2 = rest_1 & denormal;
  const I rest_2 = rest_1 & ~denormal;
  const I both_small = rest_2 & small_reciprocal & small_quotient;
  const I reciprocal_small = rest_2 & small_reciprocal & ~small_quotient;
  const I quotient_small = rest_2 & ~small_reciprocal & small_quotient;
  const I branch_6 = rest_2 & ~small_reciprocal & ~small_quotient & tiny;
  const I up = (branch_1 & is_denominator) | branch_2 | (quotient_small & is_numerator) | branch_6;
  const I down = (both_small & is_denominator) | reciprocal_small;
  F out = choose(up, F(value * power<T>(T::scale)), value);
  out = choose(down, F(value * power<T>(-T::scale)), out);
  return {choose(zero, nan_of<T>(0), out), branch_1 | both_small | quotient_small};
}

/// The mask goes to VCC or another pair of SGPRs.
ROCDRILL_INLINE void put_vcc(Wave& w, const Instruction* i, std::uint64_t mask) {
  *reinterpret_cast<Pair64u*>(operand(w, *i, sdst)) = mask & w.exec();
}

template <bool modified>
const Instruction* scale_single(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Change<modified> z(i->modifiers[2]);
  const Finish<modified> finish(w, *i);
  std::uint64_t mask = 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const auto out = scaled<Single>(x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n)));
    mask |= std::uint64_t{bits(as<U32>(out.vcc))} << (n * width);
    return finish(out.value);
  });
  put_vcc(w, i, mask);
  return i + 1;
}
template <bool modified>
const Instruction* scale_double(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Source c = source<2>(w, *i, src2);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  const Change64<modified> z(i->modifiers[2]);
  const Finish64<modified> finish(w, *i);
  std::uint64_t mask = 0;
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    const D64 q = y(b, n);
    const D64 r = z(c, n);
    const auto low = scaled<Double>(p.a, q.a, r.a);
    const auto high = scaled<Double>(p.b, q.b, r.b);
    mask |= std::uint64_t{bits(high_dwords({as<U64>(low.vcc), as<U64>(high.vcc)}))} << (n * width);
    return finish(D64{low.value, high.value});
  });
  put_vcc(w, i, mask);
  return i + 1;
}

// --- V_DIV_FMAS ----------------------------------------------------------------------------------

/// a * b + c in 113 bits, rounded to odd; in the host's mode "to nearest". The product is exact.
__attribute__((noipa)) __float128 odd_sum(double a, double b, double c) {
  const __float128 product = static_cast<__float128>(a) * b;
  const __float128 sum = product + c;
  const __float128 part = sum - product;
  const __float128 error = (product - (sum - part)) + (c - part);
  union {
    __float128 value;
    std::uint64_t dwords[2];
  } odd = {sum};
  if (error == 0 || error != error || (odd.dwords[0] & 1) != 0) return sum;
  if ((error > 0) == (sum > 0)) {
    odd.dwords[0] |= 1;
  } else {
    if (odd.dwords[0] == 0) --odd.dwords[1];
    --odd.dwords[0];
  }
  return odd.value;
}
/// power * (a * b + c), rounded once.
template <class F>
F scaled_sum(F a, F b, F c, F power) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1F80);
  const __float128 sum = odd_sum(a, b, c);
  _mm_setcsr(before);
  return static_cast<F>(sum * power);
}

template <bool modified>
const Instruction* sum_single(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Change<modified> z(i->modifiers[2]);
  const Finish<modified> finish(w, *i);
  const std::uint64_t vcc = w.vcc() & w.exec();
  const bool ignore = (w.mode & 0x10) == 0;
  const bool flush = (w.mode & 0x20) == 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const F32 p = x(a.low_of(n));
    const F32 q = y(b.low_of(n));
    const F32 r = z(c.low_of(n));
    F32 sum = fused(p, q, r);
    for (std::uint32_t left = mask_of(vcc, n); left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const F32 kept[3] = {ignore ? flushed(p) : p, ignore ? flushed(q) : q,
                           ignore ? flushed(r) : r};
      const bool large = (as<U32>(r)[lane] >> 23 & 0xFF) > 127;
      sum[lane] = scaled_sum<float>(kept[0][lane], kept[1][lane], kept[2][lane],
                                    large ? 0x1p64f : 0x1p-64f);
    }
    return finish(flush ? flushed(sum) : sum);
  });
  return i + 1;
}
template <bool modified>
const Instruction* sum_double(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Source c = source<2>(w, *i, src2);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  const Change64<modified> z(i->modifiers[2]);
  const Finish64<modified> finish(w, *i);
  const std::uint64_t vcc = w.vcc() & w.exec();
  const bool flush = (w.mode & 0x80) == 0;
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    const D64 q = y(b, n);
    const D64 r = z(c, n);
    D64 sum = fused(p, q, r);
    for (std::uint32_t left = mask_of(vcc, n); left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const int at = lane / 4 * 2 + (lane & 1);  // the order of widen()
      const auto one = [at](F64 f, F64 g, F64 h, F64& out) {
        const bool large = (as<U64>(h)[at] >> 52 & 0x7FF) > 1023;
        out[at] = scaled_sum<double>(f[at], g[at], h[at], large ? 0x1p128 : 0x1p-128);
      };
      if ((lane & 2) == 0) {
        one(p.a, q.a, r.a, sum.a);
      } else {
        one(p.b, q.b, r.b, sum.b);
      }
    }
    return finish(flush ? flushed(sum) : sum);
  });
  return i + 1;
}

// --- V_DIV_FIXUP ---------------------------------------------------------------------------------

template <class T>
ROCDRILL_INLINE typename T::F fixed(typename T::F quotient, typename T::F denominator,
                                    typename T::F numerator) {
  using F = typename T::F;
  using I = typename T::I;
  using U = typename T::U;
  const U sign = (as<U>(denominator) ^ as<U>(numerator)) & sign_bit<T>;
  const auto with_sign = [sign](F value)
                             __attribute__((always_inline)) { return as<F>(as<U>(value) | sign); };
  const F most = infinity<T>();
  const F d = magnitude<T>(denominator);
  const F n = magnitude<T>(numerator);
  const I zero_d = d == F{};
  const I zero_n = n == F{};
  const I infinite_d = d == most;
  const I infinite_n = n == most;
  const F smallest = with_sign(power<T>(1 - T::bias));
  const F largest = as<F>(as<U>(with_sign(most)) - 1);
  F out = with_sign(magnitude<T>(quotient));
  const I overflow = exponent<T>(quotient) == T::splat_i(T::exponent_ones);
  out = choose(overflow, F(largest + largest), out);
  const I underflow =
      (exponent<T>(numerator) - exponent<T>(denominator)) < T::splat_i(T::underflow);
  out = choose(underflow, F(smallest * power<T>(-T::fraction_bits * 2)), out);
  out = choose(infinite_d | zero_n, with_sign(F{}), out);
  out = choose(zero_d | infinite_n, with_sign(most), out);
  out = choose((zero_d & zero_n) | (infinite_d & infinite_n), nan_of<T>(sign_bit<T>), out);
  out = choose(d != d, F(denominator + denominator), out);
  return choose(n != n, F(numerator + numerator), out);
}

template <bool modified>
const Instruction* fixup_single(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Change<modified> z(i->modifiers[2]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(fixed<Single>(x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n))));
  });
  return i + 1;
}
template <bool modified>
const Instruction* fixup_double(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Source c = source<2>(w, *i, src2);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  const Change64<modified> z(i->modifiers[2]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    const D64 q = y(b, n);
    const D64 r = z(c, n);
    return finish(D64{fixed<Double>(p.a, q.a, r.a), fixed<Double>(p.b, q.b, r.b)});
  });
  return i + 1;
}

/// Halves have no underflow of their own here: their quotient comes from single precision.
ROCDRILL_INLINE U32 fixed_half(U32 quotient, U32 denominator, U32 numerator) {
  const U32 sign = (denominator ^ numerator) & 0x8000u;
  const I32 d = as<I32>(denominator & 0x7FFFu);
  const I32 n = as<I32>(numerator & 0x7FFFu);
  const I32 infinity = as<I32>(splat(0x7C00));
  U32 out = (quotient & 0x7FFFu) | sign;
  out = choose((d == infinity) | (n == 0), sign, out);
  out = choose((d == 0) | (n == infinity), sign | 0x7C00u, out);
  out = choose(((d == 0) & (n == 0)) | ((d == infinity) & (n == infinity)), splat(0xFE00), out);
  out = choose(d > infinity, (denominator & 0xFFFFu) | 0x200u, out);
  return choose(n > infinity, (numerator & 0xFFFFu) | 0x200u, out);
}

/// `keeps`: the high half of the destination stays.
template <bool modified, bool keeps>
const Instruction* fixup_half(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return fixup_half<true, keeps>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const ChangeHalf<modified> y(w, i->modifiers[1]);
  const ChangeHalf<modified> z(w, i->modifiers[2]);
  const FinishHalf<modified> finish(w, *i);
  const std::byte* before = operand(w, *i, dst);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 bits = fixed_half(x.bits(a.low_of(n)), y.bits(b.low_of(n)), z.bits(c.low_of(n)));
    const U32 out = modified ? finish(from_half(bits)) : bits;
    return keeps ? out | (load(before + n * 4 * width) & 0xFFFF0000u) : out;
  });
  return i + 1;
}

// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified, Element element) {
  return {mnemonic, run,
          modified, Class::valu,
          element,  element == Element::b32 ? Precision::single : Precision::half_double};
}

const Entry table[] = {
    entry("v_div_scale_f32", scale_single<false>, scale_single<true>, Element::b32),
    entry("v_div_scale_f64", scale_double<false>, scale_double<true>, Element::b64),
    entry("v_div_fmas_f32", sum_single<false>, sum_single<true>, Element::b32),
    entry("v_div_fmas_f64", sum_double<false>, sum_double<true>, Element::b64),
    entry("v_div_fixup_f32", fixup_single<false>, fixup_single<true>, Element::b32),
    entry("v_div_fixup_f64", fixup_double<false>, fixup_double<true>, Element::b64),
    entry("v_div_fixup_f16", fixup_half<false, true>, fixup_half<true, true>, Element::b16),
    entry("v_div_fixup_legacy_f16", fixup_half<false, false>, fixup_half<true, false>,
          Element::b16),
};

}  // namespace

std::span<const Entry> division_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
