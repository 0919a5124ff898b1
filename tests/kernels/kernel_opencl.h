// The corpus for any other OpenCL device, say PoCL on this CPU, that the benchmarks compare with.
// It has no waves: kernels whose lanes exchange values are left out.
#pragma once

#define KERNEL(name) kernel void name
#define SHARED(type, name, count, ...) local type name[count] __VA_ARGS__
#define NOINLINE __attribute__((noinline))
#define WITHOUT_LANES
#ifndef cl_khr_fp16
#define WITHOUT_HALF
#endif

#define local_id(n) ((uint)get_local_id(n))
#define group_id(n) ((uint)get_group_id(n))
#define full_group_size(n) ((uint)get_local_size(n))
#define local_size(n) ((uint)get_local_size(n))
#define global_id(n) ((uint)get_global_id(n))
#define global_size(n) ((uint)get_global_size(n))
#define group_count(n) ((uint)get_num_groups(n))
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SPIN()
#define lane_id() 0u
