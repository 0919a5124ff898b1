// Device printf: the compiler has it write to a buffer that the hidden arguments name.
#include "kernel.h"

kernel void says(uint n, global uint* out) {
  const uint i = global_id(0);
  out[i] = i * 3;
  if (i < n) printf("work-item %u of %u\n", i, n);
  out[i] += 1;
}
