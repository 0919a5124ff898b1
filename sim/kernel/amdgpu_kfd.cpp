// What amdgpu hands to amdkfd: its start, and the devices that it can use.
#include <fmt/format.h>

#include <cstdlib>

#include "sim/firmware/gates.hpp"
#include "sim/kernel/amdgpu.hpp"

namespace rocdrill::kernel {
namespace {

/// What kfd_init() says of the parameters; "" if they are right. kfd_module.c.
std::string bad_kfd_parameter(const LoadedModule& module) {
  const auto value = [&](const char* name, int fallback) {
    const auto given = module.parameters.find(name);
    return given == module.parameters.end() ? fallback : std::atoi(given->second.c_str());
  };
  constexpr int last_policy = 2;     // KFD_SCHED_POLICY_NO_HWS
  constexpr int most_queues = 4096;  // KFD_MAX_NUM_OF_QUEUES_PER_DEVICE
  const int policy = value("sched_policy", 0);
  if (policy < 0 || policy > last_policy) return "sched_policy has invalid value";
  const int queues = value("max_num_of_queues_per_device", most_queues);
  if (queues < 1 || queues > most_queues)
    return "max_num_of_queues_per_device must be between 1 to KFD_MAX_NUM_OF_QUEUES_PER_DEVICE";
  return {};
}

}  // namespace

/// kfd_init() checks two parameters; with a bad one there is no KFD, and graphics goes on without.
void Amdgpu::start_kfd(const LoadedModule& module, EventId cause) {
  const std::string wrong = bad_kfd_parameter(module);
  if (wrong.empty()) {
    kfd_.start(os_.journal.record(
        Layer::kernel, Severity::info, "kfd.started", "kfd",
        {{field::did, "/dev/kfd and /sys/class/kfd appear"}, {field::see, "ls -l /dev/kfd"}},
        cause));
    return;
  }
  const std::string shows = "amdgpu: " + wrong;
  const EventId event =
      os_.journal.record(Layer::kernel, Severity::error, "kfd.refused", "kfd",
                         {{field::asked, "valid parameters of amdgpu"},
                          {field::got, "EINVAL"},
                          {field::did, "there is no /dev/kfd; graphics works"},
                          {field::shows, std::string_view(shows)},
                          {field::see, "grep . /sys/module/amdgpu/parameters/sched_policy"}},
                         module.parameters_event != no_event ? module.parameters_event : cause);
  log(3, shows, event);
  log(3, "amdgpu: KFD is disabled due to module initialization failure", event);
  kfd_.explain(event);
}

bool Amdgpu::atomics_suffice(const silicon::Gpu& gpu, std::uint32_t mec, EventId cause) {
  const std::uint32_t enough = firmware::mec_without_pcie_atomics(*gpu.product);
  if (gpu.pcie_atomics) return true;
  log_device(gpu, 6, "PCIE atomic ops is not supported", cause);
  if (enough == 0 || mec >= enough) return true;
  const std::string shows =
      fmt::format("kfd kfd: amdgpu: skipped device 1002:{:04x}, PCI rejects atomics {}<{}",
                  gpu.product->device_id, mec, enough);
  const EventId event =
      os_.journal.record(Layer::kernel, Severity::error, "kfd.skipped", gpu.bdf.text(),
                         {{field::asked, "PCIe AtomicOps to the root complex"},
                          {field::got, "not routed"},
                          {field::did, "the device is no KFD node; graphics works"},
                          {field::shows, std::string_view(shows)},
                          {field::see, "dmesg"}},
                         gpu.event != no_event ? gpu.event : cause);
  log(4, shows, event);
  return false;
}

}  // namespace rocdrill::kernel
