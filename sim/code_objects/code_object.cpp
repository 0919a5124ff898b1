#include "sim/code_objects/code_object.hpp"

#include <llvm/Object/ELF.h>

#include <algorithm>
#include <unordered_map>

#include "sim/code_objects/metadata.hpp"
#include "stack/formats/elf_amdgpu.hpp"

namespace rocdrill::code_objects {
namespace {

using Kind = LoadError::Kind;
using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using SectionHeader = Elf::Elf_Shdr;

llvm::StringRef string_ref(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unexpected<LoadError> malformed(llvm::Error error, std::uint64_t offset = 0) {
  return fail(Kind::malformed_elf, llvm::toString(std::move(error)), offset);
}

/// True if [offset, offset + size) lies inside a file of `file_size` bytes, without overflow.
bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t file_size) {
  return offset <= file_size && size <= file_size - offset;
}

LoadResult<Elf> open(std::span<const std::byte> bytes) {
  const llvm::StringRef text = string_ref(bytes);
  if (!text.starts_with("\x7f"
                        "ELF"))
    return fail(Kind::not_elf, "no ELF magic");
  llvm::Expected<Elf> elf = Elf::create(text);
  if (!elf) return malformed(elf.takeError());
  const Elf::Elf_Ehdr& header = elf->getHeader();
  if (header.e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      header.e_ident[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return fail(Kind::not_amdgpu, "not a 64-bit little-endian ELF file", llvm::ELF::EI_CLASS);
  if (header.e_machine != elf_amdgpu::machine)
    return fail(Kind::not_amdgpu,
                "ELF machine " + std::to_string(header.e_machine) + " is not AMDGPU", 18);
  if (header.e_ident[llvm::ELF::EI_OSABI] != elf_amdgpu::osabi_hsa)
    return fail(Kind::not_amdgpu, "the OS ABI is not AMDGPU_HSA", llvm::ELF::EI_OSABI);
  return *elf;
}

LoadResult<CodeObject> target_of(const Elf& elf) {
  const Elf::Elf_Ehdr& header = elf.getHeader();
  auto target = elf_amdgpu::decode(header.e_flags, header.e_ident[llvm::ELF::EI_ABIVERSION]);
  constexpr std::uint64_t flags_offset = 48;
  if (!target) {
    const bool v2 = target.error().kind == elf_amdgpu::FlagsError::Kind::unmodelled_v2;
    return fail(v2 ? Kind::unmodelled : Kind::unknown_target, target.error().what, flags_offset);
  }
  CodeObject code_object;
  code_object.target = std::move(target->id);
  code_object.code_object_version = target->code_object_version;
  code_object.generic_version = target->generic_version;
  return code_object;
}

LoadResult<std::vector<Segment>> segments_of(const Elf& elf) {
  auto headers = elf.program_headers();
  if (!headers) return malformed(headers.takeError(), elf.getHeader().e_phoff);
  std::vector<Segment> segments;
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_LOAD) continue;
    if (!inside(header.p_offset, header.p_filesz, elf.getBufSize()) ||
        header.p_filesz > header.p_memsz || header.p_vaddr + header.p_memsz < header.p_vaddr)
      return fail(Kind::malformed_elf, "a loaded segment lies outside the file or wraps around",
                  header.p_offset);
    segments.push_back({header.p_vaddr, header.p_memsz, header.p_offset, header.p_filesz,
                        (header.p_flags & llvm::ELF::PF_X) != 0,
                        (header.p_flags & llvm::ELF::PF_W) != 0});
  }
  return segments;
}

/// One note of a PT_NOTE segment, with the LLVM iterator's 64-bit overflow checked before.
LoadResult<Metadata> metadata_of(const Elf& elf) {
  auto headers = elf.program_headers();
  if (!headers) return malformed(headers.takeError(), elf.getHeader().e_phoff);
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE) continue;
    if (!inside(header.p_offset, header.p_filesz, elf.getBufSize()))
      return fail(Kind::malformed_elf, "the note segment lies outside the file", header.p_offset);
    llvm::Error error = llvm::Error::success();
    for (const auto note : elf.notes(header, error)) {
      if (note.getName() != llvm::StringRef(elf_amdgpu::note_owner) ||
          note.getType() != elf_amdgpu::note_metadata)
        continue;
      const auto contents = note.getDesc(header.p_align < 4 ? 4 : header.p_align);
      const auto* data = reinterpret_cast<const std::byte*>(contents.data());
      llvm::consumeError(std::move(error));
      return read_metadata({data, contents.size()},
                           static_cast<std::uint64_t>(contents.data() - elf.base()));
    }
    if (error) return malformed(std::move(error), header.p_offset);
  }
  return fail(Kind::no_metadata, "no NT_AMDGPU_METADATA note");
}

