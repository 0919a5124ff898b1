// DS: atomics of LDS. One host thread runs a workgroup, so that they need not be atomic on the
// host.
#include "sim/silicon/isa/lanes/atomics.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// LDS obeys MODE's denormals of single precision (assumed: LLVM takes ds_add_f32 for exact in
/// every mode, other than the memory's).
ROCDRILL_INLINE FloatMode shared_mode(const Wave& w) { return {.flush = (w.mode >> 4 & 3) != 3}; }

template <class T>
ROCDRILL_INLINE T read_at(const std::byte* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

/// f(what is there, lane) gives what will be there.
template <class T, bool returns, class F>
ROCDRILL_INLINE const Instruction* change(Wave& w, const Instruction* i, const F& f) {
  if (w.exec() == 0) return i + 1;
  Places p;
  const Want want = {.bytes = sizeof(T), .write = true, .atomic = true};
  if (!place_lds(w, i, p, want, static_cast<u32>(i->immediate))) return nullptr;
  std::byte* to = returns ? operand(w, *i, ds_dst) : nullptr;
  for (u64 left = p.lanes; left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    std::byte* at = place_of(p, l);
    const T old = read_at<T>(at);
    const T value = f(old, l);
    __builtin_memcpy(at, &value, sizeof value);
    if (returns) write_lane<T>(to, l, old);
  }
  if (returns)
    for (u64 left = p.zero; left != 0; left &= left - 1) write_lane<T>(to, first_of(left), 0);
  return i + 1;
}

template <bool returns, class Op>
const Instruction* one(Wave& w, const Instruction* i) {
  using T = typename Op::T;
  const std::byte* data = operand(w, *i, ds_data0);
  const FloatMode mode = shared_mode(w);
  return change<T, returns>(w, i, [data, mode](T old, unsigned lane) {
    return Op::compute(old, read_lane<T>(data, lane), mode);
  });
}

/// Op::compute(what is there, DATA0, DATA1).
template <bool returns, class Op>
const Instruction* two(Wave& w, const Instruction* i) {
  using T = typename Op::T;
  const std::byte* first = operand(w, *i, ds_data0);
  const std::byte* second = operand(w, *i, ds_data1);
  return change<T, returns>(w, i, [first, second](T old, unsigned lane) {
    return Op::compute(old, read_lane<T>(first, lane), read_lane<T>(second, lane));
  });
}
/// DATA0 is what is compared with, DATA1 the new value: not as in memory's cmpswap.
template <class Type, class As>
struct Cmpst {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T compare, T value) {
    return bits_as<As>(old) == bits_as<As>(compare) ? value : old;
  }
};
template <class Type>
struct Mskor {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T mask, T value) { return (old & ~mask) | value; }
};
struct Wrap {
  using T = u32;
  static ROCDRILL_INLINE T compute(T old, T limit, T plus) {
    return old >= limit ? old - limit : old + plus;
  }
};

/// Two values at two offsets, as DS_READ2 counts them, are exchanged with DATA0 and DATA1.
template <class T, unsigned unit>
const Instruction* exchange2(Wave& w, const Instruction* i) {
  if (w.exec() == 0) return i + 1;
  const auto offsets = static_cast<u32>(i->immediate);
  const Want want = {.bytes = sizeof(T), .write = true, .atomic = true};
  Places p;
  Places q;
  if (!place_lds(w, i, p, want, (offsets & 0xFF) * unit)) return nullptr;
  if (!place_lds(w, i, q, want, (offsets >> 8 & 0xFF) * unit)) return nullptr;
  const std::byte* data[2] = {operand(w, *i, ds_data0), operand(w, *i, ds_data1)};
  std::byte* to = operand(w, *i, ds_dst);
  const Places* places[2] = {&p, &q};
  for (u64 left = w.exec(); left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    const T values[2] = {read_lane<T>(data[0], l), read_lane<T>(data[1], l)};
    for (unsigned n = 0; n < 2; ++n) {
      T old = 0;
      if ((places[n]->lanes >> l & 1) != 0) {
        std::byte* at = place_of(*places[n], l);
        old = read_at<T>(at);
        __builtin_memcpy(at, &values[n], sizeof(T));
      }
      write_lane<T>(to + n * (sizeof(T) / 4) * vgpr_bytes, l, old);
    }
  }
  return i + 1;
}

