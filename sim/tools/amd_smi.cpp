// amd-smi: its commands, its devices, and what it lists. Texts: amdsmi_cli of ROCm 6 and 7.
// Commands that divide GPUs are in amd_smi_partition.cpp.
#include "sim/tools/amd_smi.hpp"
#include "sim/tools/topology_tables.hpp"

#include <algorithm>
#include <charconv>

#include "sim/silicon/telemetry.hpp"

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

/// amd-smi exits with -1.
int no_devices(Call& call, bool live) {
  if (call.event == no_event) call.event = call.process().why("/sys/class/kfd/kfd/topology/nodes");
  if (!live)
    call.complain(
        "ERROR:root:Unable to get devices, driver not initialized (amdgpu not found in modules)\n");
  call.complain(
      "ERROR:root:Unable to detect any GPU devices, check amdgpu version and module status (sudo modprobe amdgpu)\n");
  call.out += smi_version_line(call);
  return 255;
}

/// The device id and the unique id, spread over a UUID.
std::string uuid(const kfd::KfdNodeProperties& is) {
  return fmt::format("{:02x}ff{:04x}-0000-1000-80{:02x}-{:012x}", is.unique_id >> 56, is.device_id,
                     is.unique_id >> 48 & 0xFF, is.unique_id & 0xFFFF'FFFF'FFFFull);
}

int amd_smi_list(Call& call, const std::vector<SmiDevice>& devices, bool enumeration) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const SmiDevice& is = devices[i];
    call.print(
        "{}GPU: {}\n    BDF: {}\n    UUID: {}\n    KFD_ID: {}\n    NODE_ID: {}\n"
        "    PARTITION_ID: {}\n",
        i == 0 ? "" : "\n", i, is.bdf, uuid(is.node.properties), is.node.gpu_id, is.node.id,
        is.partition);
    if (!enumeration) continue;
    const std::uint64_t minor = is.node.properties.drm_render_minor;
    const auto hip = static_cast<std::size_t>(std::ranges::count_if(
        devices, [&](const SmiDevice& other) { return other.node.id < is.node.id; }));
    call.print(
        "    RENDER: renderD{}\n    CARD: card{}\n    HSA_ID: {}\n    HIP_ID: {}\n"
        "    HIP_UUID: GPU-{:016x}\n",
        minor, minor - 128, is.node.id, hip, is.node.properties.unique_id);
  }
  return 0;
}

/// Megabytes of a file in bytes, or "N/A".
std::string megabytes(Call& call, const SmiDevice& of, std::string_view name) {
  const std::string text = of.attribute(call, name);
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc{} ? fmt::format("{} MB", bytes >> 20) : "N/A";
}

/// A sensor of hwmon: the file's number divided, with its unit.
std::string sensor(Call& call, const SmiDevice& of, std::string_view name, std::uint64_t divisor,
                   std::string_view unit) {
  const std::string folder = of.directory + "/hwmon";
  for (const std::string& hwmon :
       call.process().list(folder).value_or(std::vector<std::string>{})) {
    const auto text = call.process().read_file(fmt::format("{}/{}/{}", folder, hwmon, name));
    if (text)
      return fmt::format("{} {}", std::strtoull(text->c_str(), nullptr, 10) / divisor, unit);
  }
  return "N/A";
}

}  // namespace

std::string SmiDevice::attribute(Call& call, std::string_view name) const {
  std::string text = call.process().read_file(fmt::format("{}/{}", directory, name)).value_or("");
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "N/A" : text;
}

std::string smi_version_line(Call& call) {
  const std::string release = call.rocm().version;
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

std::vector<TopologyNode> gpus_by_address(Call& call) {
  auto nodes = read_topology(call.process()).value_or(std::vector<TopologyNode>{});
  std::erase_if(nodes, [](const TopologyNode& node) { return !node.is_gpu(); });
  std::ranges::sort(nodes, {}, [](const TopologyNode& node) { return node.bdf(); });
  return nodes;
}

std::vector<SmiDevice> smi_devices(Call& call) {
  std::vector<SmiDevice> devices;
  for (const TopologyNode& node : gpus_by_address(call)) {
    const std::string bdf = node.bdf();
    const std::string slot = bdf.substr(0, bdf.size() - 1);
    const auto& gpus = call.node.board.gpus();
    const auto gpu = std::ranges::find_if(
        gpus, [&](const silicon::Gpu& each) { return each.bdf.text().starts_with(slot); });
    if (gpu == gpus.end()) continue;
    const auto function = static_cast<std::uint32_t>(bdf.back() - '0');
    devices.push_back({node, bdf, function - gpu->bdf.function,
                       "/sys/bus/pci/devices/" + gpu->bdf.text(), &*gpu});
  }
  return devices;
}

std::optional<std::vector<std::size_t>> chosen_devices(Call& call, const Options& options,
                                                       std::size_t count) {
  std::vector<std::size_t> chosen;
  const std::string given = options.value_or("-g", "all");
  if (given == "all") {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), index);
  if (error != std::errc{} || end != given.data() + given.size() || index >= count) {
    call.complain("Can not find a device: {} | Device not found on host, 0 to {} are there\n",
                  given, count - 1);
    return std::nullopt;
  }
  return std::vector{index};
}

