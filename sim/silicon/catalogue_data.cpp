// The rows of the catalogue. One block per product; values that nobody has verified are named in
// `assumed`, or their whole group is labelled so.
//
// Sources of the measured values: KFD properties captured on MI100, MI300A, MI300X, MI350X and
// RX 7900 XTX; rocminfo output of MI210, MI250X, MI308X, MI325X, Radeon VII, RX 6900 XT,
// RX 7800 XT, a 0x7550 board, Radeon 8060S and Raphael. Documented: ROCm's GPU architecture
// specifications and libdrm's amdgpu.ids. Kernel source: kfd_topology.c, kfd_crat.c,
// aqua_vanjaram.c.
#include "sim/silicon/catalogue.hpp"
#include "sim/silicon/catalogue_firmware.hpp"

namespace rocdrill::silicon {
namespace data {

// One glance per product: the blocks are laid out by hand.
// clang-format off

// -- partition tables: aqua_vanjaram.c (mainline) --

constexpr std::array nps1{MemoryMode::nps1};
constexpr std::array nps1_nps2{MemoryMode::nps1, MemoryMode::nps2};
constexpr std::array nps1_nps4{MemoryMode::nps1, MemoryMode::nps4};

constexpr std::array eight_xcc{
    ComputePartition{ComputeMode::spx, 1, nps1}, ComputePartition{ComputeMode::dpx, 2, nps1_nps2},
    ComputePartition{ComputeMode::qpx, 4, nps1_nps4},
    ComputePartition{ComputeMode::cpx, 8, nps1_nps4}};
constexpr std::array six_xcc{ComputePartition{ComputeMode::spx, 1, nps1},
                             ComputePartition{ComputeMode::tpx, 3, nps1_nps4},
                             ComputePartition{ComputeMode::cpx, 6, nps1_nps4}};
constexpr std::array four_xcc{ComputePartition{ComputeMode::spx, 1, nps1},
                              ComputePartition{ComputeMode::dpx, 2, nps1_nps2},
                              ComputePartition{ComputeMode::cpx, 4, nps1_nps4}};

// -- capability words: bits in stack/formats/kfd_topology.hpp --

/// Four watch points, 64-bit doorbells, trap debugger, SVM API, debugger firmware.
constexpr std::uint32_t base_capability = 0x2803'A280;
constexpr std::uint32_t precise_memory = 1u << 18;
constexpr std::uint32_t mem_edc = 1u << 20;
constexpr std::uint32_t ras_notify = 1u << 21;
constexpr std::uint32_t sram_edc = 1u << 26;
constexpr std::uint32_t coherent_host = 1u << 28;
constexpr std::uint32_t precise_alu = 1u << 30;
constexpr std::uint32_t per_queue_reset = 1u << 31;
constexpr std::uint32_t asic_revision(std::uint32_t revision) { return revision << 22; }
constexpr std::uint32_t cdna_capability =
    base_capability | precise_memory | mem_edc | ras_notify | sram_edc;

// debug_prop: bits 3:0 and 9:4 the watch mask, bit 10 dispatch information always valid
constexpr std::uint64_t dispatch_always_valid = 1u << 10;
constexpr std::uint64_t watch_mask_gfx9 = 29u << 4 | 6u;
constexpr std::uint64_t watch_mask_gc_9_4_3 = 30u << 4 | 7u;
constexpr std::uint64_t watch_mask_gfx10 = 29u << 4 | 7u;

constexpr GpuCaches cdna3_caches{.l1d_kib = 32, .l1i_kib = 64, .l1i_cus = 2, .scalar_kib = 16,
                                 .scalar_cus = 2, .gl1_kib = 0, .l2_kib = 4096,
                                 .l3_kib = 262144, .line_bytes = 128};
constexpr GpuCaches aldebaran_caches{.l1d_kib = 16, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16,
                                     .scalar_cus = 2, .gl1_kib = 0, .l2_kib = 8192, .l3_kib = 0,
                                     .line_bytes = 128};
constexpr GpuCaches vega20_caches{.l1d_kib = 16, .l1i_kib = 32, .l1i_cus = 3, .scalar_kib = 16,
                                  .scalar_cus = 3, .gl1_kib = 0, .l2_kib = 8192, .l3_kib = 0,
                                  .line_bytes = 64};

// -- Instinct --

constexpr GpuProduct mi100{
    .product = "MI100", .marketing_name = "AMD Instinct MI100",
    .gfx = "gfx908", .gfx_target_version = 90008, .gc = {9, 4, 1},
    .device_id = 0x738C, .pci_rev = 0x01, .kfd_name = "arcturus",
    .active_cus = 120, .simd_per_cu = 4, .array_count = 8, .cu_per_simd_array = 16,
    .wave_size = 64, .max_waves_per_simd = 10, .lds_kib = 64, .caches = vega20_caches,
    .vram_bytes = 34342961152, .memory_type = "HBM2", .memory_width = 4096,
    .memory_clk_mhz = 1200,
    .engine_clk_mhz = 1502, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 6,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::boot_only, .sramecc = SrameccSupport::on,
    .capability = base_capability | mem_edc | ras_notify | sram_edc | asic_revision(2),
    .debug_prop = dispatch_always_valid | watch_mask_gfx9, .debugger_min_mec = 60,
    .xgmi_links = 3, .pcie_generation = 4, .tdp_watts = 300,
    .firmware = mi100_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = measured, .features = measured,
                 .partitions = kernel_source, .links = assumed, .power = assumed}};

constexpr std::array<std::string_view, 2> mi210_assumed{"identity: kfd_name",
                                                        "memory: memory_type"};
constexpr GpuProduct mi210{
    .product = "MI210", .marketing_name = "AMD Instinct MI210",
    .gfx = "gfx90a", .gfx_target_version = 90010, .gc = {9, 4, 2},
    .device_id = 0x740F, .pci_rev = 0x02, .kfd_name = "aldebaran",
    .active_cus = 104, .simd_per_cu = 4, .array_count = 8, .cu_per_simd_array = 16,
    .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 64, .caches = aldebaran_caches,
    .vram_bytes = 68702699520, .memory_type = "HBM2e", .memory_width = 4096,
    .memory_clk_mhz = 1600,
    .engine_clk_mhz = 1700, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 3,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | asic_revision(1), .debug_prop = watch_mask_gfx9,
    .debugger_min_mec = 51,
    .xgmi_links = 3, .pcie_generation = 4, .tdp_watts = 300,
    .firmware = aldebaran_firmware<assumed>,
    .fidelity = {.identity = documented, .geometry = measured, .caches = assumed,
                 .memory = documented, .clocks = measured, .queues = documented,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed},
    .assumed = mi210_assumed};

/// One of the two dies of a package. "Coherent Host Access" is that of nodes whose CPUs are
/// attached through xGMI, where 0x7408 has been seen.
constexpr std::array<std::string_view, 3> mi250x_assumed{
    "identity: kfd_name", "memory: memory_type", "memory: memory_clk_mhz"};
constexpr GpuProduct mi250x{
    .product = "MI250X", .marketing_name = "AMD Instinct MI250X",
    .gfx = "gfx90a", .gfx_target_version = 90010, .gc = {9, 4, 2},
    .device_id = 0x7408, .pci_rev = 0x00, .kfd_name = "aldebaran",
    .active_cus = 110, .simd_per_cu = 4, .array_count = 8, .cu_per_simd_array = 16,
    .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 64, .caches = aldebaran_caches,
    .vram_bytes = 68702699520, .memory_type = "HBM2e", .memory_width = 4096,
    .memory_clk_mhz = 1600,
    .engine_clk_mhz = 1700, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 3,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | asic_revision(1) | coherent_host,
    .debug_prop = watch_mask_gfx9, .debugger_min_mec = 51,
    .xgmi_links = 8, .pcie_generation = 4, .tdp_watts = 280,
    .firmware = aldebaran_firmware<measured>,
    .fidelity = {.identity = documented, .geometry = measured, .caches = assumed,
                 .memory = measured, .clocks = measured, .queues = assumed,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed},
    .assumed = mi250x_assumed};

constexpr std::array<std::string_view, 1> mi300a_assumed{"partitions: NPS4"};
constexpr GpuProduct mi300a{
    .product = "MI300A", .marketing_name = "AMD Instinct MI300A",
    .gfx = "gfx942", .gfx_target_version = 90402, .gc = {9, 4, 3},
    .device_id = 0x74A0, .pci_rev = 0x00, .kfd_name = "ip discovery", .apu = true,
    .xcc_count = 6, .active_cus = 228, .simd_per_cu = 4, .array_count = 24,
    .cu_per_simd_array = 10, .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 64,
    .caches = cdna3_caches,
    .vram_bytes = 137438953472, .memory_type = "HBM3", .memory_width = 8192,
    .memory_clk_mhz = 1300,
    .engine_clk_mhz = 2100, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 10,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = (cdna_capability & ~mem_edc) | asic_revision(1) | coherent_host,
    .debug_prop = dispatch_always_valid | watch_mask_gc_9_4_3,
    .partitions = six_xcc, .memory_modes = nps1,
    .xgmi_links = 3, .pcie_generation = 5, .tdp_watts = 550,
    .firmware = gc_9_4_3_firmware<150, 19, kernel_source>,
    .fidelity = {.identity = measured, .geometry = measured, .caches = documented,
                 .memory = assumed, .clocks = measured, .queues = measured, .features = measured,
                 .partitions = kernel_source, .links = assumed, .power = documented},
    .assumed = mi300a_assumed};

constexpr std::array<std::string_view, 1> mi300x_assumed{"memory: memory_type"};
constexpr GpuProduct mi300x{
    .product = "MI300X", .marketing_name = "AMD Instinct MI300X",
    .gfx = "gfx942", .gfx_target_version = 90402, .gc = {9, 4, 3},
    .device_id = 0x74A1, .pci_rev = 0x00, .kfd_name = "ip discovery",
    .xcc_count = 8, .active_cus = 304, .simd_per_cu = 4, .array_count = 32,
    .cu_per_simd_array = 10, .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 64,
    .caches = cdna3_caches,
    .vram_bytes = 206141652992, .memory_type = "HBM3", .memory_width = 8192,
    .memory_clk_mhz = 1300,
    .engine_clk_mhz = 2100, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 14,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gc_9_4_3,
    .partitions = eight_xcc, .memory_modes = nps1_nps4,
    .xgmi_links = 7, .pcie_generation = 5, .tdp_watts = 750,
    .firmware = gc_9_4_3_firmware<166, 22, measured>,
    .fidelity = {.identity = measured, .geometry = measured, .caches = measured,
                 .memory = measured, .clocks = measured, .queues = measured, .features = measured,
                 .partitions = documented, .links = documented, .power = documented},
    .assumed = mi300x_assumed};

constexpr GpuProduct mi308x{
    .product = "MI308X", .marketing_name = "AMD Instinct MI308X",
    .gfx = "gfx942", .gfx_target_version = 90402, .gc = {9, 4, 4},
    .device_id = 0x74A2, .pci_rev = 0x00, .kfd_name = "ip discovery",
    .xcc_count = 4, .active_cus = 80, .simd_per_cu = 4, .array_count = 16,
    .cu_per_simd_array = 10, .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 64,
    .caches = cdna3_caches,
    .vram_bytes = 206141652992, .memory_type = "HBM3", .memory_width = 8192,
    .memory_clk_mhz = 1300,
    .engine_clk_mhz = 1420, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 14,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gc_9_4_3,
    .partitions = four_xcc, .memory_modes = nps1_nps4,
    .xgmi_links = 7, .pcie_generation = 5, .tdp_watts = 650,
    .firmware = mi308x_firmware,
    .fidelity = {.identity = documented, .geometry = measured, .caches = measured,
                 .memory = assumed, .clocks = measured, .queues = assumed,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed}};

constexpr std::array<std::string_view, 1> mi325x_assumed{"power: tdp_watts"};
constexpr GpuProduct mi325x{
    .product = "MI325X", .marketing_name = "AMD Instinct MI325X",
    .gfx = "gfx942", .gfx_target_version = 90402, .gc = {9, 4, 3},
    .device_id = 0x74A5, .pci_rev = 0x00, .kfd_name = "ip discovery",
    .xcc_count = 8, .active_cus = 304, .simd_per_cu = 4, .array_count = 32,
    .cu_per_simd_array = 10, .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 64,
    .caches = cdna3_caches,
    .vram_bytes = 274861129728, .memory_type = "HBM3E", .memory_width = 8192,
    .memory_clk_mhz = 1500,
    .engine_clk_mhz = 2100, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 14,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gc_9_4_3,
    .partitions = eight_xcc, .memory_modes = nps1,
    .xgmi_links = 7, .pcie_generation = 5, .tdp_watts = 1000,
    .firmware = gc_9_4_3_firmware<177, 24, kernel_source>,
    .fidelity = {.identity = measured, .geometry = measured, .caches = measured,
                 .memory = assumed, .clocks = measured, .queues = documented,
                 .features = kernel_source, .partitions = kernel_source, .links = documented,
                 .power = documented},
    .assumed = mi325x_assumed};

constexpr GpuProduct mi350x{
    .product = "MI350X", .marketing_name = "AMD Instinct MI350X",
    .gfx = "gfx950", .gfx_target_version = 90500, .gc = {9, 5, 0},
    .device_id = 0x75A0, .pci_rev = 0x00, .kfd_name = "ip discovery",
    .xcc_count = 8, .active_cus = 256, .simd_per_cu = 4, .array_count = 32,
    .cu_per_simd_array = 9, .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 160,
    .caches = cdna3_caches,
    .vram_bytes = 309220868096, .memory_type = "HBM3E", .memory_width = 8192,
    .memory_clk_mhz = 1900,
    .engine_clk_mhz = 2200, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 14,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | per_queue_reset,
    .debug_prop = dispatch_always_valid | watch_mask_gfx9,
    .partitions = eight_xcc, .memory_modes = nps1_nps2,
    .xgmi_links = 7, .pcie_generation = 5, .tdp_watts = 1000,
    .firmware = gc_9_5_0_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = measured, .clocks = measured, .queues = measured, .features = measured,
                 .partitions = documented, .links = documented, .power = assumed},
    .assumed = mi300x_assumed};

