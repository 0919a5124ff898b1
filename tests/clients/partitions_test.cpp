// A person's bash divides the GPUs of a node, and Debian's programs see what comes of it. Debian's
// ROCr does not know gfx942, and no GPU that it knows can be divided: rocminfo has nothing to say
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;

Output in_bash(const std::string& script, const std::string& node = "mi300x-8") {
  return rocdrill("run --node " + node + " -- bash -c '" + script + "'");
}

std::size_t lines_with(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++found;
  return found;
}

class Partitions : public testing::Test {
  Sessions sessions_;
};

TEST_F(Partitions, TeeDividesAGpu) {
  const Output output = in_bash(
      "cd /sys/class/drm/card0/device; echo CPX | sudo tee current_compute_partition;"
      "cat current_compute_partition; ls /sys/class/kfd/kfd/topology/nodes | wc -l;"
      "sudo amd-smi set -C CPX >/dev/null; rocm_agent_enumerator");
  EXPECT_THAT(output.out, testing::StartsWith("CPX\nCPX\n17\n")) << output.err;
  EXPECT_EQ(lines_with(output.out, "gfx942\n"), 64u) << output.out;
}

TEST_F(Partitions, TheKernelsAnswersReachTheShell) {
  const Output output = in_bash(
      "cd /sys/class/drm/card0/device; export LC_ALL=C;"
      "echo TPX | sudo tee current_compute_partition;"
      "echo CPX > current_compute_partition;"
      "sleep 60 </dev/kfd & sleep 1; echo CPX | sudo tee current_compute_partition; kill %1;"
      "wait; cat current_compute_partition;"
      "echo CPX | sudo tee current_compute_partition >/dev/null; cat current_compute_partition;"
      ": </dev/dri/renderD137; sudo dmesg | tail -n 1");
  EXPECT_THAT(output.err, HasSubstr("current_compute_partition: Invalid argument"));
  EXPECT_THAT(output.err, HasSubstr("current_compute_partition: Permission denied"));
  EXPECT_THAT(output.err, HasSubstr("current_compute_partition: Device or resource busy"));
  EXPECT_THAT(output.err, HasSubstr("/dev/dri/renderD137: No such file or directory"));
  EXPECT_THAT(output.out, HasSubstr("CPX\nSPX\nCPX\n")) << "busy, then free";
  EXPECT_THAT(output.out,
              HasSubstr("amdgpu 0000:3d:00.0: amdgpu: renderD137 partition 1 not valid!"));
}

TEST_F(Partitions, AMemoryModeNeedsAReload) {
  const Output output = in_bash(
      "cd /sys/bus/pci/devices/0000:1b:00.0; echo NPS4 | sudo tee current_memory_partition >/dev/null;"
      "cat current_memory_partition; sudo modprobe -r amdgpu; sudo modprobe amdgpu;"
      "cat current_memory_partition current_compute_partition");
  EXPECT_EQ(output.out, "NPS1\nNPS4\nCPX\n") << output.err;
}

}  // namespace
}  // namespace rocdrill::test
