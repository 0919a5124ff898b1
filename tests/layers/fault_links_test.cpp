// The evidence of faults between GPUs at each layer, and what heals them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/evidence.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> train_8{"torchrun", "--nproc_per_node=8", "/srv/job/train.py"};
const std::vector<std::string> train_2{"torchrun", "--nproc_per_node=2", "/srv/job/train.py"};

TEST(LinkEvidence, XgmiLinkDown) {
  const auto node = with("xgmi-link-down", "mi300x-8");
  EXPECT_THAT(sh(*node, {"rocm-smi", "--showtopo"}).out, Not(HasSubstr("30 ")))
      << "the driver looked when it was up";
  EXPECT_THAT(sh(*node, {"rocm-smi", "--showxgmierr"}).out, HasSubstr("(errors were detected)"));
  EXPECT_THAT(sh(*node, {"amd-smi", "xgmi"}).out, HasSubstr(" D "));
  const auto trained = sh(*node, train_8);
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_THAT(trained.err, HasSubstr("[Rank 7] Watchdog caught collective operation timeout"));
  EXPECT_TRUE(sh(*node, {"all_reduce_perf", "-b", "1K", "-e", "1K", "-g", "8"}).waits_for_ever);
  EXPECT_EQ(
      sh(*node, {"env", "NCCL_P2P_DISABLE=1", "all_reduce_perf", "-b", "1K", "-e", "1K", "-g", "8"})
          .exit_code,
      0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_TRUE(sh(*node, {"all_reduce_perf", "-b", "1K", "-e", "1K", "-g", "8"}).waits_for_ever);
  EXPECT_EQ(sh(*node, {"ipmitool", "chassis", "power", "cycle"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(LinkEvidence, AcsRedirectsP2p) {
  const auto node = with("acs-redirects-p2p", "mi210-2");
  const auto healthy = booted("mi210-2");
  const std::vector<std::string> perf{"all_reduce_perf", "-b", "256M", "-e", "256M", "-g", "2"};
  const auto bus = [&](sim::Node& on) {
    const std::string out = sh(on, perf).out;
    const std::size_t at = out.find("# Avg bus bandwidth    : ");
    return at == std::string::npos ? 0.0 : std::stod(out.substr(at + 25));
  };
  EXPECT_NEAR(bus(*healthy), 25.6, 1);
  EXPECT_NEAR(bus(*node) / bus(*healthy), 0.3, 0.05);
  EXPECT_THAT(sh(*node, {"lspci", "-vvv"}).out,
              HasSubstr("ACSCtl:\tSrcValid+ TransBlk- ReqRedir+"));
  EXPECT_THAT(sh(*healthy, {"lspci", "-vvv"}).out, Not(HasSubstr("SrcValid+ TransBlk- ReqRedir+")));
  EXPECT_EQ(sh(*node, train_2).exit_code, 0) << "right, and slow";
  EXPECT_NE(sh(*node, {"setpci", "-s", "40:01.1", "ECAP_ACS+0x6.w=0000"}).exit_code, 0) << "root";
  for (const char* port : {"40:01.1", "c0:01.1"})
    EXPECT_EQ(sh(*node, {"setpci", "-s", port, "ECAP_ACS+0x6.w=0000"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"setpci", "-s", "40:01.1", "ECAP_ACS+0x6.w"}, true).out, "0000\n");
  expect_healed(*node);
  node->boot();
  EXPECT_THAT(sh(*node, {"lspci", "-vvv"}).out, HasSubstr("SrcValid+ TransBlk- ReqRedir+"));
}

TEST(LinkEvidence, IommuNotPassthrough) {
  const auto node = with("iommu-not-passthrough", "mi210-2");
  EXPECT_THAT(sh(*node, {"cat", "/proc/cmdline"}).out, Not(HasSubstr("iommu=pt")));
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out, HasSubstr("iommu: Default domain type: Translated"));
  const auto trained = sh(*node, train_2);
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_THAT(trained.err, HasSubstr("Watchdog caught collective operation timeout"));
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out, HasSubstr("AMD-Vi: Event logged [IO_PAGE_FAULT"));
  const auto shared = sh(*node, {"env", "NCCL_DEBUG=WARN", "NCCL_P2P_DISABLE=1", "all_reduce_perf",
                                 "-b", "1K", "-e", "1K", "-g", "2"});
  EXPECT_THAT(shared.out,
              HasSubstr("NCCL WARN Missing \"iommu=pt\" from kernel command line which can lead to "
                        "system instablity or hang!"));
  EXPECT_EQ(shared.exit_code, 0) << "through shared memory it works";
  EXPECT_THAT(shared.out, HasSubstr("# Out of bounds values : 0 OK"));
  EXPECT_EQ(sh(*node, {"cp", "/etc/default/grub.ucf-old", "/etc/default/grub"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"update-grub"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(LinkEvidence, TheWarningAboutTheIommuIsADecoyOnXgmi) {
  auto spec_without = spec("mi300x-8");
  spec_without.cmdline = "quiet splash";
  auto node = scenarios::make_node(spec_without, {});
  node->boot();
  const auto perf =
      sh(*node, {"env", "NCCL_DEBUG=WARN", "all_reduce_perf", "-b", "1K", "-e", "1K", "-g", "8"});
  EXPECT_EQ(perf.exit_code, 0);
  EXPECT_THAT(perf.out, HasSubstr("Missing \"iommu=pt\""));
}

TEST(LinkEvidence, ShmTooSmall) {
  const auto node = with("shm-too-small", "mi250x-4");
  EXPECT_THAT(sh(*node, {"df", "-h", "/dev/shm"}).out, HasSubstr("64M"));
  const auto trained =
      sh(*node, {"env", "NCCL_DEBUG=WARN", "torchrun", "--nproc_per_node=8", "/srv/job/train.py"});
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_THAT(trained.out, testing::ContainsRegex(
                               "misc/shmutils.cc:88 NCCL WARN Error: failed to extend "
                               "/dev/shm/nccl-[A-Za-z0-9]* to 9637892 bytes, error: No space left "
                               "on device \\(28\\)"));
  EXPECT_THAT(trained.err, HasSubstr("unhandled system error"));
  EXPECT_EQ(sh(*node, train_2).exit_code, 0) << "two ranks fit";
  EXPECT_EQ(sh(*node, {"mount", "-o", "remount,size=50%", "/dev/shm"}, true).exit_code, 0);
  expect_healed(*node);
  node->boot();
  EXPECT_THAT(sh(*node, {"df", "-h", "/dev/shm"}).out, HasSubstr("64M")) << "fstab says so";
}

TEST(LinkEvidence, NcclSocketIfnameWrong) {
  const auto node = with("nccl-socket-ifname-wrong", "mi300x-8");
  const auto trained = sh(*node, train_8);
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_THAT(trained.err, HasSubstr("internal error - please report this issue to the NCCL"));
  EXPECT_THAT(trained.err,
              HasSubstr("Last error:\n[rank0]: Bootstrap : no socket interface found"));
  EXPECT_THAT(sh(*node, {"ip", "-br", "addr"}).out, HasSubstr("eno1"));
  EXPECT_EQ(sh(*node, {"env", "NCCL_SOCKET_IFNAME=en", "torchrun", "--nproc_per_node=8",
                       "/srv/job/train.py"})
                .exit_code,
            0)
      << "a prefix is enough";
  EXPECT_EQ(sh(*node, {"env", "NCCL_SOCKET_IFNAME=^lo", "torchrun", "--nproc_per_node=8",
                       "/srv/job/train.py"})
                .exit_code,
            0);
}

TEST(LinkEvidence, RankMissing) {
  const auto node = with("rank-missing", "mi300x-8");
  EXPECT_EQ(sh(*node, {"all_reduce_perf", "-b", "1K", "-e", "1K", "-g", "8"}).exit_code, 0)
      << "RCCL itself is well";
  const std::uint64_t before = node->os.clock.now();
  const auto trained = sh(*node, train_8);
  EXPECT_EQ(trained.exit_code, 1);
  EXPECT_GE(node->os.clock.now() - before, 600 * sim::sec) << "the watchdog's patience";
  EXPECT_THAT(trained.err, HasSubstr("[Rank 2] Watchdog"));
  EXPECT_THAT(trained.err, HasSubstr("[Rank 4] Watchdog"));
  EXPECT_THAT(trained.err, Not(HasSubstr("[Rank 3]"))) << "the silent one is the suspect";
  EXPECT_EQ(sh(*node, {"cp", "/srv/job/data/shard-3.txt.orig", "/srv/job/data/shard-3.txt"}, true)
                .exit_code,
            0);
  EXPECT_EQ(sh(*node, train_8).exit_code, 0);
  expect_healed(*node);
}

}  // namespace
}  // namespace rocdrill::test
