// A packet with an address that no page table of the GPU has: what each layer makes of it.
// (tests/clients has the same through Debian's ROCr.)
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t nowhere = 0xDEAD0000000;

class MemoryFault : public testing::TestWithParam<const char*> {
 protected:
  void start(const Environment& variables = {}) {
    ProcessSpec spec = made->host().session();
    for (const auto& [name, value] : variables) spec.environment[name] = value;
    process = made->host().spawn(spec);
    auto opened = made->open_runtime(*process);
    ASSERT_TRUE(opened);
    runtime = std::move(*opened);
    gpu = runtime->agents().size() - 1;
  }
  std::unique_ptr<Queue> queue() {
    return std::move(*runtime->create_queue(
        gpu, {.size = 64, .on_error = [this](HsaStatus status) { errors.push_back(status); }}));
  }
  std::unique_ptr<Signal> signal() { return std::move(*runtime->create_signal(1)); }
  /// What the completion signal of a barrier packet shows after half a second.
  std::int64_t completes(Queue& on, std::uint64_t dependency = 0) {
    const auto done = signal();
    on.submit(aql::barrier_and({dependency}, done->handle()));
    return done->wait(SignalCondition::lt, 1, 500 * ms);
  }
  std::vector<EventId> events(std::string_view kind) const {
    return made->os.timeline.find({.kind_prefix = kind});
  }

  std::unique_ptr<sim::Node> made = booted(GetParam());
  std::unique_ptr<Process> process;
  std::unique_ptr<Runtime> runtime;
  std::vector<HsaStatus> errors;
  std::size_t gpu = 0;
};

TEST_P(MemoryFault, EndsTheProcessWithRocrsText) {
  start();
  const auto on = queue();
  ASSERT_FALSE(runtime->aborted());
  EXPECT_EQ(completes(*on, nowhere + 0x40), 1);
  ASSERT_TRUE(runtime->aborted());
  const RuntimeAbort ended = *runtime->aborted();
  EXPECT_THAT(ended.text, testing::ContainsRegex(fmt::format(
                              "^Memory access fault by GPU node-{} \\(Agent handle: 0x[0-9a-f]+\\) "
                              "on address 0xdead0000000\\. Reason: Page not present or supervisor "
                              "privilege\\.$",
                              runtime->agents()[gpu].node)));
  const EventView event = made->os.timeline.at(ended.event);
  EXPECT_EQ(event.kind, "hsa.aborted");
  EXPECT_EQ(event.layer, Layer::runtime);
  ASSERT_EQ(events("gpu.memory_fault").size(), 1u);
  EXPECT_EQ(event.cause, events("gpu.memory_fault").front());
  ASSERT_EQ(events("queue.failed").size(), 1u);
  EXPECT_EQ(made->os.timeline.at(events("queue.failed").front()).cause, event.cause);
}

/// Only the memory event tells of it: no queue's error, whatever KFD's era.
TEST_P(MemoryFault, IsNoQueueError) {
  start();
  const auto on = queue();
  completes(*on, nowhere + 0x40);
  EXPECT_THAT(errors, testing::IsEmpty());
  EXPECT_EQ(on->status(), HsaStatus::success);
  EXPECT_EQ(on->load_read_index(), 0u);
}

/// kfd_dqm_evict_pasid(): the process's other queues, old and new, do not run any more. Another
/// process's do.
TEST_P(MemoryFault, TakesAllQueuesOfTheProcessOffTheGpu) {
  const auto other_process = made->host().spawn(made->host().session());
  const auto other_runtime = std::move(*made->open_runtime(*other_process));
  start({{"HSA_ENABLE_INTERRUPT", "0"}});
  const auto before = queue();
  const auto on = queue();
  EXPECT_EQ(completes(*before), 0);
  EXPECT_EQ(completes(*on, nowhere + 0x40), 1);
  EXPECT_EQ(completes(*before), 1);
  EXPECT_EQ(completes(*queue()), 1);
  EXPECT_FALSE(runtime->aborted()) << "without interrupts nobody looks";
  const auto others = std::move(*other_runtime->create_queue(gpu, {}));
  const auto done = std::move(*other_runtime->create_signal(1));
  others->submit(aql::barrier_and({}, done->handle()));
  EXPECT_EQ(done->wait(SignalCondition::lt, 1, 500 * ms), 0);
}

TEST_P(MemoryFault, TheTextCanBeSilenced) {
  start({{"HSA_ENABLE_VM_FAULT_MESSAGE", "0"}});
  completes(*queue(), nowhere + 0x40);
  ASSERT_TRUE(runtime->aborted());
  EXPECT_EQ(runtime->aborted()->text, "");
}

// Without and with KFD's exceptions.
INSTANTIATE_TEST_SUITE_P(
    Nodes, MemoryFault, testing::Values("mi210", "mi300x-8"), [](const auto& info) {
      return std::string(info.param).substr(0, std::string_view(info.param).find('-'));
    });

}  // namespace
}  // namespace rocdrill::test
