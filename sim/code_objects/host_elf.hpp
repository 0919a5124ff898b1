// Internal: where a host ELF file keeps its device code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/code_objects/load_error.hpp"

namespace rocdrill::code_objects {

inline constexpr std::string_view fatbin_section = ".hip_fatbin";

struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// The .hip_fatbin section of a 64-bit little-endian ELF file; LoadError::no_fatbin if there is
/// none, or if it is empty.
LoadResult<FileRange> find_fatbin(std::span<const std::byte> bytes);

}  // namespace rocdrill::code_objects
