// What an AMDGPU code object's ELF header says: machine, ABI and e_flags.
//
// Sources: LLVM AMDGPUUsage "ELF Code Object" (LLVM 20); ROCr amd_hsa_elf.h and
// amd_hsa_code.cpp (GetIsa); LLVM BinaryFormat/ELF.h.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "stack/formats/target_id.hpp"

namespace rocdrill::elf_amdgpu {

inline constexpr std::uint16_t machine = 224;  ///< e_machine, EM_AMDGPU
inline constexpr std::uint8_t osabi_hsa = 64;  ///< EI_OSABI, ELFOSABI_AMDGPU_HSA
inline constexpr std::uint8_t osabi_pal = 65;  ///< graphics and compute on PAL (Windows)
inline constexpr std::uint8_t osabi_mesa3d = 66;

inline constexpr std::uint32_t note_metadata = 32;        ///< NT_AMDGPU_METADATA
inline constexpr std::string_view note_owner = "AMDGPU";  ///< v2 used the owner "AMD"

// e_flags
inline constexpr std::uint32_t flag_mach = 0x0FF;
inline constexpr std::uint32_t flag_xnack_v3 = 0x100;
inline constexpr std::uint32_t flag_sramecc_v3 = 0x200;
inline constexpr std::uint32_t flag_xnack_shift = 8;     ///< v4+: two bits, TargetId::Feature
inline constexpr std::uint32_t flag_sramecc_shift = 10;  ///< v4+: two bits, TargetId::Feature
inline constexpr std::uint32_t flag_feature_mask = 3;
inline constexpr std::uint32_t flag_generic_shift = 24;  ///< v6: version of a generic target

/// The lowest version of a generic target that the runtime loads (ROCr isa.cpp: 1 for all).
inline constexpr unsigned minimum_generic_version = 1;

/// EI_ABIVERSION -> 2 to 6; nothing for a number that no released runtime knows.
std::optional<unsigned> code_object_version(std::uint8_t abi_version);
/// 2 to 6 -> EI_ABIVERSION. Throws std::invalid_argument for any other version.
std::uint8_t abi_version(unsigned code_object_version);

struct Target {
  TargetId id;
  unsigned code_object_version = 0;  ///< 3 to 6
  unsigned generic_version = 0;      ///< v6 only, 0 otherwise
};

struct FlagsError {
  enum class Kind : std::uint8_t {
    unknown_abi,    ///< EI_ABIVERSION above v6
    unmodelled_v2,  ///< v2 names its target in a note, which is not modelled
    unknown_mach,
  };
  Kind kind = Kind::unknown_mach;
  std::string what;
};

/// The target of a code object, from its header alone. Feature bits of v4+ are taken as they
/// are: 0 on a processor that has the feature is `unsupported`, which runtimes treat as `any`.
std::expected<Target, FlagsError> decode(std::uint32_t e_flags, std::uint8_t abi_version);

/// e_flags as the compiler writes them. Throws std::invalid_argument for an unknown processor,
/// and for v3 with an open feature, which v3 cannot express.
std::uint32_t encode(const Target& target);

}  // namespace rocdrill::elf_amdgpu
