// Device code as programs carry it: a host binary with a .hip_fatbin section, a bare offload
// bundle or a bare code object; and the choice that the HIP runtime makes among its entries.
//
// Sources: CLR hip_fatbin.cpp (FatBinaryInfo::ExtractFatBinaryUsingCOMGR) and comgr-metadata.cpp
// (lookUpCodeObject); HIP 5.2.3 hip_code_object.cpp (extractCodeObjectFromFatBinary).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/code_objects/load_error.hpp"
#include "stack/formats/target_id.hpp"

namespace rocdrill::code_objects {

struct FatEntry {
  unsigned bundle = 1;       ///< 1, 2, ... in file order; one per translation unit
  std::string id;            ///< "hipv4-amdgcn-amd-amdhsa--gfx90a"; a bare code object: ISA name
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t size = 0;    ///< bytes

  bool operator==(const FatEntry&) const = default;
};

struct FatBinary {
  enum class Container : std::uint8_t { host_elf, bundle, code_object };
  Container container = Container::bundle;
  unsigned bundles = 0;           ///< 1 for a bare code object
  std::vector<FatEntry> entries;  ///< all bundles, in file order
};

std::string_view name(FatBinary::Container container);

/// Finds the device code in a file's bytes. Code objects are not read, only located. Inside
/// .hip_fatbin a bundle begins on each page (4096) on which the one before has ended; what no
/// bundle follows ends the search. One compressed bundle refuses the whole file (unmodelled).
LoadResult<FatBinary> extract(std::span<const std::byte> file);

/// The bytes of an entry; `file` is what extract() was given.
std::span<const std::byte> contents(std::span<const std::byte> file, const FatEntry& entry);

/// What became of one entry when an agent's code object was looked for.
struct Considered {
  std::size_t entry = 0;  ///< index into FatBinary::entries
  /// Nothing for what is no candidate at all: host objects, other offload kinds, empty entries.
  std::optional<TargetMatch> match;
  std::string text;  ///< one sentence for people
};

struct Selection {
  std::optional<std::size_t> entry;  ///< index into FatBinary::entries; nothing: no binary for GPU
  bool generic = false;              ///< the entry is for the generic target of the agent
  /// No entry fits, but the bundle has SPIR-V (amdgcnspirv), which newer HIP compiles at
  /// load time. Not modelled: to be refused as such, not as a missing code object.
  bool spirv_unmodelled = false;
  std::vector<Considered> considered;  ///< every entry of the bundle, in file order
};

/// The entry that the HIP runtime loads for an agent: the first one in file order whose target
/// ID is compatible with the agent's processor; if there is none, the first that is compatible
/// with the generic target. An open feature is as good as a named one: order decides, and clang
/// forbids bundles that have both for a processor. Empty entries are passed over.
///
/// HIP takes a bare code object without looking at its target; the loader then refuses it. Here
/// both steps are one. `bundle` counts from 1; throws std::out_of_range for one that is not
/// there.
Selection select(const FatBinary& fat_binary, std::string_view agent_isa, unsigned bundle = 1);

}  // namespace rocdrill::code_objects
