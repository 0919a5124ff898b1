// Atomics of FLAT, GLOBAL and MUBUF. They are atomic on the host: waves of other workgroups run on
// other threads. What orders them are the fences and waits around them.
#include "sim/silicon/isa/lanes/atomics.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <class Op>
ROCDRILL_INLINE typename Op::T update(typename Op::T* at, typename Op::T data, FloatMode mode) {
  typename Op::T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, Op::compute(old, data, mode), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
// What the host has as one instruction.
#define ROCDRILL_DIRECT(Op, builtin)                                   \
  template <>                                                          \
  ROCDRILL_INLINE u32 update<Op<u32>>(u32 * at, u32 data, FloatMode) { \
    return builtin(at, data, __ATOMIC_RELAXED);                        \
  }                                                                    \
  template <>                                                          \
  ROCDRILL_INLINE u64 update<Op<u64>>(u64 * at, u64 data, FloatMode) { \
    return builtin(at, data, __ATOMIC_RELAXED);                        \
  }
ROCDRILL_DIRECT(Add, __atomic_fetch_add)
ROCDRILL_DIRECT(Sub, __atomic_fetch_sub)
ROCDRILL_DIRECT(Swap, __atomic_exchange_n)
#undef ROCDRILL_DIRECT

/// Before gfx940 the memory's own adder flushes denormals of single precision (LLVM:
/// FeatureMemoryAtomicFAddF32DenormalSupport).
ROCDRILL_INLINE FloatMode memory_mode(const Wave& w) { return {.flush = !w.architected_scratch}; }

/// f(place, lane) gives what was there before.
template <class T, Place place, class F>
ROCDRILL_INLINE const Instruction* for_places(Wave& w, const Instruction* i, const F& f) {
  if (w.exec() == 0) return i + 1;
  Places p;
  if (!place(w, i, p, {.bytes = sizeof(T), .write = true, .atomic = true})) return nullptr;
  const bool returns = i->kind[vdst] != Kind::none;
  std::byte* to = returns ? operand(w, *i, vdst) : nullptr;
  for (u64 left = p.lanes; left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    const T old = f(reinterpret_cast<T*>(place_of(p, l)), l);
    if (returns) write_lane<T>(to, l, old);
  }
  if (!returns) return i + 1;
  for (u64 left = p.zero; left != 0; left &= left - 1) write_lane<T>(to, first_of(left), 0);
  return i + 1;
}

template <Place place, class Op>
const Instruction* atomic(Wave& w, const Instruction* i) {
  using T = typename Op::T;
  const std::byte* data = operand(w, *i, vdata);
  const FloatMode mode = memory_mode(w);
  return for_places<T, place>(w, i, [data, mode](T* at, unsigned lane) {
    return update<Op>(at, read_lane<T>(data, lane), mode);
  });
}

/// The first of the data is the new value, the second what it is compared with.
template <Place place, class T>
const Instruction* compare_and_swap(Wave& w, const Instruction* i) {
  const std::byte* data = operand(w, *i, vdata);
  return for_places<T, place>(w, i, [data](T* at, unsigned lane) {
    T old = read_lane<T>(data + sizeof(T) / 4 * vgpr_bytes, lane);
    __atomic_compare_exchange_n(at, &old, read_lane<T>(data, lane), false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return old;
  });
}

#define ROCDRILL_ATOMIC(name, place, ...) \
  {name, atomic<place, __VA_ARGS__>, nullptr, Class::vmem_atomic}
#define ROCDRILL_BOTH(name, place, Op) \
  ROCDRILL_ATOMIC(name, place, Op<u32>), ROCDRILL_ATOMIC(name "_x2", place, Op<u64>)
#define ROCDRILL_ATOMICS(prefix, place)                                                     \
  ROCDRILL_BOTH(prefix "_add", place, Add), ROCDRILL_BOTH(prefix "_sub", place, Sub),       \
      ROCDRILL_BOTH(prefix "_and", place, And), ROCDRILL_BOTH(prefix "_or", place, Or),     \
      ROCDRILL_BOTH(prefix "_xor", place, Xor), ROCDRILL_BOTH(prefix "_swap", place, Swap), \
      ROCDRILL_BOTH(prefix "_inc", place, Inc), ROCDRILL_BOTH(prefix "_dec", place, Dec),   \
      ROCDRILL_ATOMIC(prefix "_smin", place, Min<u32, i32>),                                \
      ROCDRILL_ATOMIC(prefix "_smin_x2", place, Min<u64, i64>),                             \
      ROCDRILL_ATOMIC(prefix "_umin", place, Min<u32, u32>),                                \
      ROCDRILL_ATOMIC(prefix "_umin_x2", place, Min<u64, u64>),                             \
      ROCDRILL_ATOMIC(prefix "_smax", place, Max<u32, i32>),                                \
      ROCDRILL_ATOMIC(prefix "_smax_x2", place, Max<u64, i64>),                             \
      ROCDRILL_ATOMIC(prefix "_umax", place, Max<u32, u32>),                                \
      ROCDRILL_ATOMIC(prefix "_umax_x2", place, Max<u64, u64>),                             \
      ROCDRILL_ATOMIC(prefix "_add_f32", place, AddF32),                                    \
      ROCDRILL_ATOMIC(prefix "_pk_add_f16", place, AddPkF16),                               \
      ROCDRILL_ATOMIC(prefix "_add_f64", place, AddF64),                                    \
      ROCDRILL_ATOMIC(prefix "_min_f64", place, Min<u64, double>),                          \
      ROCDRILL_ATOMIC(prefix "_max_f64", place, Max<u64, double>),                          \
      {prefix "_cmpswap", compare_and_swap<place, u32>, nullptr, Class::vmem_atomic}, {     \
    prefix "_cmpswap_x2", compare_and_swap<place, u64>, nullptr, Class::vmem_atomic         \
  }

const Entry table[] = {
    ROCDRILL_ATOMICS("flat_atomic", place_flat),
    ROCDRILL_ATOMICS("global_atomic", place_global),
    ROCDRILL_ATOMICS("buffer_atomic", place_buffer),
    ROCDRILL_ATOMIC("flat_atomic_pk_add_bf16", place_flat, AddPkBf16),
    ROCDRILL_ATOMIC("global_atomic_pk_add_bf16", place_global, AddPkBf16),
};

}  // namespace

std::span<const Entry> atomic_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
