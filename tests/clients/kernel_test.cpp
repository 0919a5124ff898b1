// Kernels through Debian's ROCr: loaded by its loader, dispatched into its queues, executed by the
// simulated GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;

struct Card {
  const char* node;
  const char* gfx;
};
void PrintTo(const Card& card, std::ostream* out) { *out << card.node; }

class Kernels : public testing::TestWithParam<Card> {
 protected:
  Output client(const std::string& what, const std::string& rest = "") {
    const std::string file =
        std::string("'" ROCDRILL_CODE_OBJECTS "saxpy_v4/") + GetParam().gfx + ".co'";
    return rocdrill(std::string("run --node ") + GetParam().node +
                    " -- '" ROCDRILL_CLIENTS "kernel_client' " + what + " " + file + " " + rest);
  }
  Sessions sessions_;
};

TEST_P(Kernels, TheResultIsTheCpus) {
  for (const char* n : {"1", "1000", "100000"}) {
    const Output output = client("saxpy", n);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr(std::string("wrong 0 of ") + n + "\n"));
  }
}

TEST_P(Kernels, OneAfterTheOther) {
  const Output output = client("many", "2000");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("us_per_launch"));
}

TEST_P(Kernels, MoreThanTheRingHolds) {
  const Output output = client("flood", "5000");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("launches_per_s"));
}

/// ROCr hears of it by KFD's memory event, says so and ends the process.
TEST_P(Kernels, ANullPointerEndsTheProgram) {
  const Output output = client("null");
  EXPECT_EQ(output.exit_code, 134) << output.out << output.err;
  EXPECT_THAT(output.err, HasSubstr("Memory access fault by GPU node-"));
  EXPECT_THAT(output.err, HasSubstr("Page not present or supervisor privilege"));
}

/// A wave's load of a null pointer, as amdgpu's interrupt handler tells of it.
TEST_P(Kernels, ANullPointerIsInTheKernelsLog) {
  const std::string file = std::string(ROCDRILL_CODE_OBJECTS "saxpy_v4/") + GetParam().gfx + ".co";
  const Output output =
      rocdrill(std::string("run --node ") + GetParam().node +
               " -- bash -c '\"$0\" null \"$1\" >&2 & echo pid $!; wait $!; dmesg "
               "| tail -n 9' '" ROCDRILL_CLIENTS "kernel_client' '" +
               file + "'");
  const std::string pid = output.out.substr(4, output.out.find('\n') - 4);
  EXPECT_THAT(output.out, HasSubstr("process kernel_client pid " + pid + " thread kernel_client"));
  EXPECT_THAT(output.out, HasSubstr("  in page starting at address 0x0000000000000000 from IH"));
  EXPECT_THAT(output.out, HasSubstr("Faulty UTCL2 client ID: TCP (0x8)")) << output.err;
}

/// Its waves are preempted; the process and the node go on.
TEST(EndlessKernel, GoesWithItsQueue) {
  const Sessions sessions;
  const Output output = rocdrill("run --node mi210 -- timeout 60 '" ROCDRILL_CLIENTS
                                 "kernel_client' spin '" ROCDRILL_KERNELS "/faults.gfx90a.O1.co'");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("value 1\ndestroyed\n"));
}

/// s_sendmsg: the driver sets the event of a signal that a kernel stores to.
TEST(Interrupt, OfAWaveWakesWhoWaits) {
  const Sessions sessions;
  const Output output = rocdrill("run --node mi210 -- '" ROCDRILL_CLIENTS
                                 "kernel_client' tell '" ROCDRILL_KERNELS "/signals.gfx90a.O1.co'");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "woken value 0 error 0x0\n");
}

INSTANTIATE_TEST_SUITE_P(Cards, Kernels,
                         testing::Values(Card{"mi210", "gfx90a"}, Card{"mi100", "gfx908"}),
                         [](const auto& info) { return std::string(info.param.gfx); });

}  // namespace
}  // namespace rocdrill::test
