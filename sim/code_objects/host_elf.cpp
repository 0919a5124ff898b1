#include "sim/code_objects/host_elf.hpp"

#include <llvm/Object/ELF.h>

namespace rocdrill::code_objects {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

std::unexpected<LoadError> malformed(llvm::Error error, std::uint64_t offset) {
  return fail(LoadError::Kind::malformed_elf, llvm::toString(std::move(error)), offset);
}

}  // namespace

LoadResult<FileRange> find_fatbin(std::span<const std::byte> bytes) {
  llvm::Expected<Elf> elf =
      Elf::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!elf) return malformed(elf.takeError(), 0);
  const Elf::Elf_Ehdr& header = elf->getHeader();
  if (!header.checkMagic()) return fail(LoadError::Kind::not_elf, "no ELF magic");
  if (header.getFileClass() != llvm::ELF::ELFCLASS64 ||
      header.getDataEncoding() != llvm::ELF::ELFDATA2LSB)
    return fail(LoadError::Kind::no_fatbin, "not a 64-bit little-endian ELF file");

  const std::uint64_t table = header.e_shoff;
  auto sections = elf->sections();
  if (!sections) return malformed(sections.takeError(), table);
  auto names = elf->getSectionStringTable(*sections);
  if (!names) return malformed(names.takeError(), table);
  for (const auto& section : *sections) {
    auto name = elf->getSectionName(section, *names);
    if (!name) return malformed(name.takeError(), table);
    if (*name != llvm::StringRef(fatbin_section) || section.sh_type == llvm::ELF::SHT_NOBITS)
      continue;
    auto contents = elf->getSectionContents(section);
    if (!contents) return malformed(contents.takeError(), section.sh_offset);
    if (!contents->empty()) return FileRange{section.sh_offset, section.sh_size};
  }
  return fail(LoadError::Kind::no_fatbin, "no .hip_fatbin section");
}

}  // namespace rocdrill::code_objects
