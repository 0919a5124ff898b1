// Packed floating point: VOP3P, and the packed or mixed instructions of VOP2.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, "VOP3P
// instructions" and "Packed math".
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

// --- two halves ----------------------------------------------------------------------------------

/// op_sel, op_sel_hi, neg and neg_hi of a source.
struct Pick {
  bool low_from_high, high_from_high;
  U32 flip;
  bool flush;
  ROCDRILL_INLINE Pick(const Wave& w, std::uint8_t modifiers)
      : low_from_high((modifiers & op_sel) != 0),
        high_from_high((modifiers & op_sel_hi) != 0),
        flip(splat(((modifiers & neg) != 0 ? 0x8000u : 0u) |
                   ((modifiers & abs) != 0 ? 0x80000000u : 0u))),
        flush((w.mode & 0x40) == 0) {}
  ROCDRILL_INLINE U32 operator()(U32 value) const {
    const U32 low = low_from_high ? value >> 16 : value & 0xFFFFu;
    const U32 high = high_from_high ? value & 0xFFFF0000u : value << 16;
    const U32 picked = (low | high) ^ flip;
    return flush ? flushed_halves(picked) : picked;
  }
};
struct AsItIs {
  ROCDRILL_INLINE AsItIs(const Wave&, std::uint8_t) {}
  ROCDRILL_INLINE U32 operator()(U32 value) const { return value; }
};

struct FinishPacked {
  bool clamps, nan_to_zero, flush;
  ROCDRILL_INLINE FinishPacked(const Wave& w, const Instruction& i)
      : clamps((i.flags & clamp) != 0),
        nan_to_zero((w.mode & mode_dx10_clamp) != 0),
        flush((w.mode & 0x80) == 0) {}
  ROCDRILL_INLINE F32 in_range(F32 value) const {
    return clamped<F32, I32>(value, F32{}, splat_f(1), nan_to_zero);
  }
  ROCDRILL_INLINE U32 operator()(U32 value) const {
    if (clamps) {
      const Halves halves = unpack(value);
      value = pack({in_range(halves.a), in_range(halves.b)});
    }
    return flush ? flushed_halves(value) : value;
  }
};

/// No modifier but the op_sel_hi that every source has, and denormals are kept.
ROCDRILL_INLINE bool plain(const Wave& w, const Instruction& i, unsigned sources) {
  bool out = plain_halves(w) && (i.flags & clamp) == 0;
  for (unsigned n = 0; n < sources; ++n) out = out && i.modifiers[n] == op_sel_hi;
  return out;
}

using Packed = U32 (*)(U32, U32, U32);

template <Packed operation, unsigned sources, class Taken, class Done>
ROCDRILL_INLINE void compute(Wave& w, const Instruction& i, Done done) {
  const Source a = source(w, i, src0);
  const Source b = source(w, i, src1);
  const Source c = sources == 3 ? source(w, i, src2) : b;
  const Taken x(w, i.modifiers[0]);
  const Taken y(w, i.modifiers[1]);
  const Taken z(w, i.modifiers[sources - 1]);
  walk(w, i, [&](unsigned n) __attribute__((always_inline)) {
    return done(operation(x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n))));
  });
}
template <Packed operation, unsigned sources>
const Instruction* packed(Wave& w, const Instruction* i) {
  if (plain(w, *i, sources)) [[likely]] {
    compute<operation, sources, AsItIs>(w, *i, [](U32 value) { return value; });
  } else {
    compute<operation, sources, Pick>(w, *i, FinishPacked(w, *i));
  }
  return i + 1;
}

ROCDRILL_INLINE U32 add(U32 a, U32 b, U32) {
  const Halves x = unpack(a);
  const Halves y = unpack(b);
  return pack({x.a + y.a, x.b + y.b});
}
ROCDRILL_INLINE U32 multiply(U32 a, U32 b, U32) {
  const Halves x = unpack(a);
  const Halves y = unpack(b);
  return pack({x.a * y.a, x.b * y.b});
}
ROCDRILL_INLINE U32 fma(U32 a, U32 b, U32 c) {
  const Halves x = unpack(a);
  const Halves y = unpack(b);
  const Halves z = unpack(c);
  return pack({fused_half(x.a, y.a, z.a), fused_half(x.b, y.b, z.b)});
}
/// The instruction as it is, for what MODE.IEEE makes of signalling NaNs.
template <Ordered (*operation)(Ordered, Ordered)>
const Instruction* order(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Pick x(w, i->modifiers[0]);
  const Pick y(w, i->modifiers[1]);
  const FinishPacked finish(w, *i);
  const bool ieee = (w.mode & mode_ieee) != 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 p = x(a.low_of(n));
    const U32 q = y(b.low_of(n));
    const Ordered low = operation(Ordered(p & 0xFFFFu, ieee), Ordered(q & 0xFFFFu, ieee));
    const Ordered high = operation(Ordered(p >> 16, ieee), Ordered(q >> 16, ieee));
    return finish(to_half(low.value) | to_half(high.value) << 16);
  });
  return i + 1;
}

