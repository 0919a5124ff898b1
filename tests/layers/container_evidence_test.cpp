// The evidence of faults in containers and clusters, and what heals them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cluster/cluster.hpp"
#include "support/evidence.hpp"

namespace rocdrill::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

CommandResult in_train(sim::Node& node, std::vector<std::string> words) {
  words.insert(words.begin(), {"docker", "exec", "train"});
  return sh(node, words, true);
}

void run_anew(sim::Node& node, const std::vector<std::string>& options, const std::string& image) {
  EXPECT_EQ(sh(node, {"docker", "rm", "-f", "train"}, true).exit_code, 0);
  std::vector<std::string> words{"docker",           "run", "-d", "--name", "train", "-v",
                                 "/srv/job:/srv/job"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {image, "sleep", "infinity"});
  EXPECT_EQ(sh(node, words, true).exit_code, 0);
}

const std::vector<std::string> good{"--device", "/dev/kfd",    "--device", "/dev/dri",    "--user",
                                    "1000",     "--group-add", "105",      "--group-add", "44"};

TEST(Evidence, KfdNotPassedIn) {
  const auto node = with("kfd-not-passed-in", "mi300x-8");
  EXPECT_THAT(in_train(*node, {"rocminfo"}).out,
              HasSubstr("Unable to open /dev/kfd read-write: No such file or directory"));
  EXPECT_EQ(sh(*node, {"rocminfo"}).exit_code, 0) << "on the node";
  EXPECT_THAT(in_train(*node, {"rocm-smi"}).out, HasSubstr("0x74a1")) << "it reads /sys";
  EXPECT_EQ(sh(*node, {"docker", "inspect", "-f", "{{.HostConfig.Devices}}", "train"}, true).out,
            "[map[CgroupPermissions:rwm PathInContainer:/dev/dri PathOnHost:/dev/dri]]\n");
  run_anew(*node, good, "rocm/pytorch:latest");
  expect_healed(*node);
}

