#include "sim/interpose/engine/kernel_names.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::interpose {
namespace {

constexpr std::size_t most_objects = 1024;
constexpr std::size_t most_bytes = 64 << 20;  // of a code object
constexpr std::size_t most_symbols = 65536;
constexpr int most_misses = 256;  // after which nobody asks the list any more

template <class Value>
std::optional<Value> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Value)) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class Value>
std::optional<Value> read_user(std::uint64_t address) {
  Value value;
  if (!kernel::copy_from_user(&value, address, sizeof value)) return std::nullopt;
  return value;
}

std::string text_at(std::uint64_t address) {
  std::string text;
  constexpr std::size_t longest = 4096;
  for (char c = 0; text.size() < longest && kernel::copy_from_user(&c, address++, 1) && c != '\0';)
    text += c;
  return text;
}

/// "...#offset=0x1000&size=4096": the number of that name, 0 if it is not there.
std::uint64_t number_in(std::string_view uri, std::string_view name) {
  const std::size_t at = uri.rfind(name);
  if (at == std::string_view::npos) return 0;
  std::string_view digits = uri.substr(at + name.size());
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  return value;
}

/// The path of a URI, with its %20 decoded.
std::string path_of(std::string_view uri) {
  std::string path;
  for (std::size_t i = 0; i < uri.size() && uri[i] != '#'; ++i) {
    unsigned value = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(uri.data() + i + 1, uri.data() + i + 3, value, 16).ec == std::errc()) {
      path += static_cast<char>(value);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

std::string code_object(std::string_view uri) {
  const std::uint64_t offset = number_in(uri, "offset=");
  const std::uint64_t size = number_in(uri, "size=");
  if (size > most_bytes) return {};
  constexpr std::string_view memory = "memory://";
  constexpr std::string_view file = "file://";
  std::string bytes(size, '\0');
  if (uri.starts_with(memory)) {
    if (!kernel::copy_from_user(bytes.data(), offset, size)) return {};
    return bytes;
  }
  if (!uri.starts_with(file)) return {};
  std::ifstream in(path_of(uri.substr(file.size())), std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  if (size == 0) {  // all of it
    bytes.resize(most_bytes);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
  }
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  return in ? bytes : std::string();
}

}  // namespace

std::map<std::uint64_t, std::string> kernel_descriptors(std::string_view elf) {
  std::map<std::uint64_t, std::string> names;
  const auto header = read_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
    return names;
  const auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto symbols = section(i);
    if (!symbols || symbols->sh_type != SHT_DYNSYM) continue;
    const auto strings = section(symbols->sh_link);
    if (!strings || strings->sh_offset > elf.size()) continue;
    const std::string_view texts = elf.substr(strings->sh_offset, strings->sh_size);
    const std::uint64_t count =
        std::min<std::uint64_t>(symbols->sh_size / sizeof(Elf64_Sym), most_symbols);
    for (std::uint64_t n = 0; n < count; ++n) {
      const auto symbol = read_at<Elf64_Sym>(elf, symbols->sh_offset + n * sizeof(Elf64_Sym));
      if (!symbol || symbol->st_name >= texts.size()) break;
      std::string_view name = texts.substr(symbol->st_name);
      name = name.substr(0, name.find('\0'));
      if (name.ends_with(".kd")) names[symbol->st_value] = name.substr(0, name.size() - 3);
    }
  }
  return names;
}

void KernelNames::read_list() {
  std::uint64_t at = list_;
  if (at == 0) at = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "_amdgpu_r_debug"));
  const auto list = at == 0 ? std::nullopt : read_user<r_debug>(at);
  if (!list) return;
  auto next = reinterpret_cast<std::uintptr_t>(list->r_map);
  for (std::size_t i = 0; next != 0 && i < most_objects; ++i) {
    const auto object = read_user<link_map>(next);
    if (!object) return;
    next = reinterpret_cast<std::uintptr_t>(object->l_next);
    const std::string uri = text_at(reinterpret_cast<std::uintptr_t>(object->l_name));
    if (!seen_.insert(uri + "@" + std::to_string(object->l_addr)).second) continue;
    for (const auto& [value, name] : kernel_descriptors(code_object(uri)))
      names_[object->l_addr + value] = name;
  }
}

std::string KernelNames::at(std::uint64_t kernel_object) {
  auto known = names_.find(kernel_object);
  if (known == names_.end() && misses_ < most_misses) {
    read_list();
    known = names_.find(kernel_object);
    if (known == names_.end()) ++misses_;
  }
  return known == names_.end() ? std::string() : known->second;
}

}  // namespace rocdrill::interpose
