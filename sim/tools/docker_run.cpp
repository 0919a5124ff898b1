// docker run, create, exec: what the options become, and where the command runs.
#include <algorithm>
#include <charconv>

#include "sim/container_images.hpp"
#include "sim/tools/docker.hpp"

namespace rocdrill::sim::tools {
namespace {

using containers::Container;
using containers::Kind;

constexpr Option run_options[] = {{"-d"},
                                  {"--detach", false, "-d"},
                                  {"-i"},
                                  {"--interactive", false, "-i"},
                                  {"-t"},
                                  {"--tty", false, "-t"},
                                  {"--rm"},
                                  {"--privileged"},
                                  {"--init"},
                                  {"--name", true},
                                  {"--device", true},
                                  {"--group-add", true},
                                  {"-v", true},
                                  {"--volume", true, "-v"},
                                  {"-e", true},
                                  {"--env", true, "-e"},
                                  {"-u", true},
                                  {"--user", true, "-u"},
                                  {"-w", true},
                                  {"--workdir", true, "-w"},
                                  {"-h", true},
                                  {"--hostname", true, "-h"},
                                  {"--shm-size", true},
                                  {"--ipc", true},
                                  {"--security-opt", true},
                                  {"--cap-add", true},
                                  {"--ulimit", true},
                                  {"--network", true},
                                  {"--net", true, "--network"},
                                  {"--restart", true},
                                  {"--userns", true},
                                  {"--gpus", true}};

/// Flags of the real `run` that parse() may refuse by name; any other is a mistake.
constexpr std::string_view unmodelled_flags[] = {
    "--add-host",    "--annotation",     "--attach",
    "--cap-drop",    "--cgroup-parent",  "--cgroupns",
    "--cidfile",     "--cpus",           "--cpu-shares",
    "--cpuset-cpus", "--cpuset-mems",    "--device-cgroup-rule",
    "--dns",         "--entrypoint",     "--env-file",
    "--expose",      "--health-cmd",     "--label",
    "--link",        "--log-driver",     "--log-opt",
    "--mac-address", "--memory",         "--memory-swap",
    "--mount",       "--no-healthcheck", "--oom-kill-disable",
    "--pid",         "--pids-limit",     "--platform",
    "--publish",     "--publish-all",    "--pull",
    "--quiet",       "--read-only",      "--runtime",
    "--sig-proxy",   "--stop-signal",    "--stop-timeout",
    "--storage-opt", "--sysctl",         "--tmpfs",
    "--uidmap",      "--gidmap",         "--uts",
    "--volumes-from"};

/// A long option that docker does not have; "" if there is none.
std::string unknown_flag(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) return {};
    const std::string name = word.substr(0, word.find('='));
    const auto known = std::ranges::find(run_options, name, &Option::name);
    if (known != std::end(run_options)) {
      if (known->takes_value && name.size() == word.size()) ++i;
    } else if (word.starts_with("--") &&
               std::ranges::find(unmodelled_flags, name) == std::end(unmodelled_flags)) {
      return name;
    }
  }
  return {};
}

