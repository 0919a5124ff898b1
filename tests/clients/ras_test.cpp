// RAS and resets as real programs meet them: a person's bash injects, Debian's tools read, and a
// process that has nothing to do with the broken GPU hears of the reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

Output in_bash(const std::string& script, const std::string& node) {
  return rocdrill("run --node " + node + " -- bash -c '" + script + "'");
}

class RasClients : public testing::Test {
  Sessions sessions_;
};

constexpr const char* inject =
    "inject() { echo \"inject $1\" | sudo tee /sys/kernel/debug/dri/0/ras/ras_ctrl >/dev/null; };";

TEST_F(RasClients, DebiansRocmSmiCountsWhatWasInjected) {
  const Output output =
      in_bash(std::string(inject) +
                  "inject \"gfx ce 0 0 0\"; inject \"umc ce 0 0 0\"; inject \"umc ce 0 0 0\";"
                  "rocm-smi --showrasinfo gfx umc",
              "mi210");
  EXPECT_THAT(output.out, ContainsRegex("GFX +[A-Z]+ +1 +0")) << output.err;
  EXPECT_THAT(output.out, ContainsRegex("UMC +[A-Z]+ +2 +0")) << output.err;
}

TEST_F(RasClients, TheDriversAnswersReachTheShell) {
  const Output output = in_bash(
      "export LC_ALL=C; " + std::string(inject) +
          "inject \"umc ue\"; echo x > /sys/kernel/debug/dri/0/ras/ras_ctrl; sudo dmesg | tail -n 1",
      "mi210");
  EXPECT_THAT(output.err, HasSubstr("ras_ctrl: Invalid argument"));
  EXPECT_THAT(output.err, HasSubstr("ras_ctrl: Permission denied"));
}

TEST_F(RasClients, AResetIsHeardByAProcessOnAnotherGpu) {
  const Output output = in_bash(
      std::string(inject) + "\"" ROCDRILL_CLIENTS
                            "ioctl_client\" reset > /tmp/heard.$$ & sleep 2; "
                            "inject \"gfx ue 0 0 0\"; wait $!; cat /tmp/heard.$$; rm /tmp/heard.$$;"
                            "sudo dmesg | grep -c \"MODE1 reset\"",
      "mi300x-8");
  EXPECT_THAT(output.out,
              HasSubstr("result 0 type 0 cause 0 lost 1 gpu named open Invalid argument"))
      << output.out << output.err;
  EXPECT_THAT(output.out, HasSubstr("\n8\n"));
}

}  // namespace
}  // namespace rocdrill::test
