// Attributes of shared virtual memory: what two calls on overlapping ranges leave behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kernel/process/svm_ranges.hpp"

namespace rocdrill::kernel {
namespace {

using kfd::SvmAttribute;
using Type = kfd::SvmAttributeType;
using testing::ElementsAre;

constexpr std::uint32_t gpu = 0xA5A5;

SvmAttribute attribute(Type type, std::uint32_t value) {
  return {static_cast<std::uint32_t>(type), value};
}

void set(SvmRanges& ranges, std::uint64_t begin, std::uint64_t end, Type type,
         std::uint32_t value) {
  const SvmAttribute one = attribute(type, value);
  ranges.set(begin, end, {&one, 1});
}

SvmAttribute get(const SvmRanges& ranges, std::uint64_t begin, std::uint64_t end, Type type,
                 std::uint32_t value = 0) {
  SvmAttribute one = attribute(type, value);
  EXPECT_TRUE(ranges.get(begin, end, {&one, 1}));
  return one;
}

std::vector<std::uint64_t> edges(const SvmRanges& ranges) {
  std::vector<std::uint64_t> list;
  for (const auto& range : ranges.within(0, 1ull << 47)) {
    list.push_back(range.begin);
    list.push_back(range.end);
  }
  return list;
}

TEST(SvmRanges, SplitsWhereAttributesChange) {
  SvmRanges ranges;
  set(ranges, 0x1000, 0x9000, Type::access, gpu);
  set(ranges, 0x3000, 0x5000, Type::no_access, gpu);
  EXPECT_THAT(edges(ranges), ElementsAre(0x1000, 0x3000, 0x3000, 0x5000, 0x5000, 0x9000));
  EXPECT_EQ(get(ranges, 0x1000, 0x3000, Type::access, gpu).type,
            static_cast<std::uint32_t>(Type::access));
  EXPECT_EQ(get(ranges, 0x1000, 0x4000, Type::access, gpu).type,
            static_cast<std::uint32_t>(Type::no_access));
}

TEST(SvmRanges, FillsTheGapsBetweenOthers) {
  SvmRanges ranges;
  set(ranges, 0x2000, 0x3000, Type::preferred_location, gpu);
  set(ranges, 0x5000, 0x6000, Type::preferred_location, gpu);
  set(ranges, 0x1000, 0x7000, Type::granularity, 3);
  EXPECT_THAT(edges(ranges), ElementsAre(0x1000, 0x2000, 0x2000, 0x3000, 0x3000, 0x5000, 0x5000,
                                         0x6000, 0x6000, 0x7000));
  EXPECT_EQ(get(ranges, 0x1000, 0x7000, Type::granularity).value, 3u);
  EXPECT_EQ(get(ranges, 0x5000, 0x6000, Type::preferred_location).value, gpu);
  EXPECT_EQ(get(ranges, 0x4000, 0x6000, Type::preferred_location).value,
            kfd::svm_location_undefined);
}

TEST(SvmRanges, WhatNobodyHasSaidAnythingOf) {
  SvmRanges ranges;
  EXPECT_EQ(get(ranges, 0x1000, 0x2000, Type::set_flags).value, 3u);
  EXPECT_EQ(get(ranges, 0x1000, 0x2000, Type::clear_flags).value, ~3u);
  EXPECT_EQ(get(ranges, 0x1000, 0x2000, Type::granularity).value, 9u);
  SvmState with_xnack;
  with_xnack.access.insert(gpu);
  ranges.set_untold(with_xnack);
  EXPECT_EQ(get(ranges, 0x1000, 0x2000, Type::access, gpu).type,
            static_cast<std::uint32_t>(Type::access));
  EXPECT_FALSE(ranges.any(0, 1ull << 47)) << "asking makes no range";
}

TEST(SvmRanges, CannotBeAskedForWhatAccessAnswers) {
  const SvmRanges ranges;
  SvmAttribute asked = attribute(Type::no_access, gpu);
  EXPECT_FALSE(ranges.get(0x1000, 0x2000, {&asked, 1}));
}

TEST(SvmRanges, ForgetsAPart) {
  SvmRanges ranges;
  set(ranges, 0x1000, 0x9000, Type::access, gpu);
  ranges.erase(0x2000, 0x4000);
  EXPECT_THAT(edges(ranges), ElementsAre(0x1000, 0x2000, 0x4000, 0x9000));
  EXPECT_FALSE(ranges.any(0x2000, 0x4000));
}

}  // namespace
}  // namespace rocdrill::kernel