constexpr GpuProduct mi355x{
    .product = "MI355X", .marketing_name = "AMD Instinct MI355X",
    .gfx = "gfx950", .gfx_target_version = 90500, .gc = {9, 5, 0},
    .device_id = 0x75A3, .pci_rev = 0x00, .kfd_name = "ip discovery",
    .xcc_count = 8, .active_cus = 256, .simd_per_cu = 4, .array_count = 32,
    .cu_per_simd_array = 9, .wave_size = 64, .max_waves_per_simd = 8, .lds_kib = 160,
    .caches = cdna3_caches,
    .vram_bytes = 309220868096, .memory_type = "HBM3E", .memory_width = 8192,
    .memory_clk_mhz = 1900,
    .engine_clk_mhz = 2400, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 14,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::per_process, .sramecc = SrameccSupport::on,
    .capability = cdna_capability | per_queue_reset,
    .debug_prop = dispatch_always_valid | watch_mask_gfx9,
    .partitions = eight_xcc, .memory_modes = nps1_nps2,
    .xgmi_links = 7, .pcie_generation = 5, .tdp_watts = 1400,
    .firmware = gc_9_5_0_firmware,
    .fidelity = {.identity = documented, .geometry = documented, .caches = assumed,
                 .memory = assumed, .clocks = assumed, .queues = assumed,
                 .features = kernel_source, .partitions = documented, .links = documented,
                 .power = assumed}};

