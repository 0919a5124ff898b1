// roc-obj-ls: the code objects that a host binary carries.
//
// Source: CLR hipamd/bin/roc-obj-ls (a Perl script around objdump); output measured on 5.2.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/code_objects/fat_binary.hpp"

namespace rocdrill::code_objects {

struct Listing {
  std::vector<FatEntry> rows;
  /// Where the list ends early and why; the tool says so only with -d. A compressed bundle ends it
  /// silently, with exit status 0: that is how the real tool behaves.
  std::string stopped;
};

/// LoadError::no_fatbin is the tool's "Error: No kernel section found" (exit 255); it reads host
/// binaries only.
LoadResult<Listing> list(std::span<const std::byte> file);

/// What roc-obj-ls prints to stdout for the file at `path`; `verbose` (-v) adds a header per
/// bundle and an empty line after it.
std::string listing_text(const Listing& listing, std::string_view path, bool verbose = false);

}  // namespace rocdrill::code_objects
