#include "sim/kernel/cpu_topology.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>

namespace rocdrill::kernel {
namespace {

/// "AMD EPYC 9654 96-Core Processor" -> 96; 0 if the name does not say.
std::uint32_t cores_in_name(const std::string& name) {
  const std::size_t at = name.find("-Core");
  if (at == std::string::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  return static_cast<std::uint32_t>(std::strtoul(name.c_str() + begin, nullptr, 10));
}

struct Generation {
  const char* pattern;  ///< of the model name
  std::uint32_t model, stepping, family, l2_kib;
};
constexpr Generation generations[] = {
    {"*EPYC 9*", 0x11, 1, 25, 1024},   {"*Ryzen 9 7*", 0x61, 2, 25, 1024},
    {"*EPYC 7A53*", 0x30, 1, 25, 512}, {"*EPYC 7??3*", 1, 1, 25, 512},
    {"*Ryzen 9 5*", 0x21, 2, 25, 512}, {"*EPYC 7??2*", 0x31, 0, 23, 512},
};

}  // namespace

CpuTopology::CpuTopology(const CpuInfo& info)
    : sockets(std::max(info.sockets, 1u)), cores(info.cores_per_socket), threads(1) {
  const std::uint32_t named = cores_in_name(info.model);
  if (named != 0 && info.cores_per_socket == 2 * named) {
    cores = named;
    threads = 2;
  }
  std::uint32_t l2 = 512;
  for (const Generation& generation : generations) {
    if (fnmatch(generation.pattern, info.model.c_str(), 0) != 0) continue;
    model = generation.model;
    stepping = generation.stepping;
    family = generation.family;
    l2 = generation.l2_kib;
    break;
  }
  const std::uint32_t complex = std::min(cores, 8u);
  caches = {{1, "Data", 32, 8, 1},
            {1, "Instruction", 32, 8, 1},
            {2, "Unified", l2, 8, 1},
            {3, "Unified", 32768, 16, complex}};
}

LogicalCpu CpuTopology::cpu(std::uint32_t number) const {
  LogicalCpu out{.number = number};
  out.thread = number / (sockets * cores);
  out.socket = number / cores % sockets;
  out.core = number % cores;
  out.apic_id = (out.socket * cores + out.core) * threads + out.thread;
  return out;
}

std::vector<std::uint32_t> CpuTopology::cpus_of_node(std::uint32_t node) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (cpu(i).socket == node) out.push_back(i);
  }
  return out;
}

std::vector<std::uint32_t> CpuTopology::sharing(std::uint32_t number,
                                                std::uint32_t cores_sharing) const {
  const LogicalCpu self = cpu(number);
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < count(); ++i) {
    const LogicalCpu other = cpu(i);
    if (other.socket == self.socket && other.core / cores_sharing == self.core / cores_sharing) {
      out.push_back(i);
    }
  }
  return out;
}

std::string CpuTopology::list(std::vector<std::uint32_t> cpus) {
  std::ranges::sort(cpus);
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text +=
        end - i == 1 ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
    i = end;
  }
  return text;
}

std::string CpuTopology::mask(const std::vector<std::uint32_t>& cpus) const {
  std::vector<std::uint32_t> groups((count() + 31) / 32);
  for (const std::uint32_t cpu : cpus) groups.at(cpu / 32) |= 1u << cpu % 32;
  std::string text;
  for (std::size_t i = groups.size(); i-- > 0;) {
    const bool top = i + 1 == groups.size();
    const std::uint32_t digits = top && count() % 32 != 0 ? (count() % 32 + 3) / 4 : 8;
    text += fmt::format("{}{:0{}x}", top ? "" : ",", groups[i], digits);
  }
  return text;
}

}  // namespace rocdrill::kernel
