// Kernels on whole nodes, in process: HIP finds the code object, ROCr queues the packet, the shader
// array executes it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;

constexpr char app[] = "/srv/job/saxpy";

class NodeKernels : public testing::TestWithParam<const char*> {
 protected:
  NodeKernels()
      : node_(booted(GetParam())),
        process_(node_->access.spawn(node_->host().session())),
        hip_(node_->open_hip(*process_)) {}

  std::uint64_t upload(const std::vector<float>& values) {
    const auto va = hip_->allocate(0, values.size() * sizeof(float));
    EXPECT_TRUE(va);
    EXPECT_TRUE(hip_->copy_to_device(*va, std::as_bytes(std::span(values))));
    return *va;
  }

  std::unique_ptr<sim::Node> node_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Hip> hip_;
};

TEST_P(NodeKernels, SaxpyIsTheCpusResult) {
  constexpr std::uint32_t n = 1000;
  std::vector<float> x(n);
  std::vector<float> y(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i) * 0.125f;
    y[i] = 1.0f / static_cast<float>(i + 1);
  }
  const std::uint64_t xs = upload(x);
  const std::uint64_t ys = upload(y);
  HipLaunch how{.grid = {4, 1, 1}, .block = {256, 1, 1}, .arguments = {}};
  const auto launched = hip_->launch(0, app, "saxpy", how.with(ys).with(xs).with(2.0f).with(n));
  ASSERT_TRUE(launched) << name(launched.error().error);
  std::vector<float> result(n);
  ASSERT_TRUE(hip_->copy_to_host(std::as_writable_bytes(std::span(result)), ys));
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(result[i], std::fma(2.0f, x[i], y[i])) << i;
}

TEST_P(NodeKernels, TheSameHistoryEachTime) {
  const auto history = [] {
    const auto node = booted(GetParam());
    node->run_workload("torch");
    return node->os.timeline.to_json_lines();
  };
  EXPECT_EQ(history(), history());
}

/// Virtual time, from what the waves did: the same each time, and more for more work.
TEST_P(NodeKernels, TakeTime) {
  const std::uint64_t memory = upload(std::vector<float>(1 << 20));
  const auto took = [&](std::uint32_t blocks) {
    HipLaunch how{.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .arguments = {}};
    const std::uint64_t begin = node_->os.clock.now();
    EXPECT_TRUE(hip_->launch(
        0, app, "saxpy", how.with(memory).with(memory).with(2.0f).with(std::uint32_t{1} << 20)));
    return node_->os.clock.now() - begin;
  };
  const std::uint64_t one = took(1);
  EXPECT_GT(one, 0u);
  EXPECT_EQ(took(1), one);
  EXPECT_GT(took(4096), one);
}

/// The wave's own fault: its address, the unit that asked, the process.
TEST_P(NodeKernels, AWildPointerIsInTheKernelsLog) {
  constexpr std::uint64_t wild = 0xDEAD0000000;
  const std::uint64_t ys = upload(std::vector<float>(1024));
  const std::size_t before = node_->os.dmesg.lines().size();
  HipLaunch how{.grid = {1, 1, 1}, .block = {64, 1, 1}, .arguments = {}};
  const auto launched =
      hip_->launch(0, app, "saxpy", how.with(ys).with(wild).with(2.0f).with(std::uint32_t{64}));
  ASSERT_FALSE(launched);
  std::string said;
  for (std::size_t i = before; i < node_->os.dmesg.lines().size(); ++i) {
    EXPECT_EQ(node_->os.timeline.at(node_->os.dmesg.lines()[i].event).kind, "gpu.memory_fault");
    said += node_->os.dmesg.lines()[i].text + "\n";
  }
  EXPECT_THAT(said, HasSubstr("[gfxhub0] no-retry page fault (src_id:0 ring:"));
  EXPECT_THAT(said, HasSubstr(fmt::format(" pid {} thread ", process_->pid())));
  EXPECT_THAT(said,
              HasSubstr("in page starting at address 0x00000dead0000000 from IH client 0x1b"));
  EXPECT_THAT(said, HasSubstr("VM_L2_PROTECTION_FAULT_STATUS:0x00301030\n"));
  EXPECT_THAT(said, HasSubstr("\t Faulty UTCL2 client ID: TCP (0x8)\n"));
  EXPECT_THAT(said, HasSubstr("\t RW: 0x0\n"));
}

TEST_P(NodeKernels, WrongArgumentsAreRefused) {
  HipLaunch how{.arguments = {}};
  const auto launched = hip_->launch(0, app, "saxpy", how.with(1.0f));
  ASSERT_FALSE(launched);
  EXPECT_FALSE(launched.error().unmodelled);
  EXPECT_FALSE(hip_->copy_to_device(0x1000, std::as_bytes(std::span("x"))));
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeKernels,
                         testing::Values("mi210", "mi250x-4", "mi100", "mi300x-8"),
                         [](const auto& info) {
                           std::string text = info.param;
                           std::erase(text, '-');
                           return text;
                         });

/// Kernels of RDNA are refused by name.
TEST(NodeWithoutExecution, RefusesKernelsByName) {
  const auto node = booted("gfx1030");
  const auto process = node->access.spawn(node->host().session());
  const auto hip = node->open_hip(*process);
  const auto x = hip->allocate(0, 256);
  HipLaunch how{.arguments = {}};
  const auto launched =
      hip->launch(0, app, "saxpy", how.with(*x).with(*x).with(2.0f).with(std::uint32_t{64}));
  ASSERT_FALSE(launched);
  EXPECT_TRUE(launched.error().unmodelled);
}

}  // namespace
}  // namespace rocdrill::test
