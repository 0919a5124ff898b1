#include "sim/code_objects/listing.hpp"

#include "sim/code_objects/host_elf.hpp"
#include "stack/formats/offload_bundle.hpp"

namespace rocdrill::code_objects {
namespace {

std::string left(std::string_view text, std::size_t width) {
  std::string padded(text);
  if (padded.size() < width) padded.append(width - padded.size(), ' ');
  return padded;
}

std::string right(std::string_view text, std::size_t width) {
  return (text.size() < width ? std::string(width - text.size(), ' ') : "") + std::string(text);
}

// printf "%-8s%-40s%35s": the URI's scheme is right-aligned, its rest follows.
std::string row(std::string_view bundle, std::string_view id, std::string_view uri) {
  return left(bundle, 8) + left(id, 40) + right(uri, 35);
}

}  // namespace

LoadResult<Listing> list(std::span<const std::byte> file) {
  auto section = find_fatbin(file);
  if (!section) {
    if (section.error().kind == LoadError::Kind::not_elf)
      section.error().kind = LoadError::Kind::no_fatbin;
    return std::unexpected(std::move(section.error()));
  }
  Listing listing;
  const std::uint64_t end = section->offset + section->size;
  unsigned number = 0;
  for (std::uint64_t offset = section->offset; offset < end;) {
    auto bundle = offload_bundle::read(file.subspan(offset, end - offset));
    if (!bundle) {
      listing.stopped = bundle.error().what;
      break;
    }
    ++number;
    for (const auto& entry : bundle->entries)
      listing.rows.push_back({number, entry.id, offset + entry.offset, entry.size});
    constexpr std::uint64_t page = offload_bundle::hip_alignment;
    offset += (bundle->size + page - 1) / page * page;
  }
  return listing;
}

std::string listing_text(const Listing& listing, std::string_view path, bool verbose) {
  std::string text;
  unsigned bundle = 0;
  for (const FatEntry& entry : listing.rows) {
    if (verbose && entry.bundle != bundle) {
      if (bundle != 0) text += '\n';
      text += row("Bundle#", "Entry ID:", "URI:") + '\n';
    }
    bundle = entry.bundle;
    text += row(std::to_string(entry.bundle), entry.id, "file://") + std::string(path) +
            "#offset=" + std::to_string(entry.offset) + "&size=" + std::to_string(entry.size) +
            '\n';
  }
  if (verbose && bundle != 0) text += '\n';
  return text;
}

}  // namespace rocdrill::code_objects
