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

/// What can be told from translate() alone.
struct Pages final : AddressSpace {
  void* translate(std::uint64_t va, std::size_t bytes, Access access) override {
    return space.translate(va, bytes, access);
  }
  RangeAddressSpace space;
};

TEST(RangeAddressSpace, HostMemoryElsewhere) {
  RangeAddressSpace space;
  space.add(page, page, {}, host(0x7000'0000));
  space.add(2 * page, page, {}, host(0x7000'1000));  // goes on in host memory too
  space.add(3 * page, page, {}, host(0x1000));       // does not
  EXPECT_EQ(space.translate(page + 8, 8, Access::write), host(0x7000'0008));
  EXPECT_EQ(space.translate(3 * page + 16, 8, Access::read), host(0x1010));
  EXPECT_EQ(space.translate(page, 2 * page, Access::read), host(0x7000'0000));
  EXPECT_EQ(space.translate(3 * page - 4, 8, Access::read), nullptr);
  EXPECT_EQ(space.translate(3 * page - 4, 4, Access::read), host(0x7000'1FFC));
  EXPECT_EQ(space.mapped(page + 8, 10 * page, Access::read), 2 * page - 8);
  EXPECT_EQ(space.mapped(3 * page, 10 * page, Access::read), page);
}

TEST(RangeAddressSpace, HostMemoryBelowItsVa) {
  RangeAddressSpace space;
  space.add(0xFFFF'FFFF'FFFF'F000, page, {}, host(page));
  EXPECT_EQ(space.translate(UINT64_MAX - 7, 8, Access::read), host(2 * page - 8));
  EXPECT_EQ(space.translate(UINT64_MAX - 7, 9, Access::read), nullptr);
  EXPECT_EQ(space.mapped(UINT64_MAX - 7, 16, Access::read), 8u);
}

TEST(RangeAddressSpace, RefusesHostMemoryOfAnotherAlignment) {
  RangeAddressSpace space;
  EXPECT_THROW(space.add(page, page, {}, host(0x7000'0008)), std::invalid_argument);
  EXPECT_THROW(space.add(page, page, {}, nullptr), std::invalid_argument);
  EXPECT_THROW(space.add(page, 2 * page, {}, host(0xFFFF'FFFF'FFFF'F000)), std::invalid_argument);
  EXPECT_NO_THROW(space.add(page + 8, page, {}, host(0x7000'0008)));
  EXPECT_NO_THROW(space.add(4 * page + 8, page, {}, host(0x7000'0008)));  // twice
}

TEST(RangeAddressSpace, MappedIsWhatOneTranslationGives) {
  Pages pages;
  RangeAddressSpace& space = pages.space;
  space.add(page, page);
  space.add(2 * page, page);
  space.add(3 * page, page, {.read = true, .write = false, .execute = false});
  for (AddressSpace* each :
       {static_cast<AddressSpace*>(&space), static_cast<AddressSpace*>(&pages)}) {
    EXPECT_EQ(each->mapped(page, 100, Access::read), 100u);
    EXPECT_EQ(each->mapped(page + 8, 10 * page, Access::read), 3 * page - 8);
    EXPECT_EQ(each->mapped(page + 8, 10 * page, Access::write), 2 * page - 8);
    EXPECT_EQ(each->mapped(3 * page, 8, Access::write), 0u);
    EXPECT_EQ(each->mapped(4 * page, 8, Access::read), 0u);
    EXPECT_EQ(each->mapped(page, 0, Access::read), 0u);
    EXPECT_EQ(each->mapped(UINT64_MAX, SIZE_MAX, Access::read), 0u);
  }
}

}  // namespace
}  // namespace rocdrill::cp
