// The evidence of faults that a login sets or a full disk leaves, and what heals them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/evidence.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string product = "import torch; a = torch.randn(2, 2, device='cuda'); print(a @ a)";

/// The variable goes with its file at the next login.
void expect_healed_by_removing(sim::Node& node, const std::string& file) {
  EXPECT_EQ(sh(node, {"rm", file}, true).exit_code, 0);
  EXPECT_NE(checks::first_failure(check(node)), nullptr) << "this session still has it";
  node.log_in(no_event);
  expect_healed(node);
}

TEST(Evidence, FirmwareTruncated) {
  const auto node = with("firmware-truncated", "mi210");
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, Not(HasSubstr("Direct firmware load"))) << "the file was found";
  EXPECT_THAT(dmesg, HasSubstr("early_init of IP block <gfx_v9_0> failed -22"));
  EXPECT_THAT(dmesg, HasSubstr("amdgpu: Fatal error during GPU init"));
  EXPECT_THAT(sh(*node, {"ls", "-l", "/lib/firmware/amdgpu/aldebaran_rlc.bin"}).out,
              HasSubstr(" 0 Jan  1"));
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 0u);
}

TEST(Evidence, RocblasLibpathLeftSet) {
  const auto node = with("rocblas-libpath-left-set", "mi300x-8");
  EXPECT_THAT(sh(*node, {"python3", "-c", product}).err,
              HasSubstr("rocBLAS error: Cannot read /opt/rocm-6.0.2/lib/rocblas/library/"
                        "TensileLibrary.dat: No such file or directory for GPU arch : gfx942\n"));
  EXPECT_EQ(sh(*node, {"/srv/job/saxpy"}).exit_code, 0) << "what needs no rocBLAS works";
  expect_healed_by_removing(*node, "/etc/profile.d/rocblas.sh");
}

TEST(Evidence, PythonpathShadow) {
  const auto node = with("pythonpath-shadow", "mi300x-8");
  EXPECT_EQ(sh(*node, {"python3", "-c",
                       "import torch; print(torch.__version__, torch.version.hip, torch.__file__)"})
                .out,
            "2.1.2+cpu None /srv/eval/vendor/torch/__init__.py\n");
  EXPECT_THAT(sh(*node, {"python3", "-c", product}).err,
              HasSubstr("AssertionError: Torch not compiled with CUDA enabled"));
  EXPECT_THAT(sh(*node, {"pip", "show", "torch"}).out, HasSubstr("Version: 2.6.0+rocm6.3\n"));
  expect_healed_by_removing(*node, "/etc/profile.d/python.sh");
  EXPECT_THAT(sh(*node, {"python3", "-c", "import torch; print(torch.__file__)"}).out,
              HasSubstr("/site-packages/torch/__init__.py"));
}

TEST(Evidence, AllocatorOptionUnknown) {
  const auto node = with("allocator-option-unknown", "mi210");
  EXPECT_EQ(sh(*node, {"python3", "-c", "import torch; print(torch.cuda.is_available())"}).out,
            "True\n")
      << "no memory is wanted";
  EXPECT_THAT(
      sh(*node, {"python3", "-c", product}).err,
      HasSubstr("RuntimeError: Unrecognized CachingAllocator option: expandable_segment\n"));
  expect_healed_by_removing(*node, "/etc/profile.d/pytorch.sh");
}

TEST(Evidence, AnOptionThatIsKnownDoesNoHarm) {
  const auto node = booted("mi210");
  EXPECT_EQ(sh(*node, {"PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True",
                       "python3", "-c", product})
                .exit_code,
            0);
}

/// HIP's filter: ROCr lists all the same.
TEST(Evidence, DeviceIndexFromOne) {
  const auto node = with("device-index-from-one", "mi300x-8");
  EXPECT_THAT(sh(*node, {"env"}).out, HasSubstr("HIP_VISIBLE_DEVICES=8\n"));
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, HasSubstr("gfx942"));
  EXPECT_THAT(sh(*node, {"python3", "-c", product}).err,
              HasSubstr("RuntimeError: No HIP GPUs are available"));
  EXPECT_EQ(sh(*node, {"HIP_VISIBLE_DEVICES=7", "python3", "-c", product}).exit_code, 0);
  expect_healed_by_removing(*node, "/etc/profile.d/last-gpu.sh");
}

TEST(Evidence, ReplacedGpuUuid) {
  const auto node = with("replaced-gpu-uuid", "mi300x-8");
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, Not(HasSubstr("GPU-3d8a6f20c1b94e57")));
  const auto results = check(*node);
  EXPECT_EQ(checks::first_failure(results)->id, "hip.devices");
  expect_healed_by_removing(*node, "/etc/profile.d/reserved-gpu.sh");
}

/// It works, and RCCL says how.
TEST(Evidence, NcclP2pDisabled) {
  const auto transports = [](sim::Node& node) {
    return sh(node, {"NCCL_DEBUG=INFO", "all_reduce_perf", "-b", "1K", "-e", "1K", "-g", "2"}).out;
  };
  const auto node = with("nccl-p2p-disabled", "mi300x-8");
  EXPECT_THAT(transports(*node), HasSubstr("via SHM"));
  EXPECT_THAT(transports(*node), Not(HasSubstr("via P2P")));
  const auto results = check(*node);
  EXPECT_EQ(checks::first_failure(results)->id, "libraries.collectives");
  expect_healed_by_removing(*node, "/etc/profile.d/rccl-debug.sh");
  EXPECT_THAT(transports(*node), HasSubstr("via P2P"));
}

}  // namespace
}  // namespace rocdrill::test
