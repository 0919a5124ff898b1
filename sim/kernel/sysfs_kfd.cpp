// /sys/devices/virtual/kfd/kfd: the topology, CPU nodes first, then GPUs in the order of their
// probe, and what each process holds (kfd_topology.c, kfd_process.c).
#include <fmt/format.h>

#include <algorithm>

#include "sim/kernel/kernel.hpp"
#include "sim/kernel/sysfs.hpp"
#include "sim/silicon/catalogue.hpp"
#include "sim/silicon/topology_text.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::CpuNode;
using silicon::GpuNode;

constexpr std::uint32_t slit_distance = 32;  // between two sockets

/// The driver lists no caches of CPU nodes where libhsakmt can take them from /sys/devices/system,
/// and libhsakmt 5.2.3 fails its whole snapshot where it cannot. With these every version is
/// served.
constexpr std::uint32_t cpu_cache_count = 3;

kfd::Cache cpu_cache(const Kernel& kernel, std::size_t node, std::uint32_t index) {
  const CpuTopology all(kernel.cpu);
  const CpuCache& is = all.caches.at(index == 0 ? 0 : index + 1);  // without the instruction cache
  const std::uint32_t threads = is.cores * all.threads;
  return {.processor_id_low = static_cast<std::uint32_t>(node) * all.cores * all.threads,
          .level = is.level,
          .size = is.kib,
          .cache_line_size = 64,
          .cache_lines_per_tag = 1,
          .association = is.ways,
          .latency = 0,
          .type = kfd::cache_type::cpu | kfd::cache_type::data,
          .sibling_map = std::vector<std::uint8_t>(threads, 1)};
}

std::uint32_t loaded_version(const GpuDevice& device, std::uint32_t fallback,
                             std::string_view part) {
  for (const auto& [file, version] : device.firmware) {
    if (version != 0 && file.find(part) != std::string::npos) return version;
  }
  return fallback;
}

/// An APU of GC 9.4.3 and later sits in one package with its CPUs.
kfd::IoLink cpu_to_gpu(const silicon::Gpu& gpu, std::uint32_t from, std::uint32_t to) {
  const bool one_package = gpu.product->apu && !gpu.product->partitions.empty();
  return one_package ? silicon::package_link(from, to) : silicon::pcie_link(*gpu.product, from, to);
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
    links.push_back(cpu_to_gpu(gpus[self], from, gpus[self].numa_node));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto to = static_cast<std::uint32_t>(cpus + i);
      if (nodes[i].gpu == self && to != from) {  // another device of the same GPU
        links.push_back(silicon::package_link(from, to));
      } else if (const auto hops = kernel.board().xgmi_hops(self, nodes[i].gpu)) {
        links.push_back(silicon::xgmi_link(*gpus[self].product, from, to, hops));
      }
    }
    return links;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const silicon::Gpu& gpu = gpus[nodes[i].gpu];
    if (gpu.numa_node != index) continue;
    links.push_back(cpu_to_gpu(gpu, from, static_cast<std::uint32_t>(cpus + i)));
  }
  for (std::uint32_t i = 0; i < cpus; ++i) {
    if (i != from) links.push_back(silicon::cpu_link(from, i, slit_distance, false));
  }
  return links;
}

