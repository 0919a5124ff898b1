#include "sim/kernel/process/user_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <vector>

namespace rocdrill::kernel {
namespace {

constexpr std::uint64_t user_space_end = 1ull << 47;

#ifdef MADV_POPULATE_WRITE
constexpr int populate_read = MADV_POPULATE_READ;
constexpr int populate_write = MADV_POPULATE_WRITE;
#else
constexpr int populate_read = 22;
constexpr int populate_write = 23;
#endif

bool populate(std::uint64_t va, std::uint64_t bytes, int advice) {
  static const bool known = [] {
    alignas(user_page) static char page[user_page];
    return madvise(page, sizeof page, populate_write) == 0;
  }();
  return !known || madvise(reinterpret_cast<void*>(va), bytes, advice) == 0;
}

std::uint64_t pages_of(std::uint64_t bytes) { return (bytes + user_page - 1) / user_page; }

}  // namespace

bool is_user_memory(std::uint64_t va, std::uint64_t bytes) {
  if (va % user_page != 0 || bytes > user_space_end || va > user_space_end - bytes) return false;
  const std::uint64_t pages = pages_of(bytes);
  constexpr std::uint64_t chunk = 65536;  // pages that one vector describes
  std::vector<unsigned char> vector(std::min(pages, chunk));
  for (std::uint64_t at = 0; at < pages; at += chunk) {
    const std::uint64_t count = std::min(chunk, pages - at);
    if (mincore(reinterpret_cast<void*>(va + at * user_page), count * user_page, vector.data()) !=
        0)
      return false;
  }
  return true;
}

bool is_populated(std::uint64_t va, std::uint64_t bytes, bool write) {
  const int advice = write ? populate_write : populate_read;
  const std::uint64_t pages = pages_of(bytes);
  constexpr std::uint64_t brought_in = 4096;
  if (pages <= brought_in) return populate(va, pages * user_page, advice);
  return populate(va, user_page, advice) &&
         populate(va + (pages - 1) * user_page, user_page, advice);
}

}  // namespace rocdrill::kernel
