// Why a file that should hold device code cannot be used.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace rocdrill::code_objects {

struct LoadError {
  enum class Kind : std::uint8_t {
    not_elf,
    not_amdgpu,      ///< an ELF file for another machine, or not for HSA
    unknown_target,  ///< e_flags or ABI version that this model does not know
    malformed_elf,
    no_metadata,  ///< no NT_AMDGPU_METADATA note
    malformed_metadata,
    no_fatbin,  ///< a host binary without a .hip_fatbin section
    malformed_bundle,
    unmodelled,  ///< valid for ROCm, not modelled here: compressed bundles, v2
  };
  Kind kind = Kind::not_elf;
  std::string what;
  /// Of the structure at fault, from the start of the bytes that were read.
  std::uint64_t offset = 0;
};

std::string_view name(LoadError::Kind kind);

template <class T>
using LoadResult = std::expected<T, LoadError>;

inline std::unexpected<LoadError> fail(LoadError::Kind kind, std::string what,
                                       std::uint64_t offset = 0) {
  return std::unexpected(LoadError{kind, std::move(what), offset});
}

}  // namespace rocdrill::code_objects
