// PM4 as AQL packets carry it: an indirect buffer of commands for the command processor.
//
// Sources: ROCr amd_aql_queue.cpp (ExecutePM4) and amd_gpu_pm4.h; the driver's soc15d.h.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "sim/silicon/command_processor/address_space.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::cp::pm4 {

/// What the commands of an indirect buffer do. Those that concern caches alone are all that is
/// modelled: memory is coherent here, decoded code is not.
struct Effects {
  bool invalidates_code = false;  ///< ACQUIRE_MEM
};

struct Refusal {
  std::uint64_t fault_va = 0;  ///< not 0: the buffer cannot be read there
  std::string unmodelled;      ///< "PM4 WRITE_DATA"
};

/// The buffer that the packet's INDIRECT_BUFFER command names.
std::expected<Effects, Refusal> execute(const aql::Pm4IndirectBuffer& packet, AddressSpace& memory);

}  // namespace rocdrill::cp::pm4
