// What the kernel benchmarks run: a kernel of tests/kernels with its data, for the simulated GPU,
// for its native twin and for an OpenCL implementation alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bench/kernels/native.hpp"

namespace rocdrill::bench {

/// What bounds a kernel.
enum class Bound : std::uint8_t { valu, lds, memory, gemm, mfma };

enum class Element : std::uint8_t { u8, u32, u64, f16, f32, f64 };

/// An argument of a kernel: a scalar's bytes, or what a buffer holds at first.
struct Argument {
  std::vector<std::byte> bytes;
  bool is_buffer = false;
  Element element = Element::u32;  ///< of a buffer
};

struct Problem {
  std::string kernel;
  std::string source;  ///< stem of the file in tests/kernels
  Bound bound = Bound::valu;
  std::uint32_t grid[3] = {1, 1, 1};   ///< work-items
  std::uint32_t group[3] = {1, 1, 1};  ///< work-items of a workgroup; divides the grid
  std::vector<Argument> arguments;
  NativeTwin native = nullptr;
  std::string native_name;  ///< what the twin is, where it is not the kernel itself
  bool opencl = true;       ///< other OpenCL devices can run it
  double tolerance = 0;     ///< by which results may differ, relative to the largest of the array
  double flops = 0;         ///< of the whole problem, for GEMM

  std::uint64_t items() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
};

/// All of them, by number: the data of one are made when it is asked for.
std::size_t problem_count();
const char* problem_name(std::size_t number);
Problem make_problem(std::size_t number);

}  // namespace rocdrill::bench
