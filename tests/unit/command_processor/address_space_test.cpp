#include "sim/silicon/command_processor/address_space.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace rocdrill::cp {
namespace {

constexpr std::uint64_t page = 0x1000;

void* host(std::uint64_t va) { return reinterpret_cast<void*>(va); }

TEST(RangeAddressSpace, IdentityInsideARangeOnly) {
  RangeAddressSpace space;
  space.add(page, page);
  EXPECT_EQ(space.translate(page, 1, Access::read), host(page));
  EXPECT_EQ(space.translate(page, page, Access::write), host(page));
  EXPECT_EQ(space.translate(2 * page - 8, 8, Access::read), host(2 * page - 8));
  EXPECT_EQ(space.translate(2 * page - 8, 9, Access::read), nullptr);
  EXPECT_EQ(space.translate(page - 1, 1, Access::read), nullptr);
  EXPECT_EQ(space.translate(page - 1, 2, Access::read), nullptr);
  EXPECT_EQ(space.translate(2 * page, 1, Access::read), nullptr);
  EXPECT_EQ(space.translate(0, 1, Access::read), nullptr);
  EXPECT_EQ(space.translate(page, 0, Access::read), nullptr);
}

TEST(RangeAddressSpace, LengthsThatWrapAroundFault) {
  RangeAddressSpace space;
  space.add(page, page);
  ASSERT_NE(space.translate(page, 8, Access::read), nullptr);  // fills the cache
  EXPECT_EQ(space.translate(page, SIZE_MAX, Access::read), nullptr);
  EXPECT_EQ(space.translate(UINT64_MAX, 8, Access::read), nullptr);
  EXPECT_EQ(space.translate(UINT64_MAX - 7, 8, Access::read), nullptr);
}

TEST(RangeAddressSpace, PermissionsHoldAlsoForTheCachedRange) {
  RangeAddressSpace space;
  space.add(page, page, {.read = true, .write = false, .execute = false});
  space.add(4 * page, page, {.read = false, .write = true, .execute = true});
  EXPECT_NE(space.translate(page, 8, Access::read), nullptr);
  EXPECT_EQ(space.translate(page, 8, Access::write), nullptr);
  EXPECT_EQ(space.translate(page, 8, Access::execute), nullptr);
  EXPECT_NE(space.translate(4 * page, 8, Access::execute), nullptr);
  EXPECT_EQ(space.translate(4 * page, 8, Access::read), nullptr);
  // Atomics read what they write.
  EXPECT_EQ(space.translate(4 * page, 8, Access::write), nullptr);
}

TEST(RangeAddressSpace, NeighboursCountAsOneWhereBothPermit) {
  RangeAddressSpace space;
  space.add(page, page);
  space.add(2 * page, page);
  space.add(3 * page, page, {.read = true, .write = false, .execute = false});
  EXPECT_EQ(space.translate(page + 8, 2 * page - 8, Access::write), host(page + 8));
  EXPECT_EQ(space.translate(page, 3 * page, Access::read), host(page));
  EXPECT_EQ(space.translate(page, 3 * page, Access::write), nullptr);
  EXPECT_EQ(space.translate(page, 3 * page + 1, Access::read), nullptr);
}

TEST(RangeAddressSpace, RemoveForgetsTheCache) {
  RangeAddressSpace space;
  space.add(page, page);
  ASSERT_NE(space.translate(page, 8, Access::read), nullptr);
  EXPECT_FALSE(space.remove(page + 1));
  EXPECT_TRUE(space.remove(page));
  EXPECT_EQ(space.translate(page, 8, Access::read), nullptr);
  EXPECT_EQ(space.size(), 0u);
}

TEST(RangeAddressSpace, RefusesRangesThatOverlapOrWrap) {
  RangeAddressSpace space;
  space.add(2 * page, page);
  EXPECT_THROW(space.add(std::uint64_t{0}, page), std::invalid_argument);
  EXPECT_THROW(space.add(page, 0), std::invalid_argument);
  EXPECT_THROW(space.add(UINT64_MAX, 2), std::invalid_argument);
  EXPECT_THROW(space.add(2 * page, page), std::invalid_argument);
  EXPECT_THROW(space.add(page, page + 1), std::invalid_argument);
  EXPECT_THROW(space.add(3 * page - 1, 8), std::invalid_argument);
  EXPECT_NO_THROW(space.add(page, page));
  EXPECT_NO_THROW(space.add(3 * page, page));
}

}  // namespace
}  // namespace rocdrill::cp
