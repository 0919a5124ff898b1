// Private memory: arrays that are indexed at run time, registers that do not suffice.
#include "kernel.h"

/// Sorts 32 numbers in private memory by insertion.
KERNEL(private_sort)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  uint key[32];
  for (uint k = 0; k < 32; ++k) {
    const uint value = in[i * 32 + k];
    uint at = k;
    while (at != 0 && key[at - 1] > value) {
      key[at] = key[at - 1];
      --at;
    }
    key[at] = value;
  }
  for (uint k = 0; k < 32; ++k) out[i * 32 + k] = key[k];
}

/// Bytes, halfwords and quadwords of the same private memory.
KERNEL(private_bytes)(uint n, global const uint* in, global ulong* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  union {
    uchar b[64];
    ushort h[32];
    uint w[16];
    ulong q[8];
  } room;
  for (uint k = 0; k < 16; ++k) room.w[k] = in[i] * (k + 1);
  for (uint k = 0; k < 16; ++k) {
    room.b[in[i] >> k & 63] += (uchar)k;
    room.h[in[i] >> (k + 3) & 31] ^= (ushort)(k * 0x1234);
    room.q[in[i] >> (k + 7) & 7] += room.w[in[i] >> k & 15];
  }
  ulong sum = 0;
  for (uint k = 0; k < 8; ++k) sum = sum * 31 + room.q[k];
  out[i] = sum;
}

/// A stack of frames; the compiler cannot know how deep.
KERNEL(quicksort)(uint n, global uint* keys) {
  const uint i = global_id(0);
  global uint* key = keys + i * n;
  uchar stack[64];
  int top = 0;
  stack[top++] = 0;
  stack[top++] = (uchar)(n - 1);
  while (top > 0) {
    const int high = stack[--top], low = stack[--top];
    const uint pivot = key[high];
    int middle = low;
    for (int k = low; k < high; ++k) {
      if (key[k] >= pivot) continue;
      const uint t = key[k];
      key[k] = key[middle];
      key[middle++] = t;
    }
    key[high] = key[middle];
    key[middle] = pivot;
    if (middle - 1 > low) {
      stack[top++] = (uchar)low;
      stack[top++] = (uchar)(middle - 1);
    }
    if (middle + 1 < high) {
      stack[top++] = (uchar)(middle + 1);
      stack[top++] = (uchar)high;
    }
  }
}

#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5)

/// 48 numbers that live through all rounds, in a kernel that may use 32 registers.
#define DECLARE(k) uint x##k = in[(0##k * 64 + i) % n];
#define TURN(k) x##k = x##k * 5 + (carry >> (0##k & 7)); carry ^= x##k;
#define SUM(k) carry = carry * 3 + x##k;
#ifdef __AMDGPU__
__attribute__((amdgpu_num_vgpr(32)))
#endif
KERNEL(spills)(uint n, uint rounds, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  uint carry = i;
  ALL(DECLARE)
  for (uint round = 0; round < rounds; ++round) {
    ALL(TURN)
  }
  ALL(SUM)
  out[i] = carry;
}
