// rocm-smi: what it shows of the node's state. Sensors (temperature, power, clocks, load) are not
// modelled: it prints N/A for them. Texts: rocm_smi.py of ROCm 5.2.3 and 6.
#include <algorithm>

#include "sim/tools/amd_smi.hpp"

namespace rocdrill::sim::tools {

int run_amd_smi(Call& call);

namespace {

struct Frame {
  std::string_view title, concise, columns, units, end;
};

constexpr Frame frame_6{
    "============================================ ROCm System Management Interface ============================================",
    "====================================================== Concise Info ======================================================",
    "Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%  ",
    "              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)                                                  ",
    "================================================== End of ROCm SMI Log ==================================================="};

constexpr Frame frame_5{
    "======================= ROCm System Management Interface =======================",
    "================================= Concise Info =================================",
    "GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%  ", "",
    "============================= End of ROCm SMI Log =============================="};

std::string used_vram(const Call& call, const TopologyNode& gpu) {
  const kernel::KfdNode* node = call.node.kernel.kfd.find(gpu.gpu_id);
  if (!node || node->vram_bytes == 0) return "N/A";
  const std::uint64_t used = node->vram_bytes - call.node.kernel.kfd.available_vram(gpu.gpu_id);
  return fmt::format("{}%", (used * 100 + node->vram_bytes / 2) / node->vram_bytes);
}

/// "NPS1, SPX, 0": the modes of a GPU that can be divided; of its other devices the number alone.
std::string partitions(Call& call, const TopologyNode& gpu) {
  const auto devices = smi_devices(call);
  const auto is =
      std::ranges::find(devices, gpu.id, [](const SmiDevice& each) { return each.node.id; });
  if (is == devices.end()) return "N/A, N/A, 0";
  const bool shows = is->primary() && !is->gpu->product->partitions.empty();
  return fmt::format("{}, {}, {}", shows ? is->attribute(call, "current_memory_partition") : "N/A",
                     shows ? is->attribute(call, "current_compute_partition") : "N/A",
                     is->partition);
}

void print_row(Call& call, std::size_t index, const TopologyNode& gpu, bool six) {
  const std::string vram = used_vram(call, gpu);
  if (!six) {
    call.print("{:<5}{:<16}{:<8}{:<8}{:<9}{:<5}{:<6}{:<8}{:<7}{:<6}\n", index, "N/A", "N/A", "N/A",
               "N/A", "N/A", "N/A", "N/A", vram, "N/A");
    return;
  }
  const std::string ids = fmt::format("0x{:04x}, {:>7}", gpu.properties.device_id, gpu.gpu_id);
  call.print("{:<8}{:<6}{:<17}{:<12}{:<10}{:<20}{:<8}{:<8}{:<5}{:<6}{:<8}{:<7}{:<6}\n", index,
             gpu.id, ids, "N/A", "N/A", partitions(call, gpu), "N/A", "N/A", "N/A", "N/A", "N/A",
             vram, "N/A");
}

/// Of every process that KFD knows: /sys/class/kfd/kfd/proc is where the real one looks.
int show_pids(Call& call, const Frame& frame) {
  const kernel::Kfd& kfd = call.node.kernel.kfd;
  call.print("\n\n{}\n", frame.title);
  if (kfd.holders().empty()) {
    call.print("No KFD PIDs currently running\n");
  } else {
    call.print(
        "KFD process information:\n"
        "PID\tPROCESS NAME\tGPU(s)\tVRAM USED\tSDMA USED\tCU OCCUPANCY\t\n");
  }
  for (const int pid : kfd.holders()) {
    const auto process = call.node.os.processes.find(pid);
    std::size_t gpus = 0;
    std::uint64_t vram = 0;
    for (const kernel::KfdNode& node : kfd.nodes()) {
      const kernel::Kfd::Holding* held = kfd.held_by(pid, node.gpu_id);
      gpus += held ? 1 : 0;
      vram += held ? held->vram_bytes : 0;
    }
    call.print("{}\t{}\t{}\t{}\t0\t0\t\n", pid,
               process == call.node.os.processes.end() ? "UNKNOWN" : process->second.command, gpus,
               vram);
  }
  call.print("{}\n{}\n", std::string(frame.title.size(), '='), frame.end);
  return 0;
}

/// printLogSpacer(" TITLE ") around what is shown.
template <class Show>
int framed(Call& call, const Frame& frame, std::string_view title, Show show) {
  const std::size_t width = frame.title.size();
  call.print("\n\n{}\n{:=^{}}\n", frame.title, fmt::format(" {} ", title), width);
  show();
  call.print("{}\n{}\n", std::string(width, '='), frame.end);
  return 0;
}

int run_rocm_smi(Call& call) {
  const auto options = parse(call, {{"--showpids"},
                                    {"--showrasinfo"},
                                    {"--showpagesinfo"},
                                    {"--showretiredpages"},
                                    {"--showpendingpages"},
                                    {"--showunreservablepages"}});
  if (!options) return 2;
  if (!options->operands.empty() && !options->has("--showrasinfo"))
    return call.refuse("'" + options->operands.front() + "'");
  const bool six = call.node.rocm().major() >= 6;
  if (!driver_live(call)) {  // both lines on standard error, and status 0: measured on 5.2.3
    if (!call.process().exists("/sys/module/amdgpu/initstate")) {
      call.complain("cat: /sys/module/amdgpu/initstate: No such file or directory\n");
    }
    call.complain("ERROR:root:Driver not initialized (amdgpu not found in modules)\n");
    return 0;
  }
  const Frame& frame = six ? frame_6 : frame_5;
  if (options->has("--showpids")) return show_pids(call, frame);
  if (options->has("--showrasinfo")) {
    if (!options->operands.empty() && options->operands.front() != "all")
      return call.refuse("a list of blocks");
    return framed(call, frame, "RAS Info", [&] { rocm_smi_ras(call, smi_devices(call)); });
  }
  constexpr std::pair<std::string_view, std::string_view> pages[] = {
      {"--showpagesinfo", "all"},
      {"--showretiredpages", "retired"},
      {"--showpendingpages", "pending"},
      {"--showunreservablepages", "unreservable"}};
  for (const auto& [option, type] : pages) {
    if (!options->has(option)) continue;
    return framed(call, frame, "Pages Info",
                  [&, kind = type] { rocm_smi_pages(call, smi_devices(call), kind); });
  }
  const auto gpus = gpus_by_address(call);
  const std::string rule(frame.title.size(), '=');
  call.print("\n\n{}\n", frame.title);
  if (gpus.empty()) call.print("WARNING: No AMD GPUs specified\n");
  call.print("{}\n{}\n", frame.concise, frame.columns);
  if (!frame.units.empty()) call.print("{}\n{}\n", frame.units, rule);
  for (std::size_t i = 0; i < gpus.size(); ++i) print_row(call, i, gpus[i], six);
  call.print("{}\n{}\n", rule, frame.end);
  call.complain("rocdrill: temperature, power, clocks, fan and load are not modelled (N/A)\n");
  return 0;
}

constexpr Tool table[] = {
    {{"amd-smi",
      "amd-smi list [-e] | static | metric [--ecc] [--ecc-blocks] [--throttle] [--pcie] | "
      "bad-pages [-r] [-p] [-u] | partition | set -C MODE|-M MODE | reset -r | version",
      "Shows the GPUs and their partitions, divides them, reloads the driver.", true, true},
     run_amd_smi},
    {{"rocm-smi",
      "rocm-smi [--showpids | --showrasinfo [all] | --showpagesinfo | --showretiredpages]",
      "Shows the GPUs in a table, sensors as N/A; or who holds them."},
     run_rocm_smi},
};

}  // namespace

std::span<const Tool> smi_tools() { return table; }

}  // namespace rocdrill::sim::tools
