// Which ROCm and which PyTorch a process gets: those of its container's image, or the node's.
#include <fmt/format.h>

#include <algorithm>

#include "sim/cluster/cluster.hpp"
#include "sim/container_images.hpp"
#include "sim/frameworks/torch.hpp"
#include "sim/hip/hip.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

bool in_container(const Process& process) {
  return process.spec() && !process.spec()->root.empty();
}

std::vector<std::string> sources_of(const containers::Options& options) {
  std::vector<std::string> sources;
  for (const containers::DeviceOption& device : options.devices) sources.push_back(device.source);
  return sources;
}

/// The kubelet has its runtime keep a container for every pod that runs, with the devices that the
/// plugin allocated.
std::expected<ProcessSpec, StartFailure> pod_process(Node& node, const std::string& name) {
  const auto cluster = cluster::Cluster::of(node.os);
  const cluster::Pod* pod = cluster ? cluster->find(name) : nullptr;
  if (!pod) return std::unexpected(StartFailure{"there is no pod " + name, "kubectl get pods"});
  if (!pod->running) {
    const EventId event =
        node.os.journal.record(Layer::access, Severity::error, "pod.pending", name,
                               {{field::asked, std::string_view(cluster::resource)},
                                {field::shows, std::string_view(pod->message)},
                                {field::see, "kubectl describe pod"}},
                               pod->event);
    return std::unexpected(StartFailure{"the pod " + name + " is Pending: " + pod->message,
                                        "kubectl describe pod " + name, event});
  }
  auto engine = node.engine(containers::Kind::docker);
  const std::string own = "k8s_" + name;
  const containers::Options options = cluster::Cluster::options_of(*pod);
  auto container = engine.find(own);
  const EventId why = node.os.files.why(cluster::store);
  if (container &&
      (sources_of(container->options) != sources_of(options) || container->boot != node.os.boots)) {
    engine.remove(*container, why);
    container.reset();
  }
  if (!container) {
    if (!engine.image(pod->spec.image)) {
      if (const auto pulled = pull(node.spec(), pod->spec.image))
        engine.add(pulled->image, pulled->files, why);
    }
    auto made = engine.create(own, pod->spec.image, pod->spec.command, options, why);
    if (!made)
      return std::unexpected(StartFailure{made.error().text, "kubectl describe pod " + name, why});
    container = *made;
  }
  if (container->state != containers::State::running) {
    if (const auto started = engine.start(*container, why); !started) {
      return std::unexpected(StartFailure{started.error().text, "kubectl describe pod " + name,
                                          started.error().event});
    }
  }
  return engine.process(*container);
}

}  // namespace

rocr::Installation Node::rocm(Process& process) const {
  if (!in_container(process)) return rocm();
  for (const std::string& name : process.list("/opt").value_or(std::vector<std::string>{})) {
    const std::string prefix = join("/opt", name);
    const auto version = process.read_file(prefix + "/.info/version");
    if (!name.starts_with("rocm-") || !version) continue;
    return {prefix, version->substr(0, version->find('\n'))};
  }
  return {};
}

std::string Node::torch_directory(Process& process) const {
  if (!in_container(process)) return spec_.torch.version.empty() ? "" : spec_.torch.directory;
  const std::string environments = "/opt/conda/envs";
  for (const std::string& name : process.list(environments).value_or(std::vector<std::string>{})) {
    const std::string lib = environments + "/" + name + "/lib";
    for (const std::string& python : process.list(lib).value_or(std::vector<std::string>{})) {
      const std::string folder = lib + "/" + python + "/site-packages/torch";
      if (process.exists(folder)) return folder;
    }
  }
  return {};
}

rocr::Installation Node::linked_rocm(Process& process) {
  constexpr std::string_view library = "libhsa-runtime64.so.1";
  const rocr::Installation own = rocm(process);
  rocr::Installation linked = own;
  if (in_container(process)) linked.event = process.spec()->view_event;
  std::string folders = process.env("LD_LIBRARY_PATH");
  std::ranges::replace(folders, ':', ' ');
  for (const std::string& folder : words_of(folders)) {
    const auto version = process.read_file(join(folder, library));
    if (!version) continue;
    linked.version = version->substr(0, version->find('\n'));
    if (linked.version == own.version) return linked;
    const std::string did = fmt::format("ROCm {} is loaded, not {}", linked.version, own.version);
    linked.event = os.journal.record(Layer::runtime, Severity::warning, "library.shadowed", library,
                                     {{field::asked, "LD_LIBRARY_PATH"},
                                      {field::got, std::string_view(folder)},
                                      {field::did, std::string_view(did)},
                                      {field::see, "ldd"}},
                                     process.why_env("LD_LIBRARY_PATH"));
    return linked;
  }
  return linked;
}

std::unique_ptr<Framework> Node::open_framework(Process& process) {
  frameworks::TorchInstallation torch = frameworks::find_torch(process, torch_directory(process));
  if (torch.directory.empty()) return nullptr;
  // The wheel's libraries find each other by their DT_RPATH, which goes before LD_LIBRARY_PATH.
  return frameworks::start_python(process, os.journal,
                                  hip::load(process, os.journal, rocm(process)), std::move(torch));
}

containers::Engine Node::engine(containers::Kind kind, const std::string& user) {
  containers::Owner owner{kind, {"root", 0, 0, {}}, "/root"};
  if (kind == containers::Kind::podman && !user.empty()) {
    // Its session's groups, which podman hands on with keep-groups.
    owner.who = user == os.session.user
                    ? os.session
                    : login(os.files, user).value_or(Identity{user, 65534, 65534, {}});
    if (const auto known = find_user(os.files, user)) owner.home = known->home;
  }
  return {os, owner};
}

std::expected<ProcessSpec, StartFailure> Node::job() {
  const Json place = Json::parse(os.files.text(job_place), nullptr, false);
  if (!place.is_object()) return session();
  if (place.value("engine", "docker") == "kubernetes")
    return pod_process(*this, place.value("name", ""));
  const bool podman = place.value("engine", "docker") == "podman";
  const std::string name = place.value("name", ""), tool = podman ? "podman" : "sudo docker";
  auto engine = this->engine(podman ? containers::Kind::podman : containers::Kind::docker,
                             podman ? place.value("user", spec_.user) : "");
  engine.catch_up();
  const auto container = engine.find(name);
  if (!container) {
    return std::unexpected(StartFailure{"no container has the name " + name, tool + " ps -a",
                                        os.files.why("/var/lib/docker/containers")});
  }
  if (container->state != containers::State::running) {
    return std::unexpected(StartFailure{"the container " + name + " is not running",
                                        tool + " start " + name, engine.why(*container)});
  }
  return engine.process(*container);
}

std::optional<ProcessSpec> Node::start_workload(std::string_view what) {
  auto view = job();
  if (!view) {
    const StartFailure& failure = view.error();
    os.journal.record(Layer::framework, Severity::error, "job.not_started", what,
                      {{field::shows, std::string_view(failure.text)},
                       {field::see, std::string_view(failure.next)}},
                      failure.event);
    return std::nullopt;
  }
  view->command = what;
  return std::move(*view);
}

}  // namespace rocdrill::sim
