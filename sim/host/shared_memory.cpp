#include "sim/host/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "sim/host/os.hpp"

namespace rocdrill::sim {

std::shared_ptr<MemoryFile> MemoryFile::create(std::size_t bytes) {
  const int fd = memfd_create("rocdrill-shared", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  std::shared_ptr<MemoryFile> file(new MemoryFile(fd, 0));
  return file->resize(bytes) ? file : nullptr;
}

MemoryFile::~MemoryFile() { ::close(fd_); }

bool MemoryFile::resize(std::size_t bytes) {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) return false;
  bytes_ = bytes;
  return true;
}

void* MemoryFile::map(std::size_t length, void* at) const {
  void* memory =
      ::mmap(at, length, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd_, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

std::uint64_t SharedMemory::used() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, file] : files_) bytes += file->bytes();
  return bytes;
}

std::vector<std::string> SharedMemory::names() const {
  std::vector<std::string> list;
  for (const auto& [name, file] : files_) list.push_back(name);
  return list;
}

std::shared_ptr<MemoryFile> SharedMemory::find(std::string_view name) const {
  const auto at = files_.find(name);
  return at == files_.end() ? nullptr : at->second;
}

std::shared_ptr<MemoryFile> SharedMemory::create(std::string_view name) {
  auto file = MemoryFile::create(0);
  if (file) files_.insert_or_assign(std::string(name), file);
  return file;
}

int SharedMemory::allocate(MemoryFile& file, std::uint64_t bytes) {
  if (bytes <= file.bytes()) return 0;
  const std::uint64_t more = bytes - file.bytes();
  const std::uint64_t taken = used();
  if (taken > size_ || more > size_ - taken) return ENOSPC;
  return file.resize(bytes) ? 0 : ENOSPC;
}

bool SharedMemory::unlink(std::string_view name) {
  const auto at = files_.find(name);
  if (at == files_.end()) return false;
  files_.erase(at);
  return true;
}

std::uint64_t tmpfs_size(std::string_view text, std::uint64_t memory_bytes) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return number;
  if (unit == "%") return memory_bytes / 100 * number;
  if (unit == "k" || unit == "K") return number << 10;
  if (unit == "m" || unit == "M") return number << 20;
  if (unit == "g" || unit == "G") return number << 30;
  return 0;
}

void mount_shared_memory(Os& os, std::uint64_t memory_bytes) {
  os.shm.clear();
  os.shm.mount(memory_bytes / 2, no_event);
  constexpr std::string_view fstab = "/etc/fstab";
  const std::string text = os.files.text(fstab);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto words = words_of(text.substr(at, end - at));
    at = end + 1;
    if (words.size() < 4 || words[0].starts_with('#') || words[1] != "/dev/shm") continue;
    const std::string& options = words[3];
    const std::size_t size = options.find("size=");
    if (size == std::string::npos) continue;
    const std::string value = options.substr(size + 5, options.find(',', size) - size - 5);
    if (const std::uint64_t bytes = tmpfs_size(value, memory_bytes))
      os.shm.mount(bytes, os.files.why(fstab));
  }
}

}  // namespace rocdrill::sim
