// Comparisons of integers: v_cmp_* and v_cmpx_* of i16, u16, i32, u32, i64 and u64.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12
// ("VOPC instructions").
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// The others are these with the operands swapped or the result inverted.
enum class Relation { never, less, equal };

template <Relation relation, class V>
ROCDRILL_INLINE std::uint32_t holds(V a, V b) {
  if constexpr (relation == Relation::less) return less(a, b);
  return equal(as<U32>(a), as<U32>(b));
}

// What a type makes of two sources.
struct Type32 {
  static constexpr unsigned dwords = 1;
};
struct Unsigned : Type32 {
  template <Relation relation>
  ROCDRILL_INLINE static std::uint32_t compare(const Source& a, const Source& b, unsigned n) {
    return holds<relation>(a.low_of(n), b.low_of(n));
  }
};
struct Signed : Type32 {
  template <Relation relation>
  ROCDRILL_INLINE static std::uint32_t compare(const Source& a, const Source& b, unsigned n) {
    return holds<relation>(as<I32>(a.low_of(n)), as<I32>(b.low_of(n)));
  }
};
struct Unsigned16 : Type32 {
  template <Relation relation>
  ROCDRILL_INLINE static std::uint32_t compare(const Source& a, const Source& b, unsigned n) {
    return holds<relation>(a.low_of(n) << 16, b.low_of(n) << 16);
  }
};
struct Signed16 : Type32 {
  template <Relation relation>
  ROCDRILL_INLINE static std::uint32_t compare(const Source& a, const Source& b, unsigned n) {
    return holds<relation>(as<I32>(a.low_of(n) << 16), as<I32>(b.low_of(n) << 16));
  }
};
template <class High>
struct Wide {
  static constexpr unsigned dwords = 2;
  template <Relation relation>
  ROCDRILL_INLINE static std::uint32_t compare(const Source& a, const Source& b, unsigned n) {
    const High x = as<High>(a.high_of(n));
    const High y = as<High>(b.high_of(n));
    const std::uint32_t same = equal(as<U32>(x), as<U32>(y));
    const std::uint32_t low = holds<relation>(a.low_of(n), b.low_of(n));
    if constexpr (relation == Relation::less) return less(x, y) | (same & low);
    return same & low;
  }
};

enum class Writes { mask, mask_and_exec };

template <class Type, Relation relation, bool swapped, bool inverted, Writes writes>
const Instruction* compare(Wave& w, const Instruction* i) {
  std::uint64_t mask = 0;
  if constexpr (relation != Relation::never) {
    const Source a = source<Type::dwords>(w, *i, swapped ? src1 : src0);
    const Source b = source<Type::dwords>(w, *i, swapped ? src0 : src1);
#pragma GCC unroll 4
    for (unsigned n = 0; n < blocks; ++n)
      mask |= placed(Type::template compare<relation>(a, b, n), n);
  }
  if constexpr (inverted) mask = ~mask;
  mask &= w.exec();
  put_bits(w, *i, dst, mask);
  if constexpr (writes == Writes::mask_and_exec) w.set_exec(mask);
  return i + 1;
}

#define BOTH(relation, type, Type, ...)                                                        \
  {"v_cmp_" relation "_" type, compare<Type, __VA_ARGS__, Writes::mask>, nullptr, Class::valu, \
   element},                                                                                   \
  {                                                                                            \
    "v_cmpx_" relation "_" type, compare<Type, __VA_ARGS__, Writes::mask_and_exec>, nullptr,   \
        Class::valu, element                                                                   \
  }
#define COMPARISONS(type, Type)                              \
  BOTH("f", type, Type, Relation::never, false, false),      \
      BOTH("lt", type, Type, Relation::less, false, false),  \
      BOTH("eq", type, Type, Relation::equal, false, false), \
      BOTH("le", type, Type, Relation::less, true, true),    \
      BOTH("gt", type, Type, Relation::less, true, false),   \
      BOTH("ne", type, Type, Relation::equal, false, true),  \
      BOTH("ge", type, Type, Relation::less, false, true),   \
      BOTH("t", type, Type, Relation::never, false, true)

namespace of32 {
constexpr Element element = Element::b32;
const Entry table[] = {COMPARISONS("u32", Unsigned), COMPARISONS("i32", Signed)};
}  // namespace of32
namespace of16 {
constexpr Element element = Element::b16;
const Entry table[] = {COMPARISONS("u16", Unsigned16), COMPARISONS("i16", Signed16)};
}  // namespace of16
namespace of64 {
constexpr Element element = Element::b64;
const Entry table[] = {COMPARISONS("u64", Wide<U32>), COMPARISONS("i64", Wide<I32>)};
}  // namespace of64
#undef COMPARISONS
#undef BOTH

}  // namespace

std::span<const Entry> compare32_entries() { return of32::table; }
std::span<const Entry> compare16_entries() { return of16::table; }
std::span<const Entry> compare64_entries() { return of64::table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
