// Puts a code object's segments into memory and relocates them, as ROCr's loader does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/code_objects/code_object.hpp"

namespace rocdrill::code_objects {

/// Alignment that the image needs, bytes.
inline constexpr std::uint64_t image_alignment = 4096;

/// Bytes from address 0 of the code object to the end of its last segment.
std::uint64_t image_bytes(const CodeObject& code_object);

/// Fills `memory` (image_bytes() of it) with the segments of the code object in `file`, relocated
/// for a device that sees the image at `va`. Names the first symbol that nobody defines, and the
/// first relocation of a kind that is not known.
LoadResult<void> load_image(const CodeObject& code_object, std::span<const std::byte> file,
                            std::uint64_t va, std::span<std::byte> memory);

/// The address of a dynamic symbol (a device variable), relative to the image; nothing if there is
/// none of that name.
LoadResult<std::optional<std::uint64_t>> find_symbol(std::span<const std::byte> file,
                                                     std::string_view name);

}  // namespace rocdrill::code_objects