/// Peers without a link of their own, through their sockets: where each reaches the other's memory
/// (kfd_dev_create_p2p_links).
std::vector<kfd::IoLink> indirect_links_of(const Kernel& kernel, std::size_t index) {
  std::vector<kfd::IoLink> links;
  const std::size_t cpus = kernel.cpu.sockets;
  if (index < cpus) return links;
  const auto& nodes = kernel.kfd.nodes();
  const auto& gpus = kernel.board().gpus();
  const auto from = static_cast<std::uint32_t>(index);
  const silicon::Gpu& self = gpus[nodes[index - cpus].gpu];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const silicon::Gpu& peer = gpus[nodes[i].gpu];
    const bool same = nodes[i].gpu == nodes[index - cpus].gpu;
    if (same || self.product->apu || peer.product->apu ||
        kernel.board().link(nodes[index - cpus].gpu, nodes[i].gpu))
      continue;
    const auto to = static_cast<std::uint32_t>(cpus + i);
    std::vector<kfd::IoLink> through{cpu_to_gpu(self, from, self.numa_node)};
    if (self.numa_node != peer.numa_node)
      through.push_back(silicon::cpu_link(self.numa_node, peer.numa_node, slit_distance, false));
    through.push_back(cpu_to_gpu(peer, peer.numa_node, to));
    kfd::IoLink link = silicon::indirect_link(through);
    link.type = kfd::LinkType::pcie;
    links.push_back(link);
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
          .caches_count = cpu_cache_count,
          .cpu_clk_mhz = CpuTopology(kernel.cpu).max_mhz};
}

GpuNode gpu_node(const Kernel& kernel, std::size_t index) {
  const std::size_t cpus = kernel.cpu.sockets;
  const KfdNode& node = kernel.kfd.nodes()[index - cpus];
  const silicon::Gpu& gpu = kernel.board().gpus()[node.gpu];
  const auto& devices = kernel.amdgpu.devices();
  const auto device = std::ranges::find(devices, node.gpu, &GpuDevice::gpu);
  GpuNode out{.product = gpu.product, .xcc_count = node.xccs};
  for (std::size_t i = 0; i + cpus < index; ++i) {
    out.simd_id_base +=
        silicon::simd_id_step(*kernel.board().gpus()[kernel.kfd.nodes()[i].gpu].product);
  }
  // In the bits of the PCI function, as mainline has it.
  out.location_id = gpu.bdf.location() | node.partition;
  out.domain = gpu.bdf.domain;
  out.drm_render_minor = node.render_minor;
  out.hive_id = kernel.board().in_hive(node.gpu) ? kernel.board().hive_id() : 0;
  if (out.hive_id == 0 && node.partitions > 1) out.hive_id = gpu.bdf.location();
  out.vram_bytes = node.vram_bytes;
  out.unique_id = gpu.unique_id;
  out.fw_version = loaded_version(*device, silicon::default_mec_version(*gpu.product), "mec");
  out.sdma_fw_version =
      loaded_version(*device, silicon::default_sdma_version(*gpu.product), "sdma");
  out.io_links_count = count_links(kernel, index);
  out.p2p_links_count = static_cast<std::uint32_t>(indirect_links_of(kernel, index).size());
  out.cpu_clk_mhz = CpuTopology(kernel.cpu).max_mhz;
  // The key came with partitions, in 6.5.
  const LoadedModule* module = kernel.modules.find("amdgpu");
  out.has_num_xcc = !module || !module->version.empty() ||
                    sim::compare_versions(kernel.os().kernel_release, "6.5") >= 0;
  return out;
}

}  // namespace

