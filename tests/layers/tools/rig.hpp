// A booted node with its commands, for the tests of sim/tools.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/node.hpp"
#include "sim/tools/tools.hpp"

namespace rocdrill::sim::tools::test {

inline std::string read_binary(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The text of tests/layers/tools/<name>.
inline std::string fixture(const std::string& name) {
  return read_binary(std::string(ROCDRILL_SOURCE_DIR) + "/tests/layers/tools/" + name);
}

inline void load_code_objects(NodeSpec& spec, const std::string& source,
                              const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    std::string file = target;
    for (char& c : file) c = c == ':' ? '@' : c;
    spec.code_objects[source][target] =
        read_binary(std::string(ROCDRILL_BINARY_DIR) + "/share/rocdrill/code_objects/" + source +
                    "/" + file + ".co");
  }
}

/// Eight MI300X, AMD's dkms driver, ROCm 6.3.3: ada may sudo, bob may not.
inline NodeSpec mi300x_spec() {
  NodeSpec spec;
  spec.id = "mi300x-8";
  spec.title = "8x Instinct MI300X";
  spec.hostname = "gpu-node-07";
  spec.distro = Distro::ubuntu;
  spec.distro_release = "24.04";
  spec.cpu_model = "AMD EPYC 9654 96-Core Processor";
  spec.cpu_sockets = 2;
  spec.cpu_cores_per_socket = 192;
  spec.memory_bytes = 2304ull << 30;
  const std::uint8_t buses[] = {0x1b, 0x3d, 0x4e, 0x5f, 0x9d, 0xbd, 0xcd, 0xdd};
  for (std::uint32_t i = 0; i < 8; ++i) {
    spec.gpus.push_back({.product = "MI300X",
                         .bdf = {.bus = buses[i]},
                         .numa_node = i / 4,
                         .unique_id = 0x9f444a2fb30adeb0 + i});
  }
  spec.kernels = {{.release = "6.8.0-55-generic"},
                  {.release = "6.8.0-60-generic", .installed = false}};
  spec.users = {{.name = "ada", .uid = 1000, .groups = {"sudo", "video", "render"}},
                {.name = "bob", .uid = 1001, .groups = {}}};
  spec.user = "ada";
  spec.driver.dkms_version = "6.10.5-2125197.24.04";
  spec.firmware = {"amdgpu-dkms-firmware", "6.10.5-2125197.24.04", "/lib/firmware/updates/amdgpu"};
  spec.rocm = {"6.3.3", "/opt/rocm-6.3.3"};
  spec.torch = {"2.6.0+rocm6.3",
                "6.3.42134-a9a80e791",
                "/opt/venv/lib/python3.12/site-packages/torch",
                {"gfx90a", "gfx942"}};
  spec.apps = {{"/srv/job/saxpy", "saxpy", {"gfx90a", "gfx942"}}};
  load_code_objects(spec, "saxpy", {"gfx90a", "gfx942"});
  load_code_objects(spec, "matmul", {"gfx90a", "gfx942"});
  return spec;
}

/// One MI210 with Debian's own kernel driver and ROCm 5.2.3.
inline NodeSpec mi210_spec() {
  NodeSpec spec;
  spec.id = "mi210";
  spec.title = "1x Instinct MI210";
  spec.hostname = "lab-mi210";
  spec.distro = Distro::debian;
  spec.distro_release = "12";
  spec.cpu_model = "AMD EPYC 7543 32-Core Processor";
  spec.cpu_cores_per_socket = 64;
  spec.memory_bytes = 256ull << 30;
  spec.gpus = {{.product = "MI210", .bdf = {.bus = 0xc3}}};
  spec.kernels = {{.release = "6.1.0-37-amd64", .in_tree_amdgpu = true}};
  spec.users = {{.name = "ada", .uid = 1000, .groups = {"sudo", "video", "render"}}};
  spec.user = "ada";
  spec.firmware = {"firmware-amd-graphics", "20230210-5", "/lib/firmware/amdgpu"};
  spec.rocm = {"5.2.3", "/usr"};
  return spec;
}

/// Words of a line: blanks separate, single quotes protect.
inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      if (any) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) words.push_back(word);
  return words;
}

class Rig {
 public:
  explicit Rig(NodeSpec spec = mi300x_spec(), bool boot = true) : node(std::move(spec)) {
    node.set_command_runner(run_command);
    if (boot) node.boot();
  }

  Node node;

  /// As the node's user, in the session as it is now.
  CommandResult run(const std::string& line) {
    return node.host().run(split(line), node.host().session());
  }
  CommandResult as_root(const std::string& line) { return as({"root", 0, 0, {}}, line); }
  CommandResult as(Identity identity, const std::string& line) {
    ProcessSpec spec = node.host().session();
    spec.identity = std::move(identity);
    return node.host().run(split(line), spec);
  }
  std::size_t unmodelled() const {
    return node.os.timeline.find({.at_least = Severity::unmodelled}).size();
  }
};

}  // namespace rocdrill::sim::tools::test
