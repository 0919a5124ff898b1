// /proc: what programs read of the machine as a whole.
#include <fmt/format.h>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {
namespace {

// Zen 3; what is left out is what no tool of this field looks for.
constexpr const char* cpu_flags =
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse "
    "sse2 ht syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good nopl nonstop_tsc "
    "cpuid extd_apicid aperfmperf rapl pni pclmulqdq monitor ssse3 fma cx16 pcid sse4_1 sse4_2 "
    "x2apic movbe popcnt aes xsave avx f16c rdrand lahf_lm cmp_legacy svm extapic cr8_legacy abm "
    "sse4a misalignsse 3dnowprefetch osvw ibs skinit wdt tce topoext perfctr_core perfctr_nb bpext "
    "perfctr_llc mwaitx cpb cat_l3 cdp_l3 invpcid_single hw_pstate ssbd mba ibrs ibpb stibp vmmcall "
    "fsgsbase bmi1 avx2 smep bmi2 erms invpcid cqm rdt_a rdseed adx smap clflushopt clwb sha_ni "
    "xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local clzero irperf "
    "xsaveerptr rdpru wbnoinvd amd_ppin arat npt lbrv svm_lock nrip_save tsc_scale vmcb_clean "
    "flushbyasid decodeassists pausefilter pfthreshold v_vmsave_vmload vgif umip pku ospke vaes "
    "vpclmulqdq rdpid overflow_recov succor smca";

void append_cpu(std::string& text, const CpuInfo& info, const CpuTopology& topology,
                std::uint32_t number) {
  const LogicalCpu cpu = topology.cpu(number);
  fmt::format_to(std::back_inserter(text),
                 "processor\t: {}\nvendor_id\t: AuthenticAMD\ncpu family\t: {}\nmodel\t\t: {}\n"
                 "model name\t: {}\nstepping\t: {}\nmicrocode\t: 0xa0011d1\ncpu MHz\t\t: {}.000\n"
                 "cache size\t: {} KB\nphysical id\t: {}\nsiblings\t: {}\ncore id\t\t: {}\n"
                 "cpu cores\t: {}\napicid\t\t: {}\ninitial apicid\t: {}\nfpu\t\t: yes\n"
                 "fpu_exception\t: yes\ncpuid level\t: 16\nwp\t\t: yes\nflags\t\t: {}\n"
                 "bugs\t\t: sysret_ss_attrs spectre_v1 spectre_v2 spec_store_bypass\n"
                 "bogomips\t: {}.00\nTLB size\t: 2560 4K pages\nclflush size\t: 64\n"
                 "cache_alignment\t: 64\naddress sizes\t: 48 bits physical, 48 bits virtual\n"
                 "power management: ts ttp tm hwpstate cpb eff_freq_ro [13] [14]\n\n",
                 number, topology.family, topology.model, info.model, topology.stepping,
                 topology.base_mhz, topology.caches[2].kib, cpu.socket,
                 topology.cores * topology.threads, cpu.core, topology.cores, cpu.apic_id,
                 cpu.apic_id, cpu_flags, topology.base_mhz * 2);
}

/// `open_files` of the driver's devices hold it, too.
std::string modules_text(const ModuleTable& modules, int open_files) {
  std::string text;
  for (const LoadedModule& module : modules.all()) {
    std::string users;
    for (const std::string& user : module.used_by) users += user + ",";
    // Addresses as who is not root sees them.
    fmt::format_to(std::back_inserter(text), "{} {} {} {} Live 0x0000000000000000{}\n", module.name,
                   module.size,
                   module.used_by.size() +
                       (module.name == "amdgpu" ? static_cast<std::size_t>(open_files) : 0),
                   users.empty() ? "-" : users, module.in_tree ? "" : " (OE)");
  }
  return text;
}

/// A machine that has just booted: a tenth in use, a tenth of the rest page cache; assumed.
std::string meminfo_text(std::uint64_t bytes) {
  const std::uint64_t total = bytes / 1024, used = total / 10, cache = total / 10;
  std::string text;
  const auto line = [&](std::string_view name, std::uint64_t kib) {
    text += fmt::format("{:<16}{:>8} kB\n", fmt::format("{}:", name), kib);
  };
  line("MemTotal", total);
  line("MemFree", total - used - cache);
  line("MemAvailable", total - used);
  line("Buffers", cache / 16);
  line("Cached", cache - cache / 16);
  line("SwapCached", 0);
  line("Active", used / 2 + cache / 2);
  line("Inactive", cache / 2);
  line("SwapTotal", 0);
  line("SwapFree", 0);
  line("Dirty", 0);
  line("AnonPages", used / 2);
  line("Mapped", used / 8);
  line("Shmem", used / 64);
  line("Slab", used / 8);
  line("CommitLimit", total / 2);
  line("Committed_AS", used);
  line("VmallocTotal", 34359738367);
  text +=
      "HugePages_Total:       0\nHugePages_Free:        0\nHugePages_Rsvd:        0\n"
      "HugePages_Surp:        0\n";
  line("Hugepagesize", 2048);
  return text;
}

std::string devices_text(const std::vector<CharDevice>& devices) {
  std::string text = "Character devices:\n  1 mem\n  4 tty\n  5 /dev/tty\n 10 misc\n 13 input\n";
  bool drm = false, kfd = false;
  for (const CharDevice& device : devices) {
    drm = drm || device.path.starts_with("/dev/dri/");
    kfd = kfd || device.path == "/dev/kfd";
  }
  if (drm) text += "226 drm\n";
  if (kfd) text += "235 kfd\n";
  return text + "\nBlock devices:\n259 blkext\n";
}

}  // namespace

void SysFs::proc(Directory& into) const {
  into.explain(os_.boot_event);
  into.file("cmdline", [this] { return os_.cmdline + "\n"; }, 0444, 0);
  into.file(
      "version", [this] { return "Linux version " + os_.kernel_release + " SMP\n"; }, 0444, 0);
  into.file("meminfo", [this] { return meminfo_text(kernel_.cpu.memory_bytes); }, 0444, 0);
  into.file(
      "modules", [this] { return modules_text(kernel_.modules, kernel_.kfd.open_files()); }, 0444,
      0);
  into.file("devices", [this] { return devices_text(kernel_.char_devices()); }, 0444, 0);
  into.file(
      "uptime",
      [this] {
        const std::uint64_t up = (os_.clock.now() - os_.booted_at_ns) / (10 * sim::ms);
        const std::uint64_t idle = up * CpuTopology(kernel_.cpu).count();
        return fmt::format("{}.{:02} {}.{:02}\n", up / 100, up % 100, idle / 100, idle % 100);
      },
      0444, 0);
  into.file(
      "loadavg",
      [this] {
        return fmt::format("0.00 0.00 0.00 1/{} {}\n", 200 + os_.processes.size(),
                           os_.processes.empty() ? 1 : os_.processes.rbegin()->first);
      },
      0444, 0);
  into.file(
      "cpuinfo",
      [this] {
        const CpuTopology topology(kernel_.cpu);
        std::string text;
        for (std::uint32_t i = 0; i < topology.count(); ++i) {
          append_cpu(text, kernel_.cpu, topology, i);
        }
        return text;
      },
      0444, 0);
}

}  // namespace rocdrill::kernel
