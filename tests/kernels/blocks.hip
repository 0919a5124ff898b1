// Templates, warp sums, dynamic LDS: as HIP programs have them.
#include "kernel_hip.h"

template <class T, class Operation>
__device__ inline T across_wave(T value, Operation operation) {
  for (uint step = 1; step < 64; step *= 2)
    value = operation(value, static_cast<T>(shuffle(static_cast<int>(value), lane_id() ^ step)));
  return value;
}

KERNEL(block_maximum)(uint n, const int* in, int* most) {
  SHARED(int, part, 16);
  const uint t = thread_index().x;
  const uint i = block_index().x * block_size() + t;
  const int value = across_wave(i < n ? in[i] : -2147483647 - 1,
                                [](int a, int b) { return a > b ? a : b; });
  if (lane_id() == 0) part[t / 64] = value;
  sync_threads();
  if (t >= 64) return;
  const int of_wave = t < (block_size() + 63) / 64 ? part[t] : -2147483647 - 1;
  const int all = across_wave(of_wave, [](int a, int b) { return a > b ? a : b; });
  if (t == 0) most[block_index().x] = all;
}

/// Moving sums over a window that the dispatch's LDS holds.
KERNEL(moving_sum)(uint n, uint window, const uint* in, uint* out) {
  DYNAMIC_SHARED(uint, room);
  const uint t = thread_index().x;
  const uint first = block_index().x * block_size();
  for (uint k = t; k < block_size() + window; k += block_size())
    room[k] = first + k < n ? in[first + k] : 0;
  sync_threads();
  uint sum = 0;
  for (uint k = 0; k < window; ++k) sum += room[t + k];
  if (first + t < n) out[first + t] = sum;
}

struct Complex {
  double re, im;
  __device__ Complex operator*(const Complex& o) const {
    return {__builtin_fma(re, o.re, -(im * o.im)), __builtin_fma(re, o.im, im * o.re)};
  }
  __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
};

__launch_bounds__(128) KERNEL(complex_power)(uint n, const Complex* in, Complex* out) {
  for (uint i = block_index().x * block_size() + thread_index().x; i < n; i += grid_size()) {
    Complex z = in[i];
    for (int k = 0; k < 5; ++k) z = z * z + in[i];
    out[i] = z;
  }
}

KERNEL(count_bits)(uint n, const ulong* in, ulong* total) {
  const uint i = block_index().x * block_size() + thread_index().x;
  if (i < n) atomic_add(total, static_cast<ulong>(__builtin_popcountl(in[i])));
}
