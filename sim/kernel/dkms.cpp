// Texts: dkms 3.x (dkms-project/dkms), fidelity: documented; exit codes as in its man page.
#include "sim/kernel/dkms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::kernel {
namespace {

constexpr std::string_view dkms_root = "/var/lib/dkms/amdgpu";
constexpr std::string_view arch = "x86_64";

std::string updates(const std::string& kernel) {
  return "/lib/modules/" + kernel + "/updates/dkms";
}

/// The module's version without build number and distribution: "6.10.5-2125197.24.04" -> "6.10.5".
std::string module_version(const std::string& version) {
  return version.substr(0, version.find('-'));
}

/// One stale tree stops every dkms command.
std::string no_conf(const std::string& conf) {
  return fmt::format("Error! Could not locate dkms.conf file.\nFile: {} does not exist.\n", conf);
}

std::vector<std::string> all_modules() {
  std::vector<std::string> names = dkms_companions();
  names.push_back("amdgpu");
  return names;
}

constexpr std::string_view symbols[] = {"dma_fence_add_callback",  "dma_resv_add_fence",
                                        "drm_gem_object_init",     "drm_sched_job_init",
                                        "mmu_interval_read_begin", "pci_enable_device"};

}  // namespace

const std::vector<std::string>& amdgpu_aliases() {
  static const std::vector<std::string> aliases{
      "pci:v00001002d*sv*sd*bc03sc00i00*",
      "pci:v00001002d*sv*sd*bc03sc80i00*",
      "pci:v00001002d*sv*sd*bc12sc00i00*",
  };
  return aliases;
}

const std::vector<std::string>& dkms_companions() {
  static const std::vector<std::string> names{
      "amddrm_ttm_helper", "amdttm", "amddrm_buddy", "amdxcp", "amd_sched", "amdkcl"};
  return names;
}

std::string imports_text() {
  std::string text;
  for (const std::string_view symbol : symbols) text += std::string(symbol) + "\n";
  return text;
}

std::string symvers_text(const std::vector<std::string>& without) {
  std::string text;
  for (const std::string_view symbol : symbols) {
    if (std::ranges::find(without, symbol) != without.end()) continue;
    text += fmt::format("0x{:08x}\t{}\tvmlinux\tEXPORT_SYMBOL_GPL\t\n",
                        std::hash<std::string_view>()(symbol) & 0xFFFFFFFF, symbol);
  }
  return text;
}

std::string Dkms::text_of(const std::string& name, const std::string& version,
                          const std::string& kernel) const {
  const bool is_amdgpu = name == "amdgpu";
  std::string text = module_text(name, kernel, module_version(version),
                                 is_amdgpu ? dkms_companions() : std::vector<std::string>{},
                                 is_amdgpu ? amdgpu_aliases() : std::vector<std::string>{});
  const std::string key = os_.files.text(signing_key);
  if (!key.empty()) text += "signer=" + key.substr(0, key.find('\n')) + "\n";
  return text;
}

std::string Dkms::missing_symbol(const std::string& version, const std::string& headers) const {
  const std::string exported = os_.files.text(headers + "/Module.symvers");
  for (const std::string& symbol :
       sim::lines_of(os_.files.text(tree(version) + "/source/amd/amdgpu/amdgpu.mod.imports"))) {
    if (exported.find("\t" + symbol + "\t") == std::string::npos) return symbol;
  }
  return {};
}

Dkms::Outcome Dkms::bad_build(const std::string& version, const std::string& kernel,
                              const std::string& headers, const std::string& symbol,
                              EventId cause) {
  const std::string log = tree(version) + "/build/make.log";
  const EventId why = os_.files.why_resolved(headers + "/Module.symvers");
  Outcome outcome =
      refuse(version, kernel,
             fmt::format("Error! Bad return status for module build on kernel: {} ({})\n"
                         "Consult {} for more information.\n",
                         kernel, arch, log),
             "Module.symvers: " + symbol, why != no_event ? why : cause, 10, "not exported");
  os_.files.write(
      log,
      fmt::format("DKMS make.log for amdgpu-{0} for kernel {1} ({2})\n"
                  "make: Entering directory '/usr/src/linux-headers-{1}'\n"
                  "ERROR: modpost: \"{3}\" [{4}/build/amd/amdgpu/amdgpu.ko] undefined!\n"
                  "make[2]: *** [scripts/Makefile.modpost:145: Module.symvers] Error 1\n",
                  version, kernel, arch, symbol, tree(version)),
      outcome.event);
  return outcome;
}

