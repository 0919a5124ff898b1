// Vectors of this CPU for the native twins: clang's extended vectors, as wide as its registers.
#pragma once

#include <cstdint>

#include "bench/kernels/native.hpp"

#if defined(__AVX512F__)
#define ROCDRILL_WIDTH 16
#define ROCDRILL_LIBMVEC(name) "_ZGVeN16v_" name
#elif defined(__AVX2__)
#define ROCDRILL_WIDTH 8
#define ROCDRILL_LIBMVEC(name) "_ZGVdN8v_" name
#else
#define ROCDRILL_WIDTH 4
#define ROCDRILL_LIBMVEC(name) "_ZGVbN4v_" name
#endif

namespace rocdrill::native {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 width = ROCDRILL_WIDTH;
typedef float F32 __attribute__((ext_vector_type(ROCDRILL_WIDTH)));
typedef u32 U32 __attribute__((ext_vector_type(ROCDRILL_WIDTH)));
typedef std::int32_t I32 __attribute__((ext_vector_type(ROCDRILL_WIDTH)));
typedef double F64 __attribute__((ext_vector_type(ROCDRILL_WIDTH)));  // two registers
typedef u64 U64 __attribute__((ext_vector_type(ROCDRILL_WIDTH)));

// glibc's libmvec.
F32 exp(F32) asm(ROCDRILL_LIBMVEC("expf"));
F32 sin(F32) asm(ROCDRILL_LIBMVEC("sinf"));
F32 cos(F32) asm(ROCDRILL_LIBMVEC("cosf"));

template <class V, class T>
inline V load(const T* from) {
  V value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class V, class T>
inline void store(T* to, V value) {
  __builtin_memcpy(to, &value, sizeof value);
}
inline U32 ramp() {
  U32 value;
  for (u32 n = 0; n < width; ++n) value[n] = n;
  return value;
}
inline F32 fma(F32 a, F32 b, F32 c) { return __builtin_elementwise_fma(a, b, c); }
inline F64 fma(F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }

/// The kernel's arguments, one after the other.
class Arguments {
 public:
  explicit Arguments(const NativeLaunch& launch) : next_(launch.arguments) {}
  template <class T>
  operator T() {
    return *static_cast<const T*>(*next_++);
  }

 private:
  const void* const* next_;
};

}  // namespace rocdrill::native
