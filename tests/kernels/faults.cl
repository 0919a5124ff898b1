// Kernels that go wrong, each in one way, after having written a mark.
#include "kernel.h"

/// `where`: null, not mapped, or not to be written, as the test has it.
kernel void store_to(global uint* mark, global uint* where, uint lane) {
  mark[global_id(0)] = 1;
  if (local_id(0) == lane) *where = 7;
}
kernel void load_from(global uint* mark, global uint* where, uint lane) {
  mark[global_id(0)] = 1;
  if (local_id(0) == lane) mark[global_id(0)] = *(volatile global uint*)where;
}
kernel void add_to(global uint* mark, global uint* where, uint lane) {
  mark[global_id(0)] = 1;
  if (local_id(0) == lane) ATOMIC(fetch_add, (global atomic_uint*)where, 1u);
}
kernel void scalar_load(global uint* mark, constant uint* where) {
  mark[global_id(0)] = *where;
}

/// LDS past what the group has: writes are dropped, reads give 0.
kernel void outside_lds(global uint* out, uint index) {
  SHARED(uint, room, 64);
  volatile local uint* p = room;
  p[local_id(0)] = local_id(0) + 1;
  group_barrier();
  p[index + local_id(0)] = 5;
  group_barrier();
  out[local_id(0)] = p[local_id(0)] + p[index + local_id(0)] * 1000;
}

kernel void misaligned_lds(global uint* out, uint offset) {
  SHARED(uint, room, 64);
  room[local_id(0)] = 0;
  group_barrier();
  local atomic_uint* p = (local atomic_uint*)((local uchar*)room + offset);
  out[local_id(0)] = ATOMIC(fetch_add, p, 1u);
}

kernel void endless(global uint* out) {
  volatile global uint* p = out;
  while (*p == 0) {
  }
  out[1] = 1;
}
/// Longer than a slice, but it ends.
kernel void slow(global uint* out, uint rounds) {
#pragma clang loop unroll(disable)
  for (uint k = 0; k < rounds; ++k) __asm__ volatile("s_nop 0");
  out[global_id(0)] = rounds;
}
/// Without a memory access: only branches.
kernel void endless_scalar(global uint* out) {
  __asm__ volatile("1: s_branch 1b");
  out[1] = 1;
}
/// Lanes of one wave that never come to the barrier of the others' wave.
kernel void endless_barrier(global uint* out) {
  if (local_id(0) < 64) {
    __asm__ volatile("1: s_sleep 1\n s_branch 1b");
  }
  group_barrier();
  out[local_id(0)] = 1;
}

kernel void illegal(global uint* out) {
  out[global_id(0)] = 1;
  __asm__ volatile("s_waitcnt vmcnt(0)\n .long 0xffffffff");
}
kernel void trap(global uint* out) {
  out[global_id(0)] = 1;
  __asm__ volatile("s_waitcnt vmcnt(0)");
  if (out[0] != 0) __builtin_trap();
}
/// A jump to where no code is.
kernel void jump(global uint* out, ulong where) {
  out[global_id(0)] = 1;
  __asm__ volatile(
      "s_waitcnt vmcnt(0)\n v_readfirstlane_b32 s4, %0\n v_readfirstlane_b32 s5, %1\n"
      "s_nop 4\n s_setpc_b64 s[4:5]"
      :
      : "v"((uint)where), "v"((uint)(where >> 32))
      : "s4", "s5");
}
/// Into the literal of an instruction, which is none itself.
kernel void jump_inside(global uint* out) {
  out[global_id(0)] = 1;
  __asm__ volatile(
      "s_waitcnt vmcnt(0)\n s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 20\n"
      "s_addc_u32 s5, s5, 0\n s_setpc_b64 s[4:5]\n s_nop 0\n s_mov_b32 s6, 0xffff1234"
      :
      :
      : "s4", "s5", "s6", "scc");
}
