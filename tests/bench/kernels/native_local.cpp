// Kernels that live from LDS: here an array on the stack, which stays in the first cache.
#include "bench/kernels/vectors.hpp"

using namespace rocdrill::native;
using Launch = NativeLaunch;

extern "C" {

void native_reduce_tree(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next;
  const float* const in = next;
  float* const sums = next;
  const u32 size = launch->group[0];
  for (u32 group = first; group < last; ++group) {
    alignas(64) float part[256];
    for (u32 l = 0; l < size; ++l) part[l] = group * size + l < n ? in[group * size + l] : 0;
    for (u32 step = size / 2; step != 0; step /= 2)
#pragma clang loop vectorize(assume_safety)
      for (u32 l = 0; l < step; ++l) part[l] += part[l + step];
    sums[group] = part[0];
  }
}

void native_scan(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next;
  const u32* const in = next;
  u32* const out = next;
  const u32 size = launch->group[0];
  for (u32 group = first; group < last; ++group) {
    alignas(64) u32 sum[2][256];
    u32 from = 0;
    for (u32 l = 0; l < size; ++l) sum[0][l] = group * size + l < n ? in[group * size + l] : 0;
    for (u32 step = 1; step < size; step *= 2) {
      const u32* const a = sum[from];
      u32* const b = sum[1 - from];
      for (u32 l = 0; l < step; ++l) b[l] = a[l];
#pragma clang loop vectorize(assume_safety)
      for (u32 l = step; l < size; ++l) b[l] = a[l] + a[l - step];
      from = 1 - from;
    }
    for (u32 l = 0; l < size; ++l)
      if (group * size + l < n) out[group * size + l] = sum[from][l];
  }
}

/// Counts of the groups that this call runs at a stretch are added up at their end, one by one.
void native_histogram(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next;
  const u8* const in = next;
  u32* const counts = next;
  const u32 size = launch->group[0];
  for (u32 group = first; group < last; ++group) {
    u32 mine[256] = {};
    for (u32 start = group * size; start < n; start += launch->size[0]) {
      const u32 end = start + size < n ? start + size : n;
      for (u32 i = start; i < end; ++i) ++mine[in[i]];
    }
    for (u32 k = 0; k < 256; ++k)
      if (mine[k] != 0) __atomic_fetch_add(counts + k, mine[k], __ATOMIC_RELAXED);
  }
}

/// `width` and `height` are multiples of the tile.
void native_transpose(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 columns = next, rows = next;
  const u32* const in = next;
  u32* const out = next;
  constexpr u32 size = 16;
  for (u32 group = first; group < last; ++group) {
    const u32 x = group % launch->groups[0] * size;
    const u32 y = group / launch->groups[0] * size;
    u32 tile[size][size + 1];
    for (u32 l = 0; l < size; ++l)
      for (u32 k = 0; k < size; ++k) tile[l][k] = in[(y + l) * columns + x + k];
    for (u32 l = 0; l < size; ++l)
#pragma clang loop vectorize(assume_safety)
      for (u32 k = 0; k < size; ++k) out[(x + l) * rows + y + k] = tile[k][l];
  }
}

void native_bitonic(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  u32* const keys = next;
  constexpr u32 count = 256;
  for (u32 group = first; group < last; ++group) {
    alignas(64) u32 key[count];
    __builtin_memcpy(key, keys + group * count, sizeof key);
    for (u32 size = 2; size <= count; size *= 2) {
      for (u32 step = size / 2; step != 0; step /= 2) {
        if (step >= width) {
          for (u32 l = 0; l < count; l += 2 * step)
            for (u32 k = l; k < l + step; k += width) {
              const U32 a = load<U32>(key + k), b = load<U32>(key + k + step);
              const U32 low = __builtin_elementwise_min(a, b);
              const U32 high = __builtin_elementwise_max(a, b);
              const bool ascending = (k & size) == 0;
              store(key + k, ascending ? low : high);
              store(key + k + step, ascending ? high : low);
            }
        } else {
          for (u32 l = 0; l < count; l += width) {
            const U32 item = ramp() + l;
            const U32 own = load<U32>(key + l);
            U32 other;
            for (u32 n = 0; n < width; ++n) other[n] = key[l + (n ^ step)];
            const I32 takes_low = ((item & step) == 0) == ((item & size) == 0);
            store(key + l, takes_low ? __builtin_elementwise_min(own, other)
                                     : __builtin_elementwise_max(own, other));
          }
        }
      }
    }
    __builtin_memcpy(keys + group * count, key, sizeof key);
  }
}

/// Groups of 32 x 8, whole ones.
void native_stencil2(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 columns = next, rows = next;
  const float* const in = next;
  float* const out = next;
  constexpr u32 wide = 32, high = 8;
  for (u32 group = first; group < last; ++group) {
    const u32 x0 = group % launch->groups[0] * wide;
    const u32 y0 = group / launch->groups[0] * high;
    alignas(64) float tile[high + 2][wide + 2];
    for (u32 l = 0; l < high + 2; ++l) {
      const u32 y = y0 + l - 1;  // wraps around where there is none
      const float* const row = in + y * columns + x0;
      float* const to = tile[l];
      if (y >= rows) {
        for (u32 k = 0; k < wide + 2; ++k) to[k] = 0;
        continue;
      }
      to[0] = x0 != 0 ? *(row - 1) : 0;
      for (u32 k = 0; k < wide; ++k) to[k + 1] = row[k];
      to[wide + 1] = x0 + wide < columns ? row[wide] : 0;
    }
    for (u32 l = 0; l < high; ++l) {
      const u32 y = y0 + l;
#pragma clang loop vectorize(assume_safety)
      for (u32 k = 0; k < wide; ++k) {
        const u32 x = x0 + k;
        const bool border = x == 0 || y == 0 || x + 1 == columns || y + 1 == rows;
        const float own = tile[l + 1][k + 1];
        const float around =
            (tile[l + 1][k] + tile[l + 1][k + 2]) + (tile[l][k + 1] + tile[l + 2][k + 1]);
        out[y * columns + x] = border ? own : __builtin_fmaf(around, 0.125f, own * 0.5f);
      }
    }
  }
}

static U32 rotate_right(U32 x, u32 by) { return x >> by | x << (32 - by); }
static constexpr u32 k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Messages of one block, as many at a time as a vector has lanes.
void native_sha256(const Launch* launch, u32 first, u32 last) {
  Arguments next(*launch);
  const u32 n = next;
  const u8* const messages = next;
  const u32* const lengths = next;
  u32* const digests = next;
  (void)n;  // whole workgroups
  for (u32 i = first * launch->group[0]; i < last * launch->group[0]; i += width) {
    U32 w[64];
    const U32 length = load<U32>(lengths + i);
    for (u32 t = 0; t < 16; ++t) {
      w[t] = 0;
      for (u32 b = 0; b < 4; ++b) {
        const u32 at = 4 * t + b;
        U32 byte;
        for (u32 l = 0; l < width; ++l) byte[l] = messages[(i + l) * 64 + at];
        byte = length > at ? byte : (length == at ? U32(0x80) : U32(0));
        w[t] = w[t] << 8 | byte;
      }
    }
    w[15] = length * 8;
    for (u32 t = 16; t < 64; ++t) {
      const U32 s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
      const U32 s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    constexpr u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    U32 h[8];
    for (u32 t = 0; t < 8; ++t) h[t] = start[t];
    for (u32 t = 0; t < 64; ++t) {
      const U32 s1 = rotate_right(h[4], 6) ^ rotate_right(h[4], 11) ^ rotate_right(h[4], 25);
      const U32 choice = (h[4] & h[5]) ^ (~h[4] & h[6]);
      const U32 one = h[7] + s1 + choice + k256[t] + w[t];
      const U32 s0 = rotate_right(h[0], 2) ^ rotate_right(h[0], 13) ^ rotate_right(h[0], 22);
      const U32 majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
      for (u32 k = 7; k != 0; --k) h[k] = h[k - 1];
      h[4] += one;
      h[0] = one + s0 + majority;
    }
    for (u32 t = 0; t < 8; ++t) {
      const U32 word = h[t] + start[t];
      for (u32 l = 0; l < width; ++l) digests[(i + l) * 8 + t] = word[l];
    }
  }
}
}