/// "16g", "8G", "64m", "1048576".
std::optional<std::uint64_t> bytes_of(std::string text) {
  unsigned shift = 0;
  if (text.ends_with('b') || text.ends_with('B')) text.pop_back();
  constexpr std::string_view units = "kmgt";
  if (!text.empty()) {
    const std::size_t unit = units.find(static_cast<char>(std::tolower(text.back())));
    if (unit != std::string_view::npos) {
      shift = static_cast<unsigned>(unit + 1) * 10;
      text.pop_back();
    }
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value << shift;
}

std::vector<std::string> split_colons(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// 0, or the exit status after complaining.
int add_device(DockerCall& docker, const std::string& text, containers::Options& into) {
  const auto parts = split_colons(text);
  containers::DeviceOption device{parts[0], parts[0], "rwm"};
  const auto is_permissions = [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("rwm") == std::string::npos;
  };
  if (parts.size() == 2 && is_permissions(parts[1]))
    device.permissions = parts[1];
  else if (parts.size() > 1)
    device.inside = parts[1];
  if (parts.size() > 2) device.permissions = parts[2];
  if (parts.size() > 3 || !device.source.starts_with('/') || !is_permissions(device.permissions))
    return docker.call.fail(
        125, "{}: invalid argument \"{}\" for \"--device\" flag\nSee 'docker run --help'.\n",
        docker.call.name, text);
  if (device.inside != device.source)
    return docker.call.refuse("a device under another name (" + text + ")");
  into.devices.push_back(device);
  return 0;
}

int add_volume(DockerCall& docker, const std::string& text, containers::Options& into) {
  Call& call = docker.call;
  const auto parts = split_colons(text);
  if (parts.size() < 2 || !parts[0].starts_with('/'))
    return call.refuse("a named or anonymous volume (" + text + ")");
  if (!parts[1].starts_with('/'))
    return docker.error(
        125,
        fmt::format(
            "invalid volume specification: '{}': invalid mount path: '{}' mount path must be absolute",
            text, parts[1]));
  FileTree& files = call.node.os.files;
  if (!files.exists(parts[0])) {
    if (docker.podman())
      return docker.error(125, fmt::format("statfs {}: no such file or directory", parts[0]));
    if (is_virtual(parts[0])) return call.refuse("making " + parts[0]);
    files.make_directory(parts[0], call.command_event());  // the daemon makes what is not there
  }
  into.binds.push_back({parts[1], parts[0]});
  return 0;
}

void add_variable(Call& call, const std::string& text, Environment& into) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    into[text.substr(0, equals)] = text.substr(equals + 1);
  } else if (const auto own = call.spec.environment.find(text);
             own != call.spec.environment.end()) {
    into[text] = own->second;
  }
}

/// What the words ask for; nullopt with `code` set after complaining.
std::optional<containers::Options> options_of(DockerCall& docker, const Options& given, int& code) {
  containers::Options options;
  for (const std::string& text : given.values("--device")) {
    if ((code = add_device(docker, text, options)) != 0) return std::nullopt;
  }
  for (const std::string& text : given.values("-v")) {
    if ((code = add_volume(docker, text, options)) != 0) return std::nullopt;
  }
  for (const std::string& text : given.values("-e"))
    add_variable(docker.call, text, options.environment);
  options.groups = given.values("--group-add");
  options.security = given.values("--security-opt");
  options.capabilities = given.values("--cap-add");
  options.ulimits = given.values("--ulimit");
  options.user = given.value_or("-u", "");
  options.privileged = given.has("--privileged");
  options.ipc = given.value_or("--ipc", "private");
  options.network = given.value_or("--network", "bridge");
  options.restart = given.value_or("--restart", "no");
  options.workdir = given.value_or("-w", "/");
  options.hostname = given.value_or("-h", "");
  options.userns = given.value_or("--userns", "");
  options.remove = given.has("--rm");
  if (!options.userns.empty() && (options.userns != "keep-id" || !docker.podman())) {
    code = docker.call.refuse("--userns=" + options.userns);
    return std::nullopt;
  }
  if (const auto size = given.value("--shm-size")) {
    const auto bytes = bytes_of(*size);
    if (!bytes) {
      code = docker.call.fail(
          125,
          "invalid argument \"{0}\" for \"--shm-size\" flag: invalid size: '{0}'\nSee 'docker run --help'.\n",
          *size);
      return std::nullopt;
    }
    options.shm_bytes = *bytes;
  }
  return options;
}

/// The end of `docker run`: the command's own, or what stands for its absence.
int finish(DockerCall& docker, Container& container, bool detached) {
  Call& call = docker.call;
  CommandResult result = run_words(call.node, container.command, docker.engine.process(container),
                                   std::move(call.input));
  call.event = result.event;
  if (!result.found) {
    docker.engine.finish(container, 127, "", call.command_event());
    return docker.podman()
               ? call.fail(
                     127,
                     "Error: crun: executable file `{}` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found\n",
                     container.command.front())
               : docker.error(
                     127,
                     fmt::format(
                         "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: \"{}\": executable file not found in $PATH: unknown",
                         container.command.front()));
  }
  if (detached) call.print("{}\n", container.id);
  if (result.waits_for_ever) return detached ? 0 : call.wait_for_ever();
  docker.engine.finish(container, result.exit_code, result.out + result.err, call.command_event());
  if (!detached) {
    call.out += result.out;
    call.err += result.err;
  }
  if (container.options.remove) docker.engine.remove(container, call.command_event());
  return detached ? 0 : result.exit_code;
}

}  // namespace