/// VOP2: no op_sel; the third source is what the destination holds.
const Instruction* accumulate(Wave& w, const Instruction* i) {
  if ((i->modifiers[0] | i->modifiers[1]) != 0)
    return w.refuse(i, "v_pk_fmac_f16 with modifiers of its sources");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c{operand(w, *i, dst), 4 * width, 0};
  const Pick take(w, op_sel_hi);
  const FinishPacked finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(fma(take(a.low_of(n)), take(b.low_of(n)), take(c.low_of(n))));
  });
  return i + 1;
}

// --- dot products of halves, in single precision; they know no denormals there -------------------

ROCDRILL_INLINE F32 dot(U32 a, U32 b, F32 c) {
  const F32 first = c + from_half(a & 0xFFFFu) * from_half(b & 0xFFFFu);
  return first + from_half(a >> 16) * from_half(b >> 16);
}
const Instruction* dot_product(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const Pick x(w, i->modifiers[0]);
  const Pick y(w, i->modifiers[1]);
  const Change<true> z(i->modifiers[2] & neg);
  const Finish<true> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(dot(x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n))));
  });
  return i + 1;
}
const Instruction* dot_accumulate(Wave& w, const Instruction* i) {
  if ((i->modifiers[0] | i->modifiers[1]) != 0)
    return w.refuse(i, "v_dot2c_f32_f16 with modifiers of its sources");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c{operand(w, *i, dst), 4 * width, 0};
  const Finish<true> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(dot(a.low_of(n), b.low_of(n), as<F32>(c.low_of(n))));
  });
  return i + 1;
}

// --- two singles, in pairs of registers ----------------------------------------------------------

/// What one result takes of a source.
struct Lane {
  Source from;
  std::uint32_t offset;
  U32 flip;
  ROCDRILL_INLINE Lane(const Source& source, bool high, bool negative)
      : from(source), offset(high ? source.high : 0), flip(splat(negative ? 0x80000000u : 0u)) {}
  ROCDRILL_INLINE U32 bits(unsigned block) const {
    return load(from.at + block * from.step + offset);
  }
  ROCDRILL_INLINE F32 operator()(unsigned block) const { return as<F32>(bits(block) ^ flip); }
};
struct Lanes {
  Lane low, high;
  ROCDRILL_INLINE Lanes(const Source& source, std::uint8_t modifiers)
      : low(source, (modifiers & op_sel) != 0, (modifiers & neg) != 0),
        high(source, (modifiers & op_sel_hi) != 0, (modifiers & abs) != 0) {}
};

ROCDRILL_INLINE void put_pair(Wave& w, const Instruction& i, unsigned n, U32 low, U32 high) {
  std::byte* to = operand(w, i, dst) + n * 4 * width;
  if (w.exec() == ~0ull) [[likely]] {
    store_all(to, low);
    store_all(to + vgpr_bytes, high);
  } else {
    const std::uint32_t mask = mask_of(w.exec(), n);
    store_some(to, low, mask);
    store_some(to + vgpr_bytes, high, mask);
  }
}

template <F32 (*operation)(F32, F32, F32), unsigned sources>
const Instruction* singles(Wave& w, const Instruction* i) {
  const Lanes a(source<2>(w, *i, src0), i->modifiers[0]);
  const Lanes b(source<2>(w, *i, src1), i->modifiers[1]);
  const Lanes c = sources == 3 ? Lanes(source<2>(w, *i, src2), i->modifiers[2]) : b;
  const Finish<true> finish(w, *i);
  for (unsigned n = 0; n < blocks; ++n) {
    const F32 low = operation(a.low(n), b.low(n), c.low(n));
    const F32 high = operation(a.high(n), b.high(n), c.high(n));
    put_pair(w, *i, n, as<U32>(finish(low)), as<U32>(finish(high)));
  }
  return i + 1;
}
ROCDRILL_INLINE F32 add_singles(F32 a, F32 b, F32) { return a + b; }
ROCDRILL_INLINE F32 multiply_singles(F32 a, F32 b, F32) { return a * b; }
ROCDRILL_INLINE F32 fma_singles(F32 a, F32 b, F32 c) { return fused(a, b, c); }

