#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/silicon/catalogue.hpp"
#include "stack/compat.hpp"

namespace rocdrill::cli {
namespace {

using compat::Support;

constexpr std::string_view driver_lines =
    "5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 6.0 6.1 6.2 6.3 6.4 30.10 30.20 30.30 31.40";
constexpr std::string_view rocm_lines =
    "5.2 5.3 5.4 5.5 5.6 5.7 6.0 6.1 6.2 6.3 6.4 7.0 7.1 7.2 7.14 10.0 10.1";

Colour colour_of(Support support) {
  return support == Support::supported     ? Colour::green
         : support == Support::unsupported ? Colour::red
                                           : Colour::grey;
}

std::vector<compat::Version> versions_of(std::string_view list) {
  std::vector<compat::Version> found;
  while (!list.empty()) {
    const std::size_t space = list.find(' ');
    found.push_back(compat::parse_version(list.substr(0, space)).value());
    list.remove_prefix(space == std::string_view::npos ? list.size() : space + 1);
  }
  return found;
}

std::optional<compat::Version> version(const po::variables_map& arguments, const char* option) {
  if (arguments.count(option) == 0) return std::nullopt;
  const auto text = arguments[option].as<std::string>();
  const auto parsed = compat::parse_version(text);
  if (!parsed) {
    throw Failure{exit_usage, fmt::format("--{} takes a version such as 6.3.1 or 6.3, not {}\n",
                                          option, scenarios::in_quotes(text))};
  }
  return parsed;
}

void print_matrix() {
  const auto columns = versions_of(rocm_lines);
  std::string text = fmt::format("{:<9}", "driver");
  for (const auto& rocm : columns)
    text += fmt::format("{:>6}", fmt::format("{}.{}", rocm.major, rocm.minor));
  print(paint(text, Colour::bold) + "   <- ROCm\n");
  for (const auto& driver : versions_of(driver_lines)) {
    std::string row = fmt::format("{:<9}", to_string(driver));
    for (const auto& rocm : columns) {
      const Support support = compat::verdict(compat::DriverVersion{driver}, {rocm}).support;
      const char* mark = support == Support::supported     ? "yes"
                         : support == Support::unsupported ? "no"
                                                           : "?";
      row += paint(fmt::format("{:>6}", mark), colour_of(support));
    }
    print(row + "\n");
  }
  print(
      "\nyes, no: AMD's documents say so; ?: no document does, and nothing is extrapolated\n"
      "the numbers that the driver's module has (/sys/module/amdgpu/version):\n");
  for (const compat::ModuleRelease& module : compat::module_releases()) {
    print(fmt::format("  {:<9} {:<16} {}\n", to_string(module.number),
                      module.releases.empty() ? "?" : module.releases, module.note));
  }
  print(
      "\nwhy: rocdrill compat --driver 6.3.3 --rocm 7.0   one product: rocdrill compat --product MI300X\n");
}

Json matrix_json() {
  Json pairs = Json::array();
  for (const auto& driver : versions_of(driver_lines)) {
    for (const auto& rocm : versions_of(rocm_lines)) {
      const auto verdict = compat::verdict(compat::DriverVersion{driver}, {rocm});
      pairs.push_back({{"driver", to_string(driver)},
                       {"rocm", to_string(rocm)},
                       {"support", name(verdict.support)},
                       {"source", verdict.source}});
    }
  }
  return {{"pairs", std::move(pairs)}};
}

/// Firmware bundles and kernels that the documents name for a product.
int about_product(const GpuProduct& product, bool json) {
  Json bundles = Json::array();
  std::string text = fmt::format("{} ({})\n", product.product, product.gfx);
  for (const compat::FirmwareBundle& bundle : compat::firmware_bundles_of(product.product)) {
    text += fmt::format("  firmware {} ({})\n", bundle.versions, bundle.context);
    bundles.push_back(
        {{"versions", bundle.versions}, {"context", bundle.context}, {"source", bundle.source}});
  }
  Json kernel;
  for (const compat::InTreeKernel& known : compat::in_tree_kernels()) {
    if (known.gfx != product.gfx) continue;
    text += fmt::format("  mainline kernel since {} ({})\n", to_string(known.kernel),
                        name(known.fidelity));
    kernel = to_string(known.kernel);
  }
  Json distros = Json::array();
  for (const compat::DistroKernel& distro : compat::distro_kernels()) {
    if (distro.gpus.find(product.product) == std::string_view::npos) continue;
    text += fmt::format("  {}, kernel {} (ROCm {})\n", distro.distro, distro.kernel, distro.rocm);
    distros.push_back(
        {{"distro", distro.distro}, {"kernel", distro.kernel}, {"rocm", distro.rocm}});
  }
  if (json) {
    print_json({{"product", product.product},
                {"gfx", product.gfx},
                {"firmware", std::move(bundles)},
                {"mainline_kernel", std::move(kernel)},
                {"distributions", std::move(distros)}});
  } else {
    print(text);
  }
  return exit_ok;
}

compat::Combination combination_of(const po::variables_map& arguments) {
  compat::Combination what;
  if (const auto driver = version(arguments, "driver")) what.driver = {*driver};
  if (const auto module = version(arguments, "module")) what.module = {*module};
  if (const auto rocm = version(arguments, "rocm")) what.rocm = {*rocm};
  what.in_tree = version(arguments, "kernel");
  if (arguments.count("firmware") != 0) what.firmware = arguments["firmware"].as<std::string>();
  return what;
}

const GpuProduct& product_of(const std::string& wanted) {
  std::vector<std::string> known;
  for (const GpuProduct& product : silicon::all()) {
    if (product.product == wanted) return product;
    known.emplace_back(product.product);
  }
  const std::string hint = scenarios::suggest(wanted, known, "products");
  throw Failure{exit_usage,
                fmt::format("there is no product {}; {}\n", scenarios::in_quotes(wanted), hint)};
}

int run(const po::variables_map& arguments) {
  compat::Combination what = combination_of(arguments);
  const bool json = flag(arguments, "json");
  const bool parts =
      what.driver || what.module || what.rocm || what.in_tree || !what.firmware.empty();
  if (arguments.count("product") != 0) {
    const GpuProduct& product = product_of(arguments["product"].as<std::string>());
    if (!parts) return about_product(product, json);
    what.product = product.product;
    what.gfx = product.gfx;
  }
  if (what.product.empty() && (what.in_tree || !what.firmware.empty()))
    throw Failure{exit_usage, "--kernel and --firmware need a --product, such as MI300X\n"};
  if (!parts) {
    if (json) {
      print_json(matrix_json());
    } else {
      print_matrix();
    }
    return exit_ok;
  }
  const auto verdicts = compat::verdicts(what);
  if (verdicts.empty()) {
    throw Failure{exit_usage,
                  "that is one part; say what it is to go with: --driver or --module with --rocm,\n"
                  "  --firmware or --kernel with --product\n"};
  }
  const Support worst = compat::worst(verdicts);
  if (json) {
    Json list = Json::array();
    for (const compat::Verdict& verdict : verdicts) {
      list.push_back({{"support", name(verdict.support)},
                      {"reason", verdict.reason},
                      {"source", verdict.source},
                      {"fidelity", name(verdict.fidelity)}});
    }
    print_json({{"support", name(worst)}, {"verdicts", std::move(list)}});
  } else {
    print(paint(name(worst), colour_of(worst)) + "\n");
    for (const compat::Verdict& verdict : verdicts) {
      print(wrap(verdict.reason, columns(), 2));
      const std::string source =
          verdict.source.empty() ? std::string() : fmt::format(", {}", verdict.source);
      print(paint(fmt::format("    {}{}\n", name(verdict.fidelity), source), Colour::grey));
    }
  }
  return worst == Support::unsupported ? exit_failed : exit_ok;
}

}  // namespace

Command compat_command() {
  Command command{
      .name = "compat",
      .usage =
          "compat [--driver V | --module V | --kernel V] [--rocm V] [--product P]\n"
          "                       [--firmware V] [--json]",
      .summary = "which firmware, driver and ROCm go together, and who says so",
      .examples =
          {"rocdrill compat", "rocdrill compat --driver 6.3.3 --rocm 7.0",
           "rocdrill compat --module 6.10.5 --rocm 6.3.3 --product MI300X --firmware 01.25.06.05",
           "rocdrill compat --product MI300A"},
      .options = po::options_description("options"),
      .positional = {},
      .run = run};
  const auto add = [&](const char* option, const char* value, const char* meaning) {
    command.options.add_options()(option, po::value<std::string>()->value_name(value), meaning);
  };
  add("driver", "V", "release of the driver package: 6.3.3, 30.10");
  add("module", "V", "number of the module that it builds: 6.10.5");
  add("kernel", "V", "mainline kernel whose own driver is used (with --product)");
  add("rocm", "V", "release of the user space: 6.3.3, 7.0");
  add("product", "P", "GPU: MI300X");
  add("firmware", "V", "firmware bundle: 01.26.00.04 (with --product)");
  command.options.add_options()("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
