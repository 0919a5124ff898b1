#include "sim/cluster/device_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace rocdrill::cluster {
namespace {

using sim::FileTree;

constexpr std::string_view driver = "/sys/module/amdgpu/drivers/pci:amdgpu";
constexpr std::string_view topology = "/sys/class/kfd/kfd/topology/nodes";

std::vector<std::string> names(const FileTree& files, std::string_view path) {
  return files.list(path).value_or(std::vector<std::string>{});
}

std::string line_of(const FileTree& files, const std::string& path) {
  const std::string text = files.text(path);
  return text.substr(0, text.find('\n'));
}

/// The value of "key N" in a properties file.
std::uint64_t property(const std::string& text, std::string_view key) {
  for (const std::string& line : sim::lines_of(text)) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return std::strtoull(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

/// Render nodes that KFD has a GPU behind: a GPU that can be divided has more of them.
std::set<std::string> valid_render_nodes(const FileTree& files) {
  std::set<std::string> nodes;
  for (const std::string& node : names(files, topology)) {
    const auto minor =
        property(files.text(fmt::format("{}/{}/properties", topology, node)), "drm_render_minor");
    if (minor > 0) nodes.insert(fmt::format("renderD{}", minor));
  }
  return nodes;
}

/// The two DRM nodes of a device's directory.
OfferedGpu with_nodes(const FileTree& files, const std::string& id, const std::string& directory) {
  OfferedGpu gpu{.id = id, .card = {}, .render = {}};
  for (const std::string& name : names(files, directory + "/drm")) {
    if (name.starts_with("card")) gpu.card = "/dev/dri/" + name;
    if (name.starts_with("renderD")) gpu.render = "/dev/dri/" + name;
  }
  return gpu;
}

/// glog's form.
class Log {
 public:
  explicit Log(const sim::Os& os) : now_(os.clock.now()) {}
  void line(std::string_view where, std::string_view what) {
    text += fmt::format("I0101 00:{:02}:{:02}.{:06}       1 {}] {}\n", now_ / 60'000'000'000 % 60,
                        now_ / 1'000'000'000 % 60, now_ / 1000 % 1'000'000, where, what);
  }
  std::string text;

 private:
  std::uint64_t now_;
};

std::vector<OfferedGpu> find_gpus(const FileTree& files, Log& log) {
  std::vector<OfferedGpu> gpus;
  for (const std::string& bdf : names(files, driver)) {
    if (bdf.find(':') == std::string::npos) continue;
    const std::string directory = fmt::format("{}/{}", driver, bdf);
    log.line("amdgpu.go:100", directory);
    OfferedGpu gpu = with_nodes(files, bdf, directory);
    gpu.numa_node = std::atoi(line_of(files, directory + "/numa_node").c_str());
    gpus.push_back(std::move(gpu));
  }
  const std::set<std::string> valid = valid_render_nodes(files);
  const std::size_t whole = gpus.size();
  for (const std::string& name : names(files, "/sys/devices/platform")) {
    if (!name.starts_with("amdgpu_xcp_")) continue;
    const std::string directory = "/sys/devices/platform/" + name;
    log.line("amdgpu.go:139", directory);
    OfferedGpu gpu = with_nodes(files, name, directory);
    if (!valid.contains(std::string(sim::basename(gpu.render)))) continue;
    // Of the GPU whose minors it has: eight belong to one.
    const int card = std::atoi(gpu.card.c_str() + std::string_view("/dev/dri/card").size());
    for (std::size_t i = 0; i < whole; ++i) {
      const int first = std::atoi(gpus[i].card.c_str() + std::string_view("/dev/dri/card").size());
      if (card > first && card < first + 8) gpu.numa_node = gpus[i].numa_node;
    }
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace

PluginRun run_device_plugin(const sim::Os& os) {
  PluginRun run;
  Log log(os);
  log.line("main.go:305", "AMD GPU device plugin for Kubernetes");
  log.line("manager.go:42", "Starting device plugin manager");
  log.line("manager.go:46", "Registering for system signal notifications");
  log.line("manager.go:52",
           "Registering for notifications of filesystem changes in device plugin directory");
  log.line("manager.go:60", "Starting Discovery on new plugins");
  log.line("manager.go:66", "Handling incoming signals");
  const auto kfd = os.files.stat("/sys/class/kfd");
  if (!kfd) {
    run.event = kfd.error().event;
    run.log = std::move(log.text);
    return run;
  }
  run.registered = true;
  log.line("manager.go:71", "Received new list of plugins: [gpu]");
  log.line("manager.go:110", "Adding a new plugin \"gpu\"");
  log.line("plugin.go:64", "gpu: Starting plugin server");
  log.line("plugin.go:94", "gpu: Starting the DPI gRPC server");
  log.line("plugin.go:112", "gpu: Serving requests...");
  log.line("plugin.go:128", "gpu: Registering the DPI with Kubelet");
  log.line("plugin.go:140", "gpu: Registration for endpoint amd.com_gpu");
  run.gpus = find_gpus(os.files, log);
  log.line("plugin.go:136", fmt::format("Found {} AMDGPUs", run.gpus.size()));
  for (const OfferedGpu& gpu : run.gpus) {
    log.line("plugin.go:165",
             fmt::format("Watching GPU with bus ID: {} NUMA Node: [{}]", gpu.id, gpu.numa_node));
  }
  if (run.gpus.empty()) run.event = os.files.why(std::string(topology));
  run.log = std::move(log.text);
  return run;
}

std::map<std::string, std::string> node_labels(const sim::Os& os) {
  std::map<std::string, std::string> labels;
  const FileTree& files = os.files;
  Log log(os);
  const auto gpus = find_gpus(files, log);
  for (const std::string& node : names(files, topology)) {
    const std::string text = files.text(fmt::format("{}/{}/properties", topology, node));
    const auto per_cu = property(text, "simd_per_cu");
    if (property(text, "simd_count") == 0 || per_cu == 0) continue;
    labels["amd.com/gpu.simd-count"] = std::to_string(property(text, "simd_count"));
    labels["amd.com/gpu.cu-count"] = std::to_string(property(text, "simd_count") / per_cu);
    break;
  }
  if (gpus.empty() || labels.empty()) return {};
  const std::string directory = fmt::format("{}/{}", driver, gpus.front().id);
  const std::string device = line_of(files, directory + "/device");
  labels["amd.com/gpu.device-id"] = device.starts_with("0x") ? device.substr(2) : device;
  const std::uint64_t vram =
      std::strtoull(line_of(files, directory + "/mem_info_vram_total").c_str(), nullptr, 10);
  labels["amd.com/gpu.vram"] = fmt::format("{}G", (vram + (1ull << 29)) >> 30);
  std::string product = line_of(files, directory + "/product_name");
  std::ranges::replace(product, ' ', '_');
  if (!product.empty()) labels["amd.com/gpu.product-name"] = product;
  return labels;
}

}  // namespace rocdrill::cluster
