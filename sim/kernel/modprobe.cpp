// Texts: kmod's modprobe, fidelity: documented (see docs/fidelity.md).
#include "sim/kernel/modprobe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace rocdrill::kernel {
namespace {

void read_config_line(const std::string& line, const std::string& file, EventId event,
                      ModprobeConfig& config) {
  const auto word = sim::words_of(line);
  if (word.size() >= 2 && word[0] == "blacklist") {
    config.blacklist[normal_name(word[1])] = event;
    config.blacklisted_in[normal_name(word[1])] = file;
  }
  if (word.size() >= 3 && word[0] == "options") {
    const std::string module = normal_name(word[1]);
    config.options_from[module] = event;
    for (std::size_t i = 2; i < word.size(); ++i) {
      const std::size_t equals = word[i].find('=');
      config.options[module][word[i].substr(0, equals)] =
          equals == std::string::npos ? "" : word[i].substr(equals + 1);
    }
  }
}

void read_cmdline(const Os& os, ModprobeConfig& config) {
  for (const std::string& word : sim::words_of(os.cmdline)) {
    const std::size_t equals = word.find('=');
    const std::size_t dot = word.find('.');
    if (equals == std::string::npos) continue;
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (key == "modprobe.blacklist") {
      config.blacklist[value] = os.cmdline_event != no_event ? os.cmdline_event : os.boot_event;
      config.blacklisted_in[value] = "/proc/cmdline";
    } else if (key == "module_blacklist") {
      config.refused_by_kernel.insert(value);
    } else if (dot != std::string::npos && dot < equals) {
      const std::string module = normal_name(key.substr(0, dot));
      config.options[module][key.substr(dot + 1)] = value;
      config.options_from[module] = os.cmdline_event;
    }
  }
}

/// "6.8.0-60-generic" of "6.8.0-60-generic SMP preempt mod_unload modversions".
std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

}  // namespace

ModprobeConfig read_modprobe_config(const Os& os) { return read_modprobe_config(os, os.files); }

ModprobeConfig read_modprobe_config(const Os& os, const sim::FileTree& files) {
  ModprobeConfig config;
  for (const std::string directory : {"/lib/modprobe.d", "/etc/modprobe.d"}) {
    auto names = files.list(directory);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.ends_with(".conf")) continue;
      const std::string path = directory + "/" + name;
      for (const std::string& line : sim::lines_of(files.text(path))) {
        read_config_line(line, path, files.why(path), config);
      }
    }
  }
  read_cmdline(os, config);
  return config;
}

ModprobeResult Modprobe::fail(const std::string& module, std::string_view kind, std::string output,
                              std::string_view asked, std::string_view got, EventId cause,
                              int error) {
  const std::string shows = output.substr(0, output.find('\n'));
  const EventId event = os_.journal.record(Layer::kernel, Severity::error, kind, module,
                                           {{field::asked, asked},
                                            {field::got, got},
                                            {field::did, "the module is not loaded"},
                                            {field::shows, std::string_view(shows)},
                                            {field::see, "lsmod"}},
                                           cause);
  return {1, std::move(output), event, error};
}

EventId Modprobe::why_not_found(const std::string& module) const {
  const std::string dkms = "/lib/modules/" + os_.kernel_release + "/updates/dkms/" + module + ".ko";
  if (const EventId event = os_.files.why(dkms); event != no_event) return event;
  const std::string in_tree = "/lib/modules/" + os_.kernel_release +
                              "/kernel/drivers/gpu/drm/amd/" + module + "/" + module + ".ko";
  if (const EventId event = os_.files.why(in_tree); event != no_event) return event;
  return os_.packages.why_no_file(in_tree);
}

ModprobeConfig Modprobe::config() const {
  return read_modprobe_config(os_, root_ ? *root_ : os_.files);
}

/// Secure Boot turns enforcement on (set_module_sig_enforced); without it a module that nobody
/// vouches for only taints.
int Modprobe::check_signature(const ModuleFile& file, std::string& says) const {
  const std::string signer = file.get("signer");
  if (signer == kernel_signer || os_.uefi.mok.contains(signer) || !os_.uefi.enforces()) return 0;
  says = signer.empty() ? "Loading of unsigned module is rejected"
                        : "Loading of module with unavailable key is rejected";
  return EKEYREJECTED;
}

/// Once per boot each: the first module of the kind says it.
void Modprobe::taint(const ModuleFile& file, EventId event) {
  const bool first = std::ranges::none_of(
      table_.all(), [](const LoadedModule& module) { return !module.in_tree; });
  if (file.in_tree() || !first) return;
  const std::string name = file.get("name");
  os_.log(4, name + ": loading out-of-tree module taints kernel.", event);
  if (!os_.uefi.enforces() || !os_.uefi.mok.contains(file.get("signer")))
    os_.log(5,
            name +
                ": module verification failed: signature and/or required key missing - "
                "tainting kernel",
            event);
}

ModprobeResult Modprobe::load(const std::string& called,
                              const std::map<std::string, std::string>& parameters, EventId cause) {
  const std::string name = normal_name(called);
  if (table_.find(name)) return {0, {}, cause};
  const auto path = find_module(os_.files, os_.kernel_release, name);
  if (!path) {
    const EventId why = why_not_found(name);
    const std::string directory = "/lib/modules/" + os_.kernel_release;
    return fail(
        name, "modprobe.not_found",
        fmt::format("modprobe: FATAL: Module {} not found in directory {}\n", name, directory),
        directory + "/modules.dep", "no entry for " + name, why != no_event ? why : cause, ENOENT);
  }
  auto all = config().options[name];
  for (const auto& [key, value] : parameters) all[key] = value;
  const auto module = read_module(os_.files, *path);
  std::string depends = module ? module->get("depends") : "";
  for (char& c : depends) c = c == ',' ? ' ' : c;
  // kmod goes through modules.dep from the right: what all others need stands last.
  auto others = sim::words_of(depends);
  std::ranges::reverse(others);
  for (const std::string& other : others) {
    if (LoadedModule* present = table_.find(other)) {  // stayed loaded: it is in use again
      if (std::ranges::find(present->used_by, name) == present->used_by.end())
        present->used_by.push_back(name);
      continue;
    }
    const auto file = find_module(os_.files, os_.kernel_release, other);
    if (!file) continue;
    if (ModprobeResult result = insert(*file, {}, name, cause); result.exit_code != 0)
      return result;
  }
  return insert(*path, std::move(all), {}, cause);
}