// -- Radeon --

/// rocminfo of real boards shows sramecc+ and an 8 MiB L2, though the die has 4 MiB.
constexpr GpuProduct radeon_vii{
    .product = "Radeon VII", .marketing_name = "AMD Radeon VII",
    .gfx = "gfx906", .gfx_target_version = 90006, .gc = {9, 4, 0},
    .device_id = 0x66AF, .pci_rev = 0xC1, .kfd_name = "vega20",
    .active_cus = 60, .simd_per_cu = 4, .array_count = 4, .cu_per_simd_array = 16,
    .wave_size = 64, .max_waves_per_simd = 10, .lds_kib = 64, .caches = vega20_caches,
    .vram_bytes = 17163091968, .memory_type = "HBM2", .memory_width = 4096,
    .memory_clk_mhz = 1000,
    .engine_clk_mhz = 1801, .num_cp_queues = 24, .sdma_engines = 2, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::boot_only, .sramecc = SrameccSupport::on,
    .capability = base_capability | sram_edc | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gfx9, .debugger_min_mec = 459,
    .xgmi_links = 0, .pcie_generation = 3, .tdp_watts = 300,
    .firmware = vega20_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = assumed, .features = assumed,
                 .partitions = kernel_source, .links = assumed, .power = assumed}};

constexpr GpuProduct rx_6900_xt{
    .product = "RX 6900 XT", .marketing_name = "AMD Radeon RX 6900 XT",
    .gfx = "gfx1030", .gfx_target_version = 100300, .gc = {10, 3, 0},
    .device_id = 0x73BF, .pci_rev = 0xC0, .kfd_name = "sienna_cichlid",
    .active_cus = 80, .simd_per_cu = 2, .array_count = 8, .simd_arrays_per_engine = 2,
    .cu_per_simd_array = 10, .wave_size = 32, .max_waves_per_simd = 16, .lds_kib = 64,
    .caches = {.l1d_kib = 16, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16, .scalar_cus = 2,
               .gl1_kib = 128, .l2_kib = 4096, .l3_kib = 131072, .line_bytes = 64},
    .vram_bytes = 17163091968, .memory_type = "GDDR6", .memory_width = 256,
    .memory_clk_mhz = 1000,
    .engine_clk_mhz = 2660, .num_cp_queues = 8, .sdma_engines = 4, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::none, .sramecc = SrameccSupport::none,
    .capability = base_capability | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gfx10, .debugger_min_mec = 89,
    .xgmi_links = 0, .pcie_generation = 4, .tdp_watts = 300,
    .firmware = sienna_cichlid_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = assumed,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed}};