int amd_smi_static(Call& call, const std::vector<SmiDevice>& devices, const Options& options) {
  const auto chosen = chosen_devices(call, options, devices.size());
  if (!chosen) return 1;
  const bool newer = compare_versions(call.rocm().version, "6.4") >= 0;
  const std::string driver =
      call.process().read_file("/sys/module/amdgpu/version").value_or("N/A\n");
  for (const std::size_t i : *chosen) {
    const SmiDevice& is = devices[i];
    const auto& has = is.node.properties;
    const GpuProduct& product = *is.gpu->product;
    call.print("{}GPU: {}\n    ASIC:\n", i == chosen->front() ? "" : "\n", i);
    call.print(
        "        MARKET_NAME: {}\n        VENDOR_ID: 0x1002\n"
        "        VENDOR_NAME: Advanced Micro Devices Inc. [AMD/ATI]\n"
        "        SUBVENDOR_ID: 0x1002\n        DEVICE_ID: 0x{:04x}\n        REV_ID: 0x{:02x}\n"
        "        ASIC_SERIAL: 0x{:016X}\n        NUM_COMPUTE_UNITS: {}\n"
        "        TARGET_GRAPHICS_VERSION: {}\n",
        product.marketing_name, has.device_id, product.pci_rev, has.unique_id,
        has.simd_count / has.simd_per_cu, gfx_name(has.gfx_target_version));
    call.print("    BUS:\n        BDF: {}\n        MAX_PCIE_WIDTH: {}\n", is.bdf,
               product.pcie_lanes);
    call.print("    {}:\n        PART_NUMBER: {}\n", newer ? "IFWI" : "VBIOS",
               is.attribute(call, "vbios_version"));
    if (!is.gpu->ifwi.empty()) call.print("        VERSION: {}\n", is.gpu->ifwi);
    call.print("    DRIVER:\n        NAME: amdgpu\n        VERSION: {}",
               driver.ends_with('\n') ? driver : driver + "\n");
    call.print(
        "    PARTITION:\n        {}: {}\n        MEMORY_PARTITION: {}\n        PARTITION_ID: {}\n",
        newer ? "ACCELERATOR_PARTITION" : "COMPUTE_PARTITION",
        is.primary() ? is.attribute(call, "current_compute_partition") : "N/A",
        is.primary() ? is.attribute(call, "current_memory_partition") : "N/A", is.partition);
    call.print("    VRAM:\n        TYPE: {}\n        SIZE: {}\n        BIT_WIDTH: {}\n",
               product.memory_type, megabytes(call, is, "mem_info_vram_total"),
               product.memory_width);
  }
  return 0;
}

int amd_smi_metric(Call& call, const std::vector<SmiDevice>& devices, const Options& options) {
  const auto chosen = chosen_devices(call, options, devices.size());
  if (!chosen) return 1;
  for (const std::size_t i : *chosen) {
    const SmiDevice& is = devices[i];
    const bool has = is.primary();  // a partition's platform device has no sensors
    if (has && (options.has("--ecc") || options.has("--ecc-blocks") || options.has("--throttle") ||
                options.has("--pcie"))) {
      call.print("{}GPU: {}\n", i == chosen->front() ? "" : "\n", i);
      if (options.has("--pcie")) print_pcie(call, is);
      if (options.has("--ecc")) print_ecc(call, is);
      if (options.has("--ecc-blocks")) print_ecc_blocks(call, is);
      if (options.has("--throttle")) print_throttle(call, is);
      continue;
    }
    const auto from = [&](std::string_view name, std::uint64_t divisor, std::string_view unit) {
      return has ? sensor(call, is, name, divisor, unit) : std::string("N/A");
    };
    const std::string load = has ? is.attribute(call, "gpu_busy_percent") : "N/A";
    call.print("{}GPU: {}\n    USAGE:\n        GFX_ACTIVITY: {}\n",
               i == chosen->front() ? "" : "\n", i, load == "N/A" ? load : load + " %");
    call.print("    POWER:\n        SOCKET_POWER: {}\n", from("power1_input", 1'000'000, "W"));
    call.print("    TEMPERATURE:\n        EDGE: {}\n        HOTSPOT: {}\n        MEM: {}\n",
               from("temp1_input", 1000, "°C"), from("temp2_input", 1000, "°C"),
               from("temp3_input", 1000, "°C"));
    // The whole memory of the GPU, whatever the partition: as the real tool shows it.
    call.print("    MEM_USAGE:\n        TOTAL_VRAM: {}\n        USED_VRAM: {}\n",
               megabytes(call, is, "mem_info_vram_total"),
               megabytes(call, is, "mem_info_vram_used"));
    if (!has) continue;
    print_pcie(call, is);
    print_ecc(call, is);
    print_ecc_blocks(call, is);
    print_throttle(call, is);
  }
  return 0;
}

