// Arithmetic that IEEE 754 leaves no choice in: bit for bit the twin's. Nothing is contracted
// (-ffp-contract=off); what is fused says so. Division and square root are correctly rounded.
#include "kernel.h"

KERNEL(arithmetic32)(uint n, global const float* a, global const float* b, global float* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const float x = a[i], y = b[i];
  out[i] = x + y;
  out[n + i] = x - y;
  out[2 * n + i] = x * y;
  out[3 * n + i] = x / y;
  out[4 * n + i] = __builtin_sqrtf(x);
  out[5 * n + i] = __builtin_fmaf(x, y, -x);
  out[6 * n + i] = x < y ? x : y;
  out[7 * n + i] = __builtin_floorf(x) + __builtin_ceilf(y);
  out[8 * n + i] = __builtin_truncf(x) - __builtin_rintf(y);
  out[9 * n + i] = __builtin_fabsf(x) * -y + __builtin_copysignf(1.5f, y);
  out[10 * n + i] = x == y ? 1.0f : x != x ? 2.0f : x >= y ? 3.0f : 4.0f;
}

KERNEL(arithmetic64)(uint n, global const double* a, global const double* b,
                     global double* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const double x = a[i], y = b[i];
  out[i] = x + y;
  out[n + i] = x - y;
  out[2 * n + i] = x * y;
  out[3 * n + i] = x / y;
  out[4 * n + i] = __builtin_sqrt(x);
  out[5 * n + i] = __builtin_fma(x, y, -x);
  out[6 * n + i] = x > y ? x : y;
  out[7 * n + i] = __builtin_floor(x) + __builtin_ceil(y);
  out[8 * n + i] = __builtin_trunc(x) - __builtin_rint(y);
  out[9 * n + i] = __builtin_fabs(x) * -y + __builtin_copysign(1.5, y);
  out[10 * n + i] = x == y ? 1.0 : x != x ? 2.0 : x >= y ? 3.0 : 4.0;
}

#ifndef WITHOUT_HALF

#ifdef __AMDGPU__
#define fma_f16(a, b, c) __builtin_fmaf16(a, b, c)
#else
half twin_fma_f16(half a, half b, half c);
#define fma_f16 twin_fma_f16
#endif

KERNEL(arithmetic16)(uint n, global const half* a, global const half* b, global half* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const half x = a[i], y = b[i];
  out[i] = x + y;
  out[n + i] = x - y;
  out[2 * n + i] = x * y;
  out[3 * n + i] = fma_f16(x, y, -x);
  out[4 * n + i] = x < y ? x : y;
  out[5 * n + i] = (half)((float)x + 3.0f) - (half)(double)y;
}

/// v_pk_*: two at a time.
KERNEL(packed_half)(uint n, global const half2* a, global const half2* b, global half2* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const half2 x = a[i], y = b[i];
  const half2 sum = x + y.yx;
  const half2 product = x * -y;
  half2 fused;
  fused.x = fma_f16(x.x, y.x, sum.x);
  fused.y = fma_f16(x.y, y.y, sum.y);
  out[i] = sum;
  out[n + i] = product - (half2)(1.0h, -2.0h);
  out[2 * n + i] = fused;
}

#endif

/// Horner's scheme, of degree 12.
KERNEL(polynomial)(uint n, global const double* in, constant double* c, global double* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  double x = in[i], fused = 0, rounded = 0;
  for (int k = 12; k >= 0; --k) {
    fused = __builtin_fma(fused, x, c[k]);
    rounded = rounded * x + c[k];
  }
  out[2 * i] = fused;
  out[2 * i + 1] = rounded;
}

#ifndef WITHOUT_HALF

/// Between formats; what is out of range is clamped first: C leaves it open.
KERNEL(convert)(uint n, global const float* f, global const double* d, global const int* k,
                global const long* w, global ulong* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const float x = __builtin_fminf(__builtin_fmaxf(f[i], -1e9f), 1e9f);
  const double y = __builtin_fmin(__builtin_fmax(d[i], -4e18), 4e18);
  out[i] = (ulong)(uint)(int)x | (ulong)__builtin_astype((float)k[i], uint) << 32;
  out[n + i] = (ulong)(uint)__builtin_fabsf(x) |
               (ulong)__builtin_astype((float)(uint)k[i], uint) << 32;
  out[2 * n + i] = __builtin_astype((double)k[i], ulong) + (ulong)(uint)k[i];
  out[3 * n + i] = __builtin_astype((double)w[i], ulong);
  out[4 * n + i] = __builtin_astype((double)(ulong)w[i], ulong);
  out[5 * n + i] = (ulong)(long)y + (ulong)__builtin_fabs(y);
  out[6 * n + i] = (ulong)__builtin_astype((float)w[i], uint) |
                   (ulong)__builtin_astype((float)(ulong)w[i], uint) << 32;
  out[7 * n + i] = __builtin_astype((double)f[i], ulong);
  out[8 * n + i] = __builtin_astype((float)d[i], uint);
  out[9 * n + i] = (ulong)__builtin_astype((half)f[i], ushort) |
                   (ulong)__builtin_astype((half)(short)k[i], ushort) << 16 |
                   (ulong)(ushort)(short)(x / 1e5f) << 32 | (ulong)(uchar)(k[i] / 3) << 48;
}

#endif
