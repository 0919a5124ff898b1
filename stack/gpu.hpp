// What a GPU product is: the row of the catalogue that every layer reads. Types only; the rows
// are in sim/silicon/catalogue_data.cpp.
//
// One GpuProduct is one KFD GPU node in its undivided mode (SPX). A package with two dies that
// the driver shows as two devices (MI250X) has one row per die.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stack/fidelity.hpp"

namespace rocdrill {

/// Version of a hardware block as the IP discovery table has it, e.g. GC 9.4.3. Not the compiler's
/// target: MI300X is GC 9.4.3 and gfx942, Navi 32 is GC 11.0.3 and gfx1101.
struct IpVersion {
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  std::uint8_t revision = 0;

  friend constexpr auto operator<=>(const IpVersion&, const IpVersion&) = default;
};

/// Who may turn on retryable page faults.
enum class XnackSupport : std::uint8_t {
  none,         ///< the target has no xnack feature (gfx10 and later)
  boot_only,    ///< follows amdgpu.noretry for the whole machine
  per_process,  ///< AMDKFD_IOC_SET_XNACK_MODE (GC 9.4.2, 9.4.3, 9.4.4, 9.5.0)
};

/// The sramecc feature of the target id.
enum class SrameccSupport : std::uint8_t { none, off, on };

enum class ComputeMode : std::uint8_t { spx, dpx, tpx, qpx, cpx };

/// "SPX" ... "CPX", as current_compute_partition prints them.
constexpr std::string_view name(ComputeMode mode) {
  constexpr std::array<std::string_view, 5> names{"SPX", "DPX", "TPX", "QPX", "CPX"};
  return names[static_cast<std::size_t>(mode)];
}

/// Memory partitioning: into how many NUMA domains the HBM is divided. The value is the number.
enum class MemoryMode : std::uint8_t { nps1 = 1, nps2 = 2, nps4 = 4, nps8 = 8 };

/// "NPS1" ... "NPS8", as current_memory_partition prints them.
constexpr std::string_view name(MemoryMode mode) {
  switch (mode) {
    case MemoryMode::nps1:
      return "NPS1";
    case MemoryMode::nps2:
      return "NPS2";
    case MemoryMode::nps4:
      return "NPS4";
    case MemoryMode::nps8:
      return "NPS8";
  }
  return "UNKNOWN";
}

/// A compute mode that a product supports, and the memory modes that the driver accepts it in.
struct ComputePartition {
  ComputeMode mode = ComputeMode::spx;
  std::uint8_t partitions = 1;  ///< KFD nodes per GPU in this mode
  /// aqua_vanjaram.c, by number of XCCs; a product can only have those of its own memory_modes.
  std::span<const MemoryMode> memory_modes = {};
};

/// What happens when the file is absent.
enum class FirmwareNeed : std::uint8_t {
  required,  ///< early_init of the owning block fails with -ENODEV, and with it the probe
  optional,  ///< the driver goes on without
  /// Old kernels printed a line and went on (seen with vega20_ta.bin and renoir_ta.bin on 5.x);
  /// since the common loader of trusted applications the block fails (seen with renoir_ta.bin and
  /// psp_13_0_6_ta.bin; psp_v11_0.c, psp_v13_0.c). That the change came with 6.3 is assumed.
  required_since_6_3,
};

/// One request_firmware() of the driver. A row of these, in order, is what probing asks for: each
/// block stops at its first missing file, the next block is tried all the same, and the probe
/// fails at the end (amdgpu_device_ip_early_init).
struct FirmwareBlob {
  std::string_view file;  ///< below amdgpu/: "psp_13_0_6_sos.bin"
  /// IP block as the driver's messages name it ("psp", "gfx_v9_4_3"). "gpu_info" is none: it is
  /// read before the blocks and ends the probe at once.
  std::string_view block;
  FirmwareNeed need = FirmwareNeed::required;
  /// Of the blob that a healthy node has; the number that fw_version/ and KFD report. 0 = not
  /// known and not shown by any tool that is modelled.
  std::uint32_t version = 0;
  Fidelity file_fidelity = Fidelity::kernel_source;
  Fidelity version_fidelity = Fidelity::assumed;
  std::string_view fallback = {};  ///< tried when `file` is absent
};

struct GpuCaches {
  std::uint32_t l1d_kib = 0;  ///< vector L1, one per CU
  std::uint32_t l1i_kib = 0;  ///< instruction cache, shared by `l1i_cus`
  std::uint32_t l1i_cus = 0;
  std::uint32_t scalar_kib = 0;  ///< scalar data cache, shared by `scalar_cus`
  std::uint32_t scalar_cus = 0;
  std::uint32_t gl1_kib = 0;     ///< per shader array (gfx10, gfx11); 0 = none
  std::uint32_t l2_kib = 0;      ///< as KFD lists it: one XCD's, not the sum
  std::uint32_t l3_kib = 0;      ///< Infinity Cache; 0 = none
  std::uint32_t line_bytes = 0;  ///< of the L2: rocminfo's "Cacheline Size"
};

/// How the values of a row are known, by group. A group has the label of its weakest value unless
/// GpuProduct::assumed names that value.
struct GpuFidelity {
  Fidelity identity = Fidelity::assumed;  ///< names, PCI ids, gfx target
  Fidelity geometry = Fidelity::assumed;  ///< XCDs, CUs, SIMDs, shader arrays, LDS
  Fidelity caches = Fidelity::assumed;
  Fidelity memory = Fidelity::assumed;    ///< VRAM bytes, width, clock
  Fidelity clocks = Fidelity::assumed;    ///< engine clock
  Fidelity queues = Fidelity::assumed;    ///< CP queues, SDMA engines and queues
  Fidelity features = Fidelity::assumed;  ///< capability, debug_prop, xnack, sramecc
  Fidelity partitions = Fidelity::assumed;
  Fidelity links = Fidelity::assumed;  ///< xGMI, PCIe
  Fidelity power = Fidelity::assumed;
};

struct GpuProduct {
  // -- identity --
  std::string_view product;              ///< key: "MI300X"
  std::string_view marketing_name;       ///< libdrm's amdgpu.ids for (device, rev)
  std::string_view gfx;                  ///< compiler target: "gfx942"
  std::uint32_t gfx_target_version = 0;  ///< major * 10000 + minor * 100 + stepping
  IpVersion gc;
  std::uint16_t device_id = 0;  ///< PCI; the vendor is 0x1002
  std::uint8_t pci_rev = 0;
  std::string_view kfd_name;  ///< nodes/<N>/name: "ip discovery" or the code name
  bool apu = false;

