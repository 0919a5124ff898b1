// /sys/class/kfd/kfd/topology/nodes/<N>: CPU nodes first, then GPUs in the order of their probe.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/kernel/kernel.hpp"
#include "sim/kernel/sysfs.hpp"
#include "sim/silicon/catalogue.hpp"
#include "sim/silicon/topology_text.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::CpuNode;
using silicon::GpuNode;

constexpr std::uint32_t cpu_clk_mhz = 3700;  // assumed
constexpr std::uint32_t slit_distance = 32;  // between two sockets

std::uint32_t loaded_version(const GpuDevice& device, std::uint32_t fallback,
                             std::string_view part) {
  for (const auto& [file, version] : device.firmware) {
    if (version != 0 && file.find(part) != std::string::npos) return version;
  }
  return fallback;
}

/// The links of node `index`, in KFD's order: a GPU's to its socket, then to its peers; a CPU
/// node's to the GPUs of its socket, then to the other sockets.
std::vector<kfd::IoLink> links_of(const Kernel& kernel, std::size_t index) {
  std::vector<kfd::IoLink> links;
  const std::size_t cpus = kernel.cpu.sockets;
  const auto& nodes = kernel.kfd.nodes();
  const auto& gpus = kernel.board().gpus();
  const auto from = static_cast<std::uint32_t>(index);
  if (index >= cpus) {
    const std::uint32_t self = nodes[index - cpus].gpu;
    links.push_back(silicon::pcie_link(*gpus[self].product, from, gpus[self].numa_node));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!kernel.board().xgmi(self, nodes[i].gpu)) continue;
      links.push_back(
          silicon::xgmi_link(*gpus[self].product, from, static_cast<std::uint32_t>(cpus + i)));
    }
    return links;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const silicon::Gpu& gpu = gpus[nodes[i].gpu];
    if (gpu.numa_node != index) continue;
    links.push_back(silicon::pcie_link(*gpu.product, from, static_cast<std::uint32_t>(cpus + i)));
  }
  for (std::uint32_t i = 0; i < cpus; ++i) {
    if (i != from) links.push_back(silicon::cpu_link(from, i, slit_distance, false));
  }
  return links;
}

std::uint32_t count_links(const Kernel& kernel, std::size_t index) {
  return static_cast<std::uint32_t>(links_of(kernel, index).size());
}

CpuNode cpu_node(const Kernel& kernel, std::size_t index) {
  return {.cores = kernel.cpu.cores_per_socket,
          .core_id_base = static_cast<std::uint32_t>(index * kernel.cpu.cores_per_socket),
          .memory_bytes = kernel.cpu.memory_bytes / kernel.cpu.sockets,
          .io_links_count = count_links(kernel, index),
          .caches_count = 0,
          .cpu_clk_mhz = cpu_clk_mhz};
}

GpuNode gpu_node(const Kernel& kernel, std::size_t index) {
  const std::size_t cpus = kernel.cpu.sockets;
  const KfdNode& node = kernel.kfd.nodes()[index - cpus];
  const silicon::Gpu& gpu = kernel.board().gpus()[node.gpu];
  const auto& devices = kernel.amdgpu.devices();
  const auto device = std::ranges::find(devices, node.gpu, &GpuDevice::gpu);
  GpuNode out{.product = gpu.product};
  for (std::size_t i = 0; i + cpus < index; ++i) {
    out.simd_id_base +=
        silicon::simd_id_step(*kernel.board().gpus()[kernel.kfd.nodes()[i].gpu].product);
  }
  out.location_id = gpu.bdf.location();
  out.domain = gpu.bdf.domain;
  out.drm_render_minor = node.render_minor;
  out.hive_id = gpu.product->xgmi_links > 0 ? kernel.board().hive_id() : 0;
  out.unique_id = gpu.unique_id;
  out.fw_version = loaded_version(*device, silicon::default_mec_version(*gpu.product), "mec");
  out.sdma_fw_version =
      loaded_version(*device, silicon::default_sdma_version(*gpu.product), "sdma");
  out.io_links_count = count_links(kernel, index);
  out.cpu_clk_mhz = cpu_clk_mhz;
  return out;
}

std::optional<std::uint32_t> index_in(std::string_view text, std::uint32_t count) {
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size() || index >= count)
    return std::nullopt;
  return index;
}

}  // namespace

SysFs::Node SysFs::topology_node(std::size_t index, const Parts& rest) const {
  Node out;
  const Kernel& kernel = kernel_;
  const bool is_gpu = index >= kernel.cpu.sockets;
  if (rest.empty()) {
    out.directory = {"caches", "gpu_id",    "io_links",  "mem_banks",
                     "name",   "p2p_links", "properties"};
    return out;
  }
  if (rest.size() == 1 && rest[0] == "gpu_id") {
    const std::uint32_t id = is_gpu ? kernel.kfd.nodes()[index - kernel.cpu.sockets].gpu_id : 0;
    out.content = [id] { return fmt::format("{}\n", id); };
    return out;
  }
  if (rest.size() == 1 && rest[0] == "name") {
    out.content = [&kernel, index, is_gpu] {
      return is_gpu ? std::string(gpu_node(kernel, index).product->kfd_name) + "\n"
                    : std::string("\n");
    };
    return out;
  }
  if (rest.size() == 1 && rest[0] == "properties") {
    out.content = [&kernel, index, is_gpu] {
      return silicon::text(is_gpu ? silicon::gpu_properties(gpu_node(kernel, index))
                                  : silicon::cpu_properties(cpu_node(kernel, index)));
    };
    return out;
  }
  std::uint32_t count = 0;
  if (rest[0] == "mem_banks") {
    count = is_gpu ? silicon::mem_bank_count(gpu_node(kernel, index)) : 1;
  } else if (rest[0] == "caches") {
    count = is_gpu ? silicon::cache_count(gpu_node(kernel, index)) : 0;
  } else if (rest[0] == "io_links") {
    count = count_links(kernel, index);
  } else if (rest[0] != "p2p_links") {
    return out;
  }
  if (rest.size() == 1) {
    out.directory.emplace();
    for (std::uint32_t i = 0; i < count; ++i) out.directory->push_back(std::to_string(i));
    return out;
  }
  const auto item = index_in(rest[1], count);
  if (!item) return out;
  if (rest.size() == 2) {
    out.directory = {"properties"};
  } else if (rest.size() == 3 && rest[2] == "properties") {
    out.content = [&kernel, index, is_gpu, i = *item, kind = std::string(rest[0])] {
      if (kind == "io_links") return silicon::text(links_of(kernel, index).at(i));
      if (kind == "caches") return silicon::text(silicon::cache(gpu_node(kernel, index), i));
      return silicon::text(is_gpu ? silicon::mem_bank(gpu_node(kernel, index), i)
                                  : silicon::cpu_mem_bank(cpu_node(kernel, index)));
    };
  }
  return out;
}

}  // namespace rocdrill::kernel
