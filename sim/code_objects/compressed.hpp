// Compressed offload bundles ("CCOB"), as clang-offload-bundler -compress writes them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/code_objects/load_error.hpp"

namespace rocdrill::code_objects {

/// The plain bundle inside. Source: clang OffloadBundler.cpp, CompressedOffloadBundle; versions 1
/// to 3.
LoadResult<std::vector<std::byte>> expand(std::span<const std::byte> compressed);

}  // namespace rocdrill::code_objects
