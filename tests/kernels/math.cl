// OpenCL's maths: on the GPU that of ROCm's device libraries (ocml).
#include "kernel.h"

/// OpenCL's own names for ids too.
#define ELEMENTARY(name, type)                                                      \
  kernel_of(name)(uint n, global const type* a, global const type* b, global type* out) { \
    const uint i = (uint)get_global_id(0);                                          \
    if (i >= n) return;                                                             \
    const type x = a[i], y = b[i];                                                  \
    global type* o = out + i;                                                       \
    o[0] = exp(x);                                                                  \
    o[n] = exp2(x);                                                                 \
    o[2 * n] = log(y);                                                              \
    o[3 * n] = log2(y);                                                             \
    o[4 * n] = sin(x);                                                              \
    o[5 * n] = cos(x);                                                              \
    o[6 * n] = tan(x);                                                              \
    o[7 * n] = atan2(x, y);                                                         \
    o[8 * n] = sinh(x);                                                             \
    o[9 * n] = tanh(x);                                                             \
    o[10 * n] = pow(y, x);                                                          \
    o[11 * n] = rsqrt(y);                                                           \
    o[12 * n] = cbrt(x);                                                            \
    o[13 * n] = erf(x);                                                             \
    o[14 * n] = hypot(x, y);                                                        \
    o[15 * n] = asin(x / (y + fabs_of(x)));                                         \
    o[16 * n] = log1p(y);                                                           \
    o[17 * n] = expm1(x);                                                           \
    o[18 * n] = tgamma(y);                                                          \
    o[19 * n] = fmod(x, y);                                                         \
  }
#define kernel_of KERNEL
#define fabs_of __builtin_fabsf
ELEMENTARY(elementary32, float)
#undef fabs_of
#define fabs_of __builtin_fabs
ELEMENTARY(elementary64, double)

/// Row by row, a workgroup each.
KERNEL(softmax)(uint width, global const float* in, global float* out) {
  SHARED(float, part, 64);
  const uint l = local_id(0);
  global const float* row = in + group_id(0) * width;
  float most = row[l % width];
  for (uint k = l; k < width; k += 64) most = row[k] > most ? row[k] : most;
  part[l] = most;
  group_barrier();
  for (uint step = 32; step != 0; step /= 2) {
    if (l < step && part[l + step] > part[l]) part[l] = part[l + step];
    group_barrier();
  }
  most = part[0];
  group_barrier();
  float sum = 0;
  for (uint k = l; k < width; k += 64) sum += exp(row[k] - most);
  part[l] = sum;
  group_barrier();
  for (uint step = 32; step != 0; step /= 2) {
    if (l < step) part[l] += part[l + step];
    group_barrier();
  }
  for (uint k = l; k < width; k += 64)
    out[group_id(0) * width + k] = exp(row[k] - most) / part[0];
}

/// Mean and variance in double precision; scaled by 1 / sqrt(variance + epsilon).
KERNEL(layer_norm)(uint width, float epsilon, global const float* in, global const float* gain,
                   global const float* bias, global float* out) {
  SHARED(double, part, 2, [64]);
  const uint l = local_id(0);
  global const float* row = in + group_id(0) * width;
  double sum = 0, squares = 0;
  for (uint k = l; k < width; k += 64) {
    sum += row[k];
    squares = __builtin_fma((double)row[k], (double)row[k], squares);
  }
  part[0][l] = sum;
  part[1][l] = squares;
  group_barrier();
  for (uint step = 32; step != 0; step /= 2) {
    if (l < step) part[0][l] += part[0][l + step];
    if (l < step) part[1][l] += part[1][l + step];
    group_barrier();
  }
  const double mean = part[0][0] / width;
  const double variance = part[1][0] / width - mean * mean;
  const float scale = rsqrt((float)variance + epsilon);
  for (uint k = l; k < width; k += 64)
    out[group_id(0) * width + k] =
        __builtin_fmaf((row[k] - (float)mean) * scale, gain[k], bias[k]);
}

/// Radix 2, 256 points per workgroup of 128, in LDS; decimation in time.
KERNEL(fft256)(global const float2* in, global float2* out) {
  SHARED(float2, z, 256);
  const uint l = local_id(0);
  for (uint k = l; k < 256; k += 128)
    z[__builtin_bitreverse32(k) >> 24] = in[group_id(0) * 256 + k];
  group_barrier();
  for (uint half_size = 1; half_size < 256; half_size *= 2) {
    const uint k = l & (half_size - 1);
    const uint at = (l - k) * 2 + k;
    const float angle = -3.14159265358979f * (float)k / (float)half_size;
    const float c = cos(angle), s = sin(angle);
    const float2 even = z[at], odd = z[at + half_size];
    const float2 turned = {__builtin_fmaf(odd.x, c, -(odd.y * s)),
                           __builtin_fmaf(odd.x, s, odd.y * c)};
    z[at] = even + turned;
    z[at + half_size] = even - turned;
    group_barrier();
  }
  for (uint k = l; k < 256; k += 128) out[group_id(0) * 256 + k] = z[k];
}

/// One step of gravity, bodies staged through LDS.
KERNEL(nbody)(uint n, float dt, global const float4* body, global const float4* velocity,
              global float4* body_out, global float4* velocity_out) {
  SHARED(float4, other, 64);
  const uint l = local_id(0);
  const uint i = global_id(0);
  const float4 mine = body[i < n ? i : 0];
  float ax = 0, ay = 0, az = 0;
  for (uint first = 0; first < n; first += 64) {
    other[l] = first + l < n ? body[first + l] : (float4)(0, 0, 0, 0);
    group_barrier();
    for (uint k = 0; k < 64; ++k) {
      const float dx = other[k].x - mine.x, dy = other[k].y - mine.y, dz = other[k].z - mine.z;
      const float d2 =
          __builtin_fmaf(dx, dx, __builtin_fmaf(dy, dy, __builtin_fmaf(dz, dz, 0.01f)));
      const float inverse = rsqrt(d2);
      const float pull = other[k].w * (inverse * inverse * inverse);
      ax = __builtin_fmaf(dx, pull, ax);
      ay = __builtin_fmaf(dy, pull, ay);
      az = __builtin_fmaf(dz, pull, az);
    }
    group_barrier();
  }
  if (i >= n) return;
  const float4 v = velocity[i] + (float4)(ax, ay, az, 0) * dt;
  velocity_out[i] = v;
  body_out[i] = mine + (float4)(v.x, v.y, v.z, 0) * dt;
}
