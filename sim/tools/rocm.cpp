// Small ROCm tools: rocm_agent_enumerator, roc-obj-ls, hipconfig, ldd.
#include <algorithm>

#include "sim/code_objects/listing.hpp"
#include "sim/tools/call.hpp"
#include "sim/tools/topology_view.hpp"

namespace rocdrill::sim::tools {
namespace {

int run_agent_enumerator(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  const auto nodes = read_topology(call.process());
  if (!nodes) {
    call.event = nodes.error().event;
    return call.fail(1,
                     "Traceback (most recent call last):\n"
                     "FileNotFoundError: [Errno {}] {}: '/sys/class/kfd/kfd/topology/nodes/'\n",
                     nodes.error().error, errno_text(nodes.error().error));
  }
  for (const TopologyNode& node : *nodes)
    call.print("{}\n", gfx_name(node.properties.gfx_target_version));
  return 0;
}

/// A node's host binaries are their .hip_fatbin sections alone.
code_objects::LoadResult<code_objects::Listing> list_of(std::span<const std::byte> bytes) {
  auto listing = code_objects::list(bytes);
  if (listing || listing.error().kind != code_objects::LoadError::Kind::no_fatbin) return listing;
  auto fat = code_objects::extract(bytes);
  if (!fat || fat->container != code_objects::FatBinary::Container::bundle) return listing;
  return code_objects::Listing{std::move(fat->entries), {}};
}

int run_roc_obj_ls(Call& call) {
  const auto options = parse(call, {{"-v"}});
  if (!options) return 2;
  if (options->operands.empty()) return call.fail(255, "Error: No input files specified\n");
  for (const std::string& word : options->operands) {
    const std::string path = call.path(word);
    const auto bytes = call.process().read_file(path);
    if (!bytes) {
      call.event = bytes.error().event;
      return call.fail(255, "Error: can't open file: {}: {}\n", word,
                       errno_text(bytes.error().error));
    }
    const auto listing = list_of(std::as_bytes(std::span(bytes->data(), bytes->size())));
    if (!listing) return call.fail(255, "Error: No kernel section found\n");
    call.out += code_objects::listing_text(*listing, path, options->has("-v"));
  }
  return 0;
}

/// HIP's own version numbers, where they are known.
constexpr std::pair<std::string_view, std::string_view> hip_versions[] = {
    {"5.2.3", "5.2.21153-0"},
    {"6.3.3", "6.3.42134-a9a80e791"},
};

int run_hipconfig(Call& call) {
  const auto options = parse(
      call,
      {{"--version"}, {"-v", false, "--version"}, {"--platform"}, {"-P", false, "--platform"}});
  if (!options) return 2;
  if (options->has("--platform")) {
    call.print("amd\n");
    return 0;
  }
  if (!options->has("--version")) return call.refuse("the full report (use --version)");
  for (const auto& [rocm, hip] : hip_versions) {
    if (rocm != call.rocm().version) continue;
    call.print("{}\n", hip);
    return 0;
  }
  return call.refuse("the HIP version of ROCm " + call.rocm().version);
}

/// Where the dynamic linker finds the libraries of ROCm for a program of the node.
int run_ldd(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.size() != 1) return call.fail(1, "ldd: missing file arguments\n");
  const std::string path = call.path(options->operands.front());
  if (!call.process().exists(path))
    return call.fail(1, "ldd: {}: No such file or directory\n", options->operands.front());
  const auto& apps = call.node.spec().apps;
  const std::string rocminfo = call.rocm().prefix + "/bin/rocminfo";
  if (path != rocminfo && std::ranges::find(apps, path, &AppSpec::path) == apps.end())
    return call.refuse("'" + path + "'");
  std::string folders = call.process().env("LD_LIBRARY_PATH") + ":" + call.rocm().prefix + "/lib";
  std::ranges::replace(folders, ':', ' ');
  std::uint64_t address = 0x7f0000000000;
  for (const std::string_view library : {"libamdhip64.so", "libhsa-runtime64.so.1"}) {
    if (path == rocminfo && library == "libamdhip64.so") continue;
    std::string found;
    for (const std::string& folder : words_of(folders)) {
      if (found.empty() && call.process().exists(join(folder, library)))
        found = join(folder, library);
    }
    call.print("\t{} => {}\n", library,
               found.empty() ? "not found" : fmt::format("{} (0x{:016x})", found, address));
    address += 0x1000000;
  }
  return 0;
}

constexpr Tool table[] = {
    {{"rocm_agent_enumerator", "rocm_agent_enumerator",
      "Prints the target of every node of the topology."},
     run_agent_enumerator},
    {{"roc-obj-ls", "roc-obj-ls [-v] FILE...",
      "Lists the code objects that programs and libraries carry."},
     run_roc_obj_ls},
    {{"ldd", "ldd PROGRAM", "Shows which ROCm libraries a program of the node gets."}, run_ldd},
    {{"hipconfig", "hipconfig --version | --platform", "Prints the version of HIP."},
     run_hipconfig},
};

}  // namespace

std::span<const Tool> rocm_tools() { return table; }

}  // namespace rocdrill::sim::tools
