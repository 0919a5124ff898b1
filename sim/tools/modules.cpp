// Kernel modules: lsmod, modprobe, rmmod, insmod, modinfo, depmod.
// Texts and exit statuses: kmod (tools/modprobe.c, rmmod.c, insmod.c, lsmod.c, modinfo.c).
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

using kernel::LoadedModule;
using kernel::ModprobeResult;

/// A module's name has '_' where a file's or a person's may have '-'.
std::string normal(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Removes a module; with the driver its device nodes go, and what was changed about them.
ModprobeResult remove(Call& call, const std::string& name) {
  ModprobeResult result = call.node.kernel.remove_module(name, call.command_event());
  if (!call.node.kernel.kfd.present()) call.node.access.devices().forget();
  return result;
}

int finish(Call& call, const ModprobeResult& result) {
  call.err += result.output;
  if (result.exit_code != 0) call.event = result.event;
  return result.exit_code;
}

int run_lsmod(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  const auto modules = call.process().read_file("/proc/modules");
  if (!modules)
    return call.fail(1, "Error: could not get list of modules: {}\n",
                     errno_text(modules.error().error));
  call.print("Module                  Size  Used by\n");
  for (const std::string& line : lines_of(*modules)) {
    const auto word = words_of(line);
    if (word.size() < 4) continue;
    std::string users = word[3] == "-" ? "" : " " + word[3];
    if (users.ends_with(',')) users.pop_back();
    call.print("{:<19} {:>8}  {}{}\n", word[0], word[1], word[2], users);
  }
  return 0;
}

std::vector<std::string> depends_of(const Call& call, const std::string& path) {
  const auto module = kernel::read_module(call.node.os.files, path);
  std::string depends = module ? module->get("depends") : std::string();
  std::ranges::replace(depends, ',', ' ');
  return words_of(depends);
}

using ModuleParameters = std::map<std::string, std::string>;

/// The insmod lines of --dry-run --verbose and --show-depends.
std::string insmod_lines(const Call& call, const std::string& path, const std::string& name,
                         const ModuleParameters& given, bool with_loaded) {
  const auto& node = call.node;
  std::string text;
  for (const std::string& other : depends_of(call, path)) {
    const auto file = kernel::find_module(node.os.files, node.os.kernel_release, other);
    if (file && (with_loaded || !node.kernel.modules.find(other)))
      text += fmt::format("insmod {} \n", *file);
  }
  auto parameters = kernel::read_modprobe_config(node.os).options[name];
  for (const auto& [key, value] : given) parameters[key] = value;
  text += fmt::format("insmod {} ", path);
  for (const auto& [key, value] : parameters)
    text += value.empty() ? key + " " : fmt::format("{}={} ", key, value);
  return text + "\n";
}

int load(Call& call, const Options& options, const std::string& name,
         const ModuleParameters& parameters) {
  Node& node = call.node;
  const bool loaded = node.kernel.modules.find(name) != nullptr;
  const bool show = options.has("-D");
  if (loaded && !show) return 0;
  const auto path = kernel::find_module(node.os.files, node.os.kernel_release, name);
  const bool root_matters = !call.root() && !show && !options.has("-n");
  if (!path && (root_matters || show || options.has("-n"))) {
    return call.fail(1, "modprobe: FATAL: Module {} not found in directory /lib/modules/{}\n", name,
                     node.os.kernel_release);
  }
  if (path && (show || options.has("-v")))
    call.out += insmod_lines(call, *path, name, parameters, show);
  if (show || options.has("-n")) return 0;
  if (root_matters)
    return call.fail(1, "modprobe: ERROR: could not insert '{}': Operation not permitted\n", name);
  return finish(call, node.kernel.load_module(name, parameters, call.command_event()));
}

/// kmod also removes the modules that only this one needed.
int unload(Call& call, const std::string& name, bool dry_run, bool verbose) {
  kernel::Kernel& kernel = call.node.kernel;
  const LoadedModule* module = kernel.modules.find(name);
  if (!module) return 0;
  if (!module->used_by.empty())
    return call.fail(1, "modprobe: FATAL: Module {} is in use.\n", name);
  const auto depends = depends_of(call, module->path);
  if (verbose) call.print("rmmod {}\n", name);
  if (dry_run) return 0;
  if (!call.root())
    return call.fail(1, "modprobe: ERROR: could not remove '{}': Operation not permitted\n", name);
  const ModprobeResult result = remove(call, name);
  if (result.exit_code != 0) return finish(call, result);
  for (const std::string& other : depends) {
    const LoadedModule* unused = kernel.modules.find(other);
    if (!unused || !unused->used_by.empty()) continue;
    if (verbose) call.print("rmmod {}\n", other);
    static_cast<void>(remove(call, other));
  }
  return 0;
}

int show_configuration(Call& call) {
  const auto config = kernel::read_modprobe_config(call.node.os);
  for (const auto& [module, event] : config.blacklist) call.print("blacklist {}\n", module);
  for (const auto& [module, parameters] : config.options) {
    call.print("options {}", module);
    for (const auto& [key, value] : parameters)
      call.print(" {}{}{}", key, value.empty() ? "" : "=", value);
    call.print("\n");
  }
  return 0;
}

int run_modprobe(Call& call) {
  const auto options = parse(call, {{"-r"},
                                    {"--remove", false, "-r"},
                                    {"-n"},
                                    {"--dry-run", false, "-n"},
                                    {"--show", false, "-n"},
                                    {"-v"},
                                    {"--verbose", false, "-v"},
                                    {"-D"},
                                    {"--show-depends", false, "-D"},
                                    {"-c"},
                                    {"--showconfig", false, "-c"}});
  if (!options) return 2;
  if (options->has("-c")) return show_configuration(call);
  if (options->operands.empty())
    return call.fail(1, "modprobe: ERROR: missing parameters. See -h.\n");
  if (options->has("-r")) {
    for (const std::string& name : options->operands) {
      if (const int code = unload(call, normal(name), options->has("-n"), options->has("-v"));
          code != 0)
        return code;
    }
    return 0;
  }
  ModuleParameters parameters;
  for (std::size_t i = 1; i < options->operands.size(); ++i) {
    const std::string& word = options->operands[i];
    const std::size_t equals = word.find('=');
    parameters[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return load(call, *options, normal(options->operands.front()), parameters);
}

int remove_one(Call& call, const std::string& name) {
  const LoadedModule* module = call.node.kernel.modules.find(name);
  if (!module) return call.fail(1, "rmmod: ERROR: Module {} is not currently loaded\n", name);
  if (!module->used_by.empty()) {
    return call.fail(1, "rmmod: ERROR: Module {} is in use by: {}\n", name,
                     fmt::join(module->used_by, " "));
  }
  if (!call.root()) {
    return call.fail(1,
                     "rmmod: ERROR: could not remove '{0}': Operation not permitted\n"
                     "rmmod: ERROR: could not remove module {0}: Operation not permitted\n",
                     name);
  }
  const ModprobeResult result = remove(call, name);
  if (result.exit_code == 0) return 0;
  call.event = result.event;
  return call.fail(1, "rmmod: ERROR: Module {} is in use\n", name);
}

int run_rmmod(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.empty()) return call.fail(1, "rmmod: ERROR: missing module name.\n");
  int code = 0;
  for (const std::string& name : options->operands)
    code = std::max(code, remove_one(call, normal(name)));
  return code;
}

int run_insmod(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.empty()) return call.fail(1, "insmod: ERROR: missing filename.\n");
  if (options->operands.size() > 1) return call.refuse("a module parameter");
  const std::string path = call.path(options->operands.front());
  const auto refuse = [&](std::string_view why) {
    return call.fail(1, "insmod: ERROR: could not insert module {}: {}\n", path, why);
  };
  if (!call.process().exists(path)) {
    return call.fail(1, "insmod: ERROR: could not load module {}: No such file or directory\n",
                     path);
  }
  const auto module = kernel::read_module(call.node.os.files, path);
  if (!module || module->get("name").empty()) return refuse("Invalid module format");
  if (!call.root()) return refuse("Operation not permitted");
  if (call.node.kernel.modules.find(module->get("name"))) return refuse("File exists");
  const ModprobeResult result = call.node.kernel.insert_module(path, call.command_event());
  if (result.exit_code == 0) return 0;
  call.event = result.event;
  // insmod has words of its own for two errors (mod_strerror).
  std::string why = result.output.substr(result.output.rfind(": ") + 2);
  why.resize(why.find('\n'));
  return refuse(why == "Exec format error"  ? "Invalid module format"
                : why == "Invalid argument" ? "Invalid parameters"
                                            : why);
}

int run_modinfo(Call& call) {
  const auto options = parse(call, {{"-F", true},
                                    {"--field", true, "-F"},
                                    {"-k", true},
                                    {"--set-version", true, "-k"},
                                    {"-n"},
                                    {"--filename", false, "-n"}});
  if (!options) return 2;
  if (options->operands.size() != 1)
    return call.fail(1, "modinfo: ERROR: missing module or filename.\n");
  const std::string& word = options->operands.front();
  const std::string release = options->value_or("-k", call.node.os.kernel_release);
  const auto path = word.starts_with('/')
                        ? std::optional(word)
                        : kernel::find_module(call.node.os.files, release, normal(word));
  const auto text = path ? call.process().read_file(*path) : SysResult<std::string>(fail(ENOENT));
  if (!path || !text) return call.fail(1, "modinfo: ERROR: Module {} not found.\n", word);
  const std::string field = options->has("-n") ? "filename" : options->value_or("-F", "");
  constexpr std::string_view missing[] = {"firmware", "srcversion", "import_ns",
                                          "parm",     "sig_id",     "sig_key"};
  if (std::ranges::find(missing, field) != std::end(missing))
    return call.refuse("field '" + field + "'");
  if (field == "filename") {
    call.print("{}\n", *path);
    return 0;
  }
  if (field.empty()) call.print("{:<16}{}\n", "filename:", *path);
  for (const std::string& line : lines_of(*text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, equals);
    if (field.empty()) call.print("{:<16}{}\n", key + ":", line.substr(equals + 1));
    if (field == key) call.print("{}\n", line.substr(equals + 1));
  }
  if (field.empty())
    call.complain("rocdrill: firmware, srcversion, signature and parm fields are not modelled\n");
  return 0;
}

int run_depmod(Call& call) {
  const auto options = parse(call, {{"-a"}, {"--all", false, "-a"}});
  if (!options) return 2;
  const std::string release =
      options->operands.empty() ? call.node.os.kernel_release : options->operands.front();
  const std::string folder = "/lib/modules/" + release;
  if (!call.node.os.files.exists(folder)) {
    return call.fail(1,
                     "depmod: ERROR: could not open directory {}: No such file or directory\n"
                     "depmod: FATAL: could not search modules: No such file or directory\n",
                     folder);
  }
  if (!call.root()) {
    return call.fail(1, "depmod: ERROR: openat({}, modules.dep, 1101, 644): Permission denied\n",
                     folder);
  }
  kernel::depmod(call.node.os.files, release, call.command_event());
  return 0;
}

constexpr Tool table[] = {
    {{"lsmod", "lsmod", "Lists the loaded modules."}, run_lsmod},
    {{"modprobe", "modprobe [-n] [-v] [-D] NAME [KEY=VALUE...] | -r [-n] [-v] NAME... | -c",
      "Loads a module with what it depends on, or removes it.", true, true},
     run_modprobe},
    {{"rmmod", "rmmod NAME...", "Removes modules.", true, true}, run_rmmod},
    {{"insmod", "insmod FILE", "Inserts a module file.", true, true}, run_insmod},
    {{"modinfo", "modinfo [-F FIELD] [-n] [-k RELEASE] NAME|FILE",
      "Prints what a module file says of itself."},
     run_modinfo},
    {{"depmod", "depmod [-a] [RELEASE]", "Writes the module indexes anew.", true, true},
     run_depmod},
};

}  // namespace

std::span<const Tool> module_tools() { return table; }

}  // namespace rocdrill::sim::tools