void SysFs::topology_node(Directory& into, std::uint32_t index) const {
  const Kernel& kernel = kernel_;
  const bool is_gpu = index >= kernel.cpu.sockets;
  const KfdNode* node = is_gpu ? &kernel.kfd.nodes()[index - kernel.cpu.sockets] : nullptr;
  into.text("gpu_id", fmt::format("{}\n", node ? node->gpu_id : 0));
  into.file("name", [&kernel, node] {
    return node ? std::string(kernel.board().gpus()[node->gpu].product->kfd_name) + "\n"
                : std::string("\n");
  });
  into.file("properties", [&kernel, index, is_gpu] {
    return silicon::text(is_gpu ? silicon::gpu_properties(gpu_node(kernel, index))
                                : silicon::cpu_properties(cpu_node(kernel, index)));
  });
  const auto group = [&into](const char* name, auto count, auto text) {
    into.directory(name, [count, text](Directory& list) {
      list.numbered(count(), [text](Directory& one, std::uint32_t i) {
        one.file("properties", [text, i] { return silicon::text(text(i)); });
      });
    });
  };
  group(
      "mem_banks",
      [&kernel, index, is_gpu] {
        return is_gpu ? silicon::mem_bank_count(gpu_node(kernel, index)) : 1u;
      },
      [&kernel, index, is_gpu](std::uint32_t i) {
        return is_gpu ? silicon::mem_bank(gpu_node(kernel, index), i)
                      : silicon::cpu_mem_bank(cpu_node(kernel, index));
      });
  group(
      "caches",
      [&kernel, index, is_gpu] {
        return is_gpu ? silicon::cache_count(gpu_node(kernel, index)) : cpu_cache_count;
      },
      [&kernel, index, is_gpu](std::uint32_t i) {
        return is_gpu ? silicon::cache(gpu_node(kernel, index), i) : cpu_cache(kernel, index, i);
      });
  group(
      "io_links", [&kernel, index] { return count_links(kernel, index); },
      [&kernel, index](std::uint32_t i) { return links_of(kernel, index).at(i); });
  group(
      "p2p_links",
      [&kernel, index] {
        return static_cast<std::uint32_t>(indirect_links_of(kernel, index).size());
      },
      [&kernel, index](std::uint32_t i) { return indirect_links_of(kernel, index).at(i); });
}

void SysFs::kfd_process(Directory& into, int pid) const {
  const Kfd& kfd = kernel_.kfd;
  into.text("pasid", fmt::format("{}\n", kfd.pasid(pid)));
  for (const KfdNode& node : kfd.nodes()) {
    const auto held = kfd.held_by(pid, node.gpu_id);
    if (!held) continue;
    into.text(fmt::format("vram_{}", node.gpu_id), fmt::format("{}\n", held->vram_bytes));
    into.text(fmt::format("sdma_{}", node.gpu_id), "0\n");
    into.directory(fmt::format("stats_{}", node.gpu_id), [](Directory& stats) {
      stats.text("evicted_ms", "0\n");
      stats.text("cu_occupancy", "0\n");
    });
  }
  into.directory("queues", [&kfd, pid](Directory& queues) {
    for (const KfdNode& node : kfd.nodes()) {
      const auto held = kfd.held_by(pid, node.gpu_id);
      if (!held) continue;
      for (const auto& [doorbell, queue] : held->queues) {
        queues.directory(std::to_string(queue.id), [node, queue](Directory& one) {
          one.text("gpuid", fmt::format("{}", node.gpu_id));
          one.text("size", fmt::format("{}", queue.ring_bytes));
          one.text("type", fmt::format("{}", queue.type));
        });
      }
    }
  });
}

void SysFs::kfd(Directory& into) const {
  const Kfd& kfd = kernel_.kfd;
  into.text("dev", "235:0\n");
  into.text("uevent", "MAJOR=235\nMINOR=0\nDEVNAME=kfd\n", 0644);
  into.link("subsystem", "../../../../class/kfd");
  into.directory("power", [](Directory& power) {
    power.text("control", "auto\n", 0644);
    power.text("runtime_status", "unsupported\n");
  });
  into.directory("proc", [this](Directory& processes) {
    for (const int pid : kernel_.kfd.holders()) {
      processes.directory(std::to_string(pid),
                          [this, pid](Directory& one) { kfd_process(one, pid); });
    }
  });
  into.directory("topology", [this, &kfd](Directory& topology) {
    topology.text("generation_id", fmt::format("{}\n", kfd.generation()));
    topology.text("system_properties", silicon::system_properties_text(0, 0, 0));
    topology.directory("nodes", [this, &kfd](Directory& nodes) {
      const auto count = static_cast<std::uint32_t>(kernel_.cpu.sockets + kfd.nodes().size());
      nodes.numbered(count, [this](Directory& one, std::uint32_t i) { topology_node(one, i); });
    });
  });
}

}  // namespace rocdrill::kernel
