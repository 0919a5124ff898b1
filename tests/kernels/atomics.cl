// Atomics whose result does not depend on their order.
#include "kernel.h"

/// One counter per operation; `cells` begin as the caller wants them.
KERNEL(atomics32)(global const uint* in, global uint* cells) {
  const uint v = in[global_id(0)];
  global atomic_uint* c = (global atomic_uint*)cells;
  ATOMIC(fetch_add, c + 0, v);
  ATOMIC(fetch_sub, c + 1, v);
  ATOMIC(fetch_and, c + 2, v | 0x11111111u);
  ATOMIC(fetch_or, c + 3, v & 0x88888888u);
  ATOMIC(fetch_xor, c + 4, v);
  ATOMIC(fetch_min, c + 5, v);
  ATOMIC(fetch_max, c + 6, v);
  ATOMIC(fetch_min, (global atomic_int*)cells + 7, (int)v);
  ATOMIC(fetch_max, (global atomic_int*)cells + 8, (int)v);
  // What was there before, from each exactly once.
  ATOMIC(fetch_add, c + 9, ATOMIC(exchange, c + 10, v));
  // A lock-free product.
  uint seen = ATOMIC(fetch_add, c + 11, 0u);
  while (!__opencl_atomic_compare_exchange_strong(c + 11, &seen, seen * (v | 1), __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED,
                                                  __OPENCL_MEMORY_SCOPE_DEVICE)) {
  }
}

KERNEL(atomics64)(global const ulong* in, global ulong* cells) {
  const ulong v = in[global_id(0)];
  global atomic_ulong* c = (global atomic_ulong*)cells;
  ATOMIC(fetch_add, c + 0, v);
  ATOMIC(fetch_sub, c + 1, v);
  ATOMIC(fetch_and, c + 2, v | 0x1111111111111111ul);
  ATOMIC(fetch_or, c + 3, v & 0x8888888888888888ul);
  ATOMIC(fetch_xor, c + 4, v);
  ATOMIC(fetch_min, c + 5, v);
  ATOMIC(fetch_max, c + 6, v);
  ATOMIC(fetch_min, (global atomic_long*)cells + 7, (long)v);
  ATOMIC(fetch_max, (global atomic_long*)cells + 8, (long)v);
  ATOMIC(fetch_add, c + 9, ATOMIC(exchange, c + 10, v));
  ulong seen = ATOMIC(fetch_add, c + 11, 0ul);
  while (!__opencl_atomic_compare_exchange_strong(c + 11, &seen, seen * (v | 1), __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED,
                                                  __OPENCL_MEMORY_SCOPE_DEVICE)) {
  }
}

/// The same in LDS, with the values before.
KERNEL(atomics_lds)(global const uint* in, global uint* out) {
  SHARED(uint, cells, 12);
  SHARED(ulong, wide, 8);
  const uint l = local_id(0);
  const uint v = in[global_id(0)];
  const ulong w = (ulong)v * 0x9E3779B97F4A7C15ul;
  if (l < 12) cells[l] = l == 2 || l == 5 ? ~0u : l == 11 ? 1 : 0;
  if (l < 8) wide[l] = l == 2 || l == 5 ? ~0ul : 0;
  group_barrier();
  local atomic_uint* c = (local atomic_uint*)cells;
  local atomic_ulong* d = (local atomic_ulong*)wide;
  ATOMIC(fetch_add, c + 0, v);
  ATOMIC(fetch_sub, c + 1, v);
  ATOMIC(fetch_and, c + 2, v | 0x11111111u);
  ATOMIC(fetch_or, c + 3, v & 0x88888888u);
  ATOMIC(fetch_xor, c + 4, v);
  ATOMIC(fetch_min, c + 5, v);
  ATOMIC(fetch_max, c + 6, v);
  ATOMIC(fetch_min, (local atomic_int*)cells + 7, (int)v);
  ATOMIC(fetch_max, (local atomic_int*)cells + 8, (int)v);
  ATOMIC(fetch_add, c + 9, ATOMIC(exchange, c + 10, v));
  uint seen = ATOMIC(fetch_add, c + 11, 0u);
  while (!__opencl_atomic_compare_exchange_strong(c + 11, &seen, seen * (v | 1), __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED,
                                                  __OPENCL_MEMORY_SCOPE_WORK_GROUP)) {
  }
  ATOMIC(fetch_add, d + 0, w);
  ATOMIC(fetch_sub, d + 1, w);
  ATOMIC(fetch_and, d + 2, w | 0x1111111111111111ul);
  ATOMIC(fetch_or, d + 3, w & 0x8888888888888888ul);
  ATOMIC(fetch_xor, d + 4, w);
  ATOMIC(fetch_min, d + 5, w);
  ATOMIC(fetch_max, d + 6, w);
  group_barrier();
  // What the last exchange left depends on the order; with what the others took it does not.
  if (l == 0) cells[9] += cells[10];
  if (l == 0) cells[10] = 0;
  group_barrier();
  if (l < 12) out[group_id(0) * 28 + l] = cells[l];
  if (l < 8) out[group_id(0) * 28 + 12 + 2 * l] = (uint)wide[l];
  if (l < 8) out[group_id(0) * 28 + 13 + 2 * l] = (uint)(wide[l] >> 32);
}

/// Whole numbers, so that sums of floats have no order either.
KERNEL(atomics_float)(global const int* in, global float* f, global double* d) {
  const int v = in[global_id(0)];
  ATOMIC(fetch_add, (global atomic_float*)f, (float)v);
  ATOMIC(fetch_add, (global atomic_double*)d, (double)v);
  ATOMIC(fetch_max, (global atomic_float*)f + 1, (float)v);
  ATOMIC(fetch_min, (global atomic_double*)d + 1, (double)v);
}

/// Tickets: each number once, whoever gets it.
KERNEL(tickets)(global uint* next, global uint* taken) {
  const uint mine = ATOMIC(fetch_add, (global atomic_uint*)next, 1u);
  taken[mine] += 1;
}

/// Groups wait for each other, again and again: all of them have to be resident.
KERNEL(grid_barrier)(uint rounds, global uint* arrived, global uint* a, global uint* b) {
  const uint groups = group_count(0);
  const uint i = global_id(0);
  const uint total = global_size(0);
  for (uint round = 0; round < rounds; ++round) {
    global uint* from = round % 2 == 0 ? a : b;
    global uint* to = round % 2 == 0 ? b : a;
    to[i] = from[(i + 1) % total] * 3 + from[(i + total - 7) % total];
    group_barrier();
    if (local_id(0) == 0) {
      __opencl_atomic_fetch_add((global atomic_uint*)arrived, 1u, __ATOMIC_RELEASE,
                                __OPENCL_MEMORY_SCOPE_DEVICE);
      while (__opencl_atomic_load((global atomic_uint*)arrived, __ATOMIC_ACQUIRE,
                                  __OPENCL_MEMORY_SCOPE_DEVICE) < (round + 1) * groups)
        SPIN();
    }
    group_barrier();
  }
}
