// What the start of a container makes of its options: device nodes and their cgroup, user and
// groups out of the image's own files, the namespace of ids. Words: moby (daemon/oci_linux.go,
// runconfig), runc (libcontainer/user), podman 4 and 5.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/containers/engine.hpp"

namespace rocdrill::containers {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// passwd and group of an image, for those who look names up.
sim::FileTree accounts(const sim::FileTree& files, const std::string& root) {
  sim::FileTree own;
  for (const char* file : {"/etc/passwd", "/etc/group"})
    own.write(file, files.text(root + file), no_event);
  return own;
}

/// The device nodes behind a path: itself, or those of a directory.
SysResult<std::vector<std::string>> nodes_behind(const sim::FileTree& files,
                                                 const std::string& path) {
  const auto stat = files.stat(path);
  if (!stat) return std::unexpected(stat.error());
  std::vector<std::string> nodes;
  if (stat->type == FileType::character) nodes.push_back(path);
  if (stat->type != FileType::directory) return nodes;
  for (const std::string& name : files.list(path).value_or(std::vector<std::string>{})) {
    const auto below = nodes_behind(files, sim::join(path, name));
    if (below) nodes.insert(nodes.end(), below->begin(), below->end());
  }
  return nodes;
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

}  // namespace

Outcome<void> Engine::find_devices(Container& container) const {
  container.devices.clear();
  container.denied_devices.clear();
  const Options& options = container.options;
  for (const DeviceOption& device : options.devices) {
    const auto nodes = nodes_behind(os_.files, device.source);
    if (!nodes) {
      const std::string reason = "no such file or directory";
      return std::unexpected(Refusal{
          owner_.kind == Kind::podman
              ? fmt::format("stat {}: {}", device.source, reason)
              : fmt::format(
                    "error gathering device information while adding custom device \"{}\": {}",
                    device.source, reason),
          owner_.kind == Kind::podman ? 125 : 127, nodes.error().event});
    }
    for (const std::string& node : *nodes) {
      add_once(container.devices, node);
      const bool both = device.permissions.find('r') != std::string::npos &&
                        device.permissions.find('w') != std::string::npos;
      if (!both && !owner_.rootless()) add_once(container.denied_devices, node);
    }
  }
  // A bind mount shows the node. It puts nothing on the list of the device cgroup.
  for (const BindMount& bind : options.binds) {
    if (!bind.source.starts_with("/dev/")) continue;
    for (const std::string& node :
         nodes_behind(os_.files, bind.source).value_or(std::vector<std::string>{})) {
      const bool allowed = std::ranges::find(container.devices, node) != container.devices.end();
      add_once(container.devices, node);
      if (!allowed && !owner_.rootless()) add_once(container.denied_devices, node);
    }
  }
  return {};
}

std::vector<IdRange> Engine::map(std::uint32_t own, std::string_view subordinate,
                                 const Options& options) const {
  if (!owner_.rootless()) return {};
  std::vector<IdRange> map;
  std::uint32_t first = 0, count = 0;
  for (const std::string& line : sim::lines_of(os_.files.text(subordinate))) {
    if (!line.starts_with(owner_.who.user + ":")) continue;
    const std::size_t begin = owner_.who.user.size() + 1, colon = line.find(':', begin);
    first = number(std::string_view(line).substr(begin, colon - begin)).value_or(0);
    count = number(std::string_view(line).substr(colon + 1)).value_or(0);
  }
  if (options.userns == "keep-id") {  // one's own id is the same inside
    map.push_back({own, own, 1});
    if (count > 0) map.push_back({0, first, own});
    return map;
  }
  map.push_back({0, own, 1});
  if (count > 0) map.push_back({1, first, count});
  return map;
}

Outcome<Identity> Engine::resolve_user(const Container& container, const std::string& user) const {
  const sim::FileTree files = accounts(os_.files, files_of(container.id));
  const std::size_t colon = user.find(':');
  const std::string name = user.substr(0, colon);
  const std::string group = colon == std::string::npos ? "" : user.substr(colon + 1);
  Identity identity{"", 0, 0, {}};
  auto known = name.empty() ? sim::find_user(files, 0u) : sim::find_user(files, name);
  if (!known && number(name)) known = sim::find_user(files, *number(name));
  if (known) {
    identity = {known->name, known->uid, known->gid, {}};
    if (group.empty()) identity = sim::login(files, known->name).value_or(identity);
  } else if (const auto uid = number(name)) {
    identity.uid = *uid;
  } else {
    return std::unexpected(
        Refusal{fmt::format("unable to find user {}: no matching entries in passwd file", name)});
  }
  if (!group.empty()) {
    const auto named = sim::find_group(files, group);
    const auto gid = named ? std::optional(named->gid) : number(group);
    if (!gid)
      return std::unexpected(Refusal{
          fmt::format("unable to find group {}: no matching entries in group file", group)});
    identity.gid = *gid;
  }
  for (const std::string& added : container.options.groups) {
    if (added == "keep-groups") continue;
    const auto named = sim::find_group(files, added);
    const auto gid = named ? std::optional(named->gid) : number(added);
    if (!gid) {
      return std::unexpected(
          Refusal{fmt::format("{} to find group {}: no matching entries in group file",
                              owner_.kind == Kind::podman ? "unable" : "Unable", added),
                  125, os_.files.why(config_of(container.id))});
    }
    if (!identity.in_group(*gid)) identity.groups.push_back(*gid);
  }
  return identity;
}

Outcome<void> Engine::start(Container& container, EventId cause) {
  const EventId reason = why(container) != no_event ? why(container) : cause;
  const auto refuse = [&](Refusal refusal) -> std::unexpected<Refusal> {
    const EventId event = os_.journal.record(
        Layer::access, Severity::error, "container.start_failed", container.name,
        {{field::shows, std::string_view(refusal.text)}, {field::see, "docker start"}},
        refusal.event != no_event ? refusal.event : why(container));
    container.state = container.state == State::created ? State::created : State::exited;
    container.exit_code = refusal.code == 125 ? 128 : refusal.code;
    container.boot = os_.boots;  // a restart policy does not try again
    store(container, event);
    refusal.event = event;
    return std::unexpected(std::move(refusal));
  };
  if (auto found = find_devices(container); !found) return refuse(std::move(found.error()));
  const std::string user = container.options.user.empty() && image(container.image_id)
                               ? image(container.image_id)->user
                               : container.options.user;
  const auto inside = resolve_user(container, user);
  if (!inside) return refuse(inside.error());
  container.inside = *inside;
  const auto uids = map(owner_.who.uid, "/etc/subuid", container.options);
  const auto gids = map(owner_.who.gid, "/etc/subgid", container.options);
  const auto uid = id_outside(uids, inside->uid), gid = id_outside(gids, inside->gid);
  if (!uid || !gid) {
    return refuse({fmt::format("OCI runtime error: crun: setresuid to `{}`: Invalid argument "
                               "(no such id in the user namespace)",
                               inside->uid),
                   126, os_.files.why("/etc/subuid")});
  }
  container.identity = {inside->user, *uid, *gid, {}};
  for (const std::uint32_t group : inside->groups) {
    if (const auto outside = id_outside(gids, group)) container.identity.groups.push_back(*outside);
  }
  const auto& groups = container.options.groups;
  if (std::ranges::find(groups, "keep-groups") != groups.end()) {
    for (const std::uint32_t group : owner_.who.groups)
      if (!container.identity.in_group(group)) container.identity.groups.push_back(group);
  }
  container.state = State::running;
  container.exit_code = 0;
  container.boot = os_.boots;
  store(container, os_.journal.record(Layer::host, Severity::info, "container.started",
                                      container.name, {{field::see, "docker ps"}}, reason));
  return {};
}

ProcessSpec Engine::process(const Container& container) const {
  const Options& options = container.options;
  ProcessSpec spec;
  spec.command = container.command.empty() ? "sh" : container.command.front();
  spec.identity = container.identity;
  spec.environment = options.environment;
  spec.environment.insert({"HOSTNAME", options.hostname});
  const sim::FileTree files = accounts(os_.files, files_of(container.id));
  const auto user = sim::find_user(files, container.inside.uid);
  spec.environment.insert({"HOME", user ? user->home : "/"});
  spec.cwd = options.workdir;
  spec.view_event = why(container);
  for (const auto& [name, value] : options.environment)
    spec.environment_events[name] = spec.view_event;
  spec.restrict_devices = !options.privileged;
  spec.devices = container.devices;
  spec.denied_devices = options.privileged ? std::vector<std::string>{} : container.denied_devices;
  // Without privileges nobody can load the program that a device cgroup is.
  spec.device_cgroup = !options.privileged && !owner_.rootless();
  spec.root = files_of(container.id);
  for (const BindMount& bind : options.binds) {
    if (!bind.source.starts_with("/dev/")) spec.mounts.push_back(bind);
  }
  spec.uid_map = map(owner_.who.uid, "/etc/subuid", options);
  spec.gid_map = map(owner_.who.gid, "/etc/subgid", options);
  spec.hostname = options.network == "host" ? os_.hostname : options.hostname;
  spec.shm_bytes = options.ipc == "host" ? 0 : options.shm_bytes;
  return spec;
}

}  // namespace rocdrill::containers