ModprobeResult Modprobe::load_alias(const std::string& modalias, const std::string& expected,
                                    EventId cause) {
  const auto names = match_alias(os_.files, os_.kernel_release, modalias);
  const std::string index = "/lib/modules/" + os_.kernel_release + "/modules.alias";
  if (names.empty()) {
    const EventId why = why_not_found(expected);
    return fail(expected, "modprobe.not_found",
                fmt::format("modprobe: FATAL: Module {} not found in directory /lib/modules/{}\n",
                            expected, os_.kernel_release),
                index + ": " + modalias, "no module claims the device",
                why != no_event ? why : cause, ENOENT);
  }
  const ModprobeConfig config = this->config();
  for (const std::string& name : names) {
    const auto listed = config.blacklist.find(name);
    if (listed == config.blacklist.end()) return load(name, {}, cause);
    return fail(name, "modprobe.blacklisted", fmt::format("blacklist {}\n", name),
                index + ": " + modalias,
                fmt::format("{} is blacklisted in {}", name, config.blacklisted_in.at(name)),
                listed->second != no_event ? listed->second : cause, 0);
  }
  return {1, {}, cause};
}

ModprobeResult Modprobe::insert_file(const std::string& path,
                                     const std::map<std::string, std::string>& parameters,
                                     EventId cause) {
  if (!os_.files.exists(path)) {
    return {
        1,
        fmt::format("insmod: ERROR: could not load module {}: No such file or directory\n", path),
        cause};
  }
  return insert(path, parameters, {}, cause);
}

ModprobeResult Modprobe::insert(const std::string& path,
                                std::map<std::string, std::string> parameters,
                                const std::string& user, EventId cause) {
  const auto file = read_module(os_.files, path);
  const std::string name = file ? file->get("name") : "";
  if (table_.find(name)) return {0, {}, cause};
  // modprobe speaks of the module that it was asked for, not of the one that it depends on.
  const std::string& asked = user.empty() ? name : user;
  const auto refuse = [&](int error, std::string dmesg, EventId why) {
    if (!dmesg.empty()) os_.log(3, dmesg, cause);
    return fail(
        asked, "modprobe.refused",
        fmt::format("modprobe: ERROR: could not insert '{}': {}\n", asked, errno_text(error)),
        "init_module(" + path + ")", errno_name(error), why != no_event ? why : cause, error);
  };
  std::string says;
  if (const int error = check_signature(*file, says)) {
    os_.log(5, says, cause);
    return refuse(error, {}, os_.uefi.event);
  }
  if (config().refused_by_kernel.contains(name)) {
    return refuse(EPERM, "Module " + name + " is blacklisted", os_.cmdline_event);
  }
  const std::string magic = file->get("vermagic");
  if (first_word(magic) != os_.kernel_release) {
    return refuse(ENOEXEC,
                  fmt::format("{}: version magic '{}' should be '{} SMP preempt mod_unload "
                              "modversions '",
                              name, magic, os_.kernel_release),
                  no_event);
  }
  LoadedModule module{.name = name,
                      .path = path,
                      .version = file->get("version"),
                      .in_tree = file->in_tree(),
                      .size = name == "amdgpu" ? 19'718'144u : 65'536u,
                      .used_by = {},
                      .parameters = std::move(parameters)};
  const auto configured = config().options_from;
  if (const auto from = configured.find(name); from != configured.end())
    module.parameters_event = from->second;
  taint(*file, cause);
  if (!user.empty()) module.used_by.push_back(user);
  module.event = os_.journal.record(Layer::kernel, Severity::info, "module.loaded", name,
                                    {{"path", std::string_view(path)},
                                     {"version", std::string_view(module.version)},
                                     {field::see, "lsmod"}},
                                    cause);
  table_.add(module);
  if (const auto entry = entries_.find(name); entry != entries_.end()) {
    if (const int error = entry->second.init(module, module.event); error != 0) {
      table_.remove(name);
      // A driver refuses to start for what it was told.
      return refuse(error, {}, std::max(module.parameters_event, os_.cmdline_event));
    }
  }
  return {0, {}, module.event};
}

ModprobeResult Modprobe::remove(const std::string& name, EventId cause) {
  const LoadedModule* module = table_.find(name);
  if (!module) {
    return {1, fmt::format("modprobe: FATAL: Module {} is not currently loaded.\n", name), cause};
  }
  if (const auto entry = entries_.find(name); entry != entries_.end()) {
    if (entry->second.exit(cause) != 0) {
      return fail(name, "module.in_use",
                  fmt::format("modprobe: FATAL: Module {} is in use.\n", name),
                  "delete_module(" + name + ")", "EAGAIN", cause, EAGAIN);
    }
  }
  const EventId event = os_.journal.record(Layer::kernel, Severity::info, "module.unloaded", name,
                                           {{field::see, "lsmod"}}, cause);
  table_.remove(name);
  return {0, {}, event};
}

}  // namespace rocdrill::kernel
