#include "stack/checks/check.hpp"

#include <algorithm>

#include "stack/checks/context.hpp"

namespace rocdrill::checks {
namespace {

// The whole story in one table: what is looked at, in which order, and what must hold before.
constexpr Check table[] = {
    {"silicon.pci", 0, Layer::silicon, "AMD GPUs are on the PCI bus", "", pci_devices},
    {"silicon.errors", 0, Layer::silicon, "no GPU reports broken hardware", "silicon.pci",
     hardware_errors},
    {"silicon.limits", 0, Layer::silicon, "no GPU is throttled", "silicon.pci", clock_limits},
    {"firmware.blobs", 0, Layer::firmware, "the driver found its firmware", "silicon.pci",
     firmware_blobs},
    {"firmware.modes", 0, Layer::firmware, "the boards' firmware does what is planned",
     "silicon.pci", firmware_modes},
    {"kernel.module", 1, Layer::kernel, "amdgpu is loaded", "silicon.pci", kernel_module},
    {"kernel.dkms", 0, Layer::kernel, "a dkms driver is built for this kernel", "silicon.pci",
     kernel_dkms},
    {"kernel.probe", 0, Layer::kernel, "amdgpu drives every GPU", "kernel.module", kernel_probe},
    {"kernel.topology", 0, Layer::kernel, "KFD lists the GPUs", "kernel.module", kernel_topology},
    {"silicon.links", 0, Layer::silicon, "the links between the GPUs are up", "kernel.topology",
     silicon_links},
    {"silicon.acs", 0, Layer::silicon, "ports let peers reach each other directly",
     "kernel.topology", silicon_acs},
    {"kernel.iommu", 0, Layer::kernel, "the IOMMU lets peers through", "kernel.topology",
     kernel_iommu},
    {"kernel.partitions", 0, Layer::kernel, "the GPUs are divided as planned", "kernel.probe",
     kernel_partitions},
    {"kernel.vram", 0, Layer::kernel, "the GPUs' memory is free", "kernel.topology", kernel_vram},
    {"access.container", 0, Layer::access, "the job's container runs", "kernel.topology",
     access_view},
    {"access.kfd", 2, Layer::access, "/dev/kfd can be opened read-write", "access.container",
     access_kfd},
    {"access.render", 2, Layer::access, "the render nodes can be opened", "access.container",
     access_render},
    {"access.shm", 0, Layer::access, "/dev/shm has room for every rank", "kernel.topology",
     access_shm},
    {"runtime.agents", 3, Layer::runtime, "ROCr enumerates GPU agents", "access.kfd",
     runtime_agents},
    {"runtime.targets", 0, Layer::runtime, "agents bear the names of their GPUs", "runtime.agents",
     runtime_targets},
    {"runtime.queue", 0, Layer::runtime, "a barrier packet completes on a queue", "runtime.agents",
     runtime_queue},
    {"runtime.health", 4, Layer::runtime, "the management tool lists the GPUs", "kernel.probe",
     health},
    {"hip.devices", 5, Layer::hip, "HIP sees devices", "runtime.agents", hip_devices},
    {"hip.first", 0, Layer::hip, "device 0 is no lesser GPU than the others", "hip.devices",
     hip_first},
    {"code-objects.targets", 0, Layer::code_objects, "the programs carry code for the GPUs",
     "hip.devices", code_object_targets},
    {"code-objects.programs", 0, Layer::code_objects, "the programs run to their end",
     "code-objects.targets", programs_end},
    {"libraries.data", 0, Layer::libraries, "rocBLAS has data for the GPUs", "hip.devices",
     library_data},
    {"libraries.collectives", 0, Layer::libraries, "RCCL connects the GPUs", "hip.devices",
     rccl_connects},
    {"framework.available", 5, Layer::framework, "torch.cuda.is_available()", "hip.devices",
     framework_available},
    {"framework.matmul", 5, Layer::framework, "a matrix product is finite", "framework.available",
     framework_matmul},
    {"framework.collectives", 6, Layer::framework, "a training step over the local GPUs",
     "framework.available", collectives},
};

/// What a layer has last complained of since the machine was switched on: the reason of a failed
/// check that looked at text, and was not told why.
EventId last_complaint(const Backend& backend, Layer layer) {
  const Timeline* timeline = backend.timeline();
  if (timeline == nullptr) return no_event;
  for (auto id = static_cast<EventId>(timeline->size()); id > 0; --id) {
    const EventView head = timeline->head(id);
    if (head.kind.starts_with("power.")) break;
    const bool complains = head.severity == Severity::warning || head.severity == Severity::error;
    if (head.layer == layer && complains) return id;
  }
  return no_event;
}

bool passed(const std::vector<Result>& results, std::string_view id) {
  const auto at = std::ranges::find(results, id, &Result::id);
  return at != results.end() && at->status == Status::pass;
}

}  // namespace

std::string_view name(Status status) {
  switch (status) {
    case Status::pass:
      return "pass";
    case Status::fail:
      return "fail";
    case Status::not_reached:
      return "not reached";
    case Status::not_modelled:
      return "not modelled";
  }
  return "";
}

std::string Context::shown(const std::vector<std::string>& argv, const CommandResult& result) {
  std::string text = "$";
  for (const std::string& word : argv) text += " " + word;
  text += "\n" + result.out + result.err;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<std::string> lines_with(const std::string& text, std::string_view part) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (std::string line = text.substr(at, end - at); line.find(part) != std::string::npos) {
      lines.push_back(std::move(line));
    }
    at = end + 1;
  }
  return lines;
}

std::vector<Result> run(Backend& backend, const Deployment& deployment) {
  Context context{
      .backend = backend, .deployment = deployment, .session = backend.host().session()};
  context.process = backend.host().spawn(context.session);
  std::vector<Result> results;
  for (const Check& check : table) {
    Result result{.id = check.id, .step = check.step, .layer = check.layer, .title = check.title};
    if (*check.needs == '\0' || passed(results, check.needs)) {
      Finding found = check.look(context);
      result.status = found.status;
      result.evidence = std::move(found.evidence);
      result.next = std::move(found.next);
      result.event = found.event;
      if (found.status == Status::fail && found.event == no_event)
        result.event = last_complaint(backend, check.layer);
    } else {
      result.evidence = std::string("needs ") + check.needs;
    }
    results.push_back(std::move(result));
  }
  return results;
}

const Result* first_failure(const std::vector<Result>& results) {
  const auto at = std::ranges::find(results, Status::fail, &Result::status);
  return at == results.end() ? nullptr : &*at;
}

std::vector<std::string> ids() {
  std::vector<std::string> list;
  for (const Check& check : table) list.emplace_back(check.id);
  return list;
}

}  // namespace rocdrill::checks
