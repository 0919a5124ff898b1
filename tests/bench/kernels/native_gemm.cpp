// C = A * B, row-major, by the blocked loop that the benchmarks name: blocks of 64 x 64 x 64, in
// the order i, k, j, of which j is in vectors. A call runs a range of workgroups, so the threads
// share C by rows.
#include "bench/kernels/vectors.hpp"

using namespace rocdrill::native;
using Launch = NativeLaunch;

namespace {

using Half = _Float16;

/// What elements of T are added up as.
template <class T>
struct Sum {
  using Type = T;
};
template <>
struct Sum<Half> {
  using Type = float;
};

constexpr u32 block = 64;

/// Rows [first, last) of C += A * B; n and k are multiples of the block.
template <class T, class S>
void add_product(const T* a, const T* b, S* c, u32 first, u32 last, u32 n, u32 k) {
  for (u32 i0 = first; i0 < last; i0 += block)
    for (u32 k0 = 0; k0 < k; k0 += block)
      for (u32 j0 = 0; j0 < n; j0 += block)
        for (u32 i = i0; i < last && i < i0 + block; ++i)
          for (u32 step = k0; step < k0 + block; ++step) {
            const S left = static_cast<S>(a[i * k + step]);
            const T* const right = b + step * n + j0;
            S* const sum = c + i * n + j0;
#pragma clang loop vectorize(assume_safety)
            for (u32 j = 0; j < block; ++j) {
              if constexpr (sizeof(S) == 8) {
                sum[j] = __builtin_fma(left, static_cast<S>(right[j]), sum[j]);
              } else {
                sum[j] = __builtin_fmaf(left, static_cast<S>(right[j]), sum[j]);
              }
            }
          }
}

/// Rows [first, last) of C = A * B. Halves are added up in floats and rounded in the end.
template <class T>
void rows_of(const T* a, const T* b, T* c, u32 first, u32 last, u32 n, u32 k) {
  if constexpr (sizeof(T) == 2) {
    constexpr u32 most = block * 4096;
    static thread_local float sums[most];
    if (block * n > most) __builtin_trap();
    for (u32 row = first; row < last; row += block) {
      const u32 rows = last - row < block ? last - row : block;
      __builtin_memset(sums, 0, sizeof(float) * rows * n);
      add_product(a + row * k, b, sums, 0, rows, n, k);
      for (u32 at = 0; at < rows * n; ++at) c[row * n + at] = static_cast<T>(sums[at]);
    }
  } else {
    __builtin_memset(c + first * n, 0, sizeof(T) * (last - first) * n);
    add_product(a, b, c, first, last, n, k);
  }
}

/// Groups [first, last) in rows of C; groups lie x fastest.
struct Rows {
  u32 first, last;
  Rows(const Launch& launch, u32 from, u32 to, u32 of_group)
      : first(from / launch.groups[0] * of_group), last(to / launch.groups[0] * of_group) {}
};

template <class T>
void gemm(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 m = next, n = next, k = next;
  const T* const a = next;
  const T* const b = next;
  T* const c = next;
  (void)m;
  const Rows rows(*launch, first, last, launch->group[1]);
  rows_of(a, b, c, rows.first, rows.last, n, k);
}

}  // namespace

extern "C" {

void native_sgemm(const Launch* launch, u32 first, u32 last) { gemm<float>(launch, first, last); }
void native_dgemm(const Launch* launch, u32 first, u32 last) { gemm<double>(launch, first, last); }
void native_hgemm(const Launch* launch, u32 first, u32 last) { gemm<Half>(launch, first, last); }

void native_sgemm_registers(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next;
  const float* const a = next;
  const float* const b = next;
  float* const c = next;
  const Rows rows(*launch, first, last, launch->group[1] * 4);
  rows_of(a, b, c, rows.first, rows.last, n, n);
}

/// B is stored by columns: laid out by rows first, by each call for itself. C is added to.
void native_mfma_hgemm(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next, k = next;
  const Half* const a = next;
  const Half* const b = next;
  float* const c = next;
  const Rows rows(*launch, first, last, 32);
  static thread_local Half by_rows[1024 * 1024];
  if (n * k > 1024 * 1024) __builtin_trap();
  for (u32 column = 0; column < n; ++column)
    for (u32 step = 0; step < k; ++step) by_rows[step * n + column] = b[column * k + step];
  add_product(a, by_rows, c, rows.first, rows.last, n, k);
}
}
