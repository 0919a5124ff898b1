#include "stack/formats/offload_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "unit/code_objects/files.hpp"

namespace rocdrill {
namespace {

using offload_bundle::FormatError;
using offload_bundle::Input;
using test::Bytes;
using testing::UnorderedElementsAreArray;
using Kind = FormatError::Kind;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::vector<std::string> ids(const offload_bundle::Bundle& bundle) {
  std::vector<std::string> all;
  all.reserve(bundle.entries.size());
  for (const auto& entry : bundle.entries) all.push_back(entry.id);
  return all;
}

TEST(OffloadBundle, ReadsWhatTheBundlerWrote) {
  for (const char* name : {"saxpy", "saxpy_v4", "matmul"}) {
    const auto path = test::device_code(name) / "bundle.hipfb";
    const Bytes bytes = test::read_file(path);
    const auto bundle = offload_bundle::read(bytes);
    ASSERT_TRUE(bundle) << bundle.error().what;
    EXPECT_EQ(bundle->size, bytes.size());
    const auto listed =
        test::run("clang-offload-bundler-19 -type=o -list -input=" + test::quoted(path.string()));
    ASSERT_EQ(listed.exit_code, 0) << listed.output;
    EXPECT_THAT(ids(*bundle), UnorderedElementsAreArray(lines(listed.output)));
    for (const auto& entry : bundle->entries) {
      const auto id = offload_bundle::split_id(entry.id);
      if (id.kind == "host") {
        EXPECT_EQ(entry.size, 0u);
        continue;
      }
      std::string file = entry.id.substr(entry.id.find("--") + 2) + ".co";
      std::ranges::replace(file, ':', '@');
      const Bytes expected = test::read_file(path.parent_path() / file);
      EXPECT_EQ(entry.offset % offload_bundle::hip_alignment, 0u);
      EXPECT_TRUE(std::ranges::equal(offload_bundle::contents(bytes, entry), expected)) << file;
    }
  }
}

TEST(OffloadBundle, WritesTheBundlersBytes) {
  for (const char* name : {"saxpy", "saxpy_v4", "matmul"}) {
    const Bytes bytes = test::read_file(test::device_code(name) / "bundle.hipfb");
    const auto bundle = offload_bundle::read(bytes);
    ASSERT_TRUE(bundle);
    std::vector<Input> inputs;
    for (const auto& entry : bundle->entries)
      inputs.push_back({entry.id, offload_bundle::contents(bytes, entry)});
    EXPECT_TRUE(offload_bundle::write(inputs) == bytes) << name;
  }
}

TEST(OffloadBundle, TheBundlerUnbundlesWhatWeWrite) {
  const test::Scratch scratch;
  const Bytes first = test::read_file(test::device_code("saxpy/gfx90a@xnack+.co"));
  const Bytes second = test::read_file(test::device_code("saxpy/gfx942.co"));
  const std::vector<Input> inputs{{"host-x86_64-unknown-linux--", {}},
                                  {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", first},
                                  {"hipv4-amdgcn-amd-amdhsa--gfx942", second}};
  for (const std::uint64_t alignment : {1u, 4096u}) {
    const Bytes bytes = offload_bundle::write(inputs, alignment);
    test::write_file(scratch / "ours.hipfb", bytes);
    const auto result = test::run(
        "clang-offload-bundler-19 -unbundle -type=o -input=" +
        test::quoted(scratch / "ours.hipfb") +
        " -targets=hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+,hipv4-amdgcn-amd-amdhsa--gfx942 -output=" +
        test::quoted(scratch / "a") + " -output=" + test::quoted(scratch / "b"));
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_TRUE(test::read_file(scratch / "a") == first);
    EXPECT_TRUE(test::read_file(scratch / "b") == second);
  }
}

TEST(OffloadBundle, WriteRefusesWhatReadWould) {
  const Bytes code(16);
  const auto write = [](std::vector<Input> inputs, std::uint64_t alignment = 4096) {
    (void)offload_bundle::write(inputs, alignment);
  };
  EXPECT_NO_THROW(write({{"hip-a", code}, {"hip-b", code}}));
  EXPECT_THROW(write({{"hip-a", code}, {"hip-a", code}}), std::invalid_argument);
  EXPECT_THROW(write({{"", code}}), std::invalid_argument);
  EXPECT_THROW(write({{"two words", code}}), std::invalid_argument);
  EXPECT_THROW(write({{"hip-a", code}}, 3), std::invalid_argument);
  EXPECT_THROW(write({{"hip-a", code}}, 0), std::invalid_argument);
}

TEST(OffloadBundle, EmptyBundleIsValid) {
  const auto bundle = offload_bundle::read(offload_bundle::write({}));
  ASSERT_TRUE(bundle);
  EXPECT_TRUE(bundle->entries.empty());
  EXPECT_EQ(bundle->size, 32u);
}

/// A bundle of two entries of 100 and 50 bytes, without alignment, to be damaged. Fields: count
/// @24; entry 0 @32: offset, size, ID length, "hip-aaaa" @56; entry 1 @64, ID "hip-bbbb" @88.
class DamagedBundle : public testing::Test {
 protected:
  DamagedBundle() {
    const std::vector<Input> inputs{{"hip-aaaa", first_}, {"hip-bbbb", second_}};
    bytes_ = offload_bundle::write(inputs, 1);
  }
  void put(std::size_t at, std::uint64_t value) { std::memcpy(bytes_.data() + at, &value, 8); }
  void expect(Kind kind, std::uint64_t offset) {
    const auto bundle = offload_bundle::read(bytes_);
    ASSERT_FALSE(bundle);
    EXPECT_EQ(bundle.error().kind, kind) << bundle.error().what;
    EXPECT_EQ(bundle.error().offset, offset) << bundle.error().what;
    EXPECT_FALSE(bundle.error().what.empty());
  }

  static constexpr std::uint64_t max = ~0ull;
  Bytes first_ = Bytes(100, std::byte{1});
  Bytes second_ = Bytes(50, std::byte{2});
  Bytes bytes_;
};

TEST_F(DamagedBundle, IsValidBeforeTheDamage) {
  const auto bundle = offload_bundle::read(bytes_);
  ASSERT_TRUE(bundle) << bundle.error().what;
  EXPECT_EQ(bundle->header_size, 96u);
  EXPECT_EQ(bundle->entries[1].offset, 196u);
}

TEST_F(DamagedBundle, Magic) {
  bytes_[3] = std::byte{'x'};
  expect(Kind::not_a_bundle, 0);
}

TEST_F(DamagedBundle, CompressedIsRefusedByName) {
  std::memcpy(bytes_.data(), "CCOB", 4);
  expect(Kind::compressed_unmodelled, 0);
}

TEST_F(DamagedBundle, Counts) {
  put(24, 3);  // the third header entry would be code
  EXPECT_FALSE(offload_bundle::read(bytes_));
  put(24, max);
  expect(Kind::too_many_entries, 24);
  put(24, offload_bundle::max_entries + 1);
  expect(Kind::too_many_entries, 24);
}

TEST_F(DamagedBundle, Ranges) {
  put(32, 95);  // inside the header
  expect(Kind::out_of_range, 32);
  put(32, bytes_.size() + 1);
  expect(Kind::out_of_range, 32);
  put(32, max - 50);  // offset + size wraps around
  expect(Kind::out_of_range, 32);
  put(32, 96);
  put(40, max);
  expect(Kind::out_of_range, 32);
  put(40, 100);
  put(72, 51);  // entry 1 one byte too long
  expect(Kind::out_of_range, 64);
}

TEST_F(DamagedBundle, Overlap) {
  put(64, 195);
  expect(Kind::overlap, 64);
  put(64, 96);
  expect(Kind::overlap, 64);
}

TEST_F(DamagedBundle, EmptyEntriesMayPointAnywhere) {
  put(40, 0);
  put(32, max);
  EXPECT_TRUE(offload_bundle::read(bytes_));
}

TEST_F(DamagedBundle, Ids) {
  put(48, 0);
  expect(Kind::bad_id, 56);
  put(48, max);
  expect(Kind::bad_id, 48);
  put(48, 4000);
  expect(Kind::truncated, 48);
  put(48, 8);
  bytes_[56] = std::byte{0};
  expect(Kind::bad_id, 56);
  bytes_[56] = std::byte{'h'};
  std::memcpy(bytes_.data() + 88, "hip-aaaa", 8);
  expect(Kind::duplicate_id, 88);
}

TEST_F(DamagedBundle, EveryTruncationIsAnError) {
  for (std::size_t size = 0; size < bytes_.size(); ++size)
    EXPECT_FALSE(offload_bundle::read(std::span(bytes_).first(size))) << size;
}

}  // namespace
}  // namespace rocdrill
