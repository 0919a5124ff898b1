// The attributes that amdgpu puts into the PCI directory of its device: who it is, its memory, its
// firmware, RAS, links and partitions. Names and formats: amdgpu_device.c, amdgpu_vram_mgr.c,
// amdgpu_ucode.c, amdgpu_ras.c, amdgpu_xgmi.c, amdgpu_gfx.c.
#include <fmt/format.h>

#include <algorithm>

#include "sim/kernel/kernel.hpp"
#include "sim/silicon/catalogue.hpp"
#include "sim/silicon/telemetry.hpp"
#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::kernel {
namespace {

bool instinct(const GpuProduct& product) {
  return product.marketing_name.starts_with("AMD Instinct");
}

struct FirmwareFile {
  const char* name;     ///< below fw_version/
  const char* endings;  ///< of the blob, separated by blanks; "" = never loaded here
};
constexpr FirmwareFile firmware_files[] = {{"asd", "_asd.bin"},
                                           {"ce", "_ce.bin"},
                                           {"dmcu", ""},
                                           {"mc", ""},
                                           {"me", "_me.bin"},
                                           {"mec", "_mec.bin"},
                                           {"mec2", "_mec2.bin"},
                                           {"pfp", "_pfp.bin"},
                                           {"rlc", "_rlc.bin"},
                                           {"rlc_srlc", ""},
                                           {"rlc_srlg", ""},
                                           {"rlc_srls", ""},
                                           {"sdma", "sdma"},
                                           {"sdma2", "sdma"},
                                           {"smc", "_smc.bin smu_"},
                                           {"sos", "_sos.bin"},
                                           {"ta_ras", "_ta.bin"},
                                           {"ta_xgmi", "_ta.bin"},
                                           {"uvd", "_uvd.bin"},
                                           {"vce", "_vce.bin"},
                                           {"vcn", "vcn_ _vcn.bin"}};

std::uint32_t version_of(const GpuDevice& device, std::string_view endings) {
  for (const std::string& part : sim::words_of(endings)) {
    for (const auto& [file, version] : device.firmware) {
      if (file.find(part) != std::string::npos) return version;
    }
  }
  return 0;
}

std::string unsigned_line(std::uint64_t value) { return fmt::format("{}\n", value); }

}  // namespace

std::uint64_t SysFs::used_vram(const GpuDevice& device) const {
  const GpuProduct& product = *gpu_of(device).product;
  std::uint64_t used = silicon::reserved_vram(product);
  for (const KfdNode& node : kernel_.kfd.nodes_of(device.gpu))
    used += kernel_.kfd.used_vram(node.gpu_id);
  return std::min(used, product.vram_bytes);
}

void SysFs::gpu(Directory& into, std::size_t index) const {
  const GpuDevice& device = kernel_.amdgpu.devices()[index];
  if (device.state != GpuDevice::State::bound) return;
  identity(into, device);
  memory(into, device);
  into.directory("fw_version", [this, &device](Directory& inside) { firmware(inside, device); });
  ras(into, index);
  links(into, device);
  partitions(into, index);
  power_management(into, index);
  into.directory("drm", [this, &device](Directory& inside) { drm(inside, device, 0); });
  into.directory("hwmon", [this, index](Directory& inside) { hwmon(inside, index); });
}

void SysFs::identity(Directory& into, const GpuDevice& device) const {
  const silicon::Gpu& gpu = gpu_of(device);
  const GpuProduct& product = *gpu.product;
  into.text("vbios_version", std::string(silicon::vbios_version(product)) + "\n");
  if (gpu.unique_id != 0) into.text("unique_id", fmt::format("{:016x}\n", gpu.unique_id));
  if (!instinct(product)) return;
  // From the FRU of the board; the numbers are assumed.
  into.text("product_name", std::string(product.marketing_name) + "\n");
  into.text("product_number", fmt::format("102-D{:04X}-000\n", product.device_id));
  into.text("serial_number", fmt::format("{:016x}\n", gpu.unique_id));
}

