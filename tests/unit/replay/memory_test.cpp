#include "sim/interpose/replay/memory.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <cerrno>

namespace rocdrill::replay {
namespace {

constexpr std::uint64_t page = 4096;

/// An address where nothing is, for a few pages.
std::uint64_t free_place() {
  void* place = ::mmap(nullptr, 16 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::munmap(place, 16 * page);
  return reinterpret_cast<std::uint64_t>(place);
}

std::uint64_t load(const Memory& memory, std::uint64_t address) {
  std::uint64_t value = 0;
  EXPECT_TRUE(memory.load(address, std::as_writable_bytes(std::span(&value, 1))));
  return value;
}
bool store(Memory& memory, std::uint64_t address, std::uint64_t value) {
  return memory.store(address, std::as_bytes(std::span(&value, 1)));
}

TEST(Memory, IsWhereItWasAskedForAndStays) {
  const std::uint64_t at = free_place();
  Memory memory;
  memory.claim(at + page, page);
  EXPECT_TRUE(store(memory, at + page, 7));
  memory.claim(at + 8, 3 * page);  // around it
  EXPECT_EQ(load(memory, at + page), 7u);
  EXPECT_EQ(load(memory, at + 3 * page), 0u);
  EXPECT_TRUE(store(memory, at + 2 * page - 4, 9));  // over the seam
  EXPECT_FALSE(store(memory, at + 4 * page - 4, 9));
  EXPECT_FALSE(store(memory, at - 8, 9));
}

TEST(Memory, IsGoneWithItsOwner) {
  const std::uint64_t at = free_place();
  {
    Memory().claim(at, page);
  }
  unsigned char vector = 0;
  EXPECT_NE(::mincore(reinterpret_cast<void*>(at), page, &vector), 0);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(Memory, OfThisProgramIsLeftAlone) {
  int mine = 42;
  Memory memory;
  EXPECT_THROW(memory.claim(reinterpret_cast<std::uint64_t>(&mine), 4), AddressTaken);
  EXPECT_THROW(memory.claim(~0ull - page, 2 * page), AddressTaken);
  EXPECT_FALSE(store(memory, reinterpret_cast<std::uint64_t>(&mine) & ~7ull, 1));
  EXPECT_EQ(mine, 42);
}

TEST(Memory, ABufferIsSeenByBoth) {
  const std::uint64_t at = free_place();
  Memory memory;
  const auto buffer = memory.allocate(2 * page);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(memory.map(at, 2 * page, buffer->offset), 0);
  EXPECT_TRUE(store(memory, at + page, 5));
  EXPECT_EQ(static_cast<std::uint64_t*>(buffer->memory)[page / 8], 5u);
  EXPECT_EQ(memory.map(at + 4 * page, 3 * page, buffer->offset), EINVAL);
  EXPECT_EQ(memory.map(at + 4 * page, page, buffer->offset + 1), EINVAL);
  EXPECT_EQ(memory.map(at + 4 * page, page, 0), EINVAL);
  memory.free(*buffer, 2 * page);
  EXPECT_EQ(memory.map(at + 4 * page, page, buffer->offset), EINVAL);
}

}  // namespace
}  // namespace rocdrill::replay
