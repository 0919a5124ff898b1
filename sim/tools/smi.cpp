// amd-smi and rocm-smi: what they show of the node's state. Sensors (temperature, power, clocks,
// load) are not modelled: rocm-smi prints N/A for them.
// Texts: amdsmi_cli of ROCm 6 and 7, rocm_smi.py of ROCm 5.2.3 and 6.
#include <algorithm>

#include "sim/tools/call.hpp"
#include "sim/tools/topology_view.hpp"

namespace rocdrill::sim::tools {
namespace {

struct SmiRelease {
  std::string_view rocm;  ///< from this release on
  std::string_view tool;  ///< with its commit
  std::string_view library;
};

// 7.1: documented; the others' numbers are documented, their commits assumed.
constexpr SmiRelease smi_releases[] = {
    {"7.1", "26.2.0+021c61fc", "26.2.0"},  {"7.0", "26.0.0+eaa54ecc", "26.0.0"},
    {"6.4", "25.3.0+ede62f2", "25.3.0"},   {"6.3", "24.7.1+0012a68", "24.7.1.0"},
    {"6.2", "24.6.2+2b02a07", "24.6.2.0"}, {"6.0", "23.4.2+d3f8f6e", "23.4.2.0"},
};

std::string version_line(Call& call) {
  const std::string release = call.node.rocm().version;
  const auto smi = std::ranges::find_if(smi_releases, [&](const SmiRelease& each) {
    return compare_versions(release, each.rocm) >= 0;
  });
  std::string line = fmt::format("AMDSMI Tool: {} | AMDSMI Library version: {} | ROCm version: {}",
                                 smi->tool, smi->library, release);
  if (compare_versions(release, "7.0") >= 0) {
    std::string version = call.process().read_file("/sys/module/amdgpu/version").value_or("N/A");
    line += fmt::format(" | amdgpu version: {} | amd_hsmp version: N/A",
                        version.substr(0, version.find('\n')));
  }
  return line + "\n";
}

bool driver_live(Call& call) {
  const auto state = call.process().read_file("/sys/module/amdgpu/initstate");
  if (!state) call.event = state.error().event;
  return state && state->find("live") != std::string::npos;
}

/// GPU nodes in the order of their addresses, which is amd-smi's and rocm-smi's.
std::vector<TopologyNode> gpus_by_address(Call& call) {
  auto nodes = read_topology(call.process()).value_or(std::vector<TopologyNode>{});
  std::erase_if(nodes, [](const TopologyNode& node) { return !node.is_gpu(); });
  std::ranges::sort(nodes, {}, [](const TopologyNode& node) { return node.bdf(); });
  return nodes;
}

/// amd-smi exits with -1.
int no_devices(Call& call, bool live) {
  if (call.event == no_event) call.event = call.process().why("/sys/class/kfd/kfd/topology/nodes");
  if (!live)
    call.complain(
        "ERROR:root:Unable to get devices, driver not initialized (amdgpu not found in modules)\n");
  call.complain(
      "ERROR:root:Unable to detect any GPU devices, check amdgpu version and module status (sudo modprobe amdgpu)\n");
  call.out += version_line(call);
  return 255;
}

/// The device id and the unique id, spread over a UUID.
std::string uuid(const kfd::KfdNodeProperties& is) {
  return fmt::format("{:02x}ff{:04x}-0000-1000-80{:02x}-{:012x}", is.unique_id >> 56, is.device_id,
                     is.unique_id >> 48 & 0xFF, is.unique_id & 0xFFFF'FFFF'FFFFull);
}

int amd_smi_list(Call& call) {
  const bool live = driver_live(call);
  const auto gpus = live ? gpus_by_address(call) : std::vector<TopologyNode>{};
  if (gpus.empty()) return no_devices(call, live);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    call.print(
        "{}GPU: {}\n    BDF: {}\n    UUID: {}\n    KFD_ID: {}\n    NODE_ID: {}\n    PARTITION_ID: 0\n",
        i == 0 ? "" : "\n", i, gpus[i].bdf(), uuid(gpus[i].properties), gpus[i].gpu_id, gpus[i].id);
  }
  return 0;
}

int run_amd_smi(Call& call) {
  if (call.node.rocm().major() < 6) {  // came with ROCm 6
    call.found = false;
    return 127;
  }
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.empty()) return call.refuse("the default view");
  const std::string& verb = options->operands.front();
  if (options->operands.size() > 1) return call.refuse("'" + options->operands[1] + "'");
  if (verb == "list") return amd_smi_list(call);
  if (verb != "version") return call.refuse("command '" + verb + "'");
  call.out += version_line(call);
  return 0;
}

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

/// SPX and NPS1 are the modes of a GPU that can be divided and was not.
bool can_be_divided(const Call& call, const TopologyNode& gpu) {
  return std::ranges::any_of(call.node.board.gpus(), [&](const silicon::Gpu& each) {
    return each.bdf.text() == gpu.bdf() && !each.product->partitions.empty();
  });
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
             gpu.id, ids, "N/A", "N/A", can_be_divided(call, gpu) ? "NPS1, SPX, 0" : "N/A, N/A, 0",
             "N/A", "N/A", "N/A", "N/A", "N/A", vram, "N/A");
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

int run_rocm_smi(Call& call) {
  const auto options = parse(call, {{"--showpids"}});
  if (!options) return 2;
  if (!options->operands.empty()) return call.refuse("'" + options->operands.front() + "'");
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
    {{"amd-smi", "amd-smi list | version", "Lists the GPUs that the driver has, or the versions."},
     run_amd_smi},
    {{"rocm-smi", "rocm-smi [--showpids]",
      "Shows the GPUs in a table, sensors as N/A; or who holds them."},
     run_rocm_smi},
};

}  // namespace

std::span<const Tool> smi_tools() { return table; }

}  // namespace rocdrill::sim::tools
