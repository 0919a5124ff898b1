#include <time.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "bench/kernels/contestant.hpp"
#include "sim/workbench/workbench.hpp"

namespace rocdrill::bench {
namespace {

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

class Simulated final : public Contestant {
 public:
  Simulated(const Problem& problem, const std::string& target) {
    const std::string path =
        std::string(ROCDRILL_KERNELS) + "/" + problem.source + "." + target + ".O3.co";
    auto bench = workbench::Workbench::open(read_file(path), target);
    if (!bench) throw std::runtime_error(path + ": " + bench.error());
    bench_ = std::move(*bench);
    launch_.kernel = problem.kernel;
    launch_.geometry.dimensions = 3;
    for (unsigned n = 0; n < 3; ++n) {
      launch_.geometry.grid[n] = problem.grid[n];
      launch_.geometry.group[n] = static_cast<std::uint16_t>(problem.group[n]);
    }
    for (const Argument& argument : problem.arguments) {
      buffers_.emplace_back();
      if (!argument.is_buffer) {
        launch_.arguments.push_back(argument.bytes);
        continue;
      }
      buffers_.back() = bench_->allocate(argument.bytes.size());
      std::memcpy(buffers_.back().bytes().data(), argument.bytes.data(), argument.bytes.size());
      const std::uint64_t va = buffers_.back().va();
      std::memcpy(launch_.arguments.emplace_back(sizeof va).data(), &va, sizeof va);
    }
  }
  void run() override {
    const auto outcome = bench_->run(launch_);
    if (!outcome) throw std::runtime_error(launch_.kernel + ": " + outcome.error());
    if (outcome->end != isa::End::completed)
      throw std::runtime_error(launch_.kernel + " did not complete: " + outcome->text);
    instructions_ = outcome->counters.total();
  }
  std::uint64_t instructions() const override { return instructions_; }
  std::span<const std::byte> buffer(std::size_t argument) override {
    return buffers_[argument].bytes();
  }

 private:
  std::unique_ptr<workbench::Workbench> bench_;
  workbench::KernelLaunch launch_;
  std::vector<workbench::Buffer> buffers_;
  std::uint64_t instructions_ = 0;
};

struct Aligned {
  void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{4096}); }
};

class Native final : public Contestant {
 public:
  explicit Native(const Problem& problem) : twin_(problem.native) {
    for (unsigned n = 0; n < 3; ++n) {
      launch_.size[n] = problem.grid[n];
      launch_.group[n] = problem.group[n];
      launch_.groups[n] = problem.grid[n] / problem.group[n];
      groups_ *= launch_.groups[n];
    }
    values_.reserve(problem.arguments.size());
    for (const Argument& argument : problem.arguments) {
      std::unique_ptr<std::byte, Aligned>& memory = memory_.emplace_back(
          static_cast<std::byte*>(::operator new(argument.bytes.size(), std::align_val_t{4096})));
      std::memcpy(memory.get(), argument.bytes.data(), argument.bytes.size());
      sizes_.push_back(argument.bytes.size());
      values_.push_back(memory.get());
    }
    for (std::size_t n = 0; n < values_.size(); ++n)
      arguments_.push_back(problem.arguments[n].is_buffer ? static_cast<const void*>(&values_[n])
                                                          : values_[n]);
    launch_.arguments = arguments_.data();
  }
  void run() override {
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    const std::uint32_t piece = std::max(1u, groups_ / (threads * 4));
    std::atomic<std::uint32_t> next{0};
    const auto work = [&] {
      for (;;) {
        const std::uint32_t first = next.fetch_add(piece);
        if (first >= groups_) return;
        twin_(&launch_, first, std::min(groups_, first + piece));
      }
    };
    std::vector<std::jthread> others;
    for (unsigned n = 1; n < threads; ++n) others.emplace_back(work);
    work();
  }
  std::span<const std::byte> buffer(std::size_t argument) override {
    return {memory_[argument].get(), sizes_[argument]};
  }

 private:
  NativeTwin twin_;
  NativeLaunch launch_{};
  std::uint32_t groups_ = 1;
  std::vector<std::unique_ptr<std::byte, Aligned>> memory_;
  std::vector<std::size_t> sizes_;
  std::vector<std::byte*> values_;
  std::vector<const void*> arguments_;
};

}  // namespace

std::unique_ptr<Contestant> simulated(const Problem& problem, const std::string& target) {
  return std::make_unique<Simulated>(problem, target);
}
std::unique_ptr<Contestant> native(const Problem& problem) {
  return std::make_unique<Native>(problem);
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace rocdrill::bench