int run_amd_smi(Call& call) {
  if (call.rocm().major() < 6) {  // came with ROCm 6
    call.found = false;
    return 127;
  }
  const auto options = parse(call, {{"-e"},
                                    {"--enumeration", false, "-e"},
                                    {"-g", true},
                                    {"--gpu", true, "-g"},
                                    {"-C", true},
                                    {"--compute-partition", true, "-C"},
                                    {"-M", true},
                                    {"--memory-partition", true, "-M"},
                                    {"-r"},
                                    {"--reload-driver", false, "-r"},
                                    {"--retired", false, "-r"},
                                    {"-p"},
                                    {"--pending", false, "-p"},
                                    {"-u"},
                                    {"--un-res", false, "-u"},
                                    {"--ecc"},
                                    {"--ecc-blocks"},
                                    {"--throttle"},
                                    {"--pcie"}});
  if (!options) return 2;
  if (options->operands.empty()) return call.refuse("the default view");
  const std::string& verb = options->operands.front();
  if (options->operands.size() > 1) return call.refuse("'" + options->operands[1] + "'");
  const auto takes = [&](std::initializer_list<std::string_view> allowed) {
    for (const std::string_view option : {"-e", "-g", "-C", "-M", "-r", "-p", "-u", "--ecc",
                                          "--ecc-blocks", "--throttle", "--pcie"}) {
      const bool given = options->has(option);
      if (given && std::ranges::find(allowed, option) == allowed.end()) return option;
    }
    return std::string_view();
  };
  const auto needs_devices = [&](auto show) {
    const bool live = driver_live(call);
    const auto devices = live ? smi_devices(call) : std::vector<SmiDevice>{};
    return devices.empty() ? no_devices(call, live) : show(devices);
  };
  if (verb == "version") {
    call.out += smi_version_line(call);
    return 0;
  }
  struct Verb {
    std::string_view name;
    std::initializer_list<std::string_view> allowed;
  };
  const Verb verbs[] = {{"list", {"-e"}},
                        {"static", {"-g"}},
                        {"metric", {"-g", "--ecc", "--ecc-blocks", "--throttle", "--pcie"}},
                        {"bad-pages", {"-g", "-r", "-p", "-u"}},
                        {"topology", {}},
                        {"xgmi", {}},
                        {"partition", {}},
                        {"set", {"-g", "-C", "-M"}},
                        {"reset", {"-r"}}};
  const auto known = std::ranges::find(verbs, verb, &Verb::name);
  if (known == std::end(verbs)) return call.refuse("command '" + verb + "'");
  if (const std::string_view other = takes(known->allowed); !other.empty())
    return call.refuse(fmt::format("option '{}' of '{}'", other, verb));
  if (verb == "reset") return amd_smi_reset(call, *options);
  return needs_devices([&](const std::vector<SmiDevice>& devices) {
    if (verb == "list") return amd_smi_list(call, devices, options->has("-e"));
    if (verb == "static") return amd_smi_static(call, devices, *options);
    if (verb == "metric") return amd_smi_metric(call, devices, *options);
    if (verb == "topology") return amd_smi_topology(call, devices);
    if (verb == "xgmi") return amd_smi_xgmi(call, devices);
    if (verb == "bad-pages") return amd_smi_bad_pages(call, devices, *options);
    if (verb == "partition") return amd_smi_partition(call, devices);
    return amd_smi_set(call, devices, *options);
  });
}

}  // namespace rocdrill::sim::tools