constexpr GpuProduct rx_7900_xtx{
    .product = "RX 7900 XTX", .marketing_name = "AMD Radeon RX 7900 XTX",
    .gfx = "gfx1100", .gfx_target_version = 110000, .gc = {11, 0, 0},
    .device_id = 0x744C, .pci_rev = 0xC8, .kfd_name = "ip discovery",
    .active_cus = 96, .simd_per_cu = 2, .array_count = 12, .simd_arrays_per_engine = 2,
    .cu_per_simd_array = 8, .wave_size = 32, .max_waves_per_simd = 16, .lds_kib = 64,
    .caches = {.l1d_kib = 32, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16, .scalar_cus = 2,
               .gl1_kib = 256, .l2_kib = 6144, .l3_kib = 98304, .line_bytes = 64},
    .vram_bytes = 25753026560, .memory_type = "GDDR6", .memory_width = 384,
    .memory_clk_mhz = 1249,
    .engine_clk_mhz = 2482, .num_cp_queues = 8, .sdma_engines = 2, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 6,
    .xnack = XnackSupport::none, .sramecc = SrameccSupport::none,
    .capability = base_capability | precise_memory,
    .debug_prop = dispatch_always_valid | watch_mask_gfx10,
    .xgmi_links = 0, .pcie_generation = 4, .tdp_watts = 355,
    .firmware = gc_11_0_0_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = measured, .features = measured,
                 .partitions = kernel_source, .links = assumed, .power = assumed}};

