// One source, two worlds: OpenCL C 2.0 kernels for an AMD GPU, and their twins for this CPU, which
// the runner of twin.hpp drives work-item by work-item.
//
// On the GPU only builtins of the compiler are used. Sources that want OpenCL's maths (exp, sin...)
// are linked with ROCm's device libraries, their twins with twin_math.cpp (CMakeLists.txt).
#pragma once

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#ifdef __AMDGPU__

#define KERNEL(name) kernel void name
/// An array of the workgroup: SHARED(float, tile, 16, [17]).
#define SHARED(type, name, count, ...) local type name[count] __VA_ARGS__
/// Not inlined: its address space decides what a generic pointer becomes.
#define NOINLINE __attribute__((noinline))

typedef constant const uint* dwords_of_dispatch;

static uint local_id(uint n) {
  return n == 0   ? __builtin_amdgcn_workitem_id_x()
         : n == 1 ? __builtin_amdgcn_workitem_id_y()
                  : __builtin_amdgcn_workitem_id_z();
}
static uint group_id(uint n) {
  return n == 0   ? __builtin_amdgcn_workgroup_id_x()
         : n == 1 ? __builtin_amdgcn_workgroup_id_y()
                  : __builtin_amdgcn_workgroup_id_z();
}
// Hidden arguments of code object v5: block counts, then the block and what is left over.
static uint hidden_short(uint index) {
  return ((constant const ushort*)__builtin_amdgcn_implicitarg_ptr())[index];
}
static uint full_group_size(uint n) { return hidden_short(6 + n); }
static uint local_size(uint n) {
  const uint full_groups = ((dwords_of_dispatch)__builtin_amdgcn_implicitarg_ptr())[n];
  return group_id(n) < full_groups ? full_group_size(n) : hidden_short(9 + n);
}
static uint global_id(uint n) { return group_id(n) * full_group_size(n) + local_id(n); }
// The dispatch packet: grid_size_x is its fourth dword.
static uint global_size(uint n) {
  return ((dwords_of_dispatch)__builtin_amdgcn_dispatch_ptr())[3 + n];
}
static uint group_count(uint n) {
  return (global_size(n) + full_group_size(n) - 1) / full_group_size(n);
}

static void group_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
/// In loops that wait for another workgroup.
#define SPIN() __builtin_amdgcn_s_sleep(1)

static uint lane_id(void) {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
/// The value of another lane.
static int shuffle(int value, uint lane) {
  return __builtin_amdgcn_ds_bpermute((int)(lane * 4), value);
}
/// To another lane; of several that write to one the last wins, who gets none reads 0.
static int shuffle_to(int value, uint lane) {
  return __builtin_amdgcn_ds_permute((int)(lane * 4), value);
}
static ulong ballot(int condition) { return __builtin_amdgcn_ballot_w64(condition != 0); }
static int first_lane(int value) { return __builtin_amdgcn_readfirstlane(value); }
static int read_lane(int value, uint lane) { return __builtin_amdgcn_readlane(value, (int)lane); }
#define DPP(old, value, control, row_mask, bank_mask, bound) \
  __builtin_amdgcn_update_dpp(old, value, control, row_mask, bank_mask, bound)
#define SWIZZLE(value, pattern) __builtin_amdgcn_ds_swizzle(value, pattern)

#elif defined(ROCDRILL_OPENCL)
#include "kernel_opencl.h"
#elif defined(ROCDRILL_ITEMS)
#include "kernel_items.h"
#else

#define KERNEL(name) void twin_##name
#define SHARED(type, name, count, ...) \
  local type(*name) __VA_ARGS__ = \
      (local type(*) __VA_ARGS__)twin_shared((count) * sizeof(type __VA_ARGS__))
#define NOINLINE __attribute__((noinline))

uint twin_local_id(uint n);
uint twin_group_id(uint n);
uint twin_full_group_size(uint n);
uint twin_local_size(uint n);
uint twin_global_size(uint n);
void twin_barrier(void);
void twin_spin(void);
local void* twin_shared(ulong bytes);
uint twin_lane_id(void);
int twin_shuffle(int value, uint lane);
int twin_shuffle_to(int value, uint lane);
ulong twin_ballot(int condition);
int twin_first_lane(int value);
int twin_dpp(int old, int value, uint control, uint row_mask, uint bank_mask, int bound);
int twin_swizzle(int value, uint pattern);

#define local_id twin_local_id
#define group_id twin_group_id
#define full_group_size twin_full_group_size
#define local_size twin_local_size
#define global_size twin_global_size
static uint global_id(uint n) { return group_id(n) * full_group_size(n) + local_id(n); }
static uint group_count(uint n) {
  return (global_size(n) + full_group_size(n) - 1) / full_group_size(n);
}
#define group_barrier twin_barrier
#define SPIN() twin_spin()
#define lane_id twin_lane_id
#define shuffle twin_shuffle
#define shuffle_to twin_shuffle_to
#define read_lane twin_shuffle
#define ballot twin_ballot
#define first_lane twin_first_lane
#define DPP(old, value, control, row_mask, bank_mask, bound) \
  twin_dpp(old, value, control, row_mask, bank_mask, bound)
#define SWIZZLE(value, pattern) twin_swizzle(value, pattern)

#endif

/// Relaxed atomics of device scope; LDS or global memory, as the pointer says.
#define ATOMIC(operation, pointer, ...) \
  __opencl_atomic_##operation(pointer, __VA_ARGS__, __ATOMIC_RELAXED, \
                              __OPENCL_MEMORY_SCOPE_DEVICE)

/// FNUZ formats of 8 bits: no infinities, no -0; 0x80 is the NaN.
static double tiny_float(uchar bits, int mantissa_bits, int bias) {
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const int exponent = (bits & 0x7F) >> mantissa_bits;
  double value = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
  for (int k = (exponent == 0 ? 1 : exponent) - bias - mantissa_bits; k != 0; k += k < 0 ? 1 : -1)
    value *= k < 0 ? 0.5 : 2.0;
  return (bits & 0x80) != 0 ? -value : value;
}
