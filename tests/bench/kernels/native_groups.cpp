// Kernels with barriers, or whose lanes leave loops in their own time: between two barriers the
// work-items of a workgroup run in vectors, those that have left are masked.
#include "bench/kernels/vectors.hpp"

using namespace rocdrill::native;
using Launch = NativeLaunch;

extern "C" {

void native_mandelbrot(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 columns = next, rows = next, limit = next;
  u32* const out = next;
  for (u32 group = first; group < last; ++group) {
    const u32 x0 = group % launch->groups[0] * launch->group[0];
    const u32 y0 = group / launch->groups[0] * launch->group[1];
    for (u32 y = y0; y < y0 + launch->group[1]; ++y) {
      const F32 ci = static_cast<float>(y) / static_cast<float>(rows) * 2.0f - 1.0f;
      for (u32 x = x0; x < x0 + launch->group[0]; x += width) {
        const F32 cr =
            __builtin_convertvector(ramp() + x, F32) / static_cast<float>(columns) * 3.0f - 2.0f;
        F32 zr = 0, zi = 0;
        U32 count = 0;
        for (u32 n = 0; n < limit; ++n) {
          const I32 inside = zr * zr + zi * zi < 4.0f;
          if (!__builtin_reduce_or(inside)) break;
          const F32 next_r = zr * zr - zi * zi + cr;
          const F32 next_i = 2.0f * zr * zi + ci;
          zr = inside ? next_r : zr;
          zi = inside ? next_i : zi;
          count -= __builtin_bit_cast(U32, inside);
        }
        store(out + y * columns + x, count);
      }
    }
  }
}

void native_long_loop(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 rounds = next;
  u64* const state = next;
  for (u32 i = first * launch->group[0]; i < last * launch->group[0]; i += width) {
    U64 s = load<U64>(state + i);
    for (u32 k = 0; k < rounds; ++k) {
      s ^= s << 13;
      s ^= s >> 7;
      s ^= s << 17;
    }
    store(state + i, s);
  }
}

/// Bodies are float4: one component of the vector's work-items.
static F32 component(const float* body, u32 i, u32 n) {
  F32 value;
  for (u32 l = 0; l < width; ++l) value[l] = body[(i + l) * 4 + n];
  return value;
}

void native_nbody(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next;
  const float dt = next;
  const float* const body = next;
  const float* const velocity = next;
  float* const body_out = next;
  float* const velocity_out = next;
  for (u32 i = first * launch->group[0]; i < last * launch->group[0]; i += width) {
    const F32 x = component(body, i, 0), y = component(body, i, 1), z = component(body, i, 2);
    F32 ax = 0, ay = 0, az = 0;
    for (u32 k = 0; k < n; ++k) {
      const F32 dx = body[k * 4] - x, dy = body[k * 4 + 1] - y, dz = body[k * 4 + 2] - z;
      const F32 d2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, F32(0.01f))));
      const F32 inverse = 1.0f / __builtin_elementwise_sqrt(d2);
      const F32 pull = body[k * 4 + 3] * (inverse * inverse * inverse);
      ax = fma(dx, pull, ax);
      ay = fma(dy, pull, ay);
      az = fma(dz, pull, az);
    }
    const F32 a[4] = {ax, ay, az, F32(0)};
    for (u32 l = 0; l < width; ++l)
      for (u32 c = 0; c < 4; ++c) {
        const u32 at = (i + l) * 4 + c;
        const float v = velocity[at] + a[c][l] * dt;
        velocity_out[at] = v;
        body_out[at] = body[at] + (c < 3 ? v * dt : 0);
      }
  }
}

void native_softmax(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 columns = next;
  const float* const in = next;
  float* const out = next;
  for (u32 group = first; group < last; ++group) {
    const float* const row = in + group * columns;
    F32 most = load<F32>(row);
    for (u32 k = 0; k < columns; k += width)
      most = __builtin_elementwise_max(most, load<F32>(row + k));
    const float top = __builtin_reduce_max(most);
    F32 sum = 0;
    for (u32 k = 0; k < columns; k += width) sum += exp(load<F32>(row + k) - top);
    float total = 0;
    for (u32 l = 0; l < width; ++l) total += sum[l];
    for (u32 k = 0; k < columns; k += width)
      store(out + group * columns + k, exp(load<F32>(row + k) - top) / total);
  }
}

void native_layer_norm(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 columns = next;
  const float epsilon = next;
  const float* const in = next;
  const float* const gain = next;
  const float* const bias = next;
  float* const out = next;
  for (u32 group = first; group < last; ++group) {
    const float* const row = in + group * columns;
    F64 sum = 0, squares = 0;
    for (u32 k = 0; k < columns; k += width) {
      const F64 x = __builtin_convertvector(load<F32>(row + k), F64);
      sum += x;
      squares = fma(x, x, squares);
    }
    double total = 0, total_squares = 0;
    for (u32 l = 0; l < width; ++l) {
      total += sum[l];
      total_squares += squares[l];
    }
    const double mean = total / columns;
    const double variance = total_squares / columns - mean * mean;
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(variance) + epsilon);
    for (u32 k = 0; k < columns; k += width)
      store(out + group * columns + k, fma((load<F32>(row + k) - static_cast<float>(mean)) * scale,
                                           load<F32>(gain + k), load<F32>(bias + k)));
  }
}

/// A vector holds butterflies of work-items next to each other; in the first stages, whose
/// butterflies are narrower, lanes are gathered.
void native_fft256(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const float* const in = next;
  float* const out = next;
  constexpr u32 points = 256;
  for (u32 group = first; group < last; ++group) {
    alignas(64) float re[points], im[points];
    for (u32 k = 0; k < points; ++k) {
      const u32 at = __builtin_bitreverse32(k) >> 24;
      re[at] = in[(group * points + k) * 2];
      im[at] = in[(group * points + k) * 2 + 1];
    }
    for (u32 half = 1; half < points; half *= 2) {
      for (u32 l = 0; l < points / 2; l += width) {
        const U32 item = ramp() + l;
        const U32 k = item & (half - 1);
        const U32 at = (item - k) * 2 + k;
        const F32 angle =
            -3.14159265358979f * __builtin_convertvector(k, F32) / static_cast<float>(half);
        const F32 c = cos(angle), s = sin(angle);
        F32 er, ei, or_, oi;
        if (half >= width) {
          er = load<F32>(re + at[0]);
          ei = load<F32>(im + at[0]);
          or_ = load<F32>(re + at[0] + half);
          oi = load<F32>(im + at[0] + half);
        } else {
          for (u32 n = 0; n < width; ++n) {
            er[n] = re[at[n]];
            ei[n] = im[at[n]];
            or_[n] = re[at[n] + half];
            oi[n] = im[at[n] + half];
          }
        }
        const F32 tr = fma(or_, c, -(oi * s)), ti = fma(or_, s, oi * c);
        if (half >= width) {
          store(re + at[0], er + tr);
          store(im + at[0], ei + ti);
          store(re + at[0] + half, er - tr);
          store(im + at[0] + half, ei - ti);
        } else {
          for (u32 n = 0; n < width; ++n) {
            re[at[n]] = er[n] + tr[n];
            im[at[n]] = ei[n] + ti[n];
            re[at[n] + half] = er[n] - tr[n];
            im[at[n] + half] = ei[n] - ti[n];
          }
        }
      }
    }
    for (u32 k = 0; k < points; ++k) {
      out[(group * points + k) * 2] = re[k];
      out[(group * points + k) * 2 + 1] = im[k];
    }
  }
}
}
