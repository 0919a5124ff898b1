// C = A * B, row-major, by the blocked loop that the benchmarks name: tiles of 6 rows and 4 vectors
// of columns in registers, all of k in one go, B as it lies. A call runs a range of workgroups, so
// the threads share C by rows.
#include "bench/kernels/vectors.hpp"

using namespace rocdrill::native;
using Launch = NativeLaunch;

namespace {

using Half = _Float16;
typedef Half F16 __attribute__((ext_vector_type(ROCDRILL_WIDTH)));

/// What a row of B and an element of A are multiplied as.
template <class T>
struct Wide {
  using Scalar = float;
  using V = F32;
  static F32 load(const T* from) { return rocdrill::native::load<F32>(from); }
  static void store(T* to, F32 value) { rocdrill::native::store(to, value); }
};
template <>
struct Wide<Half> {
  using Scalar = float;
  using V = F32;
  static F32 load(const Half* from) {
    return __builtin_convertvector(rocdrill::native::load<F16>(from), F32);
  }
  static void store(Half* to, F32 value) {
    rocdrill::native::store(to, __builtin_convertvector(value, F16));
  }
};
template <>
struct Wide<double> {
  using Scalar = double;
  typedef double V __attribute__((ext_vector_type(ROCDRILL_WIDTH / 2)));
  static V load(const double* from) { return rocdrill::native::load<V>(from); }
  static void store(double* to, V value) { rocdrill::native::store(to, value); }
};

template <class T, u32 rows, u32 vectors>
void tile(const T* a, const T* b, T* c, u32 n, u32 k) {
  using W = Wide<T>;
  using V = typename W::V;
  constexpr u32 lanes = sizeof(V) / sizeof(typename W::Scalar);
  V sum[rows][vectors] = {};
  for (u32 step = 0; step < k; ++step) {
    V right[vectors];
#pragma clang loop unroll(full)
    for (u32 v = 0; v < vectors; ++v) right[v] = W::load(b + step * n + v * lanes);
#pragma clang loop unroll(full)
    for (u32 r = 0; r < rows; ++r) {
      const V left = static_cast<typename W::Scalar>(a[r * k + step]);
#pragma clang loop unroll(full)
      for (u32 v = 0; v < vectors; ++v)
        sum[r][v] = __builtin_elementwise_fma(left, right[v], sum[r][v]);
    }
  }
  for (u32 r = 0; r < rows; ++r)
    for (u32 v = 0; v < vectors; ++v) W::store(c + r * n + v * lanes, sum[r][v]);
}

/// Rows [first, last) of C; n is a multiple of the tile's columns.
template <class T>
void rows_of(const T* a, const T* b, T* c, u32 first, u32 last, u32 n, u32 k) {
  constexpr u32 columns = 4 * sizeof(typename Wide<T>::V) / sizeof(typename Wide<T>::Scalar);
  for (u32 column = 0; column < n; column += columns) {
    u32 row = first;
    for (; row + 6 <= last; row += 6)
      tile<T, 6, 4>(a + row * k, b + column, c + row * n + column, n, k);
    for (; row + 4 <= last; row += 4)
      tile<T, 4, 4>(a + row * k, b + column, c + row * n + column, n, k);
    for (; row < last; ++row) tile<T, 1, 4>(a + row * k, b + column, c + row * n + column, n, k);
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

/// B is stored by columns and C is added to: B's columns are laid out as rows first, 64 at a time.
void native_mfma_hgemm(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next, k = next;
  const Half* const a = next;
  const Half* const b = next;
  float* const c = next;
  const Rows rows(*launch, first, last, 32);
  constexpr u32 columns = 4 * width;
  constexpr u32 most_k = 4096;
  static thread_local Half packed[most_k * columns];
  if (k > most_k) __builtin_trap();
  for (u32 column = 0; column < n; column += columns) {
    for (u32 x = 0; x < columns; ++x)
      for (u32 step = 0; step < k; ++step) packed[step * columns + x] = b[(column + x) * k + step];
    for (u32 row = rows.first; row < rows.last; row += 4) {
      F32 sum[4][4];
      for (u32 r = 0; r < 4; ++r)
        for (u32 v = 0; v < 4; ++v)
          sum[r][v] = load<F32>(c + (row + r) * n + column + v * width);
      for (u32 step = 0; step < k; ++step) {
        F32 right[4];
        for (u32 v = 0; v < 4; ++v)
          right[v] = __builtin_convertvector(load<F16>(packed + step * columns + v * width), F32);
        for (u32 r = 0; r < 4; ++r) {
          const F32 left = static_cast<float>(a[(row + r) * k + step]);
          for (u32 v = 0; v < 4; ++v) sum[r][v] = fma(left, right[v], sum[r][v]);
        }
      }
      for (u32 r = 0; r < 4; ++r)
        for (u32 v = 0; v < 4; ++v) store(c + (row + r) * n + column + v * width, sum[r][v]);
    }
  }
}
}
