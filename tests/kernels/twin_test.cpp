// The runner of twins itself.
#include "kernels/twin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

extern "C" {
std::uint32_t twin_local_id(std::uint32_t);
std::uint32_t twin_group_id(std::uint32_t);
std::uint32_t twin_local_size(std::uint32_t);
std::uint32_t twin_lane_id();
std::int32_t twin_shuffle(std::int32_t, std::uint32_t);
std::uint64_t twin_ballot(std::int32_t);
void twin_barrier();
void twin_spin();
void twin_sha256(unsigned, const std::uint8_t*, const std::uint32_t*, std::uint32_t*);
void twin_bitonic(std::uint32_t*);
float twin_exp(float) asm("_Z3expf");
_Float16 twin_fma_f16(_Float16, _Float16, _Float16);
}

namespace rocdrill::twin {
namespace {

std::vector<std::uint32_t> record;

TEST(Twin, RunsEachWorkItemOnceInItsGroup) {
  Runner runner;
  record.assign(7 * 5 * 3, 0);
  runner.run({{7, 5, 3}, {4, 2, 2}}, [] {
    const std::uint32_t x = twin_group_id(0) * 4 + twin_local_id(0);
    const std::uint32_t y = twin_group_id(1) * 2 + twin_local_id(1);
    const std::uint32_t z = twin_group_id(2) * 2 + twin_local_id(2);
    record[(z * 5 + y) * 7 + x] +=
        twin_local_size(0) + 10 * twin_local_size(1) + 100 * twin_local_size(2);
  });
  EXPECT_EQ(record.front(), 4u + 20u + 200u);
  EXPECT_EQ(record.back(), 3u + 10u + 100u);
  EXPECT_THAT(record, testing::Each(testing::Gt(0u)));
}

TEST(Twin, BarriersSeparateWhatIsWrittenFromWhatIsRead) {
  Runner runner;
  record.assign(300, 0);
  runner.run({{300, 1, 1}, {128, 1, 1}}, [] {
    auto* const shared = static_cast<std::uint32_t*>(shared_memory(512));
    const std::uint32_t l = twin_local_id(0);
    for (std::uint32_t round = 0; round < 3; ++round) {
      shared[l] = l * 10 + round;
      twin_barrier();
      record[twin_group_id(0) * 128 + l] += shared[(l + 1) % twin_local_size(0)];
      twin_barrier();
    }
  });
  EXPECT_EQ(record[0], 33u);
  EXPECT_EQ(record[127], 3u);
  EXPECT_EQ(record[299], 3u);
}

TEST(Twin, LanesExchangeWithinTheirWave) {
  Runner runner;
  record.assign(100, 0);
  runner.run({{100, 1, 1}, {100, 1, 1}}, [] {
    const std::uint32_t lane = twin_lane_id();
    const auto other = twin_shuffle(static_cast<std::int32_t>(twin_local_id(0)), lane ^ 1);
    const std::uint64_t thirds = twin_ballot(lane % 3 == 0);
    record[twin_local_id(0)] =
        static_cast<std::uint32_t>(other) + (thirds == 0x9249249249249249ull ? 1000 : 0);
  });
  EXPECT_EQ(record[0], 1001u);
  EXPECT_EQ(record[63], 1062u);
  EXPECT_EQ(record[64], 65u);  // its wave has 36 lanes
}

TEST(Twin, GroupsThatWaitForEachOtherAreResident) {
  Runner runner;
  record.assign(1, 0);
  runner.run({{12, 1, 1}, {3, 1, 1}, true}, [] {
    ++record[0];
    while (static_cast<volatile std::uint32_t&>(record[0]) != 12) twin_spin();
  });
  EXPECT_EQ(record[0], 12u);
}

TEST(Twin, SaysWhenNoneCanGoOn) {
  Runner runner;
  const auto stuck = [] {
    if (twin_local_id(0) < 64) {
      twin_barrier();
    } else {
      twin_ballot(1);
      twin_barrier();
      if (twin_local_id(0) == 64) return;
      twin_shuffle(0, 0);
      twin_barrier();
    }
  };
  EXPECT_NO_THROW(runner.run({{128, 1, 1}, {128, 1, 1}}, stuck));
  const auto apart = [] {
    if (twin_local_id(0) % 2 == 0) {
      twin_barrier();
    } else {
      twin_shuffle(0, 0);
    }
  };
  EXPECT_THROW(runner.run({{64, 1, 1}, {64, 1, 1}}, apart), std::logic_error);
  record.assign(1, 0);
  runner.run({{64, 1, 1}, {64, 1, 1}}, [] { ++record[0]; });  // still fit for use
  EXPECT_EQ(record[0], 64u);
}

/// FIPS 180-4's example.
TEST(Twin, HashesAbc) {
  Runner runner;
  std::vector<std::uint8_t> message(64);
  message[0] = 'a';
  message[1] = 'b';
  message[2] = 'c';
  const std::uint32_t length = 3;
  std::vector<std::uint32_t> digest(8);
  runner.run({}, [&] { twin_sha256(1, message.data(), &length, digest.data()); });
  EXPECT_THAT(digest, testing::ElementsAre(0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                           0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad));
}

TEST(Twin, SortsBlocks) {
  Runner runner;
  std::vector<std::uint32_t> keys(512);
  for (std::uint32_t n = 0; n < 512; ++n) keys[n] = n * 2654435761u;
  runner.run({{512, 1, 1}, {256, 1, 1}}, [&] { twin_bitonic(keys.data()); });
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.begin() + 256));
  EXPECT_TRUE(std::is_sorted(keys.begin() + 256, keys.end()));
}

TEST(Twin, RoundsOnce) {
  EXPECT_EQ(twin_exp(1.0f), 2.7182817f);
  // A hair below the middle of two neighbours, which single precision does not see.
  const auto half = [](double x) { return static_cast<_Float16>(x); };
  EXPECT_EQ(static_cast<double>(twin_fma_f16(half(1 + 0x1p-10), half(1.5), half(-0x1p-24))),
            1.5 + 0x1p-10);
}

}  // namespace
}  // namespace rocdrill::twin
