// /sys/devices/system/{cpu,node}: drivers/base/{cpu,node,topology,cacheinfo}.c.
#include <fmt/format.h>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint32_t slit_local = 10, slit_remote = 32;

void topology(sim::VirtualDirectory& into, const CpuTopology& all, std::uint32_t number) {
  const LogicalCpu self = all.cpu(number);
  const auto group = [&](const char* list, const char* mask, std::uint32_t cores) {
    into.file(list, [=] { return CpuTopology::list(all.sharing(number, cores)) + "\n"; });
    into.file(mask, [=] { return all.mask(all.sharing(number, cores)) + "\n"; });
  };
  into.text("physical_package_id", fmt::format("{}\n", self.socket));
  into.text("die_id", "0\n");
  into.text("core_id", fmt::format("{}\n", self.core));
  into.text("cluster_id", "65535\n");
  group("thread_siblings_list", "thread_siblings", 1);
  group("core_cpus_list", "core_cpus", 1);
  group("core_siblings_list", "core_siblings", all.cores);
  group("package_cpus_list", "package_cpus", all.cores);
  group("die_cpus_list", "die_cpus", all.cores);
}

void cache(sim::VirtualDirectory& into, const CpuTopology& all, std::uint32_t number,
           const CpuCache& is) {
  const std::uint32_t sets = is.kib * 1024 / 64 / is.ways;
  into.text("level", fmt::format("{}\n", is.level));
  into.text("type", std::string(is.type) + "\n");
  into.text("size", fmt::format("{}K\n", is.kib));
  into.text("coherency_line_size", "64\n");
  into.text("physical_line_partition", "1\n");
  into.text("ways_of_associativity", fmt::format("{}\n", is.ways));
  into.text("number_of_sets", fmt::format("{}\n", sets));
  into.text("id", fmt::format("{}\n", all.cpu(number).core / is.cores));
  into.file("shared_cpu_list",
            [=, cores = is.cores] { return CpuTopology::list(all.sharing(number, cores)) + "\n"; });
  into.file("shared_cpu_map",
            [=, cores = is.cores] { return all.mask(all.sharing(number, cores)) + "\n"; });
}

std::string node_meminfo(std::uint32_t node, std::uint64_t kib) {
  const std::uint64_t used = kib / 10;
  std::string text;
  const auto line = [&](std::string_view name, std::uint64_t value) {
    text += fmt::format("Node {} {:<16}{:>8} kB\n", node, fmt::format("{}:", name), value);
  };
  line("MemTotal", kib);
  line("MemFree", kib - 2 * used);
  line("MemUsed", 2 * used);
  line("Active", used);
  line("Inactive", used);
  line("FilePages", used);
  line("Mapped", used / 8);
  line("AnonPages", used / 2);
  text += fmt::format("Node {0} HugePages_Total:     0\nNode {0} HugePages_Free:      0\n", node);
  return text;
}

}  // namespace

void SysFs::cpu(Directory& into, std::uint32_t number) const {
  const CpuTopology all(kernel_.cpu);
  if (number != 0) into.text("online", "1\n", 0644);
  const std::uint32_t socket = all.cpu(number).socket;
  into.link(fmt::format("node{}", socket), fmt::format("../../node/node{}", socket));
  into.link("subsystem", "../../../../bus/cpu");
  into.directory("topology", [=](Directory& inside) { topology(inside, all, number); });
  into.directory("cpufreq", [=](Directory& inside) {
    inside.text("cpuinfo_max_freq", fmt::format("{}\n", all.max_mhz * 1000));
    inside.text("cpuinfo_min_freq", "1500000\n");
    inside.text("scaling_max_freq", fmt::format("{}\n", all.max_mhz * 1000), 0644);
    inside.text("scaling_min_freq", "1500000\n", 0644);
    inside.text("scaling_cur_freq", fmt::format("{}\n", all.base_mhz * 1000));
    inside.text("scaling_governor", "schedutil\n", 0644);
    inside.text("scaling_driver", "acpi-cpufreq\n");
  });
  into.directory("cache", [=](Directory& caches) {
    for (std::size_t i = 0; i < all.caches.size(); ++i) {
      caches.directory(fmt::format("index{}", i),
                       [=](Directory& inside) { cache(inside, all, number, all.caches[i]); });
    }
  });
}

void SysFs::cpus(Directory& into) const {
  const CpuTopology all(kernel_.cpu);
  const std::string range =
      all.count() == 1 ? std::string("0\n") : fmt::format("0-{}\n", all.count() - 1);
  for (const char* name : {"online", "possible", "present"}) into.text(name, range);
  into.text("offline", "\n");
  into.text("isolated", "\n");
  into.text("kernel_max", "8191\n");
  into.directory("smt", [on = all.threads > 1](Directory& smt) {
    smt.text("active", on ? "1\n" : "0\n");
    smt.text("control", on ? "on\n" : "notsupported\n", 0644);
  });
  for (std::uint32_t i = 0; i < all.count(); ++i) {
    const std::string name = "cpu" + std::to_string(i);
    if (!into.wants(name)) continue;
    into.directory(name, [this, i](Directory& inside) { cpu(inside, i); });
  }
}

void SysFs::numa_nodes(Directory& into) const {
  const CpuTopology all(kernel_.cpu);
  const std::string range =
      all.sockets == 1 ? std::string("0\n") : fmt::format("0-{}\n", all.sockets - 1);
  for (const char* name : {"online", "possible", "has_cpu", "has_memory", "has_normal_memory"}) {
    into.text(name, range);
  }
  for (std::uint32_t node = 0; node < all.sockets; ++node) {
    into.directory(fmt::format("node{}", node), [this, all, node](Directory& inside) {
      inside.file("cpulist", [=] { return CpuTopology::list(all.cpus_of_node(node)) + "\n"; });
      inside.file("cpumap", [=] { return all.mask(all.cpus_of_node(node)) + "\n"; });
      const std::uint64_t kib = kernel_.cpu.memory_bytes / all.sockets / 1024;
      inside.file("meminfo", [node, kib] { return node_meminfo(node, kib); });
      inside.file("numastat", [] {
        return std::string(
            "numa_hit 0\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\n"
            "local_node 0\nother_node 0\n");
      });
      std::string distances;
      for (std::uint32_t other = 0; other < all.sockets; ++other) {
        distances +=
            fmt::format("{}{}", other == 0 ? "" : " ", other == node ? slit_local : slit_remote);
      }
      inside.text("distance", distances + "\n");
      inside.directory("hugepages", [](Directory& pages) {
        pages.directory("hugepages-2048kB", [](Directory& size) {
          for (const char* name : {"nr_hugepages", "free_hugepages", "surplus_hugepages"}) {
            size.text(name, "0\n", 0644);
          }
        });
      });
      for (const std::uint32_t cpu : all.cpus_of_node(node)) {
        const std::string name = "cpu" + std::to_string(cpu);
        inside.link(name, "../../cpu/" + name);
      }
    });
  }
}

}  // namespace rocdrill::kernel
