// A C program on Debian's libhsa-runtime64: queues, barriers, signals, copies, fork, exhaustion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;

class Hsa : public testing::TestWithParam<const char*> {
 protected:
  Output client(const std::string& arguments, const std::string& environment = "") {
    return rocdrill("run --node " + std::string(GetParam()) + " -- env " + environment +
                    " '" ROCDRILL_HSA_CLIENT "' " + arguments);
  }
  Sessions sessions_;
};

TEST_P(Hsa, PoolsAndAgents) {
  const Output output = client("agents");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("gpu0.pool segment 0 flags 4"));
  EXPECT_THAT(output.out, HasSubstr("cpu.pool segment 0 flags 3"));
  EXPECT_THAT(output.out, HasSubstr("done\n"));
}

TEST_P(Hsa, BarriersWithInterruptWaits) {
  for (const char* environment : {"", "HSA_ENABLE_INTERRUPT=0"}) {
    const Output output = client("barriers", environment);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(
        output.out,
        HasSubstr("and.empty 200\nand.one_of_two 1\nand.both 0\nor.none 1\nor.one 0\nerror 0x0\n"));
  }
}

TEST_P(Hsa, AnUnknownPacketStopsTheQueue) {
  const Output output = client("bad-packet");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("callback 0x1009\nread_index 0\nsignal 1\n"));
}

TEST_P(Hsa, AsynchronousHandlersRun) {
  EXPECT_THAT(client("handlers").out, HasSubstr("handlers 8\n"));
}

TEST_P(Hsa, CopiesThroughSdmaAndByTheCpu) {
  for (const char* how : {"copy 5242880", "copy 4097", "copy-by-cpu 5242880"}) {
    const Output output = client(how);
    EXPECT_EQ(output.exit_code, 0) << how << output.err;
    EXPECT_THAT(output.out, HasSubstr("equal 1\n")) << how;
  }
}

/// Without SDMA ROCr copies with a kernel of its own.
TEST_P(Hsa, CopiesByKernel) {
  for (const char* how : {"copy 5242880", "copy 4097"}) {
    const Output output = client(how, "HSA_ENABLE_SDMA=0");
    EXPECT_EQ(output.exit_code, 0) << how << output.err;
    EXPECT_THAT(output.out, HasSubstr("equal 1\n")) << how;
    EXPECT_EQ(output.err.find("not modelled"), std::string::npos) << output.err;
  }
}

TEST_P(Hsa, ForkAndStartAgain) {
  const Output output = client("fork");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("idle_child 0\n"));
  EXPECT_THAT(output.out, HasSubstr("child 0\n"));
}

TEST_P(Hsa, QueuesComeAndGo) { EXPECT_THAT(client("churn 300").out, HasSubstr("churned 300\n")); }

TEST_P(Hsa, MemoryRunsOutAndComesBack) {
  const Output output = client("exhaust");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("status 0x1008\nagain 1\n"));
}

INSTANTIATE_TEST_SUITE_P(Nodes, Hsa, testing::Values("mi210", "mi250x-4", "mi100"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace rocdrill::test
