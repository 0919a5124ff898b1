// Internal: the MessagePack map in the NT_AMDGPU_METADATA note.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/code_objects/code_object.hpp"

namespace rocdrill::code_objects {

struct Metadata {
  std::string target;           ///< amdhsa.target
  std::vector<Kernel> kernels;  ///< without descriptors
};

/// `note_offset` is where `note` starts in the file, for errors. Keys that are not known are
/// skipped, as the runtimes do; a known key of the wrong type is an error.
LoadResult<Metadata> read_metadata(std::span<const std::byte> note, std::uint64_t note_offset);

}  // namespace rocdrill::code_objects
