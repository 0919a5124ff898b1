// /sys/module: what lsmod, modinfo and rocminfo ask of loaded modules.
#include <fmt/format.h>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {
namespace {

struct Parameter {
  const char* name;
  const char* value;  ///< as sysfs prints the default
  std::uint32_t mode = 0444;
};

/// Defaults as sysfs prints them; names and values are assumed (no driver source was at hand).
constexpr Parameter amdgpu_parameters[] = {
    {"abmlevel", "0"},
    {"aspm", "-1"},
    {"async_gfx_ring", "1"},
    {"audio", "-1"},
    {"backlight", "-1"},
    {"bad_page_threshold", "-1"},
    {"bapm", "-1"},
    {"cg_mask", "18446744073709551615"},
    {"compute_multipipe", "-1"},
    {"cwsr_enable", "1"},
    {"dc", "-1"},
    {"dcdebugmask", "0"},
    {"dcfeaturemask", "2"},
    {"debug_evictions", "N", 0644},
    {"debug_largebar", "0"},
    {"deep_color", "0"},
    {"disable_cu", "(null)"},
    {"discovery", "-1"},
    {"disp_priority", "0"},
    {"dpm", "-1"},
    {"emu_mode", "0"},
    {"exp_hw_support", "0"},
    {"force_asic_type", "-1"},
    {"forcelongtraining", "0"},
    {"freesync_video", "0"},
    {"fw_load_type", "-1"},
    {"gartsize", "4294967295", 0600},
    {"gpu_recovery", "-1"},
    {"gttsize", "-1", 0600},
    {"halt_if_hws_hang", "0", 0644},
    {"hw_i2c", "0"},
    {"hws_gws_support", "N"},
    {"hws_max_conc_proc", "8"},
    {"ip_block_mask", "4294967295"},
    {"job_hang_limit", "0"},
    {"lbpw", "-1"},
    {"lockup_timeout", ""},
    {"max_num_of_queues_per_device", "4096"},
    {"mcbp", "0"},
    {"mes", "0"},
    {"mes_kiq", "0"},
    {"moverate", "-1", 0600},
    {"msi", "-1"},
    {"no_queue_eviction_on_vm_fault", "0"},
    {"no_system_mem_limit", "N", 0644},
    {"noretry", "-1"},
    {"num_kcq", "-1"},
    {"pcie_gen2", "-1"},
    {"pcie_gen_cap", "0"},
    {"pcie_lane_cap", "0"},
    {"pcie_p2p", "Y"},
    {"pg_mask", "4294967295"},
    {"ppfeaturemask", "0xfff7bfff"},
    {"queue_preemption_timeout_ms", "9000", 0644},
    {"ras_enable", "-1"},
    {"ras_mask", "4294967295"},
    {"reset_method", "-1"},
    {"runpm", "-1"},
    {"sched_hw_submission", "2"},
    {"sched_jobs", "32"},
    {"sched_policy", "0"},
    {"sdma_phase_quantum", "32"},
    {"send_sigterm", "0"},
    {"sg_display", "-1"},
    {"smu_memory_pool_size", "0"},
    {"smu_pptable_id", "-1"},
    {"timeout_fatal_disable", "N", 0644},
    {"timeout_period", "0", 0644},
    {"tmz", "-1"},
    {"use_xgmi_p2p", "1"},
    {"user_partt_mode", "-2"},
    {"vcnfw_log", "0"},
    {"virtual_display", "(null)"},
    {"vis_vramlimit", "0"},
    {"visualconfirm", "0"},
    {"vm_block_size", "-1"},
    {"vm_debug", "0", 0644},
    {"vm_fault_stop", "0"},
    {"vm_fragment_size", "-1"},
    {"vm_size", "-1"},
    {"vm_update_mode", "-1"},
    {"vramlimit", "0", 0600},
};

void parameters(sim::VirtualDirectory& into, const LoadedModule& module) {
  if (module.name == "amdgpu") {
    for (const Parameter& parameter : amdgpu_parameters) {
      into.text(parameter.name, std::string(parameter.value) + "\n", parameter.mode);
    }
  }
  for (const auto& [name, value] : module.parameters) into.text(name, value + "\n");
}

/// A hash that a rebuilt module changes and a reloaded one does not.
std::string source_version(const LoadedModule& module) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : module.name + module.version)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return fmt::format("{:016X}{:07X}\n", hash, hash & 0xFFFFFFF);
}

}  // namespace

void SysFs::module(Directory& into, const LoadedModule& module) const {
  into.text("initstate", module.initstate + "\n");
  const int open_files = module.name == "amdgpu" ? kernel_.kfd.open_files() : 0;
  into.text("refcnt",
            fmt::format("{}\n", module.used_by.size() + static_cast<std::size_t>(open_files)));
  into.text("coresize", fmt::format("{}\n", module.size));
  into.text("initsize", "0\n");
  into.text("taint", module.in_tree ? "\n" : "OE\n");
  into.unmodelled("uevent");
  // Only the out-of-tree driver has a version.
  if (!module.version.empty()) into.text("version", module.version + "\n");
  into.text("srcversion", source_version(module));
  into.directory("holders", [&module](Directory& holders) {
    for (const std::string& user : module.used_by) holders.link(user, "../../" + user);
  });
  into.directory("parameters", [&module](Directory& inside) { parameters(inside, module); });
  if (module.name != "amdgpu") return;
  into.directory("drivers", [](Directory& drivers) {
    drivers.link("pci:amdgpu", "../../../bus/pci/drivers/amdgpu");
  });
}

void SysFs::modules(Directory& into) const {
  into.explain(driver_event());
  for (const LoadedModule& each : kernel_.modules.all()) {
    into.directory(each.name, [this, &each](Directory& inside) { module(inside, each); });
  }
}

}  // namespace rocdrill::kernel
