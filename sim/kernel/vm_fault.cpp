#include "sim/kernel/vm_fault.hpp"

#include <fmt/format.h>

#include <utility>

namespace rocdrill::kernel {
namespace {

constexpr IpVersion gc_9_4_3{9, 4, 3};
constexpr std::uint32_t engines_per_aid = 4;       // SDMA, on GPUs of several dies
constexpr std::uint32_t arcturus_mmhub0_sdma = 5;  // engines; the others are at the second MMHUB

bool is_gfx9(const GpuProduct& product) { return product.gc.major == 9; }
bool has_dies(const GpuProduct& product) { return is_gfx9(product) && product.gc >= gc_9_4_3; }

/// The interrupt's client and what it is behind.
struct Source {
  std::string_view hub;
  std::uint32_t ih_client = 0;
  std::string_view ih_name;
  std::uint32_t id = 0;  ///< of the client of the UTCL2
  std::string name;
};

Source source_of(const GpuProduct& product, const VmFault& fault) {
  Source is{.hub = is_gfx9(product) ? "gfxhub0" : "gfxhub",
            .ih_client = 0x1b,
            .ih_name = "UTCL2",
            .id = 0,
            .name = {}};
  if (product.gc.major >= 11) is.ih_client = 10;  // SOC21_IH_CLIENTID_GFX
  switch (fault.by.unit) {
    case cp::Unit::command_processor:
      is.id = 5;
      is.name = "CPC";
      return is;
    case cp::Unit::vector_cache:
      is.id = 8;
      is.name = "TCP";
      return is;
    case cp::Unit::instruction_cache:
      is.id = 9;
      is.name = "SQC (inst)";
      return is;
    case cp::Unit::scalar_cache:
      is.id = 10;
      is.name = "SQC (data)";
      return is;
    case cp::Unit::copy_engine:
      break;
  }
  if (!is_gfx9(product)) {  // behind the graphics hub, too
    constexpr std::uint32_t first_two = 13;
    constexpr std::uint32_t next_two = 16;
    is.id =
        fault.sdma_engine < 2 ? first_two + fault.sdma_engine : next_two + fault.sdma_engine - 2;
    is.name = fmt::format("SDMA{}", fault.sdma_engine);
    return is;
  }
  constexpr std::uint32_t first_sdma = 0x100;
  const std::uint32_t on_die =
      has_dies(product) ? fault.sdma_engine % engines_per_aid : fault.sdma_engine;
  const bool second = product.gc == IpVersion{9, 4, 1} && fault.sdma_engine >= arcturus_mmhub0_sdma;
  is.hub = second ? "mmhub1" : "mmhub0";
  is.ih_client = second ? 0x6 : 0x12;
  is.ih_name = second ? "VMC1 or PCIE0" : "VMC";
  is.id = first_sdma + on_die;
  is.name = fmt::format("SDMA{}", on_die);
  return is;
}

/// PERMISSION_FAULTS: 1 not valid, 2 read, 4 write, 8 execute.
std::uint32_t permission_faults(const VmFault& fault) {
  const std::uint32_t missing = fault.access == cp::Access::write     ? 4
                                : fault.access == cp::Access::execute ? 8
                                                                      : 2;
  return missing | (fault.mapped ? 0u : 1u);
}

/// The die that the interrupt names: an engine's AID, or one of the two XCDs on an AID.
std::string die_line(const VmFault& fault) {
  constexpr std::uint32_t nodes_per_aid = 4;
  constexpr std::uint32_t xcds_per_aid = 2;
  if (fault.by.unit == cp::Unit::copy_engine) {
    const std::uint32_t aid = fault.sdma_engine / engines_per_aid;
    return fmt::format("  cookie node_id {} fault from die AID{}", aid * nodes_per_aid, aid);
  }
  const std::uint32_t aid = fault.by.xcc / xcds_per_aid;
  const std::uint32_t xcd = fault.by.xcc % xcds_per_aid;
  return fmt::format("  cookie node_id {} fault from die AID{}.XCD{}",
                     aid * nodes_per_aid + 1 + xcd, aid, xcd);
}

}  // namespace

std::uint32_t first_kfd_vmid(const GpuProduct& product) {
  const bool compute_only = is_gfx9(product) && product.gc >= IpVersion{9, 4, 1};
  return compute_only ? 3 : 8;
}

std::string_view vm_fault_handler(const GpuProduct& product) {
  if (is_gfx9(product)) return "gmc_v9_0_process_interrupt";
  return product.gc.major == 10   ? "gmc_v10_0_process_interrupt"
         : product.gc.major == 11 ? "gmc_v11_0_process_interrupt"
                                  : "gmc_v12_0_process_interrupt";
}

std::vector<std::string> vm_fault_lines(const GpuProduct& product, const VmFault& fault,
                                        bool task_line) {
  const Source source = source_of(product, fault);
  const bool gfx9 = is_gfx9(product);
  const std::uint32_t permissions = permission_faults(fault);
  const bool write = fault.access == cp::Access::write;
  // The interrupt's ring id repeats the permissions, but on GPUs of several dies.
  const std::uint32_t ring = has_dies(product) ? 0 : permissions << 3;
  const std::string task = fmt::format("process {} pid {} thread {} pid {}", fault.process,
                                       fault.pid, fault.thread, fault.tid);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("[{}] {}page fault (src_id:0 ring:{} vmid:{} pasid:{}{}", source.hub,
                              gfx9 ? "no-retry " : "", ring, fault.vmid, fault.pasid,
                              task_line ? ")" : ", for " + task + ")"));
  if (task_line) lines.push_back(gfx9 ? " for " + task + ")" : " in " + task);
  const std::string client =
      product.gc.major >= 11
          ? fmt::format("client {}", source.ih_client)
          : fmt::format("{}client {:#x} ({})", gfx9 ? "IH " : "", source.ih_client, source.ih_name);
  lines.push_back(fmt::format("  in page starting at address 0x{:016x} from {}",
                              fault.address & ~0xFFFull, client));
  if (has_dies(product)) lines.push_back(die_line(fault));
  // MORE_FAULTS 0, WALKER_ERROR 3:1, PERMISSION_FAULTS 7:4, MAPPING_ERROR 8, CID 17:9, RW 18,
  // VMID 23:20.
  const std::uint32_t status =
      permissions << 4 | source.id << 9 | (write ? 1u : 0u) << 18 | fault.vmid << 20;
  lines.push_back(
      fmt::format("{}VM_L2_PROTECTION_FAULT_STATUS:0x{:08X}", gfx9 ? "" : "GC", status));
  lines.push_back(fmt::format("\t Faulty UTCL2 client ID: {} ({:#x})", source.name, source.id));
  lines.emplace_back("\t MORE_FAULTS: 0x0");
  lines.emplace_back("\t WALKER_ERROR: 0x0");
  lines.push_back(fmt::format("\t PERMISSION_FAULTS: {:#x}", permissions));
  lines.emplace_back("\t MAPPING_ERROR: 0x0");
  lines.push_back(fmt::format("\t RW: {}", write ? "0x1" : "0x0"));
  return lines;
}

PrintkLimit::Answer PrintkLimit::ask(std::uint64_t now_ns) {
  constexpr std::uint64_t interval_ns = 5'000'000'000;
  constexpr std::uint32_t burst = 10;
  Answer answer;
  if (begin_ns_ == 0) begin_ns_ = now_ns;
  if (now_ns > begin_ns_ + interval_ns) {
    answer.suppressed = std::exchange(missed_, 0);
    begin_ns_ = now_ns;
    printed_ = 0;
  }
  answer.print = printed_ < burst;
  ++(answer.print ? printed_ : missed_);
  return answer;
}

}  // namespace rocdrill::kernel
