// Comparisons of floating-point numbers: VOPC. The result is a mask; V_CMPX writes EXEC as well.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, "VOPC
// instructions".
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <bool executes>
ROCDRILL_INLINE const Instruction* put_mask(Wave& w, const Instruction* i, std::uint64_t mask) {
  *reinterpret_cast<Pair64u*>(operand(w, *i, dst)) = mask;
  if constexpr (executes) w.set_exec(mask);
  return i + 1;
}

template <int predicate, bool executes, bool modified>
const Instruction* compare_single(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  return put_mask<executes>(w, i, gather(w, [&](unsigned n) __attribute__((always_inline)) {
                              return compare<predicate>(x(a.low_of(n)), y(b.low_of(n)));
                            }));
}
template <int predicate, bool executes, bool modified>
const Instruction* compare_double(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  return put_mask<executes>(w, i, gather(w, [&](unsigned n) __attribute__((always_inline)) {
                              return compare<predicate>(x(a, n), y(b, n));
                            }));
}
template <int predicate, bool executes, bool modified>
const Instruction* compare_half(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return compare_half<predicate, executes, true>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const ChangeHalf<modified> y(w, i->modifiers[1]);
  return put_mask<executes>(w, i, gather(w, [&](unsigned n) __attribute__((always_inline)) {
                              return compare<predicate>(x(a.low_of(n)), y(b.low_of(n)));
                            }));
}

// --- V_CMP_CLASS ---------------------------------------------------------------------------------

/// Sign, exponent and fraction of a format, at the upper end of a dword.
struct Format {
  std::uint32_t exponent;  ///< its bits
  std::uint32_t quiet;     ///< the fraction's first bit
};
constexpr Format single_format = {0x7F800000, 0x00400000};
constexpr Format double_format = {0x7FF00000, 0x00080000};
constexpr Format half_format = {0x7C000000, 0x02000000};

/// Is the class of `high` among those that `wanted` has? `low`: what else of the fraction there is.
template <Format format>
ROCDRILL_INLINE std::uint32_t in_class(U32 high, U32 low, U32 wanted) {
  const U32 exponent = high & format.exponent;
  const U32 fraction = (high & (format.quiet * 2 - 1)) | low;
  const I32 no_fraction = fraction == U32{};
  const I32 all_ones = exponent == splat(format.exponent);
  const I32 zero_exponent = exponent == U32{};
  const I32 quiet = (high & format.quiet) != U32{};
  const I32 negative = as<I32>(high) < 0;
  // Numbers of the classes: 2 to 5 negative infinity, normal, denormal, zero; 9 to 6 positive.
  U32 number = splat(3);
  number = choose(all_ones, splat(2), number);
  number = choose(zero_exponent, choose(no_fraction, splat(5), splat(4)), number);
  number = choose(negative, number, 11 - number);
  const I32 nan = all_ones & ~no_fraction;
  number = choose(nan, as<U32>(quiet) & 1, number);
  return bits((wanted >> number) << 31);
}

template <Format format, bool executes, bool modified>
const Instruction* test_class(Wave& w, const Instruction* i) {
  constexpr bool wide = format.exponent == double_format.exponent;
  constexpr bool half = format.exponent == half_format.exponent;
  const Source a = source<wide ? 2 : 1>(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  return put_mask<executes>(w, i, gather(w, [&](unsigned n) __attribute__((always_inline)) {
                              U32 high = wide ? a.high_of(n) : a.low_of(n);
                              if constexpr (half) high = high << 16;
                              const U32 low = wide ? a.low_of(n) : U32{};
                              return in_class<format>(as<U32>(x(high)), low, b.low_of(n));
                            }));
}

// --- the table -----------------------------------------------------------------------------------

#define ROCDRILL_COMPARISONS(X) \
  X(f, _CMP_FALSE_OQ)           \
  X(lt, _CMP_LT_OQ)             \
  X(eq, _CMP_EQ_OQ)             \
  X(le, _CMP_LE_OQ)             \
  X(gt, _CMP_GT_OQ)             \
  X(lg, _CMP_NEQ_OQ)            \
  X(ge, _CMP_GE_OQ)             \
  X(o, _CMP_ORD_Q)              \
  X(u, _CMP_UNORD_Q)            \
  X(nge, _CMP_NGE_UQ)           \
  X(nlg, _CMP_EQ_UQ)            \
  X(ngt, _CMP_NGT_UQ)           \
  X(nle, _CMP_NLE_UQ)           \
  X(neq, _CMP_NEQ_UQ)           \
  X(nlt, _CMP_NLT_UQ)           \
  X(tru, _CMP_TRUE_UQ)

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified, Element element) {
  return {mnemonic, run,
          modified, Class::valu,
          element,  element == Element::b32 ? Precision::single : Precision::half_double};
}
template <Format format, bool executes>
consteval Entry classes(std::string_view mnemonic, Element element) {
  Entry out = entry(mnemonic, test_class<format, executes, false>,
                    test_class<format, executes, true>, element);
  out.precision = Precision::none;
  return out;
}

#define ROCDRILL_ENTRY(prefix, name, predicate, executes, suffix, handler, element) \
  entry(prefix #name suffix, handler<predicate, executes, false>,                   \
        handler<predicate, executes, true>, element),
#define ROCDRILL_ENTRIES(name, predicate)                                                \
  ROCDRILL_ENTRY("v_cmp_", name, predicate, false, "_f32", compare_single, Element::b32) \
  ROCDRILL_ENTRY("v_cmpx_", name, predicate, true, "_f32", compare_single, Element::b32) \
  ROCDRILL_ENTRY("v_cmp_", name, predicate, false, "_f64", compare_double, Element::b64) \
  ROCDRILL_ENTRY("v_cmpx_", name, predicate, true, "_f64", compare_double, Element::b64) \
  ROCDRILL_ENTRY("v_cmp_", name, predicate, false, "_f16", compare_half, Element::b16)   \
  ROCDRILL_ENTRY("v_cmpx_", name, predicate, true, "_f16", compare_half, Element::b16)

const Entry table[] = {
    ROCDRILL_COMPARISONS(ROCDRILL_ENTRIES)  //
    classes<single_format, false>("v_cmp_class_f32", Element::b32),
    classes<single_format, true>("v_cmpx_class_f32", Element::b32),
    classes<double_format, false>("v_cmp_class_f64", Element::b64),
    classes<double_format, true>("v_cmpx_class_f64", Element::b64),
    classes<half_format, false>("v_cmp_class_f16", Element::b16),
    classes<half_format, true>("v_cmpx_class_f16", Element::b16),
};

}  // namespace

std::span<const Entry> float_compare_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
