// Element by element: loads, arithmetic, stores; grids that are no multiple of the block.
#include "kernel.h"

KERNEL(saxpy)(uint n, float a, global const float* x, global float* y) {
  const uint i = global_id(0);
  if (i < n) y[i] = __builtin_fmaf(a, x[i], y[i]);
}

/// Each work-item says where it is: a record of six dwords.
KERNEL(geometry)(global uint* out) {
  const uint width = global_size(0);
  const uint height = global_size(1);
  const uint at = (global_id(2) * height + global_id(1)) * width + global_id(0);
  global uint* record = out + at * 6;
  record[0] = local_id(0) | local_id(1) << 10 | local_id(2) << 20;
  record[1] = group_id(0) | group_id(1) << 10 | group_id(2) << 20;
  record[2] = local_size(0) | local_size(1) << 10 | local_size(2) << 20;
  record[3] = group_count(0) | group_count(1) << 10 | group_count(2) << 20;
  record[4] = global_size(0) ^ global_size(1) * 31u ^ global_size(2) * 1009u;
  record[5] = lane_id();
}

/// A grid-stride loop over 16-byte vectors.
KERNEL(copy4)(uint n, global const uint4* from, global uint4* to) {
  for (uint i = global_id(0); i < n; i += global_size(0)) to[i] = from[i].wzyx;
}

/// All sizes that are loaded and stored, sign and zero extended, at odd strides.
KERNEL(narrow)(uint n, global const char* c, global const uchar* uc, global const short* s,
               global const ushort* us, global int* sum, global char* c_out,
               global ushort* us_out) {
  const uint i = global_id(0);
  if (i >= n) return;
  sum[i] = c[i] * 3 + uc[n - 1 - i] * 5 + s[i] * 7 + us[n - 1 - i];
  c_out[i * 3] = (char)(sum[i] >> 3);
  us_out[i] = (ushort)(s[i] + c[i]);
}

struct __attribute__((packed)) Odd {
  uchar tag;
  uint word;
  ulong wide;
  ushort half_word;
};

/// Fields that no address is aligned for.
KERNEL(unaligned)(uint n, global const uchar* in, global uchar* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  struct Odd one = ((global const struct Odd*)in)[i];
  one.wide += one.word;
  one.word = one.word * 3 + one.tag;
  one.half_word ^= (ushort)one.wide;
  ((global struct Odd*)out)[n - 1 - i] = one;
}

constant uint table[16] = {3,  1,  4,  1,  5,  9,  2,  6,  5,  3, 5, 8, 9, 7, 9, 0x80000000u};
#ifdef __AMDGPU__
global uint counter = 7;
#else
uint twin_counter = 7;
#define counter twin_counter
#endif

/// A table in read-only memory, a variable of the program.
KERNEL(lookup)(uint n, global const uint* index, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  out[i] = table[index[i] & 15] + table[i & 15] * 2;
  ATOMIC(fetch_add, (global atomic_uint*)&counter, out[i]);
}
KERNEL(read_counter)(global uint* out) { out[0] = counter; }
