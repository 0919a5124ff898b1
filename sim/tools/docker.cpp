// docker and podman over sim/containers. Words: docker 26, podman 4. Ages of containers and images
// are not modelled, so the columns for them are left out.
#include "sim/tools/docker.hpp"

#include <algorithm>

#include "sim/container_images.hpp"

namespace rocdrill::sim::tools {

using containers::Container;
using containers::Kind;
using containers::State;

int DockerCall::error(int code, std::string_view text) {
  if (podman()) return call.fail(code == 1 ? 125 : code, "Error: {}\n", text);
  if (command == "run" || command == "create")
    return call.fail(code, "docker: Error response from daemon: {}.\nSee 'docker run --help'.\n",
                     text);
  return call.fail(code, "Error response from daemon: {}\n", text);
}

int DockerCall::no_container(const std::string& name) {
  return podman()
             ? call.fail(125,
                         "Error: no container with name or ID \"{}\" found: no such container\n",
                         name)
             : call.fail(1, "Error response from daemon: No such container: {}\n", name);
}

std::optional<containers::Image> DockerCall::have_image(const std::string& name) {
  if (auto local = engine.image(name)) return local;
  const std::string full = containers::canonical(name);
  auto pulled = pull(call.node.spec(), name);
  if (!pulled) {
    call.refuse("pulling '" + full + "' (its registry has " +
                fmt::format("{}", fmt::join(registry_names(), ", ")) + ")");
    return std::nullopt;
  }
  const std::size_t colon = full.rfind(':');
  if (command == "run" || command == "create")
    call.complain("Unable to find image '{}' locally\n", full);
  std::string& to = command == "pull" ? call.out : call.err;
  to += fmt::format("{}: Pulling from {}\nStatus: Downloaded newer image for {}\n",
                    full.substr(colon + 1), full.substr(0, colon), full);
  engine.add(pulled->image, pulled->files, call.command_event());
  return pulled->image;
}

namespace {

/// The daemon's socket belongs to root and the group docker.
bool reaches_daemon(Call& call) {
  const auto group = find_group(call.node.os.files, "docker");
  return call.root() || (group && call.spec.identity.in_group(group->gid));
}

int no_daemon(Call& call, std::string_view command) {
  const bool run = command == "run" || command == "create";
  return call.fail(
      run ? 126 : 1,
      "{}permission denied while trying to connect to the Docker daemon socket at "
      "unix:///var/run/docker.sock: dial unix /var/run/docker.sock: connect: permission "
      "denied{}\n",
      run ? "docker: " : "", run ? ".\nSee 'docker run --help'." : "");
}

/// start, stop, restart, rm: of every container that is named.
int each_container(DockerCall& docker, int (*act)(DockerCall&, Container&, bool force)) {
  Call& call = docker.call;
  const auto options =
      parse(call, {{"-f"}, {"--force", false, "-f"}, {"-t", true}, {"--time", true, "-t"}});
  if (!options) return 2;
  if (options->operands.empty()) {
    return call.fail(1, "\"docker {0}\" requires at least 1 argument.\nSee 'docker {0} --help'.\n",
                     docker.command);
  }
  int code = 0;
  for (const std::string& name : options->operands) {
    auto container = docker.engine.find(name);
    if (!container) {
      code = docker.no_container(name);
      continue;
    }
    const int done = act(docker, *container, options->has("-f"));
    if (done == 0) call.print("{}\n", name);
    code = std::max(code, done);
  }
  return code;
}

int start_one(DockerCall& docker, Container& container, bool) {
  if (container.state == State::running) return 0;
  const auto started = docker.engine.start(container, docker.call.command_event());
  if (started) return 0;
  docker.call.event = started.error().event;
  docker.error(1, started.error().text);
  return docker.podman()
             ? 125
             : docker.call.fail(1, "Error: failed to start containers: {}\n", container.name);
}

int stop_one(DockerCall& docker, Container& container, bool) {
  if (container.state == State::running) docker.engine.stop(container, docker.call.command_event());
  return 0;
}

int restart_one(DockerCall& docker, Container& container, bool) {
  stop_one(docker, container, false);
  return start_one(docker, container, false);
}

int remove_one(DockerCall& docker, Container& container, bool force) {
  if (container.state == State::running && !force) {
    if (docker.podman()) {
      return docker.error(
          2, fmt::format("cannot remove container {} as it is running - running or "
                         "paused containers cannot be removed without force: container "
                         "state improper",
                         container.id));
    }
    return docker.error(1,
                        fmt::format("cannot remove container \"/{}\": container is running: stop "
                                    "the container before removing or force remove",
                                    container.name));
  }
  docker.engine.remove(container, docker.call.command_event());
  return 0;
}

int docker_pull(DockerCall& docker) {
  Call& call = docker.call;
  const auto options = parse(call, {{"-q"}});
  if (!options) return 2;
  if (options->operands.size() != 1)
    return call.fail(1,
                     "\"docker pull\" requires exactly 1 argument.\nSee 'docker pull --help'.\n");
  const std::string& name = options->operands.front();
  if (docker.engine.image(name)) {
    call.print("Status: Image is up to date for {}\n", containers::canonical(name));
    return 0;
  }
  return docker.have_image(name) ? 0 : 2;
}

int docker_logs(DockerCall& docker) {
  const auto options = parse(docker.call, {});
  if (!options) return 2;
  if (options->operands.size() != 1)
    return docker.call.fail(
        1, "\"docker logs\" requires exactly 1 argument.\nSee 'docker logs --help'.\n");
  const auto container = docker.engine.find(options->operands.front());
  if (!container) return docker.no_container(options->operands.front());
  docker.call.out += container->log;
  return 0;
}

int docker_version(DockerCall& docker) {
  docker.call.print("{}\n", docker.podman() ? "podman version 4.9.3"
                                            : "Docker version 26.1.3, build 26.1.3-0ubuntu1");
  return 0;
}

struct Command {
  std::string_view name;
  int (*run)(DockerCall&);
};
constexpr Command commands[] = {
    {"run", docker_run},
    {"create", docker_run},
    {"exec", docker_exec},
    {"ps", docker_ps},
    {"images", docker_images},
    {"inspect", docker_inspect},
    {"pull", docker_pull},
    {"logs", docker_logs},
    {"version", docker_version},
    {"--version", docker_version},
    {"start", [](DockerCall& docker) { return each_container(docker, start_one); }},
    {"stop", [](DockerCall& docker) { return each_container(docker, stop_one); }},
    {"restart", [](DockerCall& docker) { return each_container(docker, restart_one); }},
    {"rm", [](DockerCall& docker) { return each_container(docker, remove_one); }},
};

/// Commands that the real ones have and rocdrill refuses by name.
constexpr std::string_view others[] = {
    "attach", "build",  "commit", "compose", "container", "context", "cp",     "diff",   "events",
    "export", "image",  "import", "info",    "kill",      "load",    "login",  "logout", "network",
    "pause",  "plugin", "port",   "push",    "rename",    "rmi",     "save",   "search", "stats",
    "swarm",  "system", "tag",    "top",     "unpause",   "unshare", "update", "volume", "wait"};

int run_engine(Call& call, Kind kind) {
  if (call.in_container()) return call.refuse("an engine in a container");
  if (call.args.empty()) return call.refuse("the list of commands");
  const std::string name = call.args.front();
  const auto command = std::ranges::find(commands, name, &Command::name);
  if (command == std::end(commands)) {
    if (name.starts_with('-')) return call.refuse_option(name);
    if (std::ranges::find(others, name) != std::end(others)) return call.refuse("'" + name + "'");
    if (kind == Kind::podman)
      return call.fail(
          125,
          "Error: unrecognized command `podman {}`\nTry 'podman --help' for more information\n",
          name);
    return call.fail(1, "docker: '{}' is not a docker command.\nSee 'docker --help'\n", name);
  }
  call.args.erase(call.args.begin());
  if (kind == Kind::docker && name.find("version") == std::string::npos && !reaches_daemon(call))
    return no_daemon(call, name);
  const std::string user = kind == Kind::podman ? call.spec.identity.user : std::string();
  DockerCall docker{call, command->name, call.node.engine(kind, user)};
  docker.engine.catch_up();
  return command->run(docker);
}

int run_docker(Call& call) { return run_engine(call, Kind::docker); }
int run_podman(Call& call) { return run_engine(call, Kind::podman); }

constexpr Tool table[] = {
    {{"docker", "docker COMMAND",
      "Containers of root's daemon: run, exec, ps, inspect, logs, images, rm, stop.", true},
     run_docker},
    {{"podman", "podman COMMAND", "The same without a daemon: containers of the user.", true},
     run_podman},
};

}  // namespace

std::span<const Tool> docker_tools() { return table; }

}  // namespace rocdrill::sim::tools
