// Feeds arbitrary bytes to every reader of device code. A crash, a sanitizer report or a broken
// promise of a reader's header is a finding.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sim/code_objects/code_object.hpp"
#include "sim/code_objects/fat_binary.hpp"
#include "sim/code_objects/listing.hpp"
#include "stack/formats/offload_bundle.hpp"
#include "stack/formats/target_id.hpp"

namespace {

using namespace rocdrill;
using namespace rocdrill::code_objects;

std::size_t sink = 0;

void require(bool promise) {
  if (!promise) std::abort();
}

void touch(std::span<const std::byte> range) {
  if (!range.empty()) sink += std::to_integer<std::size_t>(range.front() ^ range.back());
}

void fuzz_code_object(std::span<const std::byte> bytes) {
  const auto code_object = read_code_object(bytes);
  if (!code_object) {
    require(!code_object.error().what.empty());
    return;
  }
  for (const Segment& segment : code_object->segments)
    touch(bytes.subspan(segment.file_offset, segment.file_size));
  for (const Kernel& kernel : code_object->kernels) {
    require(!kernel.name.empty() && !kernel.symbol.empty());
    require(code_object->find_kernel(kernel.name) != nullptr);
  }
  const std::string isa = code_object->target.isa_name();
  const auto again = TargetId::parse(isa);
  if (again) require(again->text() == code_object->target.text());
  sink += loadable(*code_object, isa).text.size();
}

void fuzz_fat_binary(std::span<const std::byte> bytes) {
  const auto fat_binary = extract(bytes);
  if (!fat_binary) return;
  for (const FatEntry& entry : fat_binary->entries) touch(contents(bytes, entry));
  for (unsigned bundle = 1; bundle <= fat_binary->bundles; ++bundle) {
    const Selection selection = select(*fat_binary, "amdgcn-amd-amdhsa--gfx1030", bundle);
    require(!selection.entry || *selection.entry < fat_binary->entries.size());
  }
}

/// What read() accepts, write() takes, and read() reads back with the same contents.
void fuzz_bundle(std::span<const std::byte> bytes) {
  const auto bundle = offload_bundle::read(bytes);
  if (!bundle) return;
  std::vector<offload_bundle::Input> inputs;
  for (const auto& entry : bundle->entries)
    inputs.push_back({entry.id, offload_bundle::contents(bytes, entry)});
  const auto again = offload_bundle::read(offload_bundle::write(inputs, 1));
  require(again && again->entries.size() == bundle->entries.size());
}

void fuzz_target_id(std::string_view text) {
  if (text.size() > 256) return;
  const auto id = TargetId::parse(text);
  if (id) require(TargetId::parse(id->text()).value() == *id);
  if (id) require(TargetId::parse(id->isa_name()).value() == *id);
  sink += compatible(text, "gfx90a:sramecc+:xnack-").text.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  fuzz_code_object(bytes);
  fuzz_fat_binary(bytes);
  fuzz_bundle(bytes);
  fuzz_target_id({reinterpret_cast<const char*>(data), size});
  if (const auto listing = list(bytes)) sink += listing_text(*listing, "/x", true).size();
  return 0;
}
