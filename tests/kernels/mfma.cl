// Matrix instructions: each wave multiplies one problem of each shape. How the elements of A, B, C
// and D are spread over lanes and registers: AMD "CDNA 3" ISA, "Matrix Arithmetic Instructions".
//
// In memory: A[block][i][k], B[block][j][k], C and D[block][i][j]. The twin adds up in double
// precision what its lane of D holds.
#include "kernel.h"

// The GPUs that have an instruction: matrix cores of the first two, the last two, the last generation.
#ifndef __AMDGPU__
#define EARLY(...) __VA_ARGS__
#define LATE(...) __VA_ARGS__
#define GFX942(...) __VA_ARGS__
#elif defined(__gfx908__)
#define EARLY(...) __VA_ARGS__
#define LATE(...)
#define GFX942(...)
#elif defined(__gfx90a__)
#define EARLY(...) __VA_ARGS__
#define LATE(...) __VA_ARGS__
#define GFX942(...)
#else
#define EARLY(...)
#define LATE(...) __VA_ARGS__
#define GFX942(...) __VA_ARGS__
#endif

static double bf16_value(ushort bits) { return (double)__builtin_astype((uint)bits << 16, float); }
#define SAME(x) ((double)(x))
#define FP8(x) tiny_float(x, 3, 8)
#define BF8(x) tiny_float(x, 2, 16)

typedef float float32 __attribute__((ext_vector_type(32)));
typedef int int32 __attribute__((ext_vector_type(32)));

// What a lane gives of A and B: so many elements in such registers.
typedef float float_of_1;
typedef float2 float_of_2;
typedef half4 half_of_4;
typedef short2 ushort_of_2;
typedef short4 ushort_of_4;
typedef int char_of_4;
typedef long char_of_8;
typedef long uchar_of_8;
typedef double double_of_1;

/// Register v of a lane holds the element of D at:
#define ROW32(v, l, n) ((v) % (n * n / 64) / 4 * 4 * (64 / n) + 4 * ((l) / n) + (v) % 4)
#define BLOCK32(v, l, n) ((v) / (n * n / 64))
#define ROW4(v, l, n) (v)
#define BLOCK4(v, l, n) ((l) / 4)
#define ROW64(v, l, n) ((l) / 16 + 4 * (v))
#define BLOCK64(v, l, n) (n == 4 ? (l) / 4 % 4 : 0)

