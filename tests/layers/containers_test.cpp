// Containers: what docker and podman say and make of their options, and what a process in one sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CommandResult docker(sim::Node& node, std::vector<std::string> words) {
  words.insert(words.begin(), "docker");
  return sh(node, words, true);
}

std::vector<std::string> with_gpus(std::vector<std::string> rest) {
  std::vector<std::string> words{"run", "--rm", "--device=/dev/kfd", "--device", "/dev/dri"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

TEST(Docker, PullsWhatItDoesNotHave) {
  const auto node = booted("mi300x-8");
  const auto ran = docker(*node, {"run", "--rm", "ubuntu:24.04", "cat", "/etc/os-release"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, StartsWith("Unable to find image 'ubuntu:24.04' locally\n"));
  EXPECT_THAT(ran.out, HasSubstr("PRETTY_NAME=\"Ubuntu 24.04\""));
  EXPECT_EQ(docker(*node, {"run", "--rm", "ubuntu:24.04", "true"}).err, "");
  EXPECT_THAT(docker(*node, {"images"}).out, HasSubstr("ubuntu       24.04   "));
  EXPECT_EQ(docker(*node, {"ps", "-a", "-q"}).out, "") << "--rm";
}

TEST(Docker, ADeviceThatTheNodeLacks) {
  const auto node = broken("mi300x-8", {"stale-dkms", {}});
  const auto ran = docker(*node, with_gpus({"ubuntu:24.04", "ls", "/dev"}));
  EXPECT_EQ(ran.exit_code, 127);
  EXPECT_THAT(
      ran.err,
      EndsWith("docker: Error response from daemon: error gathering device information while "
               "adding custom device \"/dev/kfd\": no such file or directory.\n"
               "See 'docker run --help'.\n"));
  ASSERT_NE(ran.event, no_event);
  const auto chain = node->os.timeline.cause_chain(ran.event);
  EXPECT_EQ(node->os.timeline.at(chain.back()).kind, "fault.injected");
}

TEST(Docker, GroupsAreThoseOfTheImage) {
  const auto node = booted("mi300x-8");
  const auto unknown = docker(*node, with_gpus({"--group-add", "render", "ubuntu:24.04", "id"}));
  EXPECT_EQ(unknown.exit_code, 125);
  EXPECT_THAT(unknown.err,
              HasSubstr("Unable to find group render: no matching entries in group file"));
  const std::string image = "rocm/dev-ubuntu-24.04:6.3.3";
  EXPECT_EQ(docker(*node, with_gpus({"-u", "1000", "--group-add", "render", image, "id"})).out,
            "uid=1000(ubuntu) gid=1000(ubuntu) groups=1000(ubuntu),109(render)\n");
  EXPECT_THAT(docker(*node, with_gpus({"-u", "1000", image, "ls", "-l", "/dev/kfd"})).out,
              HasSubstr("crw-rw---- 1 root 105 "));
  // The terminal's user is in video of its image, whose number is the node's.
  EXPECT_THAT(docker(*node, with_gpus({"rocm/rocm-terminal", "id"})).out,
              HasSubstr("(rocm-user) groups=1001(rocm-user),27(sudo),44(video)"));
}

TEST(Docker, RootPassesOverModesAndNotOverTheCgroup) {
  const auto node = booted("mi300x-8");
  const std::string image = "rocm/dev-ubuntu-24.04:6.3.3";
  EXPECT_EQ(docker(*node, with_gpus({image, "rocminfo"})).exit_code, 0);
  const auto mounted = docker(
      *node, {"run", "--rm", "-v", "/dev/kfd:/dev/kfd", "--device", "/dev/dri", image, "rocminfo"});
  EXPECT_THAT(mounted.out,
              HasSubstr("Unable to open /dev/kfd read-write: Operation not permitted"));
  const auto half = docker(*node, {"run", "--rm", "--device", "/dev/kfd:/dev/kfd:r", "--device",
                                   "/dev/dri", image, "rocminfo"});
  EXPECT_THAT(half.out, HasSubstr("Operation not permitted"));
  EXPECT_EQ(docker(*node, {"run", "--rm", "--privileged", image, "rocminfo"}).exit_code, 0);
}

TEST(Docker, OneRenderNodeIsOneGpu) {
  const auto node = booted("mi300x-8");
  const auto one =
      docker(*node, {"run", "--rm", "--device", "/dev/kfd", "--device", "/dev/dri/renderD136",
                     "rocm/pytorch", "python3", "-c",
                     "import torch; print(torch.version.hip, torch.cuda.device_count())"});
  EXPECT_EQ(one.out, "6.3.42134-a9a80e791 1\n");
  // KFD hides what the cgroup denies, so a release that wants every render node is content, too.
  EXPECT_THAT(docker(*node, {"run", "--rm", "--device", "/dev/kfd", "--device",
                             "/dev/dri/renderD136", "rocm/dev-ubuntu-22.04:6.1", "rocminfo"})
                  .out,
              HasSubstr("gfx942"));
}

TEST(Docker, AContainerHasItsOwnUserSpaceAboveTheNodesDriver) {
  const auto node = booted("mi300x-8");
  const std::string image = "rocm/dev-ubuntu-22.04:5.2.3";
  EXPECT_EQ(docker(*node, with_gpus({image, "cat", "/opt/rocm/.info/version"})).out, "5.2.3\n");
  EXPECT_EQ(docker(*node, with_gpus({image, "cat", "/sys/module/amdgpu/version"})).out,
            sh(*node, {"cat", "/sys/module/amdgpu/version"}).out);
  const auto rocminfo = docker(*node, with_gpus({image, "rocminfo"}));
  EXPECT_EQ(rocminfo.exit_code, 0);
  EXPECT_THAT(rocminfo.out, Not(HasSubstr("gfx942"))) << "older than the GPU";
  EXPECT_EQ(docker(*node, {"run", "--rm", "ubuntu:24.04", "rocminfo"}).exit_code, 127);
  EXPECT_THAT(docker(*node, {"run", "--rm", "ubuntu:24.04", "rocminfo"}).err,
              HasSubstr("exec: \"rocminfo\": executable file not found in $PATH: unknown."));
}

TEST(Docker, LifeOfAContainer) {
  const auto node = booted("mi300x-8");
  const auto made =
      docker(*node, {"run", "-d", "--name", "box", "ubuntu:24.04", "sleep", "infinity"});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_EQ(made.out.size(), 65u);
  EXPECT_THAT(docker(*node, {"ps"}).out, HasSubstr("\"sleep infinity\"   Up       box\n"));
  EXPECT_EQ(docker(*node, {"exec", "box", "uname", "-n"}).out, made.out.substr(0, 12) + "\n");
  EXPECT_EQ(docker(*node, {"exec", "box", "sh", "-c", "echo one; false && echo two"}).out, "one\n");
  EXPECT_THAT(docker(*node, {"run", "--name", "box", "ubuntu:24.04", "true"}).err,
              HasSubstr("Conflict. The container name \"/box\" is already in use by container"));
  EXPECT_THAT(docker(*node, {"rm", "box"}).err, HasSubstr("stop the container before removing"));
  node->boot();
  EXPECT_THAT(docker(*node, {"exec", "box", "true"}).err, HasSubstr("is not running"));
  EXPECT_EQ(docker(*node, {"start", "box"}).out, "box\n");
  EXPECT_EQ(docker(*node, {"rm", "-f", "box"}).exit_code, 0);
  EXPECT_EQ(docker(*node, {"exec", "box", "true"}).err,
            "Error response from daemon: No such container: box\n");
  EXPECT_EQ(docker(*node, {"run", "--name", "said", "ubuntu:24.04", "echo", "hello"}).out,
            "hello\n");
  EXPECT_EQ(docker(*node, {"logs", "said"}).out, "hello\n");
}

TEST(Docker, WhatItRefuses) {
  const auto node = booted("mi300x-8");
  EXPECT_THAT(sh(*node, {"docker", "ps"}).err,
              HasSubstr("permission denied while trying to connect"));
  EXPECT_THAT(docker(*node, {"rum"}).err, HasSubstr("docker: 'rum' is not a docker command."));
  EXPECT_EQ(docker(*node, {"run", "--devise", "/dev/kfd", "ubuntu:24.04"}).err,
            "unknown flag: --devise\nSee 'docker run --help'.\n");
  EXPECT_THAT(docker(*node, {"run", "--gpus", "all", "ubuntu:24.04", "ls"}).err,
              HasSubstr("could not select device driver \"\" with capabilities: [[gpu]]"));
  EXPECT_THAT(docker(*node, {"run", "--tmpfs", "/tmp", "ubuntu:24.04", "ls"}).err,
              HasSubstr("not modelled by rocdrill"));
}

TEST(Podman, RootlessIdsAndDevices) {
  const auto node = booted("rx7900xtx-igpu");
  const std::string image = "rocm/dev-ubuntu-24.04:6.3.3";
  const auto podman = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"podman", "run", "--rm", "--device", "/dev/kfd"});
    return sh(*node, words);
  };
  EXPECT_EQ(podman({image, "id"}).out, "uid=0(root) gid=0(root) groups=0(root)\n");
  EXPECT_THAT(podman({"--group-add", "keep-groups", image, "id"}).out, HasSubstr("65534(nogroup)"));
  EXPECT_THAT(podman({image, "ls", "-l", "/dev/kfd"}).out,
              HasSubstr("crw-rw---- 1 nobody nogroup"));
  EXPECT_THAT(podman({image, "rocminfo"}).out,
              HasSubstr("Unable to open /dev/kfd read-write: Permission denied"));
  const std::vector<std::string> one{"--group-add", "keep-groups", "--device",
                                     "/dev/dri/renderD128"};
  const auto with = [&](const std::string& release) {
    auto words = one;
    words.insert(words.end(), {release, "rocminfo"});
    return podman(words);
  };
  EXPECT_EQ(with(image).exit_code, 0) << "what is not there is left out";
  EXPECT_THAT(with("rocm/dev-ubuntu-22.04:6.1").out,
              HasSubstr("Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES"));
}

TEST(Containers, AreSavedWithTheNode) {
  const auto node = booted("mi300x-8");
  docker(*node, {"run", "-d", "--name", "box", "ubuntu:24.04", "sleep", "infinity"});
  auto other = test::node("mi300x-8");
  other->restore(node->save());
  EXPECT_EQ(docker(*other, {"ps"}).out, docker(*node, {"ps"}).out);
}

}  // namespace
}  // namespace rocdrill::test