std::string Dkms::tree(const std::string& version) const {
  return std::string(dkms_root) + "/" + version;
}

std::vector<std::string> Dkms::versions() const {
  std::vector<std::string> versions;
  if (auto names = os_.files.list(dkms_root)) versions = *names;
  std::ranges::sort(versions, [](const std::string& left, const std::string& right) {
    return sim::compare_versions(left, right) < 0;
  });
  return versions;
}

DkmsState Dkms::state(const std::string& version, const std::string& kernel) const {
  if (!os_.files.lstat(tree(version))) return DkmsState::absent;
  if (!os_.files.exists(fmt::format("{}/{}/{}/module/amdgpu.ko", tree(version), kernel, arch))) {
    return DkmsState::added;
  }
  const auto installed = read_module(os_.files, updates(kernel) + "/amdgpu.ko");
  return installed && installed->get("version") == module_version(version) ? DkmsState::installed
                                                                           : DkmsState::built;
}

std::string Dkms::broken_tree() const {
  for (const std::string& version : versions()) {
    if (std::string conf = tree(version) + "/source/dkms.conf"; !os_.files.exists(conf))
      return conf;
  }
  return {};
}

Dkms::Outcome Dkms::refuse_all(const std::string& conf, const std::string& version,
                               const std::string& kernel, EventId cause) {
  const EventId why = os_.files.why(sim::parent(conf));
  return refuse(version, kernel, no_conf(conf), conf, why != no_event ? why : cause, 4);
}

Dkms::Outcome Dkms::status() const {
  Outcome outcome;
  if (const std::string conf = broken_tree(); !conf.empty()) return {4, no_conf(conf), no_event};
  for (const std::string& version : versions()) {
    bool any = false;
    const auto kernels = os_.files.list(tree(version)).value_or(std::vector<std::string>{});
    for (const std::string& kernel : kernels) {
      const DkmsState is =
          kernel == "source" || kernel == "build" ? DkmsState::added : state(version, kernel);
      if (is != DkmsState::built && is != DkmsState::installed) continue;
      any = true;
      const bool original = os_.files.exists("/lib/modules/" + kernel +
                                             "/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko");
      outcome.output += fmt::format("amdgpu/{}, {}, {}: {}\n", version, kernel, arch,
                                    is == DkmsState::built ? "built"
                                    : original             ? "installed (Original modules exist)"
                                                           : "installed");
    }
    if (!any) outcome.output += fmt::format("amdgpu/{}: added\n", version);
  }
  return outcome;
}

Dkms::Outcome Dkms::add(const std::string& version, EventId cause) {
  Outcome outcome{0, {}, cause};
  if (!os_.files.exists("/usr/src/amdgpu-" + version + "/dkms.conf")) {
    outcome.exit_code = 2;
    outcome.output = fmt::format(
        "Error! Could not find module source directory.\nDirectory: /usr/src/amdgpu-{} does not exist.\n",
        version);
    return outcome;
  }
  outcome.event = os_.journal.record(Layer::kernel, Severity::info, "dkms.added",
                                     "amdgpu/" + version, {{field::see, "dkms status"}}, cause);
  os_.files.symlink(tree(version) + "/source", "/usr/src/amdgpu-" + version, outcome.event);
  outcome.output =
      fmt::format("Creating symlink {}/source -> /usr/src/amdgpu-{}\n", tree(version), version);
  return outcome;
}

Dkms::Outcome Dkms::refuse(const std::string& version, const std::string& kernel, std::string text,
                           std::string_view asked, EventId cause, int exit_code,
                           std::string_view got) {
  const std::string subject = fmt::format("amdgpu/{} {}", version, kernel);
  const std::string shows = text.substr(0, text.find('\n'));
  const EventId event = os_.journal.record(
      Layer::kernel, Severity::error, "dkms.not_built", subject,
      {{field::asked, asked},
       {field::got, got},
       {field::did, "no module is built for this kernel; the state stays \"added\""},
       {field::shows, std::string_view(shows)},
       {field::see, "dkms status"}},
      cause);
  for (const std::string& name : all_modules()) {
    os_.files.explain_absence(updates(kernel) + "/" + name + ".ko", event);
  }
  return {exit_code, std::move(text), event};
}