#ifdef __AMDGPU__
#define MULTIPLY(builtin, A, n, k, blocks, per_lane, ROW, BLOCK, a_value, b_value)  \
  union { A e[per_lane]; A##_of_##per_lane f; } left, right;                   \
  const uint block_in = l / n % blocks, first = l / n / blocks * per_lane;          \
  for (uint e = 0; e < per_lane; ++e) {                                             \
    left.e[e] = a[(block_in * n + l % n) * k + first + e];                          \
    right.e[e] = b[(block_in * n + l % n) * k + first + e];                         \
  }                                                                                 \
  sum.v = builtin(left.f, right.f, sum.v, CBSZ, ABID, 0)
#else
#define MULTIPLY(builtin, A, n, k, blocks, per_lane, ROW, BLOCK, a_value, b_value)  \
  for (uint v = 0; v < n * n * blocks / 64; ++v) {                                  \
    const uint block = BLOCK(v, l, n);                                              \
    const uint a_block = (block & ~((1u << CBSZ) - 1)) + ABID;                      \
    double total = sum.e[v];                                                        \
    for (uint j = 0; j < k; ++j)                                                    \
      total += a_value(a[((CBSZ ? a_block : block) * n + ROW(v, l, n)) * k + j]) *  \
               b_value(b[(block * n + l % n) * k + j]);                             \
    sum.e[v] = total;                                                               \
  }
#endif

#define MFMA(name, builtin, A, C, CV, n, k, blocks, per_lane, ROW, BLOCK, a_value, b_value) \
  KERNEL(name)(global const A* a, global const A* b, global const C* c, global C* d) {      \
    const uint l = local_id(0);                                                             \
    a += group_id(0) * blocks * n * k;                                                      \
    b += group_id(0) * blocks * n * k;                                                      \
    c += group_id(0) * blocks * n * n;                                                      \
    d += group_id(0) * blocks * n * n;                                                      \
    union { C e[n * n * blocks / 64]; CV v; } sum;                                          \
    for (uint v = 0; v < n * n * blocks / 64; ++v)                                          \
      sum.e[v] = c[(BLOCK(v, l, n) * n + ROW(v, l, n)) * n + l % n];                        \
    MULTIPLY(builtin, A, n, k, blocks, per_lane, ROW, BLOCK, a_value, b_value);             \
    for (uint v = 0; v < n * n * blocks / 64; ++v)                                          \
      d[(BLOCK(v, l, n) * n + ROW(v, l, n)) * n + l % n] = sum.e[v];                        \
  }
#define F32(name, A, CV, n, k, blocks, per_lane, value)                                       \
  MFMA(mfma_f32_##name, __builtin_amdgcn_mfma_f32_##name, A, float, CV, n, k, blocks,         \
       per_lane, ROW32, BLOCK32, value, value)
#define F32_4(name, A, k, per_lane, value)                                                    \
  MFMA(mfma_f32_##name, __builtin_amdgcn_mfma_f32_##name, A, float, float4, 4, k, 16,         \
       per_lane, ROW4, BLOCK4, value, value)
#define I32(name, CV, n, k, blocks, per_lane)                                                 \
  MFMA(mfma_i32_##name, __builtin_amdgcn_mfma_i32_##name, char, int, CV, n, k, blocks,        \
       per_lane, ROW32, BLOCK32, SAME, SAME)

#define CBSZ 0
#define ABID 0
F32(32x32x1f32, float, float32, 32, 1, 2, 1, SAME)
F32(16x16x1f32, float, float16, 16, 1, 4, 1, SAME)
F32_4(4x4x1f32, float, 1, 1, SAME)
F32(32x32x2f32, float, float16, 32, 2, 1, 1, SAME)
F32(16x16x4f32, float, float4, 16, 4, 1, 1, SAME)

F32(32x32x4f16, half, float32, 32, 4, 2, 4, SAME)
F32(16x16x4f16, half, float16, 16, 4, 4, 4, SAME)
F32_4(4x4x4f16, half, 4, 4, SAME)
F32(32x32x8f16, half, float16, 32, 8, 1, 4, SAME)
F32(16x16x16f16, half, float4, 16, 16, 1, 4, SAME)

LATE(F32(32x32x4bf16_1k, ushort, float32, 32, 4, 2, 4, bf16_value))
LATE(F32(16x16x4bf16_1k, ushort, float16, 16, 4, 4, 4, bf16_value))
LATE(F32_4(4x4x4bf16_1k, ushort, 4, 4, bf16_value))
LATE(F32(32x32x8bf16_1k, ushort, float16, 32, 8, 1, 4, bf16_value))
LATE(F32(16x16x16bf16_1k, ushort, float4, 16, 16, 1, 4, bf16_value))
EARLY(F32(32x32x2bf16, ushort, float32, 32, 2, 2, 2, bf16_value))
EARLY(F32(16x16x2bf16, ushort, float16, 16, 2, 4, 2, bf16_value))
EARLY(F32_4(4x4x2bf16, ushort, 2, 2, bf16_value))
EARLY(F32(32x32x4bf16, ushort, float16, 32, 4, 1, 2, bf16_value))
EARLY(F32(16x16x8bf16, ushort, float4, 16, 8, 1, 2, bf16_value))

I32(32x32x4i8, int32, 32, 4, 2, 4)
I32(16x16x4i8, int16, 16, 4, 4, 4)
MFMA(mfma_i32_4x4x4i8, __builtin_amdgcn_mfma_i32_4x4x4i8, char, int, int4, 4, 4, 16, 4, ROW4,
     BLOCK4, SAME, SAME)
EARLY(I32(32x32x8i8, int16, 32, 8, 1, 4))
EARLY(I32(16x16x16i8, int4, 16, 16, 1, 4))
GFX942(I32(32x32x16_i8, int16, 32, 16, 1, 8))
GFX942(I32(16x16x32_i8, int4, 16, 32, 1, 8))

LATE(MFMA(mfma_f64_16x16x4f64, __builtin_amdgcn_mfma_f64_16x16x4f64, double, double, double4, 16,
          4, 1, 1, ROW64, BLOCK64, SAME, SAME))
LATE(MFMA(mfma_f64_4x4x4f64, __builtin_amdgcn_mfma_f64_4x4x4f64, double, double, double, 4, 4, 4,
          1, ROW64, BLOCK64, SAME, SAME))

GFX942(F32(16x16x8_xf32, float, float4, 16, 8, 1, 2, SAME))
GFX942(F32(32x32x4_xf32, float, float16, 32, 4, 1, 2, SAME))
#define FP8_PAIR(types, a_value, b_value)                                                      \
  GFX942(MFMA(mfma_f32_16x16x32_##types, __builtin_amdgcn_mfma_f32_16x16x32_##types, uchar,    \
              float, float4, 16, 32, 1, 8, ROW32, BLOCK32, a_value, b_value))                  \
  GFX942(MFMA(mfma_f32_32x32x16_##types, __builtin_amdgcn_mfma_f32_32x32x16_##types, uchar,    \
              float, float16, 32, 16, 1, 8, ROW32, BLOCK32, a_value, b_value))
FP8_PAIR(fp8_fp8, FP8, FP8)
FP8_PAIR(fp8_bf8, FP8, BF8)
FP8_PAIR(bf8_fp8, BF8, FP8)
FP8_PAIR(bf8_bf8, BF8, BF8)

// One block of A for four of B.
#undef CBSZ
#undef ABID
#define CBSZ 2
#define ABID 1
MFMA(mfma_broadcast, __builtin_amdgcn_mfma_f32_4x4x1f32, float, float, float4, 4, 1, 16, 1, ROW4,
     BLOCK4, SAME, SAME)
#undef CBSZ
#undef ABID
#define CBSZ 0
#define ABID 0

/// Sparse A: of four neighbours along k two are stored, and an index register says which. ABID picks
/// the bits of it.
typedef half4 half_stored_4;
typedef half8 half_against_4;
typedef int2 char_stored_8;
typedef int4 char_against_8;
#ifdef __AMDGPU__
#define SPARSE(builtin, A, n, k, stored, abid)                                      \
  union { A e[stored]; A##_stored_##stored f; } left;                               \
  union { A e[2 * stored]; A##_against_##stored f; } right;                         \
  for (uint e = 0; e < stored; ++e)                                                 \
    left.e[e] = a[l % n * (k / 2) + l / n * stored + e];                            \
  for (uint e = 0; e < 2 * stored; ++e)                                             \
    right.e[e] = b[l % n * k + l / n * 2 * stored + e];                             \
  sum.v = builtin(left.f, right.f, sum.v, (int)index[l], 0, abid)
#else
#define SPARSE(builtin, A, n, k, stored, abid)                                      \
  for (uint v = 0; v < n * n / 64; ++v) {                                           \
    const uint row = ROW32(v, l, n);                                                \
    for (uint g = 0; g < 64 / n; ++g)                                               \
      for (uint e = 0; e < stored; ++e) {                                           \
        const uint which = index[row + n * g] >> (2 * (e + stored * abid)) & 3;     \
        const uint j = g * 2 * stored + e / 2 * 4 + which;                          \
        sum.e[v] += a[row * (k / 2) + g * stored + e] * b[l % n * k + j];           \
      }                                                                             \
  }
#endif
#define SMFMAC(name, A, C, CV, n, k, stored, abid)                                           \
  KERNEL(smfmac_##name)(global const A* a, global const A* b, global const uint* index,       \
                        global C* d) {                                                        \
    const uint l = local_id(0);                                                               \
    union { C e[n * n / 64]; CV v; } sum;                                                     \
    for (uint v = 0; v < n * n / 64; ++v) sum.e[v] = d[ROW32(v, l, n) * n + l % n];           \
    SPARSE(__builtin_amdgcn_smfmac_##name, A, n, k, stored, abid);                            \
    for (uint v = 0; v < n * n / 64; ++v) d[ROW32(v, l, n) * n + l % n] = sum.e[v];           \
  }
GFX942(SMFMAC(f32_16x16x32_f16, half, float, float4, 16, 32, 4, 0))
GFX942(SMFMAC(f32_32x32x16_f16, half, float, float16, 32, 16, 4, 2))
GFX942(SMFMAC(i32_16x16x64_i8, char, int, int4, 16, 64, 8, 0))
GFX942(SMFMAC(i32_32x32x32_i8, char, int, int16, 32, 32, 8, 1))

/// C += A * B in tiles of 32 x 32, a wave each; n and k are multiples of 32 and 8. A is row-major,
/// B is stored by columns.
KERNEL(mfma_hgemm)(uint n, uint k, global const half* a, global const half* b, global float* c) {
  const uint l = local_id(0);
  const uint row = group_id(1) * 32, column = group_id(0) * 32;
  union { float e[16]; float16 v; } sum;
  for (uint v = 0; v < 16; ++v)
    sum.e[v] = c[(row + ROW32(v, l, 32)) * n + column + l % 32];
#ifdef __AMDGPU__
  for (uint step = 0; step < k; step += 8) {
    const half4 left = *(global const half4*)(a + (row + l % 32) * k + step + l / 32 * 4);
    const half4 right = *(global const half4*)(b + (column + l % 32) * k + step + l / 32 * 4);
    sum.v = __builtin_amdgcn_mfma_f32_32x32x8f16(left, right, sum.v, 0, 0, 0);
  }
#else
  for (uint v = 0; v < 16; ++v)
    for (uint j = 0; j < k; ++j)
      sum.e[v] += (float)a[(row + ROW32(v, l, 32)) * k + j] * (float)b[(column + l % 32) * k + j];
#endif
  for (uint v = 0; v < 16; ++v) c[(row + ROW32(v, l, 32)) * n + column + l % 32] = sum.e[v];
}
