// The clang offload bundle: one file that holds a host object and code objects for several
// targets. hipcc puts it into the section .hip_fatbin.
//
//   "__CLANG_OFFLOAD_BUNDLE__"  u64 entries
//   per entry: u64 offset  u64 size  u64 ID length  ID        (little endian, not aligned)
//   the code objects, at the offsets (from the start of the bundle), 4096-aligned for HIP
//
// Source: clang docs, ClangOffloadBundler "Bundled Binary File Layout"; measured with
// clang-offload-bundler 19.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rocdrill::offload_bundle {

inline constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
inline constexpr std::string_view compressed_magic = "CCOB";  ///< clang-offload-bundler -compress
inline constexpr std::uint64_t hip_alignment = 4096;
/// Limits of this reader, far above what compilers write; clang's own reader has none.
inline constexpr std::uint64_t max_entries = 4096;
inline constexpr std::uint64_t max_id_length = 4096;

struct FormatError {
  enum class Kind : std::uint8_t {
    not_a_bundle,           ///< other magic
    compressed_unmodelled,  ///< a CCOB bundle: valid for newer HIP runtimes, not modelled here
    truncated,              ///< ends inside the header
    too_many_entries,
    bad_id,  ///< empty, too long, or with bytes that are not printable ASCII
    duplicate_id,
    out_of_range,  ///< a code object outside the file or inside the header
    overlap,       ///< two code objects share bytes
  };
  Kind kind = Kind::not_a_bundle;
  std::uint64_t offset = 0;  ///< of the field at fault, from the start of the bundle
  std::string what;
};

std::string_view name(FormatError::Kind kind);

struct Entry {
  std::uint64_t offset = 0;  ///< from the start of the bundle; may lie anywhere if size is 0
  std::uint64_t size = 0;    ///< 0 for HIP's host entry
  std::string id;            ///< "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
};

struct Bundle {
  std::vector<Entry> entries;     ///< in file order
  std::uint64_t header_size = 0;  ///< bytes up to the end of the last ID
  std::uint64_t size = 0;         ///< bytes up to the end of the last code object
};

/// What an entry ID says: "<offload kind>-<target triple and target ID>".
struct EntryId {
  std::string_view kind;    ///< "host", "hip", "hipv4", "openmp", "hcc"
  std::string_view target;  ///< "amdgcn-amd-amdhsa--gfx90a:xnack+", or the host's triple
};
EntryId split_id(std::string_view id);

bool is_bundle(std::span<const std::byte> bytes);      ///< starts with the magic
bool is_compressed(std::span<const std::byte> bytes);  ///< starts with CCOB

/// Reads the bundle at the start of `bytes`, which may go on after it. Everything is checked:
/// the entries of a returned bundle can be sliced out of `bytes` without further tests.
std::expected<Bundle, FormatError> read(std::span<const std::byte> bytes);

/// The bytes of an entry of a bundle that read() returned for the same `bytes`.
std::span<const std::byte> contents(std::span<const std::byte> bytes, const Entry& entry);

struct Input {
  std::string id;
  std::span<const std::byte> bytes;
};

/// Writes what clang-offload-bundler -type=o -bundle-align=<alignment> writes for the same IDs,
/// byte for byte. Throws std::invalid_argument for IDs that read() would refuse and for an
/// alignment that is no power of two.
std::vector<std::byte> write(std::span<const Input> inputs,
                             std::uint64_t alignment = hip_alignment);

}  // namespace rocdrill::offload_bundle