TEST(Evidence, ContainerWrongGid) {
  const auto node = with("container-wrong-gid", "mi300x-8");
  EXPECT_THAT(in_train(*node, {"id"}).out, HasSubstr("109(render)"));
  EXPECT_THAT(in_train(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-rw---- 1 root 105 "));
  EXPECT_THAT(in_train(*node, {"rocminfo"}).out, HasSubstr("read-write: Permission denied"));
  EXPECT_EQ(sh(*node, {"docker", "exec", "-u", "0", "train", "rocminfo"}, true).exit_code, 0);
  run_anew(*node, good, "rocm/pytorch:latest");
  expect_healed(*node);
}

TEST(Evidence, DeviceBindMounted) {
  const auto node = with("device-bind-mounted", "mi300x-8");
  EXPECT_THAT(in_train(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-rw----"));
  EXPECT_THAT(in_train(*node, {"rocminfo"}).out, HasSubstr("read-write: Operation not permitted"));
  EXPECT_THAT(sh(*node, {"docker", "exec", "-u", "0", "train", "rocminfo"}, true).out,
              HasSubstr("read-write: Operation not permitted"));
  run_anew(*node, good, "rocm/dev-ubuntu-24.04:6.3.3");
  expect_healed(*node);
}

TEST(Evidence, RootlessGroupsLost) {
  const auto node = with("rootless-groups-lost", "mi300x-8");
  EXPECT_EQ(sh(*node, {"podman", "exec", "train", "id", "-u"}).out, "0\n");
  EXPECT_THAT(sh(*node, {"podman", "exec", "train", "ls", "-l", "/dev/kfd"}).out,
              HasSubstr("nobody nogroup"));
  EXPECT_THAT(sh(*node, {"podman", "exec", "train", "rocminfo"}).out,
              HasSubstr("read-write: Permission denied"));
  EXPECT_EQ(sh(*node, {"docker", "ps", "-q"}, true).out, "") << "root's daemon does not know it";
}

TEST(Evidence, RootlessPartialDevices) {
  const auto node = with("rootless-partial-devices", "rx7900xtx-igpu");
  EXPECT_EQ(sh(*node, {"podman", "exec", "train", "ls", "/dev/dri"}).out, "renderD128\n");
  const auto rocminfo = sh(*node, {"podman", "exec", "train", "rocminfo"});
  EXPECT_EQ(rocminfo.exit_code, 8);
  EXPECT_THAT(rocminfo.out, HasSubstr("HSA_STATUS_ERROR_OUT_OF_RESOURCES"));
  EXPECT_EQ(checks::first_failure(check(*node))->id, "access.render");
}

TEST(Evidence, ImageTooOld) {
  const auto node = with("image-too-old", "mi300x-8");
  const auto rocminfo = in_train(*node, {"rocminfo"});
  EXPECT_EQ(rocminfo.exit_code, 0);
  EXPECT_THAT(rocminfo.out, Not(HasSubstr("gfx942")));
  EXPECT_NE(in_train(*node, {"/srv/job/saxpy"}).exit_code, 0);
  EXPECT_EQ(sh(*node, {"/srv/job/saxpy"}).exit_code, 0) << "on the node";
  run_anew(*node, good, "rocm/dev-ubuntu-24.04:6.3.3");
  expect_healed(*node);
}

TEST(Evidence, GpuLabelMissing) {
  const auto node = with("gpu-label-missing", "mi300x-8");
  EXPECT_THAT(sh(*node, {"kubectl", "get", "pods"}).out, HasSubstr("train   0/1     Pending"));
  EXPECT_THAT(sh(*node, {"kubectl", "describe", "pod", "train"}).out,
              HasSubstr("default-scheduler  0/1 nodes are available: 1 Insufficient amd.com/gpu."));
  EXPECT_THAT(sh(*node, {"kubectl", "describe", "node"}).out, Not(HasSubstr("amd.com/gpu")));
  EXPECT_EQ(sh(*node, {"rocminfo"}).exit_code, 0);
  EXPECT_EQ(sh(*node, {"kubectl", "label", "node", node->os.hostname,
                       "feature.node.kubernetes.io/amd-gpu=true"})
                .out,
            "node/" + node->os.hostname + " labeled\n");
  EXPECT_THAT(sh(*node, {"kubectl", "describe", "node"}).out,
              HasSubstr("  amd.com/gpu:        8\n"));
  EXPECT_THAT(sh(*node, {"kubectl", "get", "nodes", "--show-labels"}).out,
              HasSubstr("amd.com/gpu.cu-count=304,amd.com/gpu.device-id=74a1"));
  expect_healed(*node);
}

/// A node in a cluster, with a fault of a lower layer.
std::unique_ptr<sim::Node> clustered(const std::string& fault) {
  auto made = node("mi300x-8");
  const sim::Fault* label = sim::FaultRegistry::instance().find("gpu-label-missing");
  label->prepare(*made, {});
  if (!fault.empty()) {
    made->prepare({fault, {}});
    made->inject({fault, {}});
  }
  made->boot();
  return made;
}

const std::string plugin = "default-device-plugin-x7k2p";

TEST(Kubernetes, ThePluginIsSilentWithoutKfd) {
  const auto node = clustered("stale-dkms");
  EXPECT_THAT(sh(*node, {"kubectl", "logs", "-n", "kube-amd-gpu", plugin}).out,
              EndsWith("manager.go:66] Handling incoming signals\n"));
  EXPECT_THAT(sh(*node, {"kubectl", "get", "events"}).out, HasSubstr("Insufficient amd.com/gpu"));
  const auto chain =
      node->os.timeline.cause_chain(sh(*node, {"kubectl", "describe", "pod", "train"}).event);
  ASSERT_FALSE(chain.empty());
  EXPECT_EQ(node->os.timeline.at(chain.back()).subject, "stale-dkms");
}

TEST(Kubernetes, ThePluginFindsNoGpuWithoutFirmware) {
  const auto node = clustered("firmware-missing");
  EXPECT_THAT(sh(*node, {"kubectl", "logs", "-n", "kube-amd-gpu", plugin}).out,
              HasSubstr("Found 0 AMDGPUs\n"));
  EXPECT_THAT(sh(*node, {"kubectl", "describe", "node"}).out, HasSubstr("amd.com/gpu:        0\n"));
}

TEST(Kubernetes, ThePluginCountsPartitions) {
  const auto node = clustered("cpx-partitioned");
  EXPECT_THAT(sh(*node, {"kubectl", "describe", "node"}).out,
              HasSubstr("amd.com/gpu:        64\n"));
  EXPECT_THAT(sh(*node, {"kubectl", "logs", "-n", "kube-amd-gpu", plugin}).out,
              HasSubstr("Watching GPU with bus ID: amdgpu_xcp_"));
  const auto pod = sh(*node, {"kubectl", "exec", "train", "--", "python3", "-c",
                              "import torch; print(torch.cuda.device_count())"});
  EXPECT_EQ(pod.out, "8\n") << "eight of sixty-four partitions";
}

TEST(Kubernetes, APodHasTheDevicesThatItWasGiven) {
  const auto node = clustered("");
  EXPECT_EQ(sh(*node, {"kubectl", "exec", "train", "--", "ls", "/dev/dri"}).exit_code, 0);
  EXPECT_THAT(sh(*node, {"kubectl", "get", "pods", "-A", "-o", "wide"}).out,
              HasSubstr("kube-amd-gpu   default-device-plugin-x7k2p"));
  expect_healed(*node);
}

TEST(Kubernetes, ANodeOutsideOfACluster) {
  const auto node = booted("mi210");
  EXPECT_THAT(sh(*node, {"kubectl", "get", "nodes"}).err,
              HasSubstr("The connection to the server localhost:8080 was refused"));
}

}  // namespace
}  // namespace rocdrill::test
