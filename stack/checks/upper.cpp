// Device access, runtime, HIP, code objects, libraries, framework.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "stack/checks/context.hpp"

namespace rocdrill::checks {
namespace {

/// Whether an event or one of its causes is a request that the simulator does not model.
bool ends_unmodelled(const Backend& backend, EventId event) {
  const Timeline* timeline = backend.timeline();
  if (!timeline || event == no_event) return false;
  for (const EventId id : timeline->cause_chain(event)) {
    if (timeline->at(id).severity == Severity::unmodelled) return true;
  }
  return false;
}

std::string base_target(const HipDeviceInfo& info) {
  return info.gcn_arch_name.substr(0, info.gcn_arch_name.find(':'));
}

Finding open_device(Context& context, const std::string& path) {
  auto fd = context.process->open(path, O_RDWR | O_CLOEXEC);
  if (fd) {
    static_cast<void>(context.process->close(*fd));
    return {Status::pass, path + " opened read-write", "", no_event};
  }
  const CommandResult ls = context.run({"ls", "-l", path});
  std::string evidence = fmt::format("{}: {}", path, errno_text(fd.error().error));
  if (ls.found && ls.exit_code == 0) evidence += "\n" + Context::shown({"ls", "-l", path}, ls);
  const CommandResult id = context.run({"id"});
  if (id.found) evidence += "\n" + Context::shown({"id"}, id);
  return {Status::fail, std::move(evidence), "ls -l /dev/kfd /dev/dri; id", fd.error().event};
}

/// Render nodes of the GPUs whose entries in KFD's topology this process may read.
std::vector<std::string> shown_render_nodes(Context& context) {
  const std::string root = "/sys/class/kfd/kfd/topology/nodes";
  std::vector<std::string> nodes;
  for (const std::string& node : context.process->list(root).value_or(std::vector<std::string>{})) {
    constexpr std::string_view key = "drm_render_minor ";
    const auto properties = context.process->read_file(root + "/" + node + "/properties");
    for (const std::string& line : lines_with(properties.value_or(""), key)) {
      if (line != "drm_render_minor 0") nodes.push_back("renderD" + line.substr(key.size()));
    }
  }
  return nodes;
}

}  // namespace

/// What follows is done where the job runs.
Finding access_view(Context& context) {
  auto job = context.backend.host().job();
  if (!job) return {Status::fail, job.error().text, job.error().next, job.error().event};
  const bool contained = !job->root.empty();
  context.session = std::move(*job);
  context.process = context.backend.host().spawn(context.session);
  if (!contained) return {Status::pass, "the job runs on the node itself", "", no_event};
  return {Status::pass, "the job runs in a container, and so do the checks from here on", "",
          no_event};
}

Finding access_kfd(Context& context) { return open_device(context, "/dev/kfd"); }

Finding access_render(Context& context) {
  auto names = context.process->list("/dev/dri");
  if (!names)
    return {Status::fail, "/dev/dri: " + errno_text(names.error().error), "ls -l /dev/dri",
            names.error().event};
  std::size_t opened = 0;
  for (const std::string& name : *names) {
    // A GPU that can be divided has more of them, which nobody can open (docs/partitions.md).
    if (!context.render_nodes.contains(name)) continue;
    Finding found = open_device(context, "/dev/dri/" + name);
    if (found.status != Status::pass) return found;
    ++opened;
  }
  for (const std::string& node : shown_render_nodes(context)) {
    if (std::ranges::find(*names, node) != names->end()) continue;
    return {
        Status::fail,
        fmt::format("KFD lists the GPU of {0}, and /dev/dri has no {0}: without a device cgroup "
                    "it lists them all. ROCm before 6.2 does not start then.",
                    node),
        "ls /dev/dri; rocminfo", context.process->why("/dev/dri/" + node)};
  }
  return {Status::pass, fmt::format("{} render nodes opened read-write", opened), "", no_event};
}

Finding runtime_agents(Context& context) {
  auto runtime = context.backend.open_runtime(*context.process);
  if (!runtime) {
    return {Status::fail, "hsa_init: " + text(runtime.error().status), "rocminfo",
            runtime.error().event};
  }
  context.runtime = std::move(*runtime);
  std::vector<std::string> names;
  for (const AgentInfo& agent : context.runtime->agents()) {
    if (agent.type == DeviceType::gpu) names.push_back(agent.isa);
  }
  context.agents = names.size();
  if (names.empty()) {
    return {Status::fail, "ROCr lists CPU agents only", "rocminfo", no_event};
  }
  std::string evidence =
      fmt::format("{} GPU agent{}: {}", names.size(), names.size() == 1 ? "" : "s", names.front());
  if (names.size() < context.gpu_nodes) {
    const std::string filter = context.process->env("ROCR_VISIBLE_DEVICES");
    evidence += fmt::format(" ({} GPU nodes; ROCR_VISIBLE_DEVICES={})", context.gpu_nodes, filter);
    if (filter.empty()) return {Status::fail, std::move(evidence), "rocminfo", no_event};
  }
  return {Status::pass, std::move(evidence), "", no_event};
}

/// HSA_OVERRIDE_GFX_VERSION is meant for a GPU of the same generation (gfx1031 as gfx1030). Another
/// generation's code does not run.
Finding runtime_targets(Context& context) {
  const std::string root = "/sys/class/kfd/kfd/topology/nodes";
  for (const AgentInfo& agent : context.runtime->agents()) {
    if (agent.type != DeviceType::gpu) continue;
    const std::string properties =
        context.process->read_file(fmt::format("{}/{}/properties", root, agent.node)).value_or("");
    for (const std::string& line : lines_with(properties, "gfx_target_version ")) {
      const unsigned long version = std::strtoul(line.substr(line.find(' ')).c_str(), nullptr, 10);
      const std::string generation = fmt::format("gfx{}{:x}", version / 10000, version / 100 % 100);
      if (version == 0 || agent.name.substr(0, agent.name.size() - 1) == generation) continue;
      return {Status::fail,
              fmt::format("node {} is {}{:x} and its agent is {} "
                          "(HSA_OVERRIDE_GFX_VERSION={})",
                          agent.node, generation, version % 100, agent.name,
                          context.process->env("HSA_OVERRIDE_GFX_VERSION")),
              "env | grep HSA_", context.process->why_env("HSA_OVERRIDE_GFX_VERSION")};
    }
  }
  return {Status::pass, "each agent is of the generation that KFD reports", "", no_event};
}

Finding runtime_queue(Context& context) {
  std::size_t agent = 0;
  while (context.runtime->agents()[agent].type != DeviceType::gpu) ++agent;
  auto queue = context.runtime->create_queue(agent, {});
  auto done = context.runtime->create_signal(1);
  if (!queue || !done) {
    const HsaError error = queue ? done.error() : queue.error();
    return {Status::fail, text(error.status), "rocminfo", error.event};
  }
  (*queue)->submit(aql::barrier_and({}, (*done)->handle()));
  if ((*done)->wait(SignalCondition::lt, 1, 1'000'000'000) == 0) {
    return {Status::pass, "barrier-AND packet completed, signal 1 -> 0", "", no_event};
  }
  return {Status::fail, "the completion signal did not change: " + text((*queue)->status()),
          "dmesg", no_event};
}

Finding health(Context& context) {
  const std::vector<std::string> command{"amd-smi", "list"};
  const CommandResult smi = context.run(command);
  if (!smi.found) return {Status::not_reached, "amd-smi is not installed", "", no_event};
  const std::size_t listed = lines_with(smi.out, "BDF:").size();
  if (smi.exit_code == 0 && listed > 0)
    return {Status::pass, fmt::format("amd-smi lists {} GPUs", listed), "", no_event};
  return {Status::fail, Context::shown(command, smi), "amd-smi list", smi.event};
}

Finding hip_devices(Context& context) {
  context.hip = context.backend.open_hip(*context.process);
  if (!context.hip) return {Status::not_reached, "libamdhip64 is not installed", "", no_event};
  auto count = context.hip->device_count();
  if (!count) {
    const HipFailure& failure = count.error();
    return {failure.unmodelled ? Status::not_modelled : Status::fail,
            failure.abort_text.empty() ? "hipGetDeviceCount: " + name(failure.error)
                                       : failure.abort_text,
            "env | grep VISIBLE_DEVICES", failure.event};
  }
  context.devices = *count;
  std::string first;
  if (auto properties = context.hip->properties(0)) first = properties->gcn_arch_name;
  return {Status::pass, fmt::format("{} device{}, {}", *count, *count == 1 ? "" : "s", first), "",
          no_event};
}

/// Programs take device 0 unless they are told otherwise. An integrated GPU has a tenth of a card.
Finding hip_first(Context& context) {
  std::uint32_t largest = 0;
  std::string name;
  for (const AgentInfo& agent : context.runtime->agents()) {
    if (agent.type != DeviceType::gpu || agent.compute_units <= largest) continue;
    largest = agent.compute_units;
    name = agent.name;
  }
  const auto first = context.hip->properties(0);
  if (!first) return {Status::fail, "hipGetDeviceProperties(0) failed", "", first.error().event};
  const std::string is = fmt::format("device 0 is {} with {} compute units", first->gcn_arch_name,
                                     first->multiprocessor_count);
  if (first->multiprocessor_count * 4 > largest) return {Status::pass, is, "", no_event};
  const char* variable = context.process->env("HIP_VISIBLE_DEVICES").empty()
                             ? "CUDA_VISIBLE_DEVICES"
                             : "HIP_VISIBLE_DEVICES";
  return {Status::fail, fmt::format("{}; the node has {} with {}", is, name, largest),
          "env | grep VISIBLE_DEVICES", context.process->why_env(variable)};
}

Finding code_object_targets(Context& context) {
  if (context.deployment.programs.empty())
    return {Status::not_reached, "no program was named", "", no_event};
  std::size_t looked_at = 0;
  for (const std::string& program : context.deployment.programs) {
    if (!context.process->exists(program)) continue;  // what needs it says so
    ++looked_at;
    for (int device = 0; device < context.devices; ++device) {
      auto loaded = context.hip->load_module(device, program);
      if (loaded) continue;
      const HipFailure& failure = loaded.error();
      std::string evidence =
          fmt::format("{} on device {}: {}", program, device, name(failure.error));
      if (const Timeline* timeline = context.backend.timeline();
          timeline && failure.event != no_event) {
        evidence += "\n" + timeline->at(failure.event).text(field::got);
      }
      return {failure.unmodelled ? Status::not_modelled : Status::fail, std::move(evidence),
              "roc-obj-ls " + program, failure.event};
    }
  }
  return {Status::pass,
          fmt::format("{} of {} programs load on every device", looked_at,
                      context.deployment.programs.size()),
          "", no_event};
}

Finding programs_end(Context& context) {
  if (context.deployment.commands.empty())
    return {Status::not_reached, "no command was named", "", no_event};
  for (const std::string& command : context.deployment.commands) {
    const CommandResult result = context.run({command});
    if (result.exit_code == 0) continue;
    if (ends_unmodelled(context.backend, result.event))
      return {Status::not_modelled, "kernels of this GPU do not execute on this backend", "",
              result.event};
    return {Status::fail,
            Context::shown({command}, result) +
                (result.waits_for_ever ? "\n(does not end)"
                                       : fmt::format("\n(exit status {})", result.exit_code)),
            "dmesg", result.event};
  }
  return {Status::pass, fmt::format("{} ended with 0", fmt::join(context.deployment.commands, " ")),
          "", no_event};
}

Finding library_data(Context& context) {
  constexpr std::string_view variable = "ROCBLAS_TENSILE_LIBPATH";
  const std::string& own = context.deployment.rocblas_library;
  if (own.empty() || !context.process->exists(own.substr(0, own.rfind('/'))))
    return {Status::not_reached, "no rocBLAS to look at", "", no_event};
  const std::string set = context.process->env(variable);
  const std::string& folder = set.empty() ? own : set;
  std::set<std::string> targets;
  for (int device = 0; device < context.devices; ++device) {
    if (auto properties = context.hip->properties(device)) targets.insert(base_target(*properties));
  }
  for (const std::string& target : targets) {
    const std::string file = folder + "/TensileLibrary_lazy_" + target + ".dat";
    if (auto stat = context.process->stat(file); !stat) {
      return {Status::fail, file + ": " + errno_text(stat.error().error), "ls " + folder,
              set.empty() ? stat.error().event : context.process->why_env(variable)};
    }
  }
  return {Status::pass, fmt::format("data for {}", fmt::join(targets, " ")), "", no_event};
}

Finding framework_available(Context& context) {
  context.framework = context.backend.open_framework(*context.process);
  if (!context.framework) return {Status::not_reached, "PyTorch is not installed", "", no_event};
  if (auto imported = context.framework->import(); !imported.ok || imported.text == "None") {
    return {Status::fail, imported.ok ? "not a ROCm build of PyTorch" : imported.text,
            "python3 -c 'import torch; print(torch.version.hip)'", imported.event};
  }
  const FrameworkResult available = context.framework->is_available();
  if (available.ok)
    return {Status::pass, fmt::format("True, {} GPUs", context.framework->device_count()), "",
            no_event};
  return {Status::fail, available.text,
          "python3 -c 'import torch; print(torch.cuda.is_available())'", available.event};
}

Finding framework_matmul(Context& context) {
  const FrameworkResult product = context.framework->matmul();
  if (product.ok) return {Status::pass, product.text, "", no_event};
  if (product.unmodelled || ends_unmodelled(context.backend, product.event)) {
    return {Status::not_modelled, "kernels of this GPU do not execute on this backend", "",
            product.event};
  }
  return {Status::fail, product.waits_for_ever ? "(does not return)" : product.text,
          "AMD_LOG_LEVEL=3 python3 ...", product.event};
}

}  // namespace rocdrill::checks
