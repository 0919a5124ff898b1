// The host's processors as the kernel numbers and shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocdrill::kernel {

struct CpuInfo {
  std::string model = "AMD EPYC 9654 96-Core Processor";
  std::uint32_t sockets = 1;
  std::uint32_t cores_per_socket = 8;  ///< logical CPUs
  std::uint64_t memory_bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("model", model);
    archive("sockets", sockets);
    archive("cores_per_socket", cores_per_socket);
    archive("memory_bytes", memory_bytes);
  }
};

struct CpuCache {
  std::uint32_t level = 0;
  const char* type = "";  ///< as sysfs has it: "Data", "Instruction", "Unified"
  std::uint32_t kib = 0;
  std::uint32_t ways = 0;
  std::uint32_t cores = 1;  ///< physical cores that share it
};

/// One logical CPU. Linux numbers the first threads of all cores, socket by socket, then the second
/// ones; APIC ids count threads within cores within sockets (assumed to be dense).
struct LogicalCpu {
  std::uint32_t number = 0, socket = 0, core = 0, thread = 0;
  std::uint32_t apic_id = 0;
};

class CpuTopology {
 public:
  explicit CpuTopology(const CpuInfo& info);

  std::uint32_t sockets, cores, threads;  ///< cores per socket, threads per core
  // The generation follows from the model name: Zen 2, 3 and 4 are known, others show as Zen 3.
  std::uint32_t family = 25, model = 1, stepping = 1;
  std::uint32_t base_mhz = 2800, max_mhz = 3700;  // assumed
  std::vector<CpuCache> caches;

  std::uint32_t count() const { return sockets * cores * threads; }
  LogicalCpu cpu(std::uint32_t number) const;
  /// CPUs of a NUMA node (one per socket), or of those that share a cache with `number`.
  std::vector<std::uint32_t> cpus_of_node(std::uint32_t node) const;
  std::vector<std::uint32_t> sharing(std::uint32_t number, std::uint32_t cores_sharing) const;

  /// "0-63,128-191"
  static std::string list(std::vector<std::uint32_t> cpus);
  /// "00000000,ffffffff": 32 CPUs a group, for all that the machine can have.
  std::string mask(const std::vector<std::uint32_t>& cpus) const;
};

}  // namespace rocdrill::kernel
