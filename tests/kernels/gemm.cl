// C = A * B, row-major, staged through LDS; sizes that are no multiple of the tile.
#include "kernel.h"

#define TILE 16
#define FMA_F32(a, b, c) __builtin_fmaf(a, b, c)
#define FMA_F64(a, b, c) __builtin_fma(a, b, c)

// Sums in the order of k: every rounding is the twin's.
#define GEMM(name, type, sum_type, FMA)                                                     \
  KERNEL(name)(uint m, uint n, uint k, global const type* a, global const type* b,          \
               global type* c) {                                                            \
    SHARED(type, tile_a, TILE, [TILE]);                                                     \
    SHARED(type, tile_b, TILE, [TILE + 1]);                                                 \
    const uint x = local_id(0), y = local_id(1);                                            \
    const uint row = global_id(1), column = global_id(0);                                   \
    sum_type sum = 0;                                                                       \
    for (uint step = 0; step < k; step += TILE) {                                           \
      tile_a[y][x] = row < m && step + x < k ? a[row * k + step + x] : (type)0;             \
      tile_b[y][x] = step + y < k && column < n ? b[(step + y) * n + column] : (type)0;     \
      group_barrier();                                                                      \
      for (uint j = 0; j < TILE; ++j)                                                       \
        sum = FMA((sum_type)tile_a[y][j], (sum_type)tile_b[j][x], sum);                     \
      group_barrier();                                                                      \
    }                                                                                       \
    if (row < m && column < n) c[row * n + column] = (type)sum;                             \
  }

GEMM(sgemm, float, float, FMA_F32)
GEMM(dgemm, double, double, FMA_F64)
#ifndef WITHOUT_HALF
GEMM(hgemm, half, float, FMA_F32)
#endif

/// Four by four results per work-item, in registers.
KERNEL(sgemm_registers)(uint n, global const float* a, global const float* b, global float* c) {
  const uint row = global_id(1) * 4, column = global_id(0) * 4;
  float4 sum[4] = {0, 0, 0, 0};
  for (uint k = 0; k < n; ++k) {
    const float4 right = *(global const float4*)(b + k * n + column);
    for (uint r = 0; r < 4; ++r) {
      const float left = a[(row + r) * n + k];
      sum[r].x = FMA_F32(left, right.x, sum[r].x);
      sum[r].y = FMA_F32(left, right.y, sum[r].y);
      sum[r].z = FMA_F32(left, right.z, sum[r].z);
      sum[r].w = FMA_F32(left, right.w, sum[r].w);
    }
  }
  for (uint r = 0; r < 4; ++r) *(global float4*)(c + (row + r) * n + column) = sum[r];
}
