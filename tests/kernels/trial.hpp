// A kernel run twice, on the simulated shader array and as its twin, on the same data.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/twin.hpp"
#include "sim/workbench/workbench.hpp"

namespace rocdrill::test {

/// What a case runs on.
struct Build {
  std::string target;  ///< "gfx90a"
  unsigned level = 0;  ///< of optimisation
  isa::Level host = isa::best_level();
};

/// The code object of a source of tests/kernels; the error is one sentence.
std::vector<std::byte> read_code(const std::string& stem, const Build& build);

/// Of this run: ROCDRILL_TEST_SEED if it is set, else a fresh one.
std::uint64_t test_seed();

using Random = std::mt19937_64;

/// Half-precision floats of OpenCL, as they lie in memory.
using Half = _Float16;

/// The same elements in the memory of both.
template <class T>
class Array {
 public:
  std::span<T> twin() { return {twin_->data(), twin_->size()}; }
  std::span<T> device() const { return {reinterpret_cast<T*>(buffer_.bytes().data()), size()}; }
  std::size_t size() const { return twin_->size(); }
  std::uint64_t va() const { return buffer_.va(); }

 private:
  friend class Trial;
  std::shared_ptr<std::vector<T>> twin_;
  workbench::Buffer buffer_;
};

/// LDS that a kernel takes as an argument.
struct LocalBytes {
  std::uint32_t bytes;
};

/// Why a launch did not complete, for people: what is not modelled, which exception, where.
std::string describe(const isa::Outcome& outcome, workbench::Workbench& bench);

class Trial {
 public:
  Trial(const std::string& stem, const Build& build, std::uint64_t seed);

  Random& random() { return random_; }
  /// Whole numbers in [low, high].
  template <class T>
  T whole(T low, T high) {
    return std::uniform_int_distribution<T>(low, high)(random_);
  }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  template <class T>
  Array<T> array(std::vector<T> values) {
    Array<T> array;
    array.buffer_ = bench_->allocate(values.size() * sizeof(T));
    std::memcpy(array.buffer_.bytes().data(), values.data(), values.size() * sizeof(T));
    array.twin_ = std::make_shared<std::vector<T>>(std::move(values));
    return array;
  }
  template <class T, class Make>
    requires std::is_invocable_v<Make>
  Array<T> array(std::size_t count, Make&& make) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(make());
    return array(std::move(values));
  }
  template <class T>
  Array<T> zeros(std::size_t count) {
    return array(std::vector<T>(count));
  }
  /// All bits at random.
  template <class T>
    requires std::is_integral_v<T>
  Array<T> noise(std::size_t count) {
    return array<T>(count, [&] { return random_(); });
  }
  template <class T>
  Array<T> reals(std::size_t count, double low, double high) {
    return array<T>(count, [&] { return real(low, high); });
  }

  /// Runs `name` on both. Arguments: numbers, Arrays where the kernel takes pointers, LocalBytes.
  /// Throws std::runtime_error, which says why, if the launch does not complete.
  template <class... Parameters, class... Arguments>
  void launch(const std::string& name, void (*twin)(Parameters...), const twin::Grid& grid,
              const Arguments&... arguments) {
    launch_with_lds(0, name, twin, grid, arguments...);
  }
  /// `lds`: bytes beyond the kernel's own that are no argument of it.
  template <class... Parameters, class... Arguments>
  void launch_with_lds(std::uint32_t lds, const std::string& name, void (*twin)(Parameters...),
                       const twin::Grid& grid, const Arguments&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments));
    workbench::KernelLaunch launch = prepare(name, grid);
    launch.dynamic_lds = lds;
    (add<Parameters>(launch, arguments), ...);
    run(launch);
    runner_.run(grid, [&] { twin(for_twin<Parameters>(arguments)...); });
  }

  workbench::Workbench& bench() { return *bench_; }
  const Build& build() const { return build_; }
  /// Counters of the last launch.
  const isa::DispatchCounters& counters() const { return counters_; }

 private:
  workbench::KernelLaunch prepare(const std::string& name, const twin::Grid& grid) const;
  void run(const workbench::KernelLaunch& launch);

  template <class Parameter, class T>
  void add(workbench::KernelLaunch& launch, const Array<T>& array) {
    static_assert(std::is_pointer_v<Parameter>);
    add_bytes(launch, array.va());
  }
  template <class Parameter>
  void add(workbench::KernelLaunch& launch, LocalBytes local) {
    launch.dynamic_lds += local.bytes;
    add_bytes(launch, std::uint32_t{0});
  }
  template <class Parameter, class T>
    requires std::is_arithmetic_v<T>
  void add(workbench::KernelLaunch& launch, T value) {
    add_bytes(launch, static_cast<Parameter>(value));
  }
  template <class T>
  static void add_bytes(workbench::KernelLaunch& launch, T value) {
    std::vector<std::byte>& bytes = launch.arguments.emplace_back(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
  }

  template <class Parameter, class T>
  static Parameter for_twin(const Array<T>& array) {
    return reinterpret_cast<Parameter>(const_cast<Array<T>&>(array).twin().data());
  }
  template <class Parameter>
  static Parameter for_twin(LocalBytes local) {
    return static_cast<Parameter>(twin::shared_memory(local.bytes));
  }
  template <class Parameter, class T>
    requires std::is_arithmetic_v<T>
  static Parameter for_twin(T value) {
    return static_cast<Parameter>(value);
  }

  Build build_;
  Random random_;
  std::unique_ptr<workbench::Workbench> bench_;
  twin::Runner runner_;
  isa::DispatchCounters counters_;
};

/// One-dimensional, `groups` of `group` work-items but for the last, which may be smaller.
inline twin::Grid line(std::uint32_t items, std::uint32_t group) {
  return {{items, 1, 1}, {group, 1, 1}};
}
/// Whole groups that hold at least `items`.
inline twin::Grid whole_line(std::uint32_t items, std::uint32_t group) {
  return line((items + group - 1) / group * group, group);
}

}  // namespace rocdrill::test
