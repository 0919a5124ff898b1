#include "sim/code_objects/loader.hpp"

#include <llvm/Object/ELF.h>

#include <algorithm>
#include <cstring>

namespace rocdrill::code_objects {
namespace {

using Kind = LoadError::Kind;
using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

std::unexpected<LoadError> malformed(llvm::Error error, std::uint64_t offset = 0) {
  return fail(Kind::malformed_elf, llvm::toString(std::move(error)), offset);
}

LoadResult<Elf> open(std::span<const std::byte> file) {
  llvm::Expected<Elf> elf = Elf::create({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!elf) return malformed(elf.takeError());
  return *elf;
}

/// Where the field of a relocation lies; nullptr outside the image.
std::byte* field_at(std::span<std::byte> memory, std::uint64_t offset, std::size_t bytes) {
  return offset <= memory.size() && bytes <= memory.size() - offset ? memory.data() + offset
                                                                    : nullptr;
}

/// Sources: LLVM AMDGPUUsage "Relocation Records". `place` is the field's VA.
LoadResult<void> apply(std::uint32_t type, std::uint64_t symbol, std::int64_t addend,
                       std::uint64_t offset, std::uint64_t base, std::span<std::byte> memory) {
  const std::uint64_t value = symbol + static_cast<std::uint64_t>(addend);
  const std::uint64_t place = base + offset;
  std::uint64_t result = value;
  std::size_t bytes = 4;
  switch (type) {
    case llvm::ELF::R_AMDGPU_NONE:
      return {};
    case llvm::ELF::R_AMDGPU_ABS64:
      bytes = 8;
      break;
    case llvm::ELF::R_AMDGPU_RELATIVE64:
      result = base + static_cast<std::uint64_t>(addend);
      bytes = 8;
      break;
    case llvm::ELF::R_AMDGPU_REL64:
      result = value - place;
      bytes = 8;
      break;
    case llvm::ELF::R_AMDGPU_ABS32:
    case llvm::ELF::R_AMDGPU_ABS32_LO:
      break;
    case llvm::ELF::R_AMDGPU_ABS32_HI:
      result = value >> 32;
      break;
    case llvm::ELF::R_AMDGPU_REL32:
    case llvm::ELF::R_AMDGPU_REL32_LO:
      result = value - place;
      break;
    case llvm::ELF::R_AMDGPU_REL32_HI:
      result = (value - place) >> 32;
      break;
    default:
      return fail(Kind::unmodelled, "relocation type " + std::to_string(type), offset);
  }
  std::byte* field = field_at(memory, offset, bytes);
  if (field == nullptr)
    return fail(Kind::malformed_elf, "a relocation lies outside the image", offset);
  std::memcpy(field, &result, bytes);  // little endian
  return {};
}

LoadResult<void> relocate(const Elf& elf, const Elf::Elf_Shdr& section, std::uint64_t base,
                          std::span<std::byte> memory) {
  auto relocations = elf.relas(section);
  if (!relocations) return malformed(relocations.takeError(), section.sh_offset);
  auto table = elf.getSection(section.sh_link);
  if (!table) return malformed(table.takeError(), section.sh_offset);
  auto symbols = elf.symbols(*table);
  if (!symbols) return malformed(symbols.takeError(), section.sh_offset);
  auto names = elf.getStringTableForSymtab(**table);
  if (!names) return malformed(names.takeError(), section.sh_offset);
  for (const auto& relocation : *relocations) {
    std::uint64_t address = 0;
    const std::uint32_t index = relocation.getSymbol(false);
    if (index != 0) {
      if (index >= symbols->size())
        return fail(Kind::malformed_elf, "a relocation of a symbol that is not there",
                    section.sh_offset);
      const auto& symbol = (*symbols)[index];
      if (symbol.isUndefined()) {
        auto name = symbol.getName(*names);
        return fail(Kind::malformed_elf,
                    "undefined symbol " + (name ? name->str() : std::string("?")),
                    section.sh_offset);
      }
      address = base + symbol.st_value;
    }
    if (auto done = apply(relocation.getType(false), address, relocation.r_addend,
                          relocation.r_offset, base, memory);
        !done)
      return done;
  }
  return {};
}

}  // namespace

std::uint64_t image_bytes(const CodeObject& code_object) {
  std::uint64_t end = 0;
  for (const Segment& segment : code_object.segments)
    end = std::max(end, segment.address + segment.memory_size);
  return end;
}

LoadResult<void> load_image(const CodeObject& code_object, std::span<const std::byte> file,
                            std::uint64_t va, std::span<std::byte> memory) {
  if (memory.size() < image_bytes(code_object))
    return fail(Kind::malformed_elf, "the image does not fit", 0);
  std::ranges::fill(memory, std::byte{});
  for (const Segment& segment : code_object.segments)
    if (segment.file_size != 0)
      std::memcpy(memory.data() + segment.address, file.data() + segment.file_offset,
                  segment.file_size);
  auto elf = open(file);
  if (!elf) return std::unexpected(elf.error());
  auto sections = elf->sections();
  if (!sections) return malformed(sections.takeError());
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA || (section.sh_flags & llvm::ELF::SHF_ALLOC) == 0)
      continue;
    if (auto done = relocate(*elf, section, va, memory); !done) return done;
  }
  return {};
}

LoadResult<std::optional<std::uint64_t>> find_symbol(std::span<const std::byte> file,
                                                     std::string_view name) {
  auto elf = open(file);
  if (!elf) return std::unexpected(elf.error());
  auto sections = elf->sections();
  if (!sections) return malformed(sections.takeError());
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM) continue;
    auto symbols = elf->symbols(&section);
    if (!symbols) return malformed(symbols.takeError(), section.sh_offset);
    auto names = elf->getStringTableForSymtab(section, *sections);
    if (!names) return malformed(names.takeError(), section.sh_offset);
    for (const auto& symbol : *symbols) {
      auto own = symbol.getName(*names);
      if (!own) return malformed(own.takeError(), section.sh_offset);
      if (!symbol.isUndefined() && *own == llvm::StringRef(name.data(), name.size()))
        return symbol.st_value;
    }
  }
  return std::nullopt;
}

}  // namespace rocdrill::code_objects
