// Who runs a problem: the simulated GPU, the native twin, an OpenCL device. Each has its own copy
// of the data.
#pragma once

#include <expected>
#include <memory>
#include <span>

#include "bench/kernels/problem.hpp"

namespace rocdrill::bench {

class Contestant {
 public:
  virtual ~Contestant() = default;
  /// All of the problem, once; throws std::runtime_error if it does not complete.
  virtual void run() = 0;
  /// What the buffer of an argument holds now.
  virtual std::span<const std::byte> buffer(std::size_t argument) = 0;
  /// Of waves, in the last run; 0 where there are none.
  virtual std::uint64_t instructions() const { return 0; }
};

using MaybeContestant = std::expected<std::unique_ptr<Contestant>, std::string>;

/// `target`: "gfx90a". The -O3 code object of tests/kernels, by workbench::Workbench.
std::unique_ptr<Contestant> simulated(const Problem& problem, const std::string& target);
/// By as many threads as this machine has cores.
std::unique_ptr<Contestant> native(const Problem& problem);
/// The first platform that calls itself PoCL; the error says why there is none, or why it cannot.
MaybeContestant pocl(const Problem& problem);
/// "PoCL 3.1, LLVM 15.0.6, pthread-skylake-avx512-...", or why there is none.
std::string pocl_description();

/// Of this process, all threads together: the machine may be busy with something else.
double cpu_seconds();

}  // namespace rocdrill::bench
