// What the real rocminfo says of a broken node: its own texts and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Failures : public testing::Test {
 protected:
  Sessions sessions_;
};

TEST_F(Failures, ModuleNotLoaded) {
  const Output output = rocdrill("run --drill stale-dkms -- rocminfo");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_EQ(output.out, "\033[31mROCk module is NOT loaded, possibly no GPU devices\033[0m\n");
}

TEST_F(Failures, BlacklistedModule) {
  const Output output = rocdrill("run --drill module-blacklisted -- rocminfo");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.out, HasSubstr("ROCk module is NOT loaded"));
}

TEST_F(Failures, NoPermission) {
  const Output output = rocdrill("run --drill render-group-missing -- rocminfo");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(plain(output.out),
              HasSubstr("Unable to open /dev/kfd read-write: Permission denied"));
  EXPECT_THAT(plain(output.out), HasSubstr("is not member of \"render\" group"));
}

TEST_F(Failures, NodeMissing) {
  // The module is there, its device node is not: a person removed it.
  const Output output = rocdrill(
      "run --node mi210 -- bash -c 'sudo rmmod amdgpu; rocminfo; echo $?; sudo modprobe amdgpu; rocminfo | "
      "grep -c gfx90a'");
  EXPECT_THAT(plain(output.out), HasSubstr("ROCk module is NOT loaded"));
  EXPECT_THAT(output.out, HasSubstr("\n1\n"));
  EXPECT_THAT(output.out, Not(HasSubstr("\n0\n")));
}

/// In-tree drivers answer EINVAL when no GPU made it into the topology.
TEST_F(Failures, InvalidArgument) {
  const Output output = rocdrill("run --node mi210 --fault firmware-missing -- rocminfo");
  EXPECT_EQ(output.exit_code, 1) << output.out;
  EXPECT_THAT(plain(output.out), HasSubstr("Unable to open /dev/kfd read-write: Invalid argument"));
}

/// AMD's 6.10 driver opens all the same: rocminfo lists CPU agents and ends well.
TEST_F(Failures, EmptyTopology) {
  const Output output = rocdrill("run --drill firmware-missing -- rocminfo");
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  EXPECT_THAT(output.out, HasSubstr("Device Type:             CPU"));
  EXPECT_THAT(output.out, Not(HasSubstr("Device Type:             GPU")));
  EXPECT_THAT(output.out, HasSubstr("*** Done ***"));
}

TEST_F(Failures, TheSmiWithoutADriver) {
  const Output output = rocdrill("run --drill stale-dkms -- rocm-smi");
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_THAT(output.err, HasSubstr("Driver not initialized (amdgpu not found in modules)"));
  const Output enumerator = rocdrill("run --drill stale-dkms -- rocm_agent_enumerator");
  EXPECT_EQ(enumerator.exit_code, 1);
  EXPECT_THAT(enumerator.err, HasSubstr("FileNotFoundError: [Errno 2] No such file or directory: "
                                        "'/sys/class/kfd/kfd/topology/nodes/'"));
}

/// ROCr 5.2.3 does not know gfx942: it says so, and lists no GPU. The node is not to blame.
TEST_F(Failures, ARuntimeThatIsTooOldSaysSo) {
  const Output output = rocdrill("run --node mi300x-8 -- rocminfo");
  EXPECT_THAT(output.out, Not(HasSubstr("Device Type:             GPU")));
  EXPECT_THAT(output.out + output.err, HasSubstr("unrecognized id"));
  EXPECT_THAT(output.err,
              ContainsRegex("rocdrill: .*libhsa-runtime64.*does not know gfx942.*ROCm 6.0"));
}

TEST_F(Failures, ProgramsThatCannotSeeTheNodeAreRefused) {
  const Output missing = rocdrill("run --node mi210 -- no-such-program");
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_THAT(missing.err, HasSubstr("no-such-program"));
  const Output nothing = rocdrill("run --node mi210");
  EXPECT_EQ(nothing.exit_code, 2);
  const Output unknown = rocdrill("run --node mi21 -- true");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("mi210"));
  const Output fault = rocdrill("run --node mi210 --fault stale-dkm -- true");
  EXPECT_EQ(fault.exit_code, 2);
  EXPECT_THAT(fault.err, HasSubstr("stale-dkms"));
  const Output real_modprobe = rocdrill("run --node mi210 -- /usr/sbin/modprobe amdgpu");
  EXPECT_NE(real_modprobe.exit_code, 0) << "it would act on this machine";
}

TEST_F(Failures, TheProgramsExitStatusIsOurs) {
  EXPECT_EQ(rocdrill("run --node mi210 -- bash -c 'exit 7'").exit_code, 7);
  EXPECT_EQ(rocdrill("run --node mi210 -- bash -c 'kill -9 $$'").exit_code, 137);
}

}  // namespace
}  // namespace rocdrill::test
