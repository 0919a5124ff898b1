#include "sim/interpose/engine/runtime_note.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

namespace rocdrill::interpose {
namespace {

/// The path of the ROCr that is mapped into this process, or "".
std::string mapped_runtime() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos && line.find("/libhsa-runtime64.so", path) != std::string::npos)
      return line.substr(path);
  }
  return {};
}

/// The first release that names the target among its GPUs (ROCm's compatibility matrix); "" where
/// that is not known here.
std::string_view first_release(std::string_view gfx) {
  return gfx == "gfx942" ? std::string_view("6.0") : std::string_view();
}

}  // namespace

std::string gfx_name(std::uint32_t version) {
  return fmt::format("gfx{}{}{:x}", version / 10000, version / 100 % 100, version % 100);
}

std::string runtime_note(const kernel::DeviceFacts& facts) {
  const std::string path = mapped_runtime();
  if (path.empty()) return {};
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = content.str();
  if (bytes.empty()) return {};
  std::set<std::string> unknown;
  for (const kernel::GpuFacts& gpu : facts.gpus) {
    const std::string gfx = gfx_name(gpu.gfx_target_version);
    if (bytes.find(gfx) == std::string::npos) unknown.insert(gfx);
  }
  std::string note;
  for (const std::string& gfx : unknown) {
    const std::string_view first = first_release(gfx);
    note += fmt::format(
        "rocdrill: {} does not know {}: it lists no agent for that GPU. That is this runtime's age and no "
        "fault of the node{}.\n",
        path, gfx,
        first.empty() ? std::string() : fmt::format("; ROCm {} and later know it", first));
  }
  return note;
}

}  // namespace rocdrill::interpose
