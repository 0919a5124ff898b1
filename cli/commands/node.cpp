#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/silicon/catalogue.hpp"

namespace rocdrill::cli {
namespace {

int list(const po::variables_map& arguments) {
  const auto data = data_path(arguments);
  Json nodes = Json::array();
  std::string text;
  std::string problems;
  for (const std::string& id : data.list_nodes()) {
    auto spec = scenarios::load_node(data, id, scenarios::built_in_knowledge());
    if (!spec) {
      problems += scenarios::text(spec.error());
      continue;
    }
    nodes.push_back({{"id", id}, {"title", spec->title}, {"gpus", spec->gpus.size()}});
    text += fmt::format("{:<18} {}\n", id, spec->title);
  }
  if (flag(arguments, "json")) {
    print_json({{"nodes", std::move(nodes)}});
  } else {
    print(text);
  }
  if (!problems.empty()) throw Failure{exit_invalid, problems};
  return exit_ok;
}

int show(const po::variables_map& arguments, const std::string& id) {
  const auto data = data_path(arguments);
  const sim::NodeSpec spec = load_node(arguments, id);
  Json gpus = Json::array();
  std::string text = paint(spec.title, Colour::bold) + "\n";
  text += fmt::format("  host      {} ({} {}), {} x {} CPUs, {} GiB\n", spec.hostname,
                      spec.distro == sim::Distro::debian ? "Debian" : "Ubuntu", spec.distro_release,
                      spec.cpu_sockets, spec.cpu_cores_per_socket, spec.memory_bytes >> 30);
  std::vector<std::string> kernels;
  for (const sim::KernelSpec& kernel : spec.kernels) {
    kernels.push_back(kernel.release + (kernel.installed ? "" : " (published)") +
                      (kernel.in_tree_amdgpu ? " +amdgpu" : ""));
  }
  text += fmt::format("  kernels   {}\n", fmt::join(kernels, ", "));
  text += fmt::format("  driver    {}\n", spec.driver.dkms_version.empty()
                                              ? "the kernel's own"
                                              : "amdgpu-dkms " + spec.driver.dkms_version);
  text += fmt::format("  firmware  {} {}\n", spec.firmware.package, spec.firmware.version);
  text += fmt::format("  ROCm      {} in {}\n", spec.rocm.version, spec.rocm.prefix);
  if (!spec.torch.version.empty())
    text += fmt::format("  PyTorch   {} for {}\n", spec.torch.version,
                        fmt::join(spec.torch.targets, " "));
  for (const auto& [variable, value] : spec.environment)
    text += fmt::format("  job sets  {}={}\n", variable, value);
  for (const sim::GpuSpec& gpu : spec.gpus) {
    const GpuProduct& product = silicon::product_or_throw(gpu.product);
    text += fmt::format("  {}  {} ({}), {} CUs, {} GiB, NUMA {}\n", gpu.bdf.text(),
                        product.marketing_name, product.gfx, product.active_cus,
                        (product.vram_bytes + (1u << 29)) >> 30, gpu.numa_node);
    gpus.push_back({{"bdf", gpu.bdf.text()},
                    {"product", product.product},
                    {"gfx", product.gfx},
                    {"compute_units", product.active_cus},
                    {"vram_bytes", product.vram_bytes}});
  }
  if (flag(arguments, "json")) {
    print_json({{"id", spec.id},
                {"title", spec.title},
                {"hostname", spec.hostname},
                {"kernels", kernels},
                {"dkms", spec.driver.dkms_version},
                {"rocm", spec.rocm.version},
                {"torch", spec.torch.version},
                {"gpus", std::move(gpus)}});
  } else {
    print(text);
  }
  return exit_ok;
}

int run(const po::variables_map& arguments) {
  const std::string what = required(arguments, "action");
  if (what == "list") return list(arguments);
  if (what == "show") return show(arguments, required(arguments, "name"));
  throw Failure{exit_usage, "node list, or node show NAME\n"};
}

}  // namespace

Command node_command() {
  Command command{.name = "node",
                  .usage = "node list | node show NAME [--json]",
                  .summary = "the nodes there are, and what one is made of",
                  .examples = {"rocdrill node list", "rocdrill node show mi300x-8"},
                  .options = po::options_description("options"),
                  .positional = {"action", "name"},
                  .run = run};
  command.options.add_options()("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
