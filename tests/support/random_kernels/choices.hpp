// Where the decisions of a generator come from: a seed, or the bytes of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace rocdrill::test::random_kernels {

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  /// When the bytes are used up, every choice is the first.
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  /// 0 to count - 1.
  unsigned below(unsigned count) { return static_cast<unsigned>(word() % count); }
  bool one_in(unsigned count) { return below(count) == count - 1; }

  /// Values at the edges of all types as often as others.
  std::uint64_t value() {
    static constexpr std::uint64_t edges[] = {0,
                                              1,
                                              2,
                                              ~0ull,
                                              0x7F,
                                              0x80,
                                              0xFF,
                                              0x7FFF,
                                              0x8000,
                                              0xFFFF,
                                              0x7FFFFFFF,
                                              0x80000000,
                                              0xFFFFFFFF,
                                              0x7FFFFFFFFFFFFFFF,
                                              31,
                                              32,
                                              1ull << 63,
                                              0x100000000,
                                              0xFFFFFFFFFFFFFF80,
                                              0xFFFFFFFFFFFF8000,
                                              0xFFFFFFFF80000000};
    constexpr unsigned count = sizeof edges / sizeof edges[0];
    const unsigned which = below(2 * count);
    if (which < count) return edges[which];
    const std::uint64_t bits = word() << 32 ^ word();
    return bits >> below(64);
  }

 private:
  std::uint64_t word() {
    if (!from_bytes_) return random_();
    std::uint64_t out = 0;
    for (unsigned n = 0; n < 4 && at_ < bytes_.size(); ++n) out = out << 8 | bytes_[at_++];
    return out;
  }
  std::mt19937_64 random_;
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool from_bytes_ = false;
};

}  // namespace rocdrill::test::random_kernels