Dkms::Outcome Dkms::build(const std::string& version, const std::string& kernel, EventId cause) {
  if (const std::string conf = broken_tree(); !conf.empty())
    return refuse_all(conf, version, kernel, cause);
  const std::string headers = "/lib/modules/" + kernel + "/build";
  if (!os_.files.exists(headers)) {
    EventId why = os_.files.why(headers);
    if (why == no_event) why = os_.packages.why_no_file(headers);
    return refuse(
        version, kernel,
        fmt::format("Error! Your kernel headers for kernel {0} cannot be found at "
                    "/lib/modules/{0}/build or /lib/modules/{0}/source.\nPlease install "
                    "the linux-headers-{0} package or use the --kernelsourcedir option to "
                    "tell DKMS where it's located.\n",
                    kernel),
        headers, why != no_event ? why : cause, 21);
  }
  if (const std::string symbol = missing_symbol(version, headers); !symbol.empty())
    return bad_build(version, kernel, headers, symbol, cause);
  const EventId event = os_.journal.record(
      Layer::kernel, Severity::info, "dkms.built", fmt::format("amdgpu/{} {}", version, kernel),
      {{field::asked, std::string_view(headers)}, {field::see, "dkms status"}}, cause);
  for (const std::string& name : all_modules()) {
    os_.files.write(fmt::format("{}/{}/{}/module/{}.ko", tree(version), kernel, arch, name),
                    text_of(name, version, kernel), event);
  }
  return {
      0,
      fmt::format("Building module:\nCleaning build area...done.\nBuilding module(s)....done.\n"),
      event};
}

Dkms::Outcome Dkms::install(const std::string& version, const std::string& kernel, EventId cause) {
  Outcome outcome{0, {}, cause};
  if (const std::string conf = broken_tree(); !conf.empty())
    return refuse_all(conf, version, kernel, cause);
  if (state(version, kernel) == DkmsState::absent) {
    return {3,
            fmt::format("Error! The module/version combo: amdgpu-{} is not located in the DKMS "
                        "tree.\n",
                        version),
            cause};
  }
  if (state(version, kernel) == DkmsState::installed) {
    outcome.output = fmt::format("Module amdgpu-{} already installed on kernel {} ({}).\n", version,
                                 kernel, arch);
    return outcome;
  }
  if (state(version, kernel) == DkmsState::added) {
    outcome = build(version, kernel, cause);
    if (outcome.exit_code != 0) return outcome;
  }
  const EventId event = os_.journal.record(Layer::kernel, Severity::info, "dkms.installed",
                                           fmt::format("amdgpu/{} {}", version, kernel),
                                           {{field::see, "dkms status"}}, outcome.event);
  for (const std::string& name : all_modules()) {
    os_.files.write(updates(kernel) + "/" + name + ".ko", text_of(name, version, kernel), event);
    outcome.output += fmt::format(
        "\n{}.ko:\nRunning module version sanity check.\n - Original module\n"
        " - Installation\n   - Installing to {}/\n",
        name, updates(kernel));
  }
  depmod(os_.files, kernel, event);
  outcome.output += "depmod...\n";
  outcome.event = event;
  return outcome;
}

Dkms::Outcome Dkms::uninstall(const std::string& version, const std::string& kernel,
                              EventId cause) {
  if (state(version, kernel) != DkmsState::installed) {
    return {5,
            fmt::format("Error! The module amdgpu {} is not currently installed for kernel {} "
                        "({}).\n",
                        version, kernel, arch),
            cause};
  }
  const EventId event = os_.journal.record(Layer::kernel, Severity::info, "dkms.uninstalled",
                                           fmt::format("amdgpu/{} {}", version, kernel),
                                           {{field::see, "dkms status"}}, cause);
  for (const std::string& name : all_modules()) {
    os_.files.remove(updates(kernel) + "/" + name + ".ko", event);
  }
  depmod(os_.files, kernel, event);
  return {
      0,
      fmt::format("Module amdgpu-{} for kernel {} ({}) was uninstalled.\n", version, kernel, arch),
      event};
}