  // -- geometry, of the whole product --
  std::uint32_t xcc_count = 1;
  std::uint32_t active_cus = 0;
  std::uint32_t simd_per_cu = 0;
  std::uint32_t array_count = 0;  ///< shader arrays, all XCCs
  std::uint32_t simd_arrays_per_engine = 1;
  std::uint32_t cu_per_simd_array = 0;  ///< slots, not active CUs
  std::uint32_t wave_size = 64;
  std::uint32_t max_waves_per_simd = 0;
  std::uint32_t lds_kib = 64;  ///< per workgroup
  GpuCaches caches;

  // -- memory --
  std::uint64_t vram_bytes = 0;      ///< KFD's bank; a carve-out of system memory on APUs
  std::string_view memory_type;      ///< "HBM3"
  std::uint32_t memory_width = 0;    ///< bits
  std::uint32_t memory_clk_mhz = 0;  ///< mem_clk_max

  // -- clocks, queues --
  std::uint32_t engine_clk_mhz = 0;  ///< max_engine_clk_fcompute
  std::uint32_t num_cp_queues = 0;
  std::uint32_t sdma_engines = 0;       ///< num_sdma_engines ("PCIe" engines)
  std::uint32_t sdma_xgmi_engines = 0;  ///< num_sdma_xgmi_engines
  std::uint32_t sdma_queues_per_engine = 0;
  std::uint32_t num_gws = 64;

  // -- features --
  XnackSupport xnack = XnackSupport::none;
  SrameccSupport sramecc = SrameccSupport::none;
  /// KFD's capability word with healthy firmware, as the drivers of 2024 (6.8 to 6.12) set it; bits
  /// in stack/formats/kfd_topology.hpp. Later drivers add bit 31 on gfx9; the words of gfx950 are
  /// of such a driver and have it.
  std::uint32_t capability = 0;
  std::uint64_t debug_prop = 0;
  /// With an older MEC firmware the driver leaves capability bit 29 clear
  /// (kfd_topology_set_dbg_firmware_support). 0 = no such gate.
  std::uint32_t debugger_min_mec = 0;

  // -- partitions; empty = the product has none --
  std::span<const ComputePartition> partitions = {};
  std::span<const MemoryMode> memory_modes = {};  ///< available_memory_partition

  // -- links, power --
  std::uint32_t xgmi_links = 0;
  std::uint8_t pcie_generation = 0;
  std::uint8_t pcie_lanes = 16;
  std::uint32_t tdp_watts = 0;

  /// Files in the order in which probing requests them.
  std::span<const FirmwareBlob> firmware = {};

  GpuFidelity fidelity;
  /// Single values that are weaker than their group's label: "engine_clk_mhz".
  std::span<const std::string_view> assumed = {};
};

/// Peak bandwidth of VRAM; double data rate.
constexpr std::uint64_t memory_bytes_per_us(const GpuProduct& product) {
  return std::uint64_t{product.memory_width} / 8 * product.memory_clk_mhz * 2;
}

}  // namespace rocdrill
