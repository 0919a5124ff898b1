// What atomics compute, for memory and for LDS.
//
// Source: MI200 and MI300 ISA reference guides, "FLAT, scratch, global" and "LDS and GDS"
// instructions. Floating-point sums are rounded to nearest even.
#pragma once

#include "sim/silicon/isa/lanes/places.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

/// What a floating-point atomic has to know of the wave.
struct FloatMode {
  bool flush = false;  ///< denormals of single precision
};

template <class To, class From>
ROCDRILL_INLINE To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

// --- floating point ------------------------------------------------------------------------------

ROCDRILL_INLINE float flushed(float value, FloatMode mode) {
  const u32 raw = bits_as<u32>(value);
  return mode.flush && (raw & 0x7F800000u) == 0 ? bits_as<float>(raw & 0x80000000u) : value;
}
/// inf - inf is the GPU's NaN, not the host's.
ROCDRILL_INLINE float sum(float a, float b) {
  const float c = a + b;
  return c != c && a == a && b == b ? bits_as<float>(0x7FC00000u) : c;
}
ROCDRILL_INLINE double sum(double a, double b) {
  const double c = a + b;
  return c != c && a == a && b == b ? bits_as<double>(u64{0x7FF8} << 48) : c;
}

ROCDRILL_INLINE float from_half(u32 half) {
  const u32 sign = (half & 0x8000) << 16;
  const u32 exponent = half >> 10 & 31;
  const u32 fraction = half & 0x3FF;
  if (exponent == 31) return bits_as<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return bits_as<float>(bits_as<u32>(value) | sign);
  }
  return bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
}
/// To nearest even.
ROCDRILL_INLINE u32 to_half(float value) {
  const u32 raw = bits_as<u32>(value);
  const u32 sign = raw >> 16 & 0x8000;
  const u32 size = raw & 0x7FFFFFFFu;
  if (size > 0x7F800000u) return sign | 0x7E00 | (size >> 13 & 0x3FF);
  if (size >= 0x47800000u) return sign | 0x7C00;
  if (size < 0x38800000u) {                            // a denormal: its unit is 2^-24
    const float scaled = bits_as<float>(size) + 0.5f;  // the unit of [0.5, 1) is 2^-24
    return sign | (bits_as<u32>(scaled) - 0x3F000000u);
  }
  return sign | ((size + 0xFFF + (size >> 13 & 1)) - 0x38000000u) >> 13;
}
ROCDRILL_INLINE u32 add_half(u32 a, u32 b) {
  return to_half(sum(from_half(a & 0xFFFF), from_half(b & 0xFFFF)));
}
ROCDRILL_INLINE u32 add_bfloat(u32 a, u32 b) {
  const u32 raw = bits_as<u32>(sum(bits_as<float>(a << 16), bits_as<float>(b << 16)));
  if ((raw & 0x7FFFFFFFu) > 0x7F800000u) return (raw >> 16 & 0xFFFF) | 0x40;
  return (raw + 0x7FFF + (raw >> 16 & 1)) >> 16;
}

// --- operations: T is what lies in memory, compute() what it becomes -----------------------------

template <class Type>
struct Add {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) { return old + data; }
};
template <class Type>
struct Sub {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) { return old - data; }
};
template <class Type>
struct Rsub {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) { return data - old; }
};
template <class Type>
struct And {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) { return old & data; }
};
template <class Type>
struct Or {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) { return old | data; }
};
template <class Type>
struct Xor {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) { return old ^ data; }
};
template <class Type>
struct Swap {
  using T = Type;
  static ROCDRILL_INLINE T compute(T, T data, FloatMode) { return data; }
};
/// Up to `data`, then from 0 on.
template <class Type>
struct Inc {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return old >= data ? T{0} : old + 1;
  }
};
template <class Type>
struct Dec {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return old == 0 || old > data ? data : old - 1;
  }
};
/// `As` is how T is compared.
template <class Type, class As>
struct Min {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return bits_as<As>(data) < bits_as<As>(old) ? data : old;
  }
};
template <class Type, class As>
struct Max {
  using T = Type;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return bits_as<As>(data) > bits_as<As>(old) ? data : old;
  }
};
struct AddF32 {
  using T = u32;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode mode) {
    return bits_as<u32>(flushed(
        sum(flushed(bits_as<float>(old), mode), flushed(bits_as<float>(data), mode)), mode));
  }
};
struct AddF64 {
  using T = u64;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return bits_as<u64>(sum(bits_as<double>(old), bits_as<double>(data)));
  }
};
struct AddPkF16 {
  using T = u32;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return add_half(old, data) | add_half(old >> 16, data >> 16) << 16;
  }
};
struct AddPkBf16 {
  using T = u32;
  static ROCDRILL_INLINE T compute(T old, T data, FloatMode) {
    return add_bfloat(old & 0xFFFF, data & 0xFFFF) | add_bfloat(old >> 16, data >> 16) << 16;
  }
};

// --- a lane's registers --------------------------------------------------------------------------

template <class T>
ROCDRILL_INLINE T read_lane(const std::byte* registers, unsigned lane) {
  const auto* at = reinterpret_cast<const u32*>(registers + std::size_t{lane} * 4);
  if constexpr (sizeof(T) == 8) return at[0] | T{at[vgpr_bytes / 4]} << 32;
  return static_cast<T>(at[0]);
}
template <class T>
ROCDRILL_INLINE void write_lane(std::byte* registers, unsigned lane, T value) {
  auto* at = reinterpret_cast<u32*>(registers + std::size_t{lane} * 4);
  at[0] = static_cast<u32>(value);
  if constexpr (sizeof(T) == 8) at[vgpr_bytes / 4] = static_cast<u32>(value >> 32);
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
