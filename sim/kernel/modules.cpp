#include "sim/kernel/modules.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace rocdrill::kernel {
namespace {

std::string root_of(const std::string& kernel) { return "/lib/modules/" + kernel; }

/// All .ko files below a directory, as paths relative to it, in order.
void collect(const sim::FileTree& files, const std::string& root, const std::string& below,
             std::vector<std::string>& out) {
  const std::string directory = below.empty() ? root : root + "/" + below;
  auto names = files.list(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = below.empty() ? name : below + "/" + name;
    const auto stat = files.lstat(root + "/" + path);
    if (!stat) continue;
    if (stat->type == FileType::directory) collect(files, root, path, out);
    if (stat->type == FileType::regular && name.ends_with(".ko")) out.push_back(path);
  }
}

std::string module_name(std::string_view path) {
  std::string_view name = sim::basename(path);
  name.remove_suffix(std::string_view(".ko").size());
  return normal_name(name);
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::string normal(name);
  std::ranges::replace(normal, '-', '_');
  return normal;
}

std::string ModuleFile::get(std::string_view key) const {
  const auto at = info.find(std::string(key));
  return at == info.end() ? std::string() : at->second;
}

std::vector<std::string> ModuleFile::all(std::string_view key) const {
  std::vector<std::string> values;
  const auto [first, last] = info.equal_range(std::string(key));
  for (auto at = first; at != last; ++at) values.push_back(at->second);
  return values;
}

std::string module_text(std::string_view name, std::string_view kernel, std::string_view version,
                        const std::vector<std::string>& depends,
                        const std::vector<std::string>& aliases) {
  std::string text;
  if (!version.empty()) text += fmt::format("version={}\n", version);
  text += "license=GPL and additional rights\n";
  if (name == "amdgpu") text += "description=AMD GPU\nauthor=AMD linux driver team\n";
  for (const std::string& alias : aliases) text += fmt::format("alias={}\n", alias);
  text += fmt::format("depends={}\n", fmt::join(depends, ","));
  text += "retpoline=Y\n";
  if (version.empty()) text += "intree=Y\n";
  text += fmt::format("name={}\nvermagic={} SMP preempt mod_unload modversions\n", name, kernel);
  if (version.empty()) text += fmt::format("signer={}\n", kernel_signer);
  return text;
}

std::optional<ModuleFile> read_module(const sim::FileTree& files, const std::string& path) {
  auto text = files.read(path);
  if (!text) return std::nullopt;
  ModuleFile module{path, {}};
  for (const std::string& line : sim::lines_of(*text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    module.info.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return module;
}

void depmod(sim::FileTree& files, const std::string& kernel, EventId event) {
  const std::string root = root_of(kernel);
  std::vector<std::string> paths;
  collect(files, root, "", paths);
  std::map<std::string, std::string> chosen;  // module name -> relative path
  for (const std::string& path : paths) {
    const auto [at, added] = chosen.emplace(module_name(path), path);
    if (!added && path.starts_with("updates/")) at->second = path;
  }
  std::string dep;
  std::string alias = "# Aliases extracted from modules themselves.\n";
  for (const auto& [name, path] : chosen) {
    const auto module = read_module(files, root + "/" + path);
    dep += path + ":";
    std::string depends = module->get("depends");
    std::ranges::replace(depends, ',', ' ');
    for (const std::string& other : sim::words_of(depends)) {
      if (const auto found = chosen.find(other); found != chosen.end()) dep += " " + found->second;
    }
    dep += '\n';
    for (const std::string& pattern : module->all("alias")) {
      alias += fmt::format("alias {} {}\n", pattern, name);
    }
  }
  files.write(root + "/modules.dep", std::move(dep), event);
  files.write(root + "/modules.alias", std::move(alias), event);
}

std::optional<std::string> find_module(const sim::FileTree& files, const std::string& kernel,
                                       std::string_view name) {
  for (const std::string& line : sim::lines_of(files.text(root_of(kernel) + "/modules.dep"))) {
    const std::string path = line.substr(0, line.find(':'));
    if (module_name(path) == normal_name(name)) return root_of(kernel) + "/" + path;
  }
  return std::nullopt;
}

std::vector<std::string> match_alias(const sim::FileTree& files, const std::string& kernel,
                                     std::string_view modalias) {
  std::vector<std::string> names;
  const std::string subject(modalias);
  for (const std::string& line : sim::lines_of(files.text(root_of(kernel) + "/modules.alias"))) {
    const auto word = sim::words_of(line);
    if (word.size() != 3 || word[0] != "alias") continue;
    if (fnmatch(word[1].c_str(), subject.c_str(), 0) == 0) names.push_back(word[2]);
  }
  return names;
}

const LoadedModule* ModuleTable::find(std::string_view name) const {
  const auto at = std::ranges::find(modules_, name, &LoadedModule::name);
  return at == modules_.end() ? nullptr : &*at;
}

LoadedModule* ModuleTable::find(std::string_view name) {
  const auto at = std::ranges::find(modules_, name, &LoadedModule::name);
  return at == modules_.end() ? nullptr : &*at;
}

void ModuleTable::remove(std::string_view name) {
  std::erase_if(modules_, [&](const LoadedModule& module) { return module.name == name; });
  for (LoadedModule& module : modules_) std::erase(module.used_by, name);
}

}  // namespace rocdrill::kernel
