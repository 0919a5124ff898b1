// rocBLAS: a GEMM needs a data file and a code object for the device's target.
#pragma once

#include <string>

#include "sim/hip/hip.hpp"

namespace rocdrill::libraries {

/// Another folder than the library's own.
inline constexpr std::string_view tensile_libpath = "ROCBLAS_TENSILE_LIBPATH";

struct LibraryFailure {
  std::string text;  ///< what the library prints
  EventId event = no_event;
  bool aborts = false;  ///< it ends the process
  bool unmodelled = false;
  bool waits_for_ever = false;  ///< the call does not return
};

class Rocblas {
 public:
  /// `directory`: rocblas/library of the system's ROCm or of a wheel that brings its own.
  Rocblas(Process& process, sim::Journal& journal, Hip& hip, std::string directory)
      : process_(process), journal_(journal), hip_(hip), directory_(std::move(directory)) {}

  /// rocblas_create_handle: finds the data for the device.
  std::expected<void, LibraryFailure> create(int device);
  /// rocblas_gemm_ex of n x n floats in device memory, row by row, and a wait for its end: c = a b.
  /// n is a multiple of 16.
  std::expected<void, LibraryFailure> gemm(int device, std::uint64_t c, std::uint64_t a,
                                           std::uint64_t b, std::uint32_t n);

 private:
  std::string gfx(int device);
  /// ROCBLAS_TENSILE_LIBPATH, or the library's own folder.
  std::string folder() const;

  Process& process_;
  sim::Journal& journal_;
  Hip& hip_;
  std::string directory_;
};

/// Files below rocblas/library for a target: the lazy-loading index and the kernels.
std::string tensile_index(std::string_view gfx);
std::string tensile_kernels(std::string_view gfx);

}  // namespace rocdrill::libraries
