// Integers of all widths.
#include "kernel.h"

static uint rotate_left(uint x, uint by) { return x << (by & 31) | x >> (-by & 31); }

KERNEL(mix32)(uint n, global const uint* a, global const uint* b, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = a[i], y = b[i];
  uint h = x * 0x9E3779B1u + y;
  h ^= rotate_left(h, y) + (x >> (y & 31)) + (x << (x & 31));
  h += (uint)((int)x >> (y & 31));
  h = h * 33 + (x & y) + (x | ~y) * 3 + (x ^ y) * 5;
  h += x > y ? x - y : (y - x) * 7;
  h += (int)x > (int)y ? 11 : 13;
  h ^= (uint)(((ulong)x * y) >> 32) + (uint)(((long)(int)x * (int)y) >> 32) * 3;
  h += (x & 0xFFFFFF) * (y & 0xFFFFFF) + 17;
  out[i] = h;
}

KERNEL(bits32)(uint n, global const uint* a, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = a[i];
  const ulong wide = (ulong)x << 32 | (x * 0x01234567u);
  uint h = (uint)__builtin_popcount(x) | (uint)__builtin_popcountl(wide) << 8;
  h ^= (x == 0 ? 32u : (uint)__builtin_clz(x)) << 16;
  h ^= (x == 0 ? 32u : (uint)__builtin_ctz(x)) << 24;
  h += (wide == 0 ? 64u : (uint)__builtin_clzl(wide)) * 3;
  h += (wide == 0 ? 64u : (uint)__builtin_ctzl(wide)) * 5;
  h ^= __builtin_bitreverse32(x) + (uint)(__builtin_bitreverse64(wide) >> 7);
  h += __builtin_bswap32(x ^ h);
  h ^= (x >> 5 & 0x7F) * 3 + (uint)(((int)(x << 13)) >> 20);
  out[i] = h;
}

KERNEL(divide32)(uint n, global const uint* a, global const uint* b, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = a[i], y = b[i] | 1;
  // The least number divided by -1 has no quotient that fits.
  const int sx = (int)(x == 1u << 31 ? x + 1 : x), sy = (int)(b[i] >> 1 | 1);
  out[4 * i] = x / y;
  out[4 * i + 1] = x % y;
  out[4 * i + 2] = (uint)(sx / sy) + x / 7;
  out[4 * i + 3] = (uint)(sx % -sy) + x % 10;
}

KERNEL(divide64)(uint n, global const ulong* a, global const ulong* b, global ulong* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const ulong x = a[i], y = b[i] | 1;
  const long sx = (long)(x == 1ul << 63 ? x + 1 : x), sy = (long)(b[i] >> 1 | 1);
  out[4 * i] = x / y;
  out[4 * i + 1] = x % y;
  out[4 * i + 2] = (ulong)(sx / -sy) + x / 1000000007u;
  out[4 * i + 3] = (ulong)(sx % sy) + x % 10;
}

KERNEL(mix64)(uint n, global const ulong* a, global const ulong* b, global ulong* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const ulong x = a[i], y = b[i];
  const uint by = (uint)y & 63;
  ulong h = x * y + (x << by) + (x >> by) + (ulong)((long)x >> by);
  h ^= (x + y) * 3 ^ (x - y);
  h += x > y ? x : y;
  h += (long)x < (long)y ? (ulong)-5 : 9;
  h ^= x << 32 | y >> 32;
  h += (x & y) + (x | y) + ~x;
  out[i] = h;
}

/// 16-bit and 8-bit lanes of a dword.
KERNEL(packed16)(uint n, global const short2* a, global const ushort2* b, global ushort2* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const short2 x = a[i];
  const ushort2 y = b[i];
  ushort2 h = __builtin_astype(x, ushort2) * y + y;
  h += __builtin_astype(x >> 3, ushort2) ^ (y << (ushort2)(2, 5)) ^ (y >> (ushort2)(1, 9));
  const short2 low = x < __builtin_astype(y, short2) ? x : __builtin_astype(y, short2);
  const ushort2 high = __builtin_astype(x, ushort2) > y ? __builtin_astype(x, ushort2) : y;
  out[i] = h - __builtin_astype(low, ushort2) + high;
}

KERNEL(bytes)(uint n, global const uchar4* a, global const char4* b, global uchar4* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uchar4 x = a[i];
  const char4 y = b[i];
  uchar4 h;
  h.x = (uchar)(x.x + y.y);
  h.y = (uchar)(x.y > x.z ? x.y - x.z : x.z - x.y);
  h.z = (uchar)((x.w * y.z) >> 4);
  h.w = (uchar)(y.w / 3 + x.x % 5);
  out[i] = h;
}
