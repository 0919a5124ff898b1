// The firmware files of each product, in the order in which probing asks for them. Included by
// catalogue_data.cpp only.
//
// Sources. Order of the blocks: amdgpu_discovery_set_ip_blocks (psp, smu, dm, gfx, sdma, vcn, mes,
// vpe). Order within a block: psp_v11_0.c, psp_v13_0.c, psp_v14_0.c, gfx_v9_0.c, gfx_v9_4_3.c,
// gfx_v10_0.c, gfx_v11_0.c, gfx_v12_0.c, amdgpu_mes.c. Names: MODULE_FIRMWARE of the same files and
// amdgpu_ucode_legacy_naming. MI300X and MI308X: dmesg of real machines without the blobs. Which
// blocks a die has is assumed where a row says so. Versions are those of one healthy machine each.
#pragma once

#include <array>

#include "stack/gpu.hpp"

namespace rocdrill::silicon::data {

using enum Fidelity;

constexpr FirmwareBlob blob(std::string_view file, std::string_view block,
                            Fidelity fidelity = kernel_source) {
  return {.file = file, .block = block, .file_fidelity = fidelity};
}

constexpr FirmwareBlob optional(FirmwareBlob base) {
  base.need = FirmwareNeed::optional;
  return base;
}

/// A trusted application of the PSP.
constexpr FirmwareBlob ta(std::string_view file, Fidelity fidelity = kernel_source) {
  FirmwareBlob base = blob(file, "psp", fidelity);
  base.need = FirmwareNeed::required_since_6_3;
  return base;
}

constexpr FirmwareBlob version(FirmwareBlob base, std::uint32_t number, Fidelity fidelity) {
  base.version = number;
  base.version_fidelity = fidelity;
  return base;
}

constexpr FirmwareBlob fallback(FirmwareBlob base, std::string_view file) {
  base.fallback = file;
  return base;
}

inline constexpr std::array mi100_firmware{
    blob("arcturus_gpu_info.bin", "gpu_info"),
    blob("arcturus_sos.bin", "psp"),
    blob("arcturus_asd.bin", "psp"),
    ta("arcturus_ta.bin"),
    blob("arcturus_smc.bin", "smu"),
    blob("arcturus_rlc.bin", "gfx_v9_0"),
    version(blob("arcturus_mec.bin", "gfx_v9_0"), 65, measured),
    version(blob("arcturus_sdma.bin", "sdma_v4_0"), 18, measured),
    blob("arcturus_vcn.bin", "vcn_v2_5"),
};

template <Fidelity version_fidelity>
inline constexpr std::array aldebaran_firmware{
    blob("aldebaran_sos.bin", "psp"),
    ta("aldebaran_ta.bin"),
    blob("aldebaran_smc.bin", "smu"),
    blob("aldebaran_rlc.bin", "gfx_v9_0"),
    version(blob("aldebaran_mec.bin", "gfx_v9_0"), 78, version_fidelity),
    version(blob("aldebaran_sdma.bin", "sdma_v4_0"), 8, version_fidelity),
    blob("aldebaran_vcn.bin", "vcn_v2_6"),
};

/// GC 9.4.3. The TA exists since the driver knows this die, hence it was never optional.
template <std::uint32_t mec, std::uint32_t sdma, Fidelity file_fidelity>
inline constexpr std::array gc_9_4_3_firmware{
    blob("psp_13_0_6_sos.bin", "psp", file_fidelity),
    blob("psp_13_0_6_ta.bin", "psp", file_fidelity),
    blob("smu_13_0_6.bin", "smu", file_fidelity),
    blob("gc_9_4_3_rlc.bin", "gfx_v9_4_3", file_fidelity),
    version(blob("gc_9_4_3_mec.bin", "gfx_v9_4_3", file_fidelity), mec, measured),
    version(blob("sdma_4_4_2.bin", "sdma_v4_4_2", file_fidelity), sdma, measured),
    blob("vcn_4_0_3.bin", "vcn_v4_0_3", file_fidelity),
};

inline constexpr std::array mi308x_firmware{
    blob("psp_13_0_14_sos.bin", "psp", measured),
    blob("psp_13_0_14_ta.bin", "psp"),
    blob("smu_13_0_14.bin", "smu", measured),
    blob("gc_9_4_4_rlc.bin", "gfx_v9_4_3", measured),
    version(blob("gc_9_4_4_mec.bin", "gfx_v9_4_3"), 166, assumed),
    version(blob("sdma_4_4_5.bin", "sdma_v4_4_2", measured), 22, assumed),
    blob("vcn_4_0_3.bin", "vcn_v4_0_3", measured),
};

/// GC 9.5.0. MP1 13.0.12 loads its firmware from the IFWI, so no smu file (assumed).
inline constexpr std::array gc_9_5_0_firmware{
    blob("psp_13_0_12_sos.bin", "psp"),
    blob("psp_13_0_12_ta.bin", "psp"),
    blob("gc_9_5_0_rlc.bin", "gfx_v9_4_3"),
    version(blob("gc_9_5_0_mec.bin", "gfx_v9_4_3"), 41, assumed),
    version(blob("sdma_4_4_4.bin", "sdma_v4_4_2", assumed), 12, assumed),
    blob("vcn_5_0_1.bin", "vcn_v5_0_1", assumed),
};

inline constexpr std::array vega20_firmware{
    blob("vega20_sos.bin", "psp"),
    blob("vega20_asd.bin", "psp"),
    ta("vega20_ta.bin"),
    blob("vega20_smc.bin", "powerplay"),
    blob("vega20_pfp.bin", "gfx_v9_0"),
    blob("vega20_me.bin", "gfx_v9_0"),
    blob("vega20_ce.bin", "gfx_v9_0"),
    blob("vega20_rlc.bin", "gfx_v9_0"),
    version(blob("vega20_mec.bin", "gfx_v9_0"), 469, measured),
    optional(blob("vega20_mec2.bin", "gfx_v9_0")),
    version(blob("vega20_sdma.bin", "sdma_v4_0"), 145, measured),
    blob("vega20_sdma1.bin", "sdma_v4_0"),
    blob("vega20_uvd.bin", "uvd_v7_0"),
    blob("vega20_vce.bin", "vce_v4_0"),
};

inline constexpr std::array sienna_cichlid_firmware{
    blob("sienna_cichlid_sos.bin", "psp"),
    ta("sienna_cichlid_ta.bin"),
    blob("sienna_cichlid_smc.bin", "smu"),
    blob("sienna_cichlid_dmcub.bin", "dm"),
    blob("sienna_cichlid_pfp.bin", "gfx_v10_0"),
    blob("sienna_cichlid_me.bin", "gfx_v10_0"),
    blob("sienna_cichlid_ce.bin", "gfx_v10_0"),
    blob("sienna_cichlid_rlc.bin", "gfx_v10_0"),
    version(blob("sienna_cichlid_mec.bin", "gfx_v10_0"), 104, measured),
    optional(blob("sienna_cichlid_mec2.bin", "gfx_v10_0")),
    version(blob("sienna_cichlid_sdma.bin", "sdma_v5_2"), 81, measured),
    blob("sienna_cichlid_vcn.bin", "vcn_v3_0"),
};

/// Navi 31.
inline constexpr std::array gc_11_0_0_firmware{
    blob("psp_13_0_0_sos.bin", "psp"),
    ta("psp_13_0_0_ta.bin"),
    blob("smu_13_0_0.bin", "smu"),
    blob("dcn_3_2_0_dmcub.bin", "dm"),
    blob("gc_11_0_0_pfp.bin", "gfx_v11_0"),
    blob("gc_11_0_0_me.bin", "gfx_v11_0"),
    blob("gc_11_0_0_rlc.bin", "gfx_v11_0"),
    version(blob("gc_11_0_0_mec.bin", "gfx_v11_0"), 2140, measured),
    blob("gc_11_0_0_imu.bin", "gfx_v11_0"),
    version(blob("sdma_6_0_0.bin", "sdma_v6_0"), 20, measured),
    blob("vcn_4_0_0.bin", "vcn_v4_0"),
    fallback(blob("gc_11_0_0_mes_2.bin", "mes_v11_0"), "gc_11_0_0_mes.bin"),
    blob("gc_11_0_0_mes1.bin", "mes_v11_0"),
};

/// Navi 32; which PSP, SMU and VCN blocks the die has is assumed.
inline constexpr std::array gc_11_0_3_firmware{
    blob("psp_13_0_10_sos.bin", "psp", assumed),
    ta("psp_13_0_10_ta.bin", assumed),
    blob("smu_13_0_10.bin", "smu", assumed),
    blob("dcn_3_2_0_dmcub.bin", "dm", assumed),
    blob("gc_11_0_3_pfp.bin", "gfx_v11_0"),
    blob("gc_11_0_3_me.bin", "gfx_v11_0"),
    blob("gc_11_0_3_rlc.bin", "gfx_v11_0"),
    version(blob("gc_11_0_3_mec.bin", "gfx_v11_0"), 546, assumed),
    blob("gc_11_0_3_imu.bin", "gfx_v11_0"),
    version(blob("sdma_6_0_3.bin", "sdma_v6_0", assumed), 20, measured),
    blob("vcn_4_0_0.bin", "vcn_v4_0", assumed),
    fallback(blob("gc_11_0_3_mes_2.bin", "mes_v11_0"), "gc_11_0_3_mes.bin"),
    blob("gc_11_0_3_mes1.bin", "mes_v11_0"),
};

/// Navi 48; drivers before the unified MES asked for gc_12_0_1_mes.bin and _mes1.bin.
inline constexpr std::array gc_12_0_1_firmware{
    blob("psp_14_0_3_sos.bin", "psp"),
    blob("psp_14_0_3_ta.bin", "psp"),
    blob("smu_14_0_3.bin", "smu"),
    blob("dcn_4_0_1_dmcub.bin", "dm"),
    blob("gc_12_0_1_pfp.bin", "gfx_v12_0"),
    blob("gc_12_0_1_me.bin", "gfx_v12_0"),
    blob("gc_12_0_1_rlc.bin", "gfx_v12_0"),
    version(blob("gc_12_0_1_mec.bin", "gfx_v12_0"), 58, assumed),
    blob("gc_12_0_1_imu.bin", "gfx_v12_0"),
    version(blob("sdma_7_0_1.bin", "sdma_v7_0"), 380, measured),
    blob("vcn_5_0_0.bin", "vcn_v5_0_0"),
    blob("gc_12_0_1_uni_mes.bin", "mes_v12_0"),
};

/// Strix Halo: the SMU's firmware is part of the platform's; VCN, VPE and MES are assumed.
inline constexpr std::array gc_11_5_1_firmware{
    blob("psp_14_0_1_toc.bin", "psp"),
    blob("psp_14_0_1_ta.bin", "psp"),
    blob("dcn_3_5_1_dmcub.bin", "dm"),
    blob("gc_11_5_1_pfp.bin", "gfx_v11_0"),
    blob("gc_11_5_1_me.bin", "gfx_v11_0"),
    blob("gc_11_5_1_rlc.bin", "gfx_v11_0"),
    version(blob("gc_11_5_1_mec.bin", "gfx_v11_0"), 32, assumed),
    blob("gc_11_5_1_imu.bin", "gfx_v11_0"),
    version(blob("sdma_6_1_1.bin", "sdma_v6_0"), 14, assumed),
    blob("vcn_4_0_6.bin", "vcn_v4_0_5", assumed),
    blob("vcn_4_0_6_1.bin", "vcn_v4_0_5", assumed),
    blob("gc_11_5_1_mes_2.bin", "mes_v11_0"),
    blob("gc_11_5_1_mes1.bin", "mes_v11_0"),
    blob("vpe_6_1_1.bin", "vpe_v6_1", assumed),
};

/// Raphael: no SOS and no SMU file, the platform's firmware has both.
inline constexpr std::array gc_10_3_6_firmware{
    blob("psp_13_0_5_toc.bin", "psp"),
    ta("psp_13_0_5_ta.bin"),
    blob("dcn_3_1_5_dmcub.bin", "dm"),
    blob("gc_10_3_6_pfp.bin", "gfx_v10_0"),
    blob("gc_10_3_6_me.bin", "gfx_v10_0"),
    blob("gc_10_3_6_ce.bin", "gfx_v10_0"),
    blob("gc_10_3_6_rlc.bin", "gfx_v10_0"),
    version(blob("gc_10_3_6_mec.bin", "gfx_v10_0"), 21, assumed),
    optional(blob("gc_10_3_6_mec2.bin", "gfx_v10_0")),
    version(blob("sdma_5_2_6.bin", "sdma_v5_2"), 9, assumed),
    blob("vcn_3_1_2.bin", "vcn_v3_0"),
};

}  // namespace rocdrill::silicon::data
