// A small good drill and node, and what a loader is told exists, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/engine/drill.hpp"
#include "scenarios/engine/knowledge.hpp"
#include "scenarios/engine/load.hpp"
#include "scenarios/engine/node_file.hpp"
#include "scenarios/engine/validate.hpp"

namespace rocdrill::scenarios::test {

/// The faults of the drills, as their files declare them (sim/faults is not linked here).
inline const std::vector<sim::FaultInfo>& faults() {
  static const std::vector<sim::FaultInfo> all{
      {"stale-dkms",
       Layer::kernel,
       "",
       "",
       {{"reason",
         "headers-missing",
         "why there is no module",
         {"headers-missing", "autoinstall-off"}}},
       {}},
      {"module-blacklisted",
       Layer::kernel,
       "",
       "",
       {{"file", "/etc/modprobe.d/blacklist-gpu.conf", "", {}}},
       {}},
      {"firmware-missing", Layer::firmware, "", "", {{"blob", "", "", {}}}, {}},
      {"render-group-missing", Layer::access, "", "", {{"user", "", "", {}}}, {}},
      {"double-filter",
       Layer::hip,
       "",
       "",
       {{"gpu", std::int64_t{1}, "index of the GPU in both variables", {}}},
       {}},
      {"code-object-missing-target",
       Layer::code_objects,
       "",
       "",
       {{"target", "", "", {}}, {"where", "torch", "", {"torch", "app"}}},
       {}},
      {"xnack-mismatch",
       Layer::code_objects,
       "",
       "",
       {{"mode", "xnack+", "", {"xnack+", "xnack-"}}},
       {}},
  };
  return all;
}

inline Knowledge knowledge() {
  Knowledge known;
  known.fault = [](std::string_view id) -> const sim::FaultInfo* {
    const auto at = std::ranges::find(faults(), id, &sim::FaultInfo::id);
    return at == faults().end() ? nullptr : &*at;
  };
  for (const sim::FaultInfo& fault : faults()) known.fault_ids.push_back(fault.id);
  known.products = {"MI100", "MI210", "MI250X", "MI300X", "RX 6900 XT", "RX 7900 XTX", "Raphael"};
  known.known_product = [products = known.products](std::string_view product) {
    return std::ranges::find(products, product) != products.end();
  };
  return known;
}

inline const std::string good_drill = R"(schema: 1
id: sample
title: A sample
difficulty: 2
minutes: 10
objectives: [one]
node: mi210
requires: [files]
vars:
  gpu: {integer: [1, 7]}
  name: {choose: [ada, bob]}
  line: {text: "${name} on GPU ${gpu}"}
faults:
  - kind: double-filter
    params: {gpu: "${gpu}"}
    at: time 5s
workload: torch
brief: |
  Dear ${name},
  it is broken.
tasks:
  detect:
    ask: What?
    points: 10
    check: {answer: {choices: [yes, no], correct: yes}}
  localise:
    ask: Where?
    points: 20
    check: {answer: {layer: hip, choices: [a, b], correct: b}}
    hints:
      - {text: look, cost: 1}
      - {text: look again, cost: 5, when: {check_passes: all}}
  root_cause:
    ask: Why?
    points: 30
    check: {answer: {choices: [c, "${line}"], correct: "${line}"}}
  mitigate:
    ask: Mend it.
    points: 40
    check:
      state:
        - {check_passes: all}
        - {file_absent: /etc/x}
        - {command: [rocminfo], exit: 0, contains: gfx}
penalties:
  - {command: chmod 777, points: 5, why: no}
solve:
  - unset HIP_VISIBLE_DEVICES
wrong:
  - {name: w, commands: [modprobe amdgpu], why: no}
debrief:
  chain: because
  discriminator: {command: env, shows: both}
  look_alikes: [none]
  sources: [https://example.org/1]
)";

inline const std::string good_node = R"(schema: 1
id: small
title: A small node
hostname: small
distro: {name: ubuntu, release: "24.04"}
cpu: {model: EPYC, sockets: 1, logical_cpus_per_socket: 8}
memory_gib: 64
cmdline: quiet
gpus:
  - {product: MI210, bdf: "0000:c3:00.0", numa_node: 0, unique_id: 0x12ab}
kernels:
  - {release: 6.8.0-55-generic}
  - {release: 6.8.0-60-generic, installed: false, headers: false}
users:
  - {name: ada, uid: 1000, groups: [video, render]}
user: ada
driver: {dkms_version: 6.10.5-1}
firmware: {package: fw, version: 1, directory: /lib/firmware/amdgpu}
rocm: {version: 6.3.3, prefix: /opt/rocm-6.3.3}
torch: {version: 2.6.0, hip_version: "6.3", directory: /opt/torch, targets: [gfx90a]}
apps:
  - {path: /srv/app, source: saxpy, targets: ["gfx90a:xnack+"]}
environment: {HSA_XNACK: "1"}
)";

/// `text` with the first `from` replaced; the test is broken if there is none.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// What is wrong with a drill file, as a person reads it; "" if nothing is.
inline std::string problems_of_drill(const std::string& yaml) {
  Diagnostics problems;
  Drill drill = read_drill("d.yaml", yaml, "sample", problems);
  sim::NodeSpec node = *parse_node("small.yaml", good_node, "small", knowledge());
  const Diagnostics more = validate(drill, node, knowledge());
  problems.insert(problems.end(), more.begin(), more.end());
  return text(problems);
}

inline std::string problems_of_node(const std::string& yaml) {
  const auto node = parse_node("small.yaml", yaml, "small", knowledge());
  return node ? std::string() : text(node.error());
}

/// A folder that is removed at the end of the test.
class Folder {
 public:
  Folder() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() /
            ("rocdrill-test-" + std::to_string(random()) + std::to_string(random()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rocdrill::scenarios::test
