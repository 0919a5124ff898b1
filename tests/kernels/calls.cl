// Calls that the compiler cannot see through.
#include "kernel.h"
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef uint (*step)(uint, uint);

NOINLINE static uint step_add(uint a, uint b) { return a + b * 3; }
NOINLINE static uint step_xor(uint a, uint b) { return a ^ b << 5; }
NOINLINE static uint step_mul(uint a, uint b) { return a * (b | 1); }
NOINLINE static uint step_mix(uint a, uint b) {
  uint room[8];
  for (uint k = 0; k < 8; ++k) room[(k + b) & 7] = a + k * b;
  return room[a & 7] + step_add(room[b & 7], a);
}

constant step steps[4] = {step_add, step_xor, step_mul, step_mix};

/// Each lane picks functions of its own from the table.
KERNEL(function_table)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  uint a = in[i];
  uint b = i;
  for (uint k = 0; k < 8; ++k) {
    const uint next = steps[in[i] >> 2 * k & 3](a, b);
    b = a;
    a = next;
  }
  out[i] = a;
}

NOINLINE static uint ackermann(uint m, uint n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
NOINLINE static uint binomial(uint n, uint k) {
  if (k == 0 || k >= n) return 1;
  return binomial(n - 1, k - 1) + binomial(n - 1, k);
}

constant step recursive[2] = {ackermann, binomial};

/// Recursion, as deep as each lane wants it. Through pointers: of a direct call clang 19 does not
/// tell that its stack has no bound, and asks for a frame or two.
KERNEL(recursion)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  out[i] = recursive[in[i] & 1](in[i] >> 1 & 3, in[i] >> 3 & 3);
}