#define ROCDRILL_ONE(name, type, ...)                                    \
  {"ds_" name "_" type, one<false, __VA_ARGS__>, nullptr, Class::lds}, { \
    "ds_" name "_rtn_" type, one<true, __VA_ARGS__>, nullptr, Class::lds \
  }
#define ROCDRILL_TWO(name, type, ...)                                    \
  {"ds_" name "_" type, two<false, __VA_ARGS__>, nullptr, Class::lds}, { \
    "ds_" name "_rtn_" type, two<true, __VA_ARGS__>, nullptr, Class::lds \
  }

const Entry table[] = {
    ROCDRILL_ONE("add", "u32", Add<u32>),
    ROCDRILL_ONE("add", "u64", Add<u64>),
    ROCDRILL_ONE("sub", "u32", Sub<u32>),
    ROCDRILL_ONE("sub", "u64", Sub<u64>),
    ROCDRILL_ONE("rsub", "u32", Rsub<u32>),
    ROCDRILL_ONE("rsub", "u64", Rsub<u64>),
    ROCDRILL_ONE("inc", "u32", Inc<u32>),
    ROCDRILL_ONE("inc", "u64", Inc<u64>),
    ROCDRILL_ONE("dec", "u32", Dec<u32>),
    ROCDRILL_ONE("dec", "u64", Dec<u64>),
    ROCDRILL_ONE("min", "i32", Min<u32, i32>),
    ROCDRILL_ONE("min", "i64", Min<u64, i64>),
    ROCDRILL_ONE("min", "u32", Min<u32, u32>),
    ROCDRILL_ONE("min", "u64", Min<u64, u64>),
    ROCDRILL_ONE("min", "f32", Min<u32, float>),
    ROCDRILL_ONE("min", "f64", Min<u64, double>),
    ROCDRILL_ONE("max", "i32", Max<u32, i32>),
    ROCDRILL_ONE("max", "i64", Max<u64, i64>),
    ROCDRILL_ONE("max", "u32", Max<u32, u32>),
    ROCDRILL_ONE("max", "u64", Max<u64, u64>),
    ROCDRILL_ONE("max", "f32", Max<u32, float>),
    ROCDRILL_ONE("max", "f64", Max<u64, double>),
    ROCDRILL_ONE("and", "b32", And<u32>),
    ROCDRILL_ONE("and", "b64", And<u64>),
    ROCDRILL_ONE("or", "b32", Or<u32>),
    ROCDRILL_ONE("or", "b64", Or<u64>),
    ROCDRILL_ONE("xor", "b32", Xor<u32>),
    ROCDRILL_ONE("xor", "b64", Xor<u64>),
    ROCDRILL_ONE("add", "f32", AddF32),
    ROCDRILL_ONE("add", "f64", AddF64),
    ROCDRILL_ONE("pk_add", "f16", AddPkF16),
    ROCDRILL_ONE("pk_add", "bf16", AddPkBf16),
    ROCDRILL_TWO("cmpst", "b32", Cmpst<u32, u32>),
    ROCDRILL_TWO("cmpst", "b64", Cmpst<u64, u64>),
    ROCDRILL_TWO("cmpst", "f32", Cmpst<u32, float>),
    ROCDRILL_TWO("cmpst", "f64", Cmpst<u64, double>),
    ROCDRILL_TWO("mskor", "b32", Mskor<u32>),
    ROCDRILL_TWO("mskor", "b64", Mskor<u64>),
    {"ds_wrap_rtn_b32", two<true, Wrap>, nullptr, Class::lds},
    {"ds_wrxchg_rtn_b32", one<true, Swap<u32>>, nullptr, Class::lds},
    {"ds_wrxchg_rtn_b64", one<true, Swap<u64>>, nullptr, Class::lds},
    {"ds_wrxchg2_rtn_b32", exchange2<u32, 4>, nullptr, Class::lds},
    {"ds_wrxchg2_rtn_b64", exchange2<u64, 8>, nullptr, Class::lds},
    {"ds_wrxchg2st64_rtn_b32", exchange2<u32, 4 * 64>, nullptr, Class::lds},
    {"ds_wrxchg2st64_rtn_b64", exchange2<u64, 8 * 64>, nullptr, Class::lds},
};

}  // namespace

std::span<const Entry> lds_atomic_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