// --- FMA_MIX, MAD_MIX: each source single, or half if op_sel_hi says so --------------------------

/// Inline constants reach a handler as halves. For a source that is single they are singles.
ROCDRILL_INLINE U32 single_constant(U32 value) {
  struct Constant {
    std::uint32_t half, single;
  };
  constexpr Constant constants[] = {
      {0x3800, 0x3F000000}, {0xB800, 0xBF000000}, {0x3C00, 0x3F800000},
      {0xBC00, 0xBF800000}, {0x4000, 0x40000000}, {0xC000, 0xC0000000},
      {0x4400, 0x40800000}, {0xC400, 0xC0800000}, {0x3118, 0x3E22F983}};
  for (const Constant& one : constants)
    if (value[0] == one.half) return splat(one.single);
  return value;
}

struct Mixed {
  Source from;
  bool is_half, is_high, is_constant, flush;
  Change<true> change;
  ROCDRILL_INLINE Mixed(Wave& w, const Instruction& i, unsigned n)
      : from(source(w, i, n)),
        is_half((i.modifiers[n - src0] & op_sel_hi) != 0),
        is_high((i.modifiers[n - src0] & op_sel) != 0),
        is_constant(i.kind[n] == Kind::constant),
        flush((w.mode & 0x40) == 0),
        change(i.modifiers[n - src0]) {}
  ROCDRILL_INLINE F32 operator()(unsigned block) const {
    U32 value = from.low_of(block);
    if (is_half) {
      if (flush) value = flushed_halves(value);
      return change(as<U32>(from_half(is_high ? value >> 16 : value & 0xFFFFu)));
    }
    return change(is_constant ? single_constant(value) : value);
  }
};

enum class Result : std::uint8_t { single, low, high };

template <F32 (*operation)(F32, F32, F32), Result result>
const Instruction* mix(Wave& w, const Instruction* i) {
  const Mixed a(w, *i, src0);
  const Mixed b(w, *i, src1);
  const Mixed c(w, *i, src2);
  const Finish<true> finish(w, *i);
  const std::byte* before = operand(w, *i, dst);
  const bool flush = (w.mode & 0x80) == 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const F32 value = finish(operation(a(n), b(n), c(n)));
    if constexpr (result == Result::single) {
      return as<U32>(value);
    } else {
      const U32 kept = load(before + n * 4 * width);
      const U32 half = flush ? flushed_halves(to_half(value)) : to_half(value);
      return result == Result::low ? (kept & 0xFFFF0000u) | half : (kept & 0xFFFFu) | half << 16;
    }
  });
  return i + 1;
}
ROCDRILL_INLINE F32 multiply_add(F32 a, F32 b, F32 c) { return a * b + c; }

// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run, Precision precision) {
  return {mnemonic, run, nullptr, Class::valu, Element::packed, precision};
}
consteval Entry halves(std::string_view mnemonic, Handler run) {
  return entry(mnemonic, run, Precision::half_double);
}
consteval Entry single(std::string_view mnemonic, Handler run) {
  return entry(mnemonic, run, Precision::single);
}

const Entry table[] = {
    halves("v_pk_add_f16", packed<add, 2>),
    halves("v_pk_mul_f16", packed<multiply, 2>),
    halves("v_pk_fma_f16", packed<fma, 3>),
    halves("v_pk_min_f16", order<minimum>),
    halves("v_pk_max_f16", order<maximum>),
    halves("v_pk_fmac_f16", accumulate),
    single("v_dot2_f32_f16", flushing<dot_product>),
    single("v_dot2c_f32_f16", flushing<dot_accumulate>),
    single("v_pk_add_f32", singles<add_singles, 2>),
    single("v_pk_mul_f32", singles<multiply_singles, 2>),
    single("v_pk_fma_f32", singles<fma_singles, 3>),
    single("v_fma_mix_f32", mix<fma_singles, Result::single>),
    single("v_fma_mixlo_f16", mix<fma_singles, Result::low>),
    single("v_fma_mixhi_f16", mix<fma_singles, Result::high>),
    single("v_mad_mix_f32", flushing<mix<multiply_add, Result::single>>),
    single("v_mad_mixlo_f16", flushing<mix<multiply_add, Result::low>>),
    single("v_mad_mixhi_f16", flushing<mix<multiply_add, Result::high>>),
};

}  // namespace

std::span<const Entry> packed_float_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
