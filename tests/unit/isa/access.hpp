// What memory instructions do with one lane, in plain C++, and memory to try them on.
#pragma once

#include <cstdlib>
#include <functional>
#include <random>

#include "machine.hpp"

namespace rocdrill::test {

struct Load {
  const char* name;
  unsigned bytes;
  /// From memory to the lane's registers.
  void (*apply)(const std::uint8_t* from, std::uint32_t* registers);
};
struct Store {
  const char* name;
  unsigned bytes;
  unsigned shift;  ///< bits of the register that are skipped
};

template <class T>
T peek(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void whole(const std::uint8_t* from, std::uint32_t* r) {
  r[0] = static_cast<std::uint32_t>(std::int32_t{peek<T>(from)});
}
template <class T>
void low_half(const std::uint8_t* from, std::uint32_t* r) {
  r[0] = (r[0] & 0xFFFF0000u) | (static_cast<std::uint32_t>(std::int32_t{peek<T>(from)}) & 0xFFFF);
}
template <class T>
void high_half(const std::uint8_t* from, std::uint32_t* r) {
  r[0] = (r[0] & 0xFFFFu) | static_cast<std::uint32_t>(std::int32_t{peek<T>(from)}) << 16;
}
template <unsigned dwords>
void dwords_of(const std::uint8_t* from, std::uint32_t* r) {
  std::memcpy(r, from, 4 * dwords);
}

inline constexpr Load loads[] = {
    {"ubyte", 1, whole<std::uint8_t>},
    {"sbyte", 1, whole<std::int8_t>},
    {"ushort", 2, whole<std::uint16_t>},
    {"sshort", 2, whole<std::int16_t>},
    {"ubyte_d16", 1, low_half<std::uint8_t>},
    {"sbyte_d16", 1, low_half<std::int8_t>},
    {"short_d16", 2, low_half<std::int16_t>},
    {"ubyte_d16_hi", 1, high_half<std::uint8_t>},
    {"sbyte_d16_hi", 1, high_half<std::int8_t>},
    {"short_d16_hi", 2, high_half<std::int16_t>},
    {"dword", 4, dwords_of<1>},
    {"dwordx2", 8, dwords_of<2>},
    {"dwordx3", 12, dwords_of<3>},
    {"dwordx4", 16, dwords_of<4>},
};
inline constexpr Store stores[] = {
    {"byte", 1, 0},  {"short", 2, 0},   {"byte_d16_hi", 1, 16}, {"short_d16_hi", 2, 16},
    {"dword", 4, 0}, {"dwordx2", 8, 0}, {"dwordx3", 12, 0},     {"dwordx4", 16, 0},
};
/// The same for DS.
inline constexpr Load shared_loads[] = {
    {"u8", 1, whole<std::uint8_t>},
    {"i8", 1, whole<std::int8_t>},
    {"u16", 2, whole<std::uint16_t>},
    {"i16", 2, whole<std::int16_t>},
    {"u8_d16", 1, low_half<std::uint8_t>},
    {"i8_d16", 1, low_half<std::int8_t>},
    {"u16_d16", 2, low_half<std::int16_t>},
    {"u8_d16_hi", 1, high_half<std::uint8_t>},
    {"i8_d16_hi", 1, high_half<std::int8_t>},
    {"u16_d16_hi", 2, high_half<std::int16_t>},
    {"b32", 4, dwords_of<1>},
    {"b64", 8, dwords_of<2>},
    {"b96", 12, dwords_of<3>},
    {"b128", 16, dwords_of<4>},
};
inline constexpr Store shared_stores[] = {
    {"b8", 1, 0},  {"b16", 2, 0}, {"b8_d16_hi", 1, 16}, {"b16_d16_hi", 2, 16},
    {"b32", 4, 0}, {"b64", 8, 0}, {"b96", 12, 0},       {"b128", 16, 0},
};

/// Of `bytes` from the lane's registers on.
inline void store_lane(const Store& store, std::uint8_t* to, const std::uint32_t* registers) {
  std::uint32_t data[4];
  std::memcpy(data, registers, sizeof data);
  data[0] >>= store.shift;
  std::memcpy(to, data, store.bytes);
}

/// "v8", "v[8:9]", "a[8:11]"
inline std::string registers(char kind, unsigned first, unsigned bytes) {
  const unsigned count = (bytes + 3) / 4;
  const std::string number = std::to_string(first);
  if (count == 1) return kind + number;
  return std::string(1, kind) + "[" + number + ":" + std::to_string(first + count - 1) + "]";
}

inline constexpr std::uint64_t some_lanes[] = {~0ull, 0x00FFFFFFFFFFFFFFull, 0xF0F0A5A500013FF0ull,
                                               1ull << 37, 0x8000000000000001ull};

/// Offsets of 64 lanes: what hot paths look for, and what they must not take for it.
struct Pattern {
  const char* name;
  std::uint32_t (*offset)(unsigned lane, unsigned bytes, std::mt19937& random);
};
inline constexpr Pattern patterns[] = {
    {"unit", [](unsigned l, unsigned bytes, std::mt19937&) { return l * bytes; }},
    {"unit, unaligned", [](unsigned l, unsigned bytes, std::mt19937&) { return 3 + l * bytes; }},
    {"strided", [](unsigned l, unsigned, std::mt19937&) { return l * 64; }},
    {"backwards", [](unsigned l, unsigned bytes, std::mt19937&) { return (63 - l) * bytes; }},
    {"almost unit",
     [](unsigned l, unsigned bytes, std::mt19937&) { return (l == 41 ? 77 : l) * bytes; }},
    {"one place", [](unsigned, unsigned, std::mt19937&) { return 256u; }},
    // A tile of 16 columns, its rows apart, read by rows and by columns; rows that end in the
    // middle of a vector; a vector with one lane elsewhere; rows in one place, which later lanes
    // win.
    {"rows of 16",
     [](unsigned l, unsigned bytes, std::mt19937&) { return (l / 16 * 17 + l % 16) * bytes; }},
    {"one place per 16",
     [](unsigned l, unsigned bytes, std::mt19937&) { return 8 + l / 16 * 17 * bytes; }},
    {"rows of 12",
     [](unsigned l, unsigned bytes, std::mt19937&) { return (l / 12 * 40 + l % 12) * bytes; }},
    {"almost rows of 16",
     [](unsigned l, unsigned bytes, std::mt19937&) {
       return l == 37 ? 0 : (l / 16 * 17 + l % 16) * bytes;
     }},
    {"the same row", [](unsigned l, unsigned bytes, std::mt19937&) { return 32 + l % 16 * bytes; }},
    {"random dwords", [](unsigned, unsigned,
                         std::mt19937& r) { return static_cast<std::uint32_t>(r() % 1020) * 4; }},
    {"random bytes",
     [](unsigned, unsigned, std::mt19937& r) { return static_cast<std::uint32_t>(r() % 4080); }},
};

/// Whole pages of random bytes.
class Pages {
 public:
  explicit Pages(std::size_t bytes, unsigned seed = 1)
      : bytes_(bytes), data_(static_cast<std::uint8_t*>(std::aligned_alloc(4096, bytes))) {
    std::mt19937 random(seed);
    for (std::size_t n = 0; n < bytes; ++n) data_.get()[n] = static_cast<std::uint8_t>(random());
  }
  std::uint8_t* data() { return data_.get(); }
  std::size_t size() const { return bytes_; }
  std::uint64_t va() const { return reinterpret_cast<std::uintptr_t>(data_.get()); }
  std::vector<std::uint8_t> copy() const { return {data_.get(), data_.get() + bytes_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::uint8_t, Free> data_;
};

inline void randomise(Machine& m, unsigned first, unsigned count, std::mt19937& random,
                      bool agprs = false) {
  for (unsigned r = first; r < first + count; ++r)
    for (unsigned l = 0; l < 64; ++l)
      (agprs ? m.a(r) : m.v(r))[l] = static_cast<std::uint32_t>(random());
}
inline void set_address(Machine& m, unsigned reg, unsigned lane, std::uint64_t va) {
  m.v(reg)[lane] = static_cast<std::uint32_t>(va);
  m.v(reg + 1)[lane] = static_cast<std::uint32_t>(va >> 32);
}
inline bool active(std::uint64_t lanes, unsigned lane) { return (lanes >> lane & 1) != 0; }

/// All levels that this host has.
inline void for_levels(const std::function<void(isa::Level)>& test) {
  for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512})
    if (level <= isa::best_level()) test(level);
}

}  // namespace rocdrill::test
