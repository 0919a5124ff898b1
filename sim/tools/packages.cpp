// Packages: apt-get, apt, apt-cache, dpkg. Texts: apt 2.7, dpkg 1.22. Prompts are answered with
// yes.
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

/// apt prints errors to standard error.
int finish(Call& call, const Packages::Outcome& outcome) {
  for (const std::string& line : lines_of(outcome.output)) {
    (line.starts_with("E: ") || line.starts_with("Error!") ? call.err : call.out) += line + "\n";
  }
  if (outcome.ok) return 0;
  call.event = outcome.event;
  return 100;
}

int install(Call& call, const Options& options) {
  Packages& packages = call.node.os.packages;
  int code = 0;
  for (auto at = options.operands.begin() + 1; at != options.operands.end(); ++at) {
    if (at->find('=') != std::string::npos || at->find('*') != std::string::npos)
      return call.refuse("'" + *at + "'");
    code = std::max(code, finish(call, options.has("--reinstall")
                                           ? packages.reinstall(*at, call.command_event())
                                           : packages.install(*at, call.command_event())));
  }
  return code;
}

int remove(Call& call, const Options& options) {
  Packages& packages = call.node.os.packages;
  for (auto at = options.operands.begin() + 1; at != options.operands.end(); ++at) {
    if (!packages.installed(*at) && !packages.available(*at))
      return call.fail(100, "E: Unable to locate package {}\n", *at);
    finish(call, packages.remove(*at, call.command_event()));
  }
  return 0;
}

/// apt-get upgrade keeps back what would need a new package; apt upgrade and dist-upgrade do not.
int upgrade(Call& call, bool with_new) {
  Packages& packages = call.node.os.packages;
  if (with_new) return finish(call, packages.upgrade(call.command_event()));
  std::vector<std::string> kept;
  int code = 0;
  for (const std::string& name : packages.installed_names()) {
    const Package* newer = packages.available(name);
    if (!newer || compare_versions(newer->version, packages.installed(name)->version) <= 0)
      continue;
    const bool needs_new = std::ranges::any_of(
        newer->depends, [&](const auto& other) { return !packages.installed(other); });
    if (needs_new)
      kept.push_back(name);
    else
      code = std::max(code, finish(call, packages.install(name, call.command_event())));
  }
  if (!kept.empty())
    call.print("The following packages have been kept back:\n  {}\n", fmt::join(kept, " "));
  return code;
}

int policy(Call& call, const Options& options);

int run_apt(Call& call) {
  const auto options = parse(call, {{"-y"},
                                    {"--yes", false, "-y"},
                                    {"--assume-yes", false, "-y"},
                                    {"-q"},
                                    {"-qq"},
                                    {"--reinstall"}});
  if (!options) return 2;
  if (options->operands.empty()) return call.fail(1, "E: Invalid operation \n");
  const std::string& verb = options->operands.front();
  const bool apt = call.name == "apt";
  if (apt && verb == "policy") return policy(call, *options);
  const bool full = verb == "dist-upgrade" || verb == "full-upgrade";
  constexpr std::string_view verbs[] = {"install",      "reinstall",    "remove", "upgrade",
                                        "dist-upgrade", "full-upgrade", "update"};
  if (std::ranges::find(verbs, verb) == std::end(verbs) || verb == "reinstall")
    return call.refuse("operation '" + verb + "'");
  if (!call.root()) {
    if (verb == "update") {
      return call.fail(
          100,
          "E: Could not open lock file /var/lib/apt/lists/lock - open (13: Permission denied)\n"
          "E: Unable to lock directory /var/lib/apt/lists/\n");
    }
    return call.fail(
        100,
        "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n"
        "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n");
  }
  if (verb == "install") return install(call, *options);
  if (verb == "remove") return remove(call, *options);
  if (verb == "update") {  // what is published is known at once
    call.print("Reading package lists... Done\n");
    return 0;
  }
  return upgrade(call, apt || full);
}

int policy(Call& call, const Options& options) {
  const Packages& packages = call.node.os.packages;
  for (auto at = options.operands.begin() + 1; at != options.operands.end(); ++at) {
    const Package* installed = packages.installed(*at);
    const Package* available = packages.available(*at);
    if (!installed && !available) {
      call.complain("N: Unable to locate package {}\n", *at);
      continue;
    }
    const std::string candidate = available ? available->version : installed->version;
    call.print("{}:\n  Installed: {}\n  Candidate: {}\n  Version table:\n", *at,
               installed ? installed->version : "(none)", candidate);
    if (!installed || installed->version != candidate) call.print("     {} 500\n", candidate);
    if (installed)
      call.print(" *** {} 100\n        100 /var/lib/dpkg/status\n", installed->version);
  }
  return 0;
}

int run_apt_cache(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.empty() || options->operands.front() != "policy") {
    return call.refuse(options->operands.empty() ? "no operation"
                                                 : "operation '" + options->operands.front() + "'");
  }
  return policy(call, *options);
}