constexpr GpuProduct rx_7800_xt{
    .product = "RX 7800 XT", .marketing_name = "AMD Radeon RX 7800 XT",
    .gfx = "gfx1101", .gfx_target_version = 110001, .gc = {11, 0, 3},
    .device_id = 0x747E, .pci_rev = 0xC8, .kfd_name = "ip discovery",
    .active_cus = 60, .simd_per_cu = 2, .array_count = 6, .simd_arrays_per_engine = 2,
    .cu_per_simd_array = 10, .wave_size = 32, .max_waves_per_simd = 16, .lds_kib = 64,
    .caches = {.l1d_kib = 32, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16, .scalar_cus = 2,
               .gl1_kib = 256, .l2_kib = 4096, .l3_kib = 65536, .line_bytes = 64},
    .vram_bytes = 17163091968, .memory_type = "GDDR6", .memory_width = 256,
    .memory_clk_mhz = 1219,
    .engine_clk_mhz = 2254, .num_cp_queues = 8, .sdma_engines = 2, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 6,
    .xnack = XnackSupport::none, .sramecc = SrameccSupport::none,
    .capability = base_capability | precise_memory,
    .debug_prop = dispatch_always_valid | watch_mask_gfx10,
    .xgmi_links = 0, .pcie_generation = 4, .tdp_watts = 263,
    .firmware = gc_11_0_3_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = assumed,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed}};

/// VRAM as measured on a 0x7550 board with 56 CUs; clocks and queues those of its sister R9700.
constexpr GpuProduct rx_9070_xt{
    .product = "RX 9070 XT", .marketing_name = "AMD Radeon RX 9070 XT",
    .gfx = "gfx1201", .gfx_target_version = 120001, .gc = {12, 0, 1},
    .device_id = 0x7550, .pci_rev = 0xC0, .kfd_name = "ip discovery",
    .active_cus = 64, .simd_per_cu = 2, .array_count = 8, .simd_arrays_per_engine = 2,
    .cu_per_simd_array = 8, .wave_size = 32, .max_waves_per_simd = 16, .lds_kib = 64,
    .caches = {.l1d_kib = 32, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16, .scalar_cus = 2,
               .gl1_kib = 0, .l2_kib = 8192, .l3_kib = 65536, .line_bytes = 256},
    .vram_bytes = 17095983104, .memory_type = "GDDR6", .memory_width = 256,
    .memory_clk_mhz = 1258,
    .engine_clk_mhz = 2350, .num_cp_queues = 4, .sdma_engines = 2, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 6,
    .xnack = XnackSupport::none, .sramecc = SrameccSupport::none,
    .capability = base_capability | precise_alu | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gfx10,
    .xgmi_links = 0, .pcie_generation = 5, .tdp_watts = 304,
    .firmware = gc_12_0_1_firmware,
    .fidelity = {.identity = documented, .geometry = documented, .caches = assumed,
                 .memory = assumed, .clocks = assumed, .queues = assumed, .features = assumed,
                 .partitions = kernel_source, .links = assumed, .power = assumed}};