void SysFs::memory(Directory& into, const GpuDevice& device) const {
  const GpuProduct& product = *gpu_of(device).product;
  const std::uint64_t visible =
      product.apu ? std::min<std::uint64_t>(product.vram_bytes, 256ull << 20) : product.vram_bytes;
  if (into.wants_only("mem_info_vram_used")) {
    for (const KfdNode& node : kernel_.kfd.nodes_of(device.gpu))
      into.explain(kernel_.kfd.why_vram_is_held(node.gpu_id));
  }
  into.text("mem_info_vram_total", unsigned_line(product.vram_bytes));
  into.file("mem_info_vram_used", [this, &device] { return unsigned_line(used_vram(device)); });
  into.text("mem_info_vis_vram_total", unsigned_line(visible));
  into.file("mem_info_vis_vram_used", [this, &device, visible] {
    return unsigned_line(std::min(used_vram(device), visible));
  });
  into.text("mem_info_gtt_total", unsigned_line(kernel_.cpu.memory_bytes / 2));  // ttm_init()
  into.text("mem_info_gtt_used", unsigned_line(14ull << 20));                    // assumed
  into.text("mem_info_preempt_used", "0\n");
  into.text("mem_info_vram_vendor", std::string(silicon::vram_vendor(product)) + "\n");
}

void SysFs::firmware(Directory& into, const GpuDevice& device) const {
  for (const FirmwareFile& file : firmware_files) {
    into.text(fmt::format("{}_fw_version", file.name),
              fmt::format("0x{:08x}\n", version_of(device, file.endings)));
  }
}

void SysFs::links(Directory& into, const GpuDevice& device) const {
  const silicon::Gpu& gpu = gpu_of(device);
  const GpuProduct& product = *gpu.product;
  into.text("pcie_replay_count", "0\n");
  if (!product.apu) into.text("pcie_bw", "0 0 256\n");  // idle: nothing received, nothing sent
  const std::uint64_t hive = kernel_.board().hive_id();
  if (product.xgmi_links == 0 || hive == 0) return;
  into.text("xgmi_device_id", unsigned_line(gpu.unique_id));
  // 0 no errors, 1 one, 2 more: what the links' own status registers hold.
  const silicon::Board& board = kernel_.board();
  std::uint64_t errors = 0;
  EventId why = no_event;
  for (const silicon::Link& link : board.links()) {
    if (link.first != device.gpu && link.second != device.gpu) continue;
    errors += link.uncorrectable_errors + link.crc_errors;
    if (link.event != no_event) why = link.event;
  }
  if (into.wants_only("xgmi_error") && why != no_event) into.explain(why);
  into.text("xgmi_error", errors == 0 ? "0\n" : errors == 1 ? "1\n" : "2\n");
  const std::string here = path_of(device) + "/xgmi_hive_info";
  into.directory("xgmi_hive_info", [this, hive, here](Directory& inside) {
    inside.text("xgmi_hive_id", unsigned_line(hive));
    std::uint32_t member = 0;
    for (const GpuDevice& other : kernel_.amdgpu.devices()) {
      if (other.state != GpuDevice::State::bound) continue;
      if (gpu_of(other).product->xgmi_links == 0) continue;
      inside.link(fmt::format("node{}", ++member), sim::relative_link(here, path_of(other)));
    }
  });
}

void SysFs::partitions(Directory& into, std::size_t index) const {
  const GpuDevice& device = kernel_.amdgpu.devices()[index];
  const silicon::Gpu& gpu = gpu_of(device);
  if (gpu.product->partitions.empty()) return;
  Amdgpu& driver = kernel_.amdgpu;
  const PartitionEra era = driver.partition_era();
  const auto line = [](const auto& modes) {
    std::string text;
    for (const auto mode : modes) text += (text.empty() ? "" : ", ") + std::string(name(mode));
    return text + "\n";
  };
  if (into.wants_only("current_compute_partition")) into.explain(device.event);
  if (into.wants_only("current_memory_partition"))
    into.explain(std::max(device.requested_by, gpu.event));
  into.writable(
      "current_compute_partition",
      [&device] { return std::string(name(device.compute_mode)) + "\n"; },
      [&driver, index](std::string_view text, EventId cause) {
        return driver.set_compute_partition(index, text, cause);
      });
  into.file("available_compute_partition", [&gpu, era, line] {
    if (era.available_depends)
      return line(silicon::accepted_modes(*gpu.product, gpu.memory_mode, era.rules));
    return silicon::available_compute_partitions(*gpu.product) + "\n";
  });
  const bool choice = driver.memory_modes(device).size() > 1;
  const auto memory = [&gpu] { return std::string(name(gpu.memory_mode)) + "\n"; };
  if (!era.memory_switch || !choice) return into.file("current_memory_partition", memory);
  into.writable("current_memory_partition", memory,
                [&driver, index](std::string_view text, EventId cause) {
                  return driver.set_memory_partition(index, text, cause);
                });
  into.text("available_memory_partition", line(driver.memory_modes(device)));
}

}  // namespace rocdrill::kernel
