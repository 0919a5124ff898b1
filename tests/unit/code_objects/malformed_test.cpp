// Bad input of every kind: always a clean error or a valid object, under ASan and UBSan too.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/code_objects/code_object.hpp"
#include "sim/code_objects/fat_binary.hpp"
#include "sim/code_objects/listing.hpp"
#include "unit/code_objects/files.hpp"

namespace rocdrill::code_objects {
namespace {

using test::Bytes;

/// Reads the ends of a range: enough for ASan to see one that lies outside.
std::size_t touch(std::span<const std::byte> range) {
  if (range.empty()) return 0;
  return std::to_integer<std::size_t>(range.front()) + std::to_integer<std::size_t>(range.back());
}

/// Everything that a reader of these bytes could do; touches all that is returned.
std::size_t digest(std::span<const std::byte> bytes) {
  std::size_t sum = 0;
  if (const auto code_object = read_code_object(bytes)) {
    for (const Kernel& kernel : code_object->kernels)
      sum += kernel.name.size() + kernel.arguments.size();
    for (const Segment& segment : code_object->segments)
      sum += touch(bytes.subspan(segment.file_offset, segment.file_size));
    sum += loadable(*code_object, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-").text.size();
  } else {
    EXPECT_FALSE(code_object.error().what.empty());
  }
  if (const auto fat_binary = extract(bytes)) {
    for (const FatEntry& entry : fat_binary->entries) sum += touch(contents(bytes, entry));
    for (unsigned bundle = 1; bundle <= fat_binary->bundles; ++bundle)
      sum += select(*fat_binary, "amdgcn-amd-amdhsa--gfx1030", bundle).considered.size();
  } else {
    EXPECT_FALSE(fat_binary.error().what.empty());
  }
  if (const auto listing = list(bytes)) sum += listing_text(*listing, "/x", true).size();
  return sum;
}

/// A copy of exactly `size` bytes on the heap, so that ASan sees the first byte behind it.
std::vector<std::byte> first(const Bytes& bytes, std::size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(Malformed, EveryTruncationOfACodeObject) {
  const Bytes bytes = test::read_file(test::device_code("saxpy/gfx1100.co"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto shorter = first(bytes, size);
    digest(shorter);
    EXPECT_FALSE(read_code_object(shorter)) << size << " of " << bytes.size();
  }
}

TEST(Malformed, EveryTruncationOfABundle) {
  const Bytes bytes = test::read_file(test::device_code("saxpy_v4/bundle.hipfb"));
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(extract(first(bytes, size)));
}

TEST(Malformed, TruncationsOfAHostBinary) {
  const Bytes bytes = test::read_file(test::device_code("saxpy_v4/host.so"));
  for (std::size_t size = 0; size < bytes.size(); size += 7) digest(first(bytes, size));
}

/// Flips `flips` random bits of a copy, `rounds` times, from a fixed seed.
void flip_bits(const char* name, std::size_t rounds, std::size_t window) {
  const Bytes original = test::read_file(test::device_code(name));
  std::mt19937_64 random(2024);
  Bytes bytes = original;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t flips = 1 + random() % 4;
    std::vector<std::size_t> touched;
    for (std::size_t flip = 0; flip < flips; ++flip) {
      // Half of them in the part with the headers, where they do most.
      const std::size_t limit = random() % 2 == 0 ? std::min(window, bytes.size()) : bytes.size();
      const std::size_t at = random() % limit;
      bytes[at] ^= static_cast<std::byte>(1u << (random() % 8));
      touched.push_back(at);
    }
    digest(bytes);
    for (const std::size_t at : touched) bytes[at] = original[at];
  }
}

TEST(Malformed, BitFlipsInACodeObject) { flip_bits("matmul/gfx90a.co", 20000, 4096); }
TEST(Malformed, BitFlipsInABundle) { flip_bits("saxpy_v4/bundle.hipfb", 20000, 512); }
TEST(Malformed, BitFlipsInAHostBinary) { flip_bits("saxpy_v4/host.so", 20000, 1024); }

TEST(Malformed, EveryHeaderFieldAtItsExtremes) {
  for (const char* name : {"saxpy/gfx1100.co", "saxpy_v4/bundle.hipfb", "saxpy_v4/host.so"}) {
    const Bytes original = test::read_file(test::device_code(name));
    for (std::size_t at = 0; at + 8 <= std::min<std::size_t>(original.size(), 2048); ++at)
      for (const std::uint64_t value : {0ull, 1ull, 0x7FFFFFFFFFFFFFFFull, ~0ull, ~0ull - 4095}) {
        Bytes bytes = original;
        for (std::size_t i = 0; i < 8; ++i)
          bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
        digest(bytes);
      }
  }
}

TEST(Malformed, SectionAndProgramHeadersAtTheirExtremes) {
  const Bytes original = test::read_file(test::device_code("saxpy/gfx1100.co"));
  const std::size_t tail = original.size() - std::min<std::size_t>(original.size(), 14 * 64);
  for (std::size_t at = tail; at + 8 <= original.size(); at += 4)
    for (const std::uint64_t value : {0ull, 1ull, 0x80000000ull, ~0ull, ~0ull - 63}) {
      Bytes bytes = original;
      for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
      digest(bytes);
    }
}

}  // namespace
}  // namespace rocdrill::code_objects