/// The bytes from a virtual address to the end of its segment in the file.
std::span<const std::byte> loaded_at(std::span<const std::byte> bytes,
                                     const std::vector<Segment>& segments, std::uint64_t address) {
  for (const Segment& segment : segments) {
    if (address < segment.address || address - segment.address >= segment.file_size) continue;
    const std::uint64_t skip = address - segment.address;
    return bytes.subspan(segment.file_offset + skip, segment.file_size - skip);
  }
  return {};
}

/// Symbol name -> kernel. Libraries have objects with ten thousand kernels.
using KernelsBySymbol = std::unordered_map<std::string_view, Kernel*>;

void attach(const KernelsBySymbol& kernels, std::string_view name, std::uint64_t address,
            std::span<const std::byte> bytes, const std::vector<Segment>& segments) {
  const auto found = kernels.find(name);
  if (found == kernels.end() || found->second->descriptor) return;
  found->second->descriptor = KernelDescriptor::read(loaded_at(bytes, segments, address));
  found->second->descriptor_address = address;
}

/// Finds each kernel's descriptor through the dynamic symbols, as the loader does.
LoadResult<void> attach_descriptors(CodeObject& code_object, const Elf& elf,
                                    std::span<const std::byte> bytes) {
  KernelsBySymbol kernels;
  for (Kernel& kernel : code_object.kernels) kernels.emplace(kernel.symbol, &kernel);
  const std::uint64_t table = elf.getHeader().e_shoff;
  auto sections = elf.sections();
  if (!sections) return malformed(sections.takeError(), table);
  for (const SectionHeader& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM) continue;
    auto symbols = elf.symbols(&section);
    if (!symbols) return malformed(symbols.takeError(), section.sh_offset);
    auto names = elf.getStringTableForSymtab(section, *sections);
    if (!names) return malformed(names.takeError(), section.sh_offset);
    for (const auto& symbol : *symbols) {
      if (symbol.getType() != llvm::ELF::STT_OBJECT) continue;
      auto name = symbol.getName(*names);
      if (!name) return malformed(name.takeError(), section.sh_offset);
      attach(kernels, *name, symbol.st_value, bytes, code_object.segments);
    }
  }
  return {};
}

}  // namespace

std::string_view name(LoadError::Kind kind) {
  switch (kind) {
    case Kind::not_elf:
      return "not ELF";
    case Kind::not_amdgpu:
      return "not an AMDGPU code object";
    case Kind::unknown_target:
      return "unknown target";
    case Kind::malformed_elf:
      return "malformed ELF";
    case Kind::no_metadata:
      return "no metadata";
    case Kind::malformed_metadata:
      return "malformed metadata";
    case Kind::no_fatbin:
      return "no .hip_fatbin";
    case Kind::malformed_bundle:
      return "malformed bundle";
    case Kind::unmodelled:
      return "unmodelled";
  }
  return "?";
}

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels, name, &Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

LoadResult<CodeObject> read_header(std::span<const std::byte> bytes) {
  auto elf = open(bytes);
  if (!elf) return std::unexpected(std::move(elf.error()));
  return target_of(*elf);
}

LoadResult<CodeObject> read_code_object(std::span<const std::byte> bytes) {
  auto elf = open(bytes);
  if (!elf) return std::unexpected(std::move(elf.error()));
  auto code_object = target_of(*elf);
  if (!code_object) return code_object;
  auto segments = segments_of(*elf);
  if (!segments) return std::unexpected(std::move(segments.error()));
  code_object->segments = std::move(*segments);
  auto metadata = metadata_of(*elf);
  if (!metadata) return std::unexpected(std::move(metadata.error()));
  code_object->metadata_target = std::move(metadata->target);
  code_object->kernels = std::move(metadata->kernels);
  auto attached = attach_descriptors(*code_object, *elf, bytes);
  if (!attached) return std::unexpected(std::move(attached.error()));
  return code_object;
}

Compatibility loadable(const CodeObject& code_object, std::string_view agent_isa) {
  const auto agent = TargetId::parse(agent_isa);
  if (!agent) return {TargetMatch::malformed, agent.error().message};
  Compatibility result = compatible(code_object.target, *agent);
  const Processor* processor = find_processor(code_object.target.processor);
  if (result && processor != nullptr && processor->is_generic() &&
      code_object.generic_version < elf_amdgpu::minimum_generic_version)
    return {TargetMatch::generic_too_old, "generic version " +
                                              std::to_string(code_object.generic_version) + " of " +
                                              code_object.target.processor + " is below " +
                                              std::to_string(elf_amdgpu::minimum_generic_version)};
  return result;
}

}  // namespace rocdrill::code_objects
