#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/silicon/catalogue.hpp"
#include "stack/compat.hpp"
#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::cli {
namespace {

struct Row {
  Layer layer;
  std::string what;
  std::string version;
  std::string reported;  ///< file or command that says so
};

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

std::vector<Row> rows_of(sim::Node& node, Process& process, bool& in_tree) {
  Host& host = node.host();
  const sim::NodeSpec& spec = node.spec();
  std::vector<Row> rows;
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

int run(const po::variables_map& arguments) {
  const bool has_node = arguments.count("node") != 0;
  if (has_node == (arguments.count("drill") != 0)) {
    throw Failure{exit_usage, "say which node: --node N or --drill D\n"};
  }
  std::unique_ptr<sim::Node> node =
      has_node ? boot_node(arguments, arguments["node"].as<std::string>())
               : std::move(run_drill(arguments, arguments["drill"].as<std::string>()).node);
  Host& host = node->host();
  const auto process = host.spawn(host.session());
  bool in_tree = false;
  const auto rows = rows_of(*node, *process, in_tree);
  const auto driver = std::ranges::find(rows, "amdgpu", &Row::what);
  const compat::Verdict verdict = verdict_of(driver->version, in_tree, node->spec().rocm.version);
  if (flag(arguments, "json")) {
    Json list = Json::array();
    for (const Row& row : rows) {
      list.push_back({{"layer", name(row.layer)},
                      {"what", row.what},
                      {"version", row.version},
                      {"reported", row.reported}});
    }
    print_json({{"node", node->spec().id},
                {"versions", std::move(list)},
                {"verdict",
                 {{"driver_and_user_space", compat::name(verdict.support)},
                  {"reason", verdict.reason},
                  {"fidelity", name(verdict.fidelity)}}}});
    return exit_ok;
  }
  for (const Row& row : rows) {
    print(fmt::format("{} {:<16} {:<10} {:<34} {}\n", static_cast<int>(row.layer), title(row.layer),
                      row.what, row.version, paint(row.reported, Colour::grey)));
  }
  const Colour colour = verdict.support == compat::Support::supported     ? Colour::green
                        : verdict.support == compat::Support::unsupported ? Colour::red
                                                                          : Colour::grey;
  print(fmt::format("\ndriver and ROCm {}: {}\n", node->spec().rocm.version,
                    paint(compat::name(verdict.support), colour)));
  if (!verdict.reason.empty()) print(wrap(verdict.reason, columns(), 2));
  return exit_ok;
}

}  // namespace

Command versions_command() {
  Command command{
      .name = "versions",
      .usage = "versions (--node N | --drill D) [--json]",
      .summary = "each layer's version, where it is reported, and whether they go together",
      .examples = {"rocdrill versions --node mi300x-8", "rocdrill versions --drill stale-dkms"},
      .options = po::options_description("options"),
      .positional = {},
      .run = run};
  command.options.add_options()("node", po::value<std::string>()->value_name("N"),
                                "a healthy node of this kind")(
      "drill", po::value<std::string>()->value_name("D"), "the node of this drill")(
      "json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
