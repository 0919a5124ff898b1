// The shader array of one GPU, or as much of it as this machine has cores: runs one dispatch at a
// time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "sim/silicon/isa/code_cache.hpp"
#include "sim/silicon/isa/launch.hpp"

namespace rocdrill::isa {

class Dispatcher {
 public:
  /// `code`: for the shape's processor; several dispatchers may share it. `threads`: host threads
  /// that run workgroups, the caller's among them; 0: one per core.
  Dispatcher(Shape shape, std::shared_ptr<CodeCache> code, unsigned threads = 0);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Runs all of it and returns; not from two threads at once. The fields of the packet have been
  /// checked (cp::check_dispatch). `cancel`: when it becomes true, waves stop at the end of their
  /// slice.
  Outcome run(const Launch& launch, cp::AddressSpace& space,
              const std::atomic<bool>* cancel = nullptr);

  /// Runs one workgroup alone, one of its waves instruction by instruction: `look` gets it before
  /// each, and once more at its end, and says whether to go on. Its fellows run on to the barriers
  /// that it comes to.
  using Look = std::function<bool(const Wave& wave, std::uint64_t va)>;
  Outcome step(const Launch& launch, cp::AddressSpace& space, std::uint64_t workgroup,
               std::uint32_t wave, const Look& look);

  const Shape& shape() const { return shape_; }
  CodeCache& code() { return *code_; }

 private:
  class Job;
  void work(std::size_t number);
  /// The CUs that the mask allows.
  std::span<const std::uint32_t> units(const std::vector<std::uint32_t>& cu_mask);

  Shape shape_;
  std::shared_ptr<CodeCache> code_;
  std::vector<std::uint32_t> cu_mask_;  ///< that `units_` are of
  std::vector<std::uint32_t> units_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  Job* job_ = nullptr;
  std::uint64_t job_number_ = 0;
  unsigned busy_ = 0;
  bool stop_ = false;
  /// Each thread's memory for groups, kept between dispatches.
  struct Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace rocdrill::isa
