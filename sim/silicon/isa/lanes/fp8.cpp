// V_CVT_* between single precision and the 8-bit formats of gfx940 to gfx942.
//
// Source: AMD Instinct MI300 instruction set architecture reference guide. Its pseudo code of
// V_CVT_SR loses the carry of a mantissa; assumed here: the carry goes into the exponent, and what
// is below the last bit is then cut off.
#include "sim/silicon/isa/lanes/fp8.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <class Format, bool modified>
const Instruction* from_one(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(from_byte<Format>(a.low_of(n)));
  });
  return i + 1;
}
template <class Format, bool modified>
const Instruction* from_two(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Finish<modified> finish(w, *i);
  std::byte* to = operand(w, *i, dst);
  for (unsigned n = 0; n < blocks; ++n) {
    const U32 codes = a.low_of(n);
    const U32 low = as<U32>(finish(from_byte<Format>(codes)));
    const U32 high = as<U32>(finish(from_byte<Format>(codes >> 8)));
    const std::uint32_t mask = mask_of(w.exec(), n);
    store_some(to + n * 4 * width, low, mask);
    store_some(to + n * 4 * width + vgpr_bytes, high, mask);
  }
  return i + 1;
}

ROCDRILL_INLINE bool saturates(const Wave& w) { return (w.mode & mode_half_saturates) != 0; }

/// Replaces the bits of the destination that `mask` has.
ROCDRILL_INLINE U32 replaced(const std::byte* before, unsigned n, U32 value, std::uint32_t mask) {
  return (load(before + n * 4 * width) & ~mask) | value;
}

/// Both sources, into the low word or, with op_sel of the result, the high one.
template <class Format>
const Instruction* to_two(Wave& w, const Instruction* i) {
  if ((i->flags & clamp) != 0) return w.refuse(i, "V_CVT_PK to 8 bits with clamp");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<true> x(i->modifiers[0]);
  const Change<true> y(i->modifiers[1]);
  const unsigned shift = (i->modifiers[0] & op_sel_hi) != 0 ? 16 : 0;
  const bool saturate = saturates(w);
  const std::byte* before = operand(w, *i, dst);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 word =
        to_byte<Format>(x(a.low_of(n)), saturate) | to_byte<Format>(y(b.low_of(n)), saturate) << 8;
    return replaced(before, n, word << shift, 0xFFFFu << shift);
  });
  return i + 1;
}
/// Into the byte that op_sel of src2 and of the result number.
template <class Format>
const Instruction* to_one_randomly(Wave& w, const Instruction* i) {
  if ((i->flags & clamp) != 0) return w.refuse(i, "V_CVT_SR to 8 bits with clamp");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<true> x(i->modifiers[0]);
  const unsigned shift =
      ((i->modifiers[0] & op_sel_hi) != 0 ? 16 : 0) + ((i->modifiers[2] & op_sel) != 0 ? 8 : 0);
  const bool saturate = saturates(w);
  const std::byte* before = operand(w, *i, dst);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 code = to_byte_randomly<Format>(x(a.low_of(n)), b.low_of(n), saturate);
    return replaced(before, n, code << shift, 0xFFu << shift);
  });
  return i + 1;
}

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified, Element element) {
  return {mnemonic, run, modified, Class::valu, element, Precision::none};
}

const Entry table[] = {
    entry("v_cvt_f32_fp8", from_one<Fp8, false>, from_one<Fp8, true>, Element::b32),
    entry("v_cvt_f32_bf8", from_one<Bf8, false>, from_one<Bf8, true>, Element::b32),
    entry("v_cvt_pk_f32_fp8", from_two<Fp8, false>, from_two<Fp8, true>, Element::b32),
    entry("v_cvt_pk_f32_bf8", from_two<Bf8, false>, from_two<Bf8, true>, Element::b32),
    // "packed": op_sel picks where the result goes, which is no affair of the wrapper.
    entry("v_cvt_pk_fp8_f32", to_two<Fp8>, nullptr, Element::packed),
    entry("v_cvt_pk_bf8_f32", to_two<Bf8>, nullptr, Element::packed),
    entry("v_cvt_sr_fp8_f32", to_one_randomly<Fp8>, nullptr, Element::packed),
    entry("v_cvt_sr_bf8_f32", to_one_randomly<Bf8>, nullptr, Element::packed),
};

}  // namespace

std::span<const Entry> fp8_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
