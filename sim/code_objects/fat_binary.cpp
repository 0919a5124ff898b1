#include "sim/code_objects/fat_binary.hpp"

#include <stdexcept>

#include "sim/code_objects/code_object.hpp"
#include "sim/code_objects/host_elf.hpp"
#include "stack/formats/offload_bundle.hpp"

namespace rocdrill::code_objects {
namespace {

using Kind = LoadError::Kind;
using Container = FatBinary::Container;

bool is_elf(std::span<const std::byte> bytes) {
  constexpr std::string_view elf_magic =
      "\x7f"
      "ELF";
  return bytes.size() >= elf_magic.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), elf_magic.size()) ==
             elf_magic;
}

/// Appends the bundle at `offset` and returns the offset of the page behind it.
LoadResult<std::uint64_t> add_bundle(FatBinary& fat_binary, std::span<const std::byte> range,
                                     std::uint64_t offset) {
  auto bundle = offload_bundle::read(range);
  if (!bundle) {
    const auto& error = bundle.error();
    const bool compressed = error.kind == offload_bundle::FormatError::Kind::compressed_unmodelled;
    return fail(compressed ? Kind::unmodelled : Kind::malformed_bundle, error.what,
                offset + error.offset);
  }
  ++fat_binary.bundles;
  for (offload_bundle::Entry& entry : bundle->entries)
    fat_binary.entries.push_back(
        {fat_binary.bundles, std::move(entry.id), offset + entry.offset, entry.size});
  constexpr std::uint64_t page = offload_bundle::hip_alignment;
  return offset + (bundle->size + page - 1) / page * page;
}

/// All bundles of a section or of a bare bundle file, first to last.
LoadResult<FatBinary> read_bundles(std::span<const std::byte> file, Container container,
                                   std::uint64_t begin, std::uint64_t end) {
  FatBinary fat_binary{container, 0, {}};
  std::uint64_t offset = begin;
  do {
    auto next = add_bundle(fat_binary, file.subspan(offset, end - offset), offset);
    if (!next) return std::unexpected(std::move(next.error()));
    offset = *next;
  } while (offset < end && (offload_bundle::is_bundle(file.subspan(offset, end - offset)) ||
                            offload_bundle::is_compressed(file.subspan(offset, end - offset))));
  return fat_binary;
}

bool is_device_kind(std::string_view kind) {
  return kind == "hip" || kind == "hipv4" || kind == "hcc";  // comgr: OffloadKind*
}

bool is_spirv(std::string_view target) {
  return target.starts_with("spirv64-amd-amdhsa-") && target.ends_with("-amdgcnspirv");
}

Considered consider(const FatEntry& entry, std::size_t index, std::string_view agent_isa,
                    Container container) {
  std::string_view target = entry.id;
  if (container != Container::code_object) {
    const offload_bundle::EntryId id = offload_bundle::split_id(entry.id);
    if (!is_device_kind(id.kind))
      return {index, std::nullopt,
              "no HIP code object (offload kind '" + std::string(id.kind) + "')"};
    target = id.target;
  }
  if (is_spirv(target)) return {index, std::nullopt, "SPIR-V, compiled at load time: not modelled"};
  if (entry.size == 0) return {index, std::nullopt, "the code object is empty"};
  Compatibility result = compatible(target, agent_isa);
  return {index, result.match, std::move(result.text)};
}

}  // namespace

std::string_view name(FatBinary::Container container) {
  switch (container) {
    case Container::host_elf:
      return "host binary";
    case Container::bundle:
      return "offload bundle";
    case Container::code_object:
      return "code object";
  }
  return "?";
}

LoadResult<FatBinary> extract(std::span<const std::byte> file) {
  if (!is_elf(file) && !offload_bundle::is_bundle(file) && !offload_bundle::is_compressed(file))
    return std::unexpected(LoadError{
        .kind = Kind::malformed_bundle,
        .what =
            "neither an ELF file nor an offload bundle; expected: a code object (.co, .hsaco), a "
            "bundle (.hipfb) or a program with device code"});
  if (!is_elf(file)) return read_bundles(file, Container::bundle, 0, file.size());
  auto code_object = read_header(file);
  if (code_object)
    return FatBinary{
        Container::code_object, 1, {{1, code_object->target.isa_name(), 0, file.size()}}};
  if (code_object.error().kind != Kind::not_amdgpu)
    return std::unexpected(std::move(code_object.error()));
  auto section = find_fatbin(file);
  if (!section) return std::unexpected(std::move(section.error()));
  return read_bundles(file, Container::host_elf, section->offset, section->offset + section->size);
}

std::span<const std::byte> contents(std::span<const std::byte> file, const FatEntry& entry) {
  if (entry.size == 0) return {};
  return file.subspan(entry.offset, entry.size);
}

Selection select(const FatBinary& fat_binary, std::string_view agent_isa, unsigned bundle) {
  if (bundle == 0 || bundle > fat_binary.bundles)
    throw std::out_of_range("select: no bundle " + std::to_string(bundle));
  const auto agent = TargetId::parse(agent_isa);
  Selection selection;
  std::optional<std::size_t> generic;
  bool spirv = false;
  for (std::size_t i = 0; i < fat_binary.entries.size(); ++i) {
    const FatEntry& entry = fat_binary.entries[i];
    if (entry.bundle != bundle) continue;
    const std::string_view target = offload_bundle::split_id(entry.id).target;
    if (entry.size != 0 && is_spirv(target)) spirv = true;
    selection.considered.push_back(consider(entry, i, agent_isa, fat_binary.container));
    if (selection.considered.back().match != TargetMatch::ok) continue;
    // A compatible entry is for the agent's own processor or for the generic target.
    std::optional<std::size_t>& slot =
        entry.id.find("-generic") == std::string::npos ? selection.entry : generic;
    if (!slot) slot = i;
  }
  selection.generic = !selection.entry && generic;
  if (selection.generic) selection.entry = generic;
  selection.spirv_unmodelled = agent && !selection.entry && spirv;
  return selection;
}

}  // namespace rocdrill::code_objects
