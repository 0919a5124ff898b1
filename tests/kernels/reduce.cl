// Sums over a workgroup and a grid, each way that they are written.
#include "kernel.h"

/// The tree of the textbook: blocks of a power of two.
KERNEL(reduce_tree)(uint n, global const float* in, global float* sums) {
  SHARED(float, part, 256);
  const uint l = local_id(0);
  const uint i = global_id(0);
  part[l] = i < n ? in[i] : 0.0f;
  group_barrier();
  for (uint step = local_size(0) / 2; step != 0; step /= 2) {
    if (l < step) part[l] += part[l + step];
    group_barrier();
  }
  if (l == 0) sums[group_id(0)] = part[0];
}

#ifndef WITHOUT_LANES

/// Waves by ds_bpermute, the waves' sums through LDS.
KERNEL(reduce_shuffle)(uint n, global const uint* in, global uint* sums) {
  SHARED(uint, part, 16);
  const uint i = global_id(0);
  const uint lane = lane_id();
  uint value = i < n ? in[i] : 0;
  for (uint step = 32; step != 0; step /= 2) value += (uint)shuffle((int)value, lane ^ step);
  if (lane == 0) part[local_id(0) / 64] = value;
  group_barrier();
  if (local_id(0) != 0) return;
  uint sum = 0;
  for (uint k = 0; k < (local_size(0) + 63) / 64; ++k) sum += part[k];
  sums[group_id(0)] = sum;
}

#define ADD_DPP(value, control, rows) \
  value += (uint)DPP(0, (int)(value), control, rows, 0xF, false)

/// As LLVM's atomic optimizer does it: row_shr, then broadcasts from row to row.
KERNEL(reduce_dpp)(uint n, global const uint* in, global uint* total) {
  const uint i = global_id(0);
  uint value = i < n ? in[i] : 0;
  ADD_DPP(value, 0x111, 0xF);
  ADD_DPP(value, 0x112, 0xF);
  ADD_DPP(value, 0x114, 0xF);
  ADD_DPP(value, 0x118, 0xF);
  ADD_DPP(value, 0x142, 0xA);
  ADD_DPP(value, 0x143, 0xC);
  const uint sum = (uint)read_lane((int)value, 63);
  if (lane_id() == 0) ATOMIC(fetch_add, (global atomic_uint*)total, sum);
}

KERNEL(reduce_atomic)(uint n, global const uint* in, global uint* total) {
  for (uint i = global_id(0); i < n; i += global_size(0))
    ATOMIC(fetch_add, (global atomic_uint*)total, in[i]);
}

/// Every lane reads a neighbour in every way that DPP has.
#define TAKE(control) out[at++ * n + i] = (uint)DPP((int)~value, (int)value, control, 0xF, 0xF, 0)
KERNEL(dpp_all)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  const uint value = in[i];
  uint at = 0;
  TAKE(0x1B);   // quad_perm:[3,2,1,0]
  TAKE(0x4E);   // quad_perm:[2,3,0,1]
  TAKE(0x103);  // row_shl:3
  TAKE(0x115);  // row_shr:5
  TAKE(0x127);  // row_ror:7
  TAKE(0x130);  // wave_shl:1
  TAKE(0x134);  // wave_rol:1
  TAKE(0x138);  // wave_shr:1
  TAKE(0x13C);  // wave_ror:1
  TAKE(0x140);  // row_mirror
  TAKE(0x141);  // row_half_mirror
  TAKE(0x142);  // row_bcast:15
  TAKE(0x143);  // row_bcast:31
  out[at++ * n + i] = (uint)DPP((int)~value, (int)value, 0x118, 0x5, 0x3, 1);
  out[at++ * n + i] = (uint)DPP((int)~value, (int)value, 0x104, 0xF, 0xE, 1);
}

#if !defined(__AMDGPU__) || defined(__gfx90a__) || defined(__gfx942__)
KERNEL(dpp_newbcast)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  const uint value = in[i];
  uint at = 0;
  TAKE(0x150);  // row_newbcast:0
  TAKE(0x15D);  // row_newbcast:13
}
#endif

KERNEL(lanes)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  const uint lane = lane_id();
  const uint value = in[i];
  out[i] = (uint)SWIZZLE((int)value, 0x041F);          // xor 1
  out[n + i] = (uint)SWIZZLE((int)value, 0x80B1);      // quads
  out[2 * n + i] = (uint)SWIZZLE((int)value, 0x0018);  // broadcast of eight
  out[3 * n + i] = (uint)shuffle_to((int)value, lane * 5 + 3);
  out[4 * n + i] = (uint)shuffle((int)value, value);
  const ulong odd = ballot((int)(value & 1));
  out[5 * n + i] = (uint)odd ^ (uint)(odd >> 32) * 3;
  out[6 * n + i] = (uint)first_lane((int)value) + (uint)read_lane((int)value, 17);
  out[7 * n + i] = (uint)__builtin_popcountl(odd & ((1ul << lane) - 1));
}

#endif