Dkms::Outcome Dkms::unbuild(const std::string& version, EventId cause) {
  Outcome outcome{0, {}, cause};
  const auto kernels = os_.files.list(tree(version)).value_or(std::vector<std::string>{});
  for (const std::string& kernel : kernels) {
    if (kernel == "source" || kernel == "build") continue;
    if (state(version, kernel) == DkmsState::installed) {
      Outcome one = uninstall(version, kernel, cause);
      outcome.output += one.output;
      outcome.event = one.event;
    }
    os_.files.remove(tree(version) + "/" + kernel, outcome.event);
  }
  return outcome;
}

Dkms::Outcome Dkms::remove(const std::string& version, EventId cause) {
  if (!os_.files.lstat(tree(version))) {
    return {3,
            fmt::format("Error! There are no instances of module: amdgpu {} located in the DKMS "
                        "tree.\n",
                        version),
            cause};
  }
  if (const std::string conf = broken_tree(); !conf.empty()) return {4, no_conf(conf), cause};
  Outcome outcome{0, {}, cause};
  const auto kernels = os_.files.list(tree(version)).value_or(std::vector<std::string>{});
  for (const std::string& kernel : kernels) {
    if (state(version, kernel) != DkmsState::installed) continue;
    Outcome one = uninstall(version, kernel, cause);
    outcome.output += one.output;
    outcome.event = one.event;
  }
  outcome.event =
      os_.journal.record(Layer::kernel, Severity::info, "dkms.removed", "amdgpu/" + version,
                         {{field::see, "dkms status"}}, outcome.event);
  os_.files.remove(tree(version), outcome.event);
  outcome.output +=
      fmt::format("Deleting module amdgpu-{} completely from the DKMS tree.\n", version);
  return outcome;
}

bool Dkms::autoinstall_enabled(const std::string& version) const {
  for (const std::string& line :
       sim::lines_of(os_.files.text(tree(version) + "/source/dkms.conf"))) {
    if (line == "AUTOINSTALL=\"yes\"") return true;
  }
  return false;
}

Dkms::Outcome Dkms::autoinstall(const std::string& kernel, EventId cause) {
  Outcome outcome{0, {}, cause};
  const std::string broken = broken_tree();
  for (const std::string& version : versions()) {
    if (state(version, kernel) == DkmsState::installed) continue;
    if (!broken.empty()) {
      if (broken.starts_with(tree(version) + "/")) continue;  // it is the one without a source
      return refuse_all(broken, version, kernel, cause);
    }
    if (!autoinstall_enabled(version)) {
      const std::string conf = tree(version) + "/source/dkms.conf";
      const EventId why = os_.files.why(os_.files.resolve(conf).value_or(conf));
      outcome = refuse(version, kernel, "dkms: AUTOINSTALL is off for amdgpu/" + version + "\n",
                       "AUTOINSTALL in " + conf, why != no_event ? why : cause, 0);
      continue;
    }
    Outcome one = install(version, kernel, cause);
    outcome.exit_code = std::max(outcome.exit_code, one.exit_code);
    outcome.output += one.output;
    outcome.event = one.event;
  }
  return outcome;
}

void Dkms::on_package(const sim::Package& package, bool installed, EventId cause,
                      std::string& output) {
  constexpr std::string_view kernel_packages[] = {"linux-image-", "linux-headers-"};
  if (package.name == "amdgpu-dkms") {
    if (!installed) {
      output += remove(package.version, cause).output;
      return;
    }
    output += "Loading new amdgpu-" + package.version + " DKMS files...\n";
    output += add(package.version, cause).output;
    for (const std::string& kernel : os_.installed_kernels()) {
      if (os_.files.exists("/lib/modules/" + kernel + "/build") || kernel == os_.kernel_release) {
        output += "Building for " + kernel + "\n" + install(package.version, kernel, cause).output;
      }
    }
    return;
  }
  for (const std::string_view prefix : kernel_packages) {
    if (!package.name.starts_with(prefix)) continue;
    const std::string kernel = package.name.substr(prefix.size());
    if (!os_.files.exists("/lib/modules/" + kernel)) continue;  // a meta package
    if (!installed) continue;
    depmod(os_.files, kernel, cause);
    output += autoinstall(kernel, cause).output;
  }
}

}  // namespace rocdrill::kernel