// -- integrated --

/// The carve-out is the firmware's smallest, 512 MiB; people set anything up to 96 GiB.
constexpr std::array<std::string_view, 1> strix_halo_assumed{"identity: pci_rev"};
constexpr GpuProduct strix_halo{
    .product = "Strix Halo", .marketing_name = "AMD Radeon Graphics",
    .gfx = "gfx1151", .gfx_target_version = 110501, .gc = {11, 5, 1},
    .device_id = 0x1586, .pci_rev = 0xC1, .kfd_name = "ip discovery", .apu = true,
    .active_cus = 40, .simd_per_cu = 2, .array_count = 4, .simd_arrays_per_engine = 2,
    .cu_per_simd_array = 10, .wave_size = 32, .max_waves_per_simd = 16, .lds_kib = 64,
    .caches = {.l1d_kib = 32, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16, .scalar_cus = 2,
               .gl1_kib = 256, .l2_kib = 2048, .l3_kib = 32768, .line_bytes = 128},
    .vram_bytes = 536870912, .memory_type = "LPDDR5X", .memory_width = 256,
    .memory_clk_mhz = 1000,
    .engine_clk_mhz = 2900, .num_cp_queues = 8, .sdma_engines = 1, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 6,
    .xnack = XnackSupport::none, .sramecc = SrameccSupport::none,
    .capability = base_capability | precise_memory,
    .debug_prop = dispatch_always_valid | watch_mask_gfx10,
    .xgmi_links = 0, .pcie_generation = 4, .tdp_watts = 120,
    .firmware = gc_11_5_1_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = assumed,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed},
    .assumed = strix_halo_assumed};

constexpr GpuProduct raphael{
    .product = "Raphael", .marketing_name = "AMD Radeon Graphics",
    .gfx = "gfx1036", .gfx_target_version = 100306, .gc = {10, 3, 6},
    .device_id = 0x164E, .pci_rev = 0xC1, .kfd_name = "ip discovery", .apu = true,
    .active_cus = 2, .simd_per_cu = 2, .array_count = 1, .simd_arrays_per_engine = 1,
    .cu_per_simd_array = 2, .wave_size = 32, .max_waves_per_simd = 16, .lds_kib = 64,
    .caches = {.l1d_kib = 16, .l1i_kib = 32, .l1i_cus = 2, .scalar_kib = 16, .scalar_cus = 2,
               .gl1_kib = 128, .l2_kib = 256, .l3_kib = 0, .line_bytes = 64},
    .vram_bytes = 536870912, .memory_type = "DDR5", .memory_width = 128,
    .memory_clk_mhz = 2400,
    .engine_clk_mhz = 2200, .num_cp_queues = 8, .sdma_engines = 1, .sdma_xgmi_engines = 0,
    .sdma_queues_per_engine = 8,
    .xnack = XnackSupport::none, .sramecc = SrameccSupport::none,
    .capability = base_capability | asic_revision(1),
    .debug_prop = dispatch_always_valid | watch_mask_gfx10,
    .xgmi_links = 0, .pcie_generation = 4, .tdp_watts = 0,
    .firmware = gc_10_3_6_firmware,
    .fidelity = {.identity = measured, .geometry = measured, .caches = assumed,
                 .memory = assumed, .clocks = measured, .queues = assumed,
                 .features = kernel_source, .partitions = kernel_source, .links = assumed,
                 .power = assumed},
    .assumed = strix_halo_assumed};

constexpr std::array rows{mi100,      mi210,      mi250x,     mi300a,      mi300x,     mi308x,
                          mi325x,     mi350x,     mi355x,     radeon_vii,  rx_6900_xt, rx_7900_xtx,
                          rx_7800_xt, rx_9070_xt, strix_halo, raphael};

// clang-format on

}  // namespace data

std::span<const GpuProduct> all() { return data::rows; }

}  // namespace rocdrill::silicon
