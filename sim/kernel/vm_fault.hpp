// What amdgpu's interrupt handler says of a page that a GPU could not reach (gmc_v9_0.c,
// gmc_v10_0.c, gmc_v11_0.c): every value of the lines follows from the fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/silicon/command_processor/address_space.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::kernel {

/// As the interrupt and VM_L2_PROTECTION_FAULT_STATUS tell of it, with what the driver knows of the
/// address space.
struct VmFault {
  cp::Requester by;
  std::uint32_t sdma_engine = 0;  ///< PCIe engines first, then those for xGMI
  std::uint64_t address = 0;
  cp::Access access = cp::Access::read;
  bool mapped = false;     ///< the page is there, without this permission
  std::uint32_t vmid = 0;  ///< counted from the first of KFD's, until it is logged
  std::uint32_t pasid = 0;
  // Who made the address space (amdgpu_task_info).
  int pid = 0;
  std::string process;
  int tid = 0;
  std::string thread;
  std::uint32_t partition = 0;  ///< device of a divided GPU
};

/// Lowest of the VMIDs that belong to KFD; the last is 15.
std::uint32_t first_kfd_vmid(const GpuProduct& product);

/// The lines, without the device's name. `task_line`: drivers since 2024 name the process in a line
/// of its own.
std::vector<std::string> vm_fault_lines(const GpuProduct& product, const VmFault& fault,
                                        bool task_line);
/// The function that logs them: what printk_ratelimit() calls them by.
std::string_view vm_fault_handler(const GpuProduct& product);

/// printk_ratelimit(): ten messages in five seconds.
class PrintkLimit {
 public:
  struct Answer {
    bool print = true;
    std::uint32_t suppressed = 0;  ///< messages that were not printed, to be told of now
  };
  Answer ask(std::uint64_t now_ns);

  template <class Archive>
  void serialize(Archive& archive) {
    archive("begin_ns", begin_ns_);
    archive("printed", printed_);
    archive("missed", missed_);
  }

 private:
  std::uint64_t begin_ns_ = 0;
  std::uint32_t printed_ = 0;
  std::uint32_t missed_ = 0;
};

}  // namespace rocdrill::kernel
