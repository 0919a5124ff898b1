// Pointers that may lead anywhere: FLAT instructions find out where.
#include "kernel.h"

NOINLINE static uint sum_of(const uint* p, uint n) {
  uint sum = 0;
  for (uint k = 0; k < n; ++k) sum = sum * 7 + p[k];
  return sum;
}
NOINLINE static void add_to(uchar* p, uint n, uchar what) {
  for (uint k = 0; k < n; ++k) p[k] += (uchar)(what + k);
}

/// Even lanes have theirs in LDS, odd ones in private memory; every third reads from the grid's.
KERNEL(generic_pointers)(uint n, global const uint* in, global uint* out) {
  SHARED(uint, shared, 64, [4]);
  const uint l = local_id(0);
  const uint i = global_id(0);
  uint mine[4];
  for (uint k = 0; k < 4; ++k) {
    mine[k] = in[(i + k) % n] * 3;
    shared[l % 64][k] = in[(i + k) % n] + k;
  }
  group_barrier();
  uint* p = l % 2 == 0 ? (uint*)shared[l % 64] : (uint*)mine;
  add_to((uchar*)p, 16, (uchar)i);
  const uint* q = l % 3 == 0 ? (const uint*)(in + i % (n - 4)) : p;
  out[i] = sum_of(q, 4) + (l % 2 == 0) * 2;
}

NOINLINE static uint increment(atomic_uint* at, uint by) {
  return __opencl_atomic_fetch_add(at, by, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
}

/// Atomics through such pointers; the lanes' sums meet in LDS or in memory.
KERNEL(generic_atomics)(global const uint* in, global uint* out) {
  SHARED(uint, sum, 1);
  const uint l = local_id(0);
  if (l == 0) sum[0] = 0;
  group_barrier();
  increment(l % 3 == 0 ? (atomic_uint*)sum : (atomic_uint*)out, in[global_id(0)]);
  group_barrier();
  if (l == 0) increment((atomic_uint*)(out + 1), sum[0]);
}

struct Matter {
  float4 place;
  ulong mass[3];
  char name[9];
};

/// Structures by value: copies of memory.
NOINLINE static struct Matter heavier(struct Matter a, struct Matter b) {
  return a.mass[0] >= b.mass[0] ? a : b;
}
KERNEL(structures)(uint n, global const struct Matter* in, global struct Matter* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  struct Matter best = in[i];
  for (uint k = 1; k < 4; ++k) best = heavier(best, in[(i + k) % n]);
  best.name[i % 9] = (char)i;
  out[i] = best;
}
