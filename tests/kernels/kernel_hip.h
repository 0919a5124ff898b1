// HIP kernels without HIP's headers; their twins are plain C++ (kernel.h is OpenCL's counterpart).
#pragma once

using uint = unsigned;
using ulong = unsigned long;

#ifdef __HIP__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(items) __attribute__((amdgpu_flat_work_group_size(1, items)))
#define KERNEL(name) extern "C" __global__ void name
#define SHARED(type, name, count) __shared__ type name[count]
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]

struct Index {
  uint x, y, z;
};
__device__ inline Index thread_index() {
  return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
          __builtin_amdgcn_workitem_id_z()};
}
__device__ inline Index block_index() {
  return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
          __builtin_amdgcn_workgroup_id_z()};
}
__device__ inline uint block_size() { return __builtin_amdgcn_workgroup_size_x(); }
__device__ inline uint grid_size() { return __builtin_amdgcn_grid_size_x(); }
__device__ inline void sync_threads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline uint lane_id() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
__device__ inline int shuffle(int value, uint lane) {
  return __builtin_amdgcn_ds_bpermute(static_cast<int>(lane * 4), value);
}
template <class T>
__device__ inline T atomic_add(T* at, T value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

#else

#define __global__
#define __device__
#define __launch_bounds__(items)
#define KERNEL(name) extern "C" void twin_##name
#define SHARED(type, name, count) type* name = static_cast<type*>(twin_shared((count) * sizeof(type)))
#define DYNAMIC_SHARED(type, name) type* name = static_cast<type*>(twin_shared(0))

extern "C" {
uint twin_local_id(uint n);
uint twin_group_id(uint n);
uint twin_local_size(uint n);
uint twin_full_group_size(uint n);
uint twin_global_size(uint n);
void twin_barrier();
void* twin_shared(ulong bytes);
uint twin_lane_id();
int twin_shuffle(int value, uint lane);
}

struct Index {
  uint x, y, z;
};
inline Index thread_index() { return {twin_local_id(0), twin_local_id(1), twin_local_id(2)}; }
inline Index block_index() { return {twin_group_id(0), twin_group_id(1), twin_group_id(2)}; }
inline uint block_size() { return twin_full_group_size(0); }
inline uint grid_size() { return twin_global_size(0); }
inline void sync_threads() { twin_barrier(); }
inline uint lane_id() { return twin_lane_id(); }
inline int shuffle(int value, uint lane) { return twin_shuffle(value, lane); }
template <class T>
inline T atomic_add(T* at, T value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

#endif
