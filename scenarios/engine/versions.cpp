#include "scenarios/engine/versions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/node.hpp"
#include "sim/silicon/catalogue.hpp"
#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::scenarios {
namespace {

std::string first_line(SysResult<std::string> text) {
  if (!text) return "(" + errno_text(text.error().error) + ")";
  return text->substr(0, text->find('\n'));
}

/// MEC and SDMA firmware of the first GPU node, as KFD reports them.
std::string firmware_of(Process& process, std::string& where) {
  const std::string root = "/sys/class/kfd/kfd/topology/nodes";
  auto nodes = process.list(root);
  if (!nodes) return "(" + errno_text(nodes.error().error) + ")";
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    where = fmt::format("{}/{}/properties", root, i);
    auto text = process.read_file(where);
    const auto node = text ? kfd::parse_node_properties(*text) : std::nullopt;
    if (node && node->simd_count > 0)
      return fmt::format("MEC {}, SDMA {}", node->fw_version & 0x3FF,
                         node->sdma_fw_version & 0x3FF);
  }
  where = root;
  return "(no GPU node)";
}

std::string driver_of(Process& process, bool& in_tree) {
  if (!process.exists("/sys/module/amdgpu")) return "(not loaded)";
  auto version = process.read_file("/sys/module/amdgpu/version");
  in_tree = !version;
  return version ? first_line(version) : "(no version: the kernel's own driver)";
}

std::vector<VersionRow> rows_of(sim::Node& node, Process& process, bool& in_tree) {
  Host& host = node.host();
  const sim::NodeSpec& spec = node.spec();
  std::vector<VersionRow> rows;
  for (const sim::GpuSpec& gpu : spec.gpus) {
    const GpuProduct& product = silicon::product_or_throw(gpu.product);
    const std::string text = fmt::format("{} ({})", product.product, product.gfx);
    if (rows.empty() || rows.back().version != text)
      rows.push_back({Layer::silicon, "GPU", text, "lspci -nn -d 1002:"});
  }
  std::string where;
  const std::string firmware = firmware_of(process, where);
  rows.push_back({Layer::firmware, "microcode", firmware, where});
  rows.push_back({Layer::kernel, "kernel", host.kernel_release(), "uname -r"});
  rows.push_back(
      {Layer::kernel, "amdgpu", driver_of(process, in_tree), "/sys/module/amdgpu/version"});
  const bool debian = spec.rocm.prefix == "/usr";
  const std::string hsa = debian ? "libhsa-runtime64-1" : "hsa-rocr";
  const std::string hip = debian ? "libamdhip64-5" : "hip-runtime-amd";
  for (const auto& [layer, package] :
       {std::pair{Layer::runtime, hsa}, std::pair{Layer::hip, hip}}) {
    const sim::Package* installed = node.os.packages.installed(package);
    rows.push_back({layer, layer == Layer::runtime ? "ROCr" : "HIP",
                    installed ? installed->version : "(not installed)", "dpkg -l " + package});
  }
  if (!spec.torch.version.empty()) {
    rows.push_back({Layer::framework, "PyTorch",
                    fmt::format("{} (HIP {})", spec.torch.version, spec.torch.hip_version),
                    "python3 -c 'import torch; print(torch.__version__)'"});
  }
  return rows;
}

compat::Verdict verdict_of(const std::string& driver, bool in_tree, const std::string& rocm) {
  const auto user_space = compat::parse_version(rocm);
  const auto module = compat::parse_version(driver);
  compat::Verdict none;
  if (!user_space) return none;
  if (in_tree) {
    none.reason =
        "the kernel's own driver has no release number; AMD's tables are about amdgpu-dkms";
    return none;
  }
  if (!module) {
    none.reason = "no driver is loaded";
    return none;
  }
  return compat::verdict(compat::ModuleVersion{*module}, compat::RocmVersion{*user_space});
}

}  // namespace

Versions versions_of(sim::Node& node) {
  Host& host = node.host();
  const auto process = host.spawn(host.session());
  bool in_tree = false;
  Versions versions{.rows = rows_of(node, *process, in_tree), .verdict = {}};
  const auto driver = std::ranges::find(versions.rows, "amdgpu", &VersionRow::what);
  versions.verdict = verdict_of(driver->version, in_tree, node.spec().rocm.version);
  return versions;
}

}  // namespace rocdrill::scenarios
