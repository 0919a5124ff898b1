#include "sim/host/packages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace rocdrill::sim {

void Packages::publish(Package package) {
  std::string name = package.name;
  available_.insert_or_assign(std::move(name), std::move(package));
}

void Packages::preinstall(const std::string& name) {
  const Package& package = available_.at(name);
  unpack(package, no_event);
  installed_.insert_or_assign(name, package);
}

const Package* Packages::installed(std::string_view name) const {
  const auto at = installed_.find(name);
  return at == installed_.end() ? nullptr : &at->second;
}

const Package* Packages::available(std::string_view name) const {
  const auto at = available_.find(name);
  return at == available_.end() ? nullptr : &at->second;
}

std::vector<std::string> Packages::installed_names() const {
  std::vector<std::string> names;
  for (const auto& [name, package] : installed_) names.push_back(name);
  return names;
}

const Package* Packages::owner(std::string_view path) const {
  for (const auto& [name, package] : installed_) {
    for (const PackageFile& file : package.files) {
      if (file.path == path) return &package;
    }
  }
  return nullptr;
}

void Packages::unpack(const Package& package, EventId event) {
  for (const PackageFile& file : package.files) {
    if (file.is_symlink) {
      files_.symlink(file.path, file.content.bytes, event);
    } else {
      files_.write(file.path, file.content.bytes, event, {.mode = file.mode});
    }
  }
}

bool Packages::plan(const std::string& name, std::vector<std::string>& order,
                    std::string& missing) const {
  if (std::ranges::find(order, name) != order.end()) return true;
  const Package* package = available(name);
  if (!package) {
    missing = name;
    return false;
  }
  const Package* present = installed(name);
  if (present && compare_versions(present->version, package->version) >= 0) return true;
  for (const std::string& dependency : package->depends) {
    if (!plan(dependency, order, missing)) return false;
  }
  order.push_back(name);
  return true;
}

Packages::Outcome Packages::install(const std::string& name, EventId cause) {
  Outcome outcome{true, "Reading package lists... Done\nBuilding dependency tree... Done\n", cause};
  std::vector<std::string> order;
  std::string missing;
  if (!plan(name, order, missing)) {
    outcome.ok = false;
    outcome.output += "E: Unable to locate package " + missing + "\n";
    outcome.event = journal_.record(Layer::host, Severity::error, "apt.unknown_package", missing,
                                    {{field::see, "apt policy " + missing}}, cause);
    return outcome;
  }
  if (order.empty()) {
    const Package* present = installed(name);
    outcome.output += fmt::format("{} is already the newest version ({}).\n", name,
                                  present ? present->version : "");
    return outcome;
  }
  outcome.output += "The following NEW packages will be installed:\n";
  for (const std::string& each : order) outcome.output += "  " + each + "\n";
  for (const std::string& each : order) {
    const Package& package = available_.at(each);
    const EventId event = journal_.record(
        Layer::host, Severity::info, "package.installed", each,
        {{"version", std::string_view(package.version)}, {field::see, "dpkg -l " + each}},
        package.event != no_event ? package.event : cause);
    unpack(package, event);
    installed_.insert_or_assign(each, package);
    removed_.erase(each);
    outcome.output += fmt::format("Setting up {} ({}) ...\n", each, package.version);
    for (const PackageHook& hook : hooks_) hook(package, true, event, outcome.output);
    outcome.event = event;
  }
  return outcome;
}

Packages::Outcome Packages::reinstall(const std::string& name, EventId cause) {
  const Package* package = installed(name);
  if (!package) return install(name, cause);
  Outcome outcome{true, {}, no_event};
  outcome.event = journal_.record(
      Layer::host, Severity::info, "package.installed", name,
      {{"version", std::string_view(package->version)}, {field::see, "dpkg -l " + name}}, cause);
  unpack(*package, outcome.event);
  outcome.output = fmt::format("Setting up {} ({}) ...\n", name, package->version);
  for (const PackageHook& hook : hooks_) hook(*package, true, outcome.event, outcome.output);
  return outcome;
}

Packages::Outcome Packages::remove(const std::string& name, EventId cause) {
  Outcome outcome{true, {}, cause};
  const auto at = installed_.find(name);
  if (at == installed_.end()) {
    outcome.output = fmt::format("Package '{}' is not installed, so not removed\n", name);
    return outcome;
  }
  const Package package = std::move(at->second);
  outcome.event = journal_.record(
      Layer::host, Severity::info, "package.removed", name,
      {{"version", std::string_view(package.version)}, {field::see, "dpkg -l " + name}}, cause);
  for (const PackageHook& hook : hooks_) hook(package, false, outcome.event, outcome.output);
  for (const PackageFile& file : package.files) files_.remove(file.path, outcome.event);
  installed_.erase(name);
  removed_.insert_or_assign(name, outcome.event);
  outcome.output += fmt::format("Removing {} ({}) ...\n", name, package.version);
  return outcome;
}

Packages::Outcome Packages::upgrade(EventId cause) {
  Outcome outcome{true, {}, cause};
  for (const std::string& name : installed_names()) {
    const Package* newer = available(name);
    if (!newer || compare_versions(newer->version, installed(name)->version) <= 0) continue;
    Outcome one = install(name, cause);
    outcome.ok = outcome.ok && one.ok;
    outcome.output += one.output;
    outcome.event = one.event;
  }
  return outcome;
}

EventId Packages::why_absent(std::string_view name) const {
  if (const auto at = removed_.find(name); at != removed_.end()) return at->second;
  for (const auto& [other, package] : available_) {
    if (installed(other) || std::ranges::find(package.depends, name) == package.depends.end()) {
      continue;
    }
    if (const EventId event = why_absent(other); event != no_event) return event;
  }
  return no_event;
}

EventId Packages::why_no_file(std::string_view path) const {
  for (const auto& [name, package] : available_) {
    if (installed(name)) continue;
    if (std::ranges::find(package.files, path, &PackageFile::path) == package.files.end()) continue;
    if (const EventId event = why_absent(name); event != no_event) return event;
  }
  return no_event;
}

int compare_versions(std::string_view left, std::string_view right) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (!left.empty() || !right.empty()) {
    const auto take = [&](std::string_view& text, bool digits) {
      std::size_t n = 0;
      while (n < text.size() && digit(text[n]) == digits) ++n;
      std::string_view part = text.substr(0, n);
      text.remove_prefix(n);
      return part;
    };
    const std::string_view l = take(left, false), r = take(right, false);
    if (l != r) return l < r ? -1 : 1;
    std::string_view ln = take(left, true), rn = take(right, true);
    ln.remove_prefix(std::min(ln.find_first_not_of('0'), ln.size()));
    rn.remove_prefix(std::min(rn.find_first_not_of('0'), rn.size()));
    if (ln.size() != rn.size()) return ln.size() < rn.size() ? -1 : 1;
    if (ln != rn) return ln < rn ? -1 : 1;
  }
  return 0;
}

}  // namespace rocdrill::sim
