// What the checks of one run share.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "stack/checks/check.hpp"

namespace rocdrill::checks {

struct Context {
  Backend& backend;
  const Deployment& deployment;
  ProcessSpec session;
  std::unique_ptr<Process> process = {};  ///< of the person who works on the node

  // Found by earlier checks:
  std::vector<std::string> amd_gpus = {};   ///< BDFs of AMD GPUs on the bus
  std::size_t bound = 0;                    ///< of which amdgpu drives
  std::size_t gpu_nodes = 0;                ///< GPU nodes of the KFD topology
  std::set<std::string> render_nodes = {};  ///< theirs: "renderD128"
  std::unique_ptr<Runtime> runtime = {};
  std::size_t agents = 0;  ///< GPU agents
  std::unique_ptr<Hip> hip = {};
  int devices = 0;  ///< HIP devices
  std::unique_ptr<Framework> framework = {};

  CommandResult run(const std::vector<std::string>& argv) {
    return backend.host().run(argv, session);
  }
  /// The command's output under its prompt: "$ lsmod\n...".
  static std::string shown(const std::vector<std::string>& argv, const CommandResult& result);
};

/// What a check found; `run` fills in the rest.
struct Finding {
  Status status = Status::pass;
  std::string evidence;
  std::string next;
  EventId event = no_event;
};

struct Check {
  const char* id;
  int step;
  Layer layer;
  const char* title;
  const char* needs;  ///< id of the check that must have passed; "" for none
  Finding (*look)(Context&);
};

Finding pci_devices(Context& context);
Finding hardware_errors(Context& context);
Finding clock_limits(Context& context);
Finding firmware_blobs(Context& context);
Finding firmware_modes(Context& context);
Finding kernel_module(Context& context);
Finding kernel_dkms(Context& context);
Finding kernel_probe(Context& context);
Finding kernel_topology(Context& context);
Finding silicon_links(Context& context);
Finding silicon_acs(Context& context);
Finding kernel_iommu(Context& context);
Finding access_shm(Context& context);
Finding rccl_connects(Context& context);
Finding kernel_partitions(Context& context);
Finding kernel_vram(Context& context);
Finding access_view(Context& context);
Finding access_kfd(Context& context);
Finding access_render(Context& context);
Finding runtime_agents(Context& context);
Finding runtime_targets(Context& context);
Finding runtime_queue(Context& context);
Finding health(Context& context);
Finding hip_devices(Context& context);
Finding hip_first(Context& context);
Finding code_object_targets(Context& context);
Finding programs_end(Context& context);
Finding library_data(Context& context);
Finding framework_available(Context& context);
Finding framework_matmul(Context& context);
Finding collectives(Context& context);

/// Lines of `text` that contain `part`.
std::vector<std::string> lines_with(const std::string& text, std::string_view part);

}  // namespace rocdrill::checks