std::string cut(std::string_view text, std::size_t width) {
  return fmt::format("{:<{}.{}}", text, width, width);
}

int list(Call& call, const std::vector<std::string>& patterns) {
  const Packages& packages = call.node.os.packages;
  std::vector<const Package*> found;
  int code = 0;
  for (const std::string& pattern : patterns.empty() ? std::vector<std::string>{"*"} : patterns) {
    const std::size_t before = found.size();
    for (const std::string& name : packages.installed_names()) {
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) found.push_back(packages.installed(name));
    }
    if (found.size() == before && !patterns.empty())
      code = call.fail(1, "dpkg-query: no packages found matching {}\n", pattern);
  }
  if (found.empty()) return code;
  std::size_t name = 14, version = 12, summary = 33;
  for (const Package* package : found) {
    name = std::max(name, package->name.size());
    version = std::max(version, package->version.size());
    summary = std::max(summary, package->summary.size());
  }
  call.print(
      "Desired=Unknown/Install/Remove/Purge/Hold\n"
      "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n"
      "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n"
      "||/ {} {} {} {}\n",
      cut("Name", name), cut("Version", version), cut("Architecture", 12), "Description");
  call.print("+++-{:=<{}}-{:=<{}}-{:=<12}-{:=<{}}\n", "", name, "", version, "", "", summary);
  for (const Package* package : found) {
    call.print("ii  {} {} {} {}\n", cut(package->name, name), cut(package->version, version),
               cut("amd64", 12), package->summary);
  }
  return code;
}

int search(Call& call, const std::vector<std::string>& paths) {
  int code = 0;
  for (const std::string& path : paths) {
    const Package* owner = call.node.os.packages.owner(path);
    if (owner)
      call.print("{}: {}\n", owner->name, path);
    else
      code = call.fail(1, "dpkg-query: no path found matching pattern {}\n", path);
  }
  return code;
}

int contents(Call& call, const std::vector<std::string>& names) {
  int code = 0;
  for (const std::string& name : names) {
    const Package* package = call.node.os.packages.installed(name);
    if (!package) {
      code =
          call.fail(1,
                    "dpkg-query: package '{}' is not installed\n"
                    "Use dpkg --contents (= dpkg-deb --contents) to list archive files contents.\n",
                    name);
      continue;
    }
    std::set<std::string> paths;
    for (const PackageFile& file : package->files) {
      for (std::string_view at = file.path; at != "/"; at = parent(at))
        paths.insert(std::string(at));
    }
    call.print("/.\n{}\n", fmt::join(paths, "\n"));
  }
  return code;
}

/// dpkg -V: the package's files that are not as it brought them.
int verify(Call& call, const std::vector<std::string>& names) {
  const Packages& packages = call.node.os.packages;
  int code = 0;
  for (const std::string& name : names.empty() ? packages.installed_names() : names) {
    const Package* package = packages.installed(name);
    if (!package) {
      code = call.fail(1, "dpkg: package '{}' is not installed\n", name);
      continue;
    }
    for (const PackageFile& file : package->files) {
      if (file.is_symlink) continue;
      const auto content = call.node.os.files.read(file.path);
      if (content && *content == file.content.bytes) continue;
      call.print("{:<9}   {}\n", content ? "??5??????" : "missing", file.path);
      code = 1;
    }
  }
  return code;
}

int run_dpkg(Call& call) {
  const auto options = parse(call, {{"-l"},
                                    {"--list", false, "-l"},
                                    {"-S"},
                                    {"--search", false, "-S"},
                                    {"-L"},
                                    {"--listfiles", false, "-L"},
                                    {"-V"},
                                    {"--verify", false, "-V"}});
  if (!options) return 2;
  if (options->has("-l")) return list(call, options->operands);
  if (options->has("-S")) return search(call, options->operands);
  if (options->has("-L")) return contents(call, options->operands);
  if (options->has("-V")) return verify(call, options->operands);
  return call.fail(2, "dpkg: error: need an action option\n");
}

constexpr std::string_view apt_usage =
    "install [-y] [--reinstall] NAME... | remove [-y] NAME... | upgrade [-y] | dist-upgrade | update";
constexpr Tool table[] = {
    {{"apt-get", apt_usage, "Installs, removes and upgrades packages.", true, true}, run_apt},
    {{"apt", apt_usage, "Installs, removes and upgrades packages; apt policy NAME.", true, true},
     run_apt},
    {{"apt-cache", "apt-cache policy NAME...", "Prints installed and available versions."},
     run_apt_cache},
    {{"dpkg", "dpkg -l [PATTERN...] | -S PATH... | -L NAME... | -V [NAME...]",
      "Prints what packages are installed, and their files."},
     run_dpkg},
};

}  // namespace

std::span<const Tool> package_tools() { return table; }

}  // namespace rocdrill::sim::tools