int docker_run(DockerCall& docker) {
  Call& call = docker.call;
  if (const std::string flag = unknown_flag(call.args); !flag.empty())
    return call.fail(125, "unknown flag: {}\nSee '{} {} --help'.\n", flag, call.name,
                     docker.command);
  const auto given = parse(call, run_options, true);
  if (!given) return 2;
  auto words = given->operands;
  if (words.empty()) {
    return call.fail(1, "\"{0} {1}\" requires at least 1 argument.\nSee '{0} {1} --help'.\n",
                     call.name, docker.command);
  }
  // Only NVIDIA's toolkit registers what this asks for.
  if (given->has("--gpus"))
    return docker.error(125, "could not select device driver \"\" with capabilities: [[gpu]]");
  int code = 0;
  const auto options = options_of(docker, *given, code);
  if (!options) return code;
  const std::string image = words.front();
  words.erase(words.begin());
  if (!docker.have_image(image)) return 2;
  auto container = docker.engine.create(given->value_or("--name", ""), image, std::move(words),
                                        *options, call.command_event());
  if (!container) return docker.error(125, container.error().text);
  if (docker.command == "create") {
    call.print("{}\n", container->id);
    return 0;
  }
  if (const auto started = docker.engine.start(*container, call.command_event()); !started) {
    call.event = started.error().event;
    const int failed = docker.error(started.error().code, started.error().text);
    if (container->options.remove) docker.engine.remove(*container, call.command_event());
    return failed;
  }
  return finish(docker, *container, given->has("-d"));
}

int docker_exec(DockerCall& docker) {
  Call& call = docker.call;
  const auto given = parse(call,
                           {{"-i"},
                            {"--interactive", false, "-i"},
                            {"-t"},
                            {"--tty", false, "-t"},
                            {"-u", true},
                            {"--user", true, "-u"},
                            {"-e", true},
                            {"--env", true, "-e"},
                            {"-w", true},
                            {"--workdir", true, "-w"}},
                           true);
  if (!given) return 2;
  auto words = given->operands;
  if (words.size() < 2)
    return call.fail(1, "\"{0} exec\" requires at least 2 arguments.\nSee '{0} exec --help'.\n",
                     call.name);
  auto container = docker.engine.find(words.front());
  if (!container) return docker.no_container(words.front());
  if (container->state != containers::State::running) {
    return docker.podman()
               ? docker.error(
                     255,
                     "can only create exec sessions on running containers: container state improper")
               : docker.error(1, fmt::format("container {} is not running", container->id));
  }
  words.erase(words.begin());
  if (const auto user = given->value("-u")) {
    if (docker.podman()) return call.refuse_option("-u");
    const auto identity = docker.engine.resolve_user(*container, *user);
    if (!identity) return docker.error(126, identity.error().text);
    container->identity = container->inside = *identity;
  }
  ProcessSpec spec = docker.engine.process(*container);
  for (const std::string& text : given->values("-e")) add_variable(call, text, spec.environment);
  if (const auto folder = given->value("-w")) spec.cwd = *folder;
  const std::string program = words.front();
  CommandResult result =
      run_words(call.node, std::move(words), std::move(spec), std::move(call.input));
  call.out += result.out;
  call.err += result.err;
  call.event = result.event;
  call.waits_for_ever = result.waits_for_ever;
  if (result.found) return result.exit_code;
  return docker.podman()
             ? call.fail(
                   127,
                   "Error: crun: executable file `{}` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found\n",
                   program)
             : call.fail(
                   127,
                   "OCI runtime exec failed: exec failed: unable to start container process: exec: \"{}\": executable file not found in $PATH: unknown\n",
                   program);
}

}  // namespace rocdrill::sim::tools
