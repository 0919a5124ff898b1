// Native twins for the benchmarks: kernels of tests/kernels as vector code for this very CPU
// (clang -O3 -march=native), a workgroup at a time, its work-items in vectors.
#pragma once

#include <cstdint>

extern "C" {

struct NativeLaunch {
  std::uint32_t size[3];         ///< work-items of the grid, whole workgroups
  std::uint32_t group[3];        ///< of a workgroup
  std::uint32_t groups[3];       ///< workgroups
  const void* const* arguments;  ///< where each argument's value lies: a scalar, or a pointer
};

/// Runs the workgroups [first, last), x fastest. Several threads may run others at the same time.
using NativeTwin = void (*)(const NativeLaunch* launch, std::uint32_t first, std::uint32_t last);

// Each in its source's own words, by a loop over work-items: native_items.cl.
void native_saxpy(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_copy4(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_stencil3(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_polynomial(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_arithmetic32(const NativeLaunch*, std::uint32_t, std::uint32_t);

// With barriers, or with loops that lanes leave in their own time: native_groups.cpp.
void native_mandelbrot(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_sha256(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_long_loop(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_nbody(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_softmax(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_layer_norm(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_fft256(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_reduce_tree(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_scan(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_histogram(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_transpose(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_bitonic(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_stencil2(const NativeLaunch*, std::uint32_t, std::uint32_t);

// C = A * B by blocks: native_gemm.cpp.
void native_sgemm(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_dgemm(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_hgemm(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_sgemm_registers(const NativeLaunch*, std::uint32_t, std::uint32_t);
void native_mfma_hgemm(const NativeLaunch*, std::uint32_t, std::uint32_t);
}
