// Atomics of memory and of LDS.
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <limits>
#include <thread>

#include "access.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// What the place becomes.
using Operation = u64 (*)(u64 old, u64 data);
struct Atomic {
  const char* memory;  ///< "add"; nullptr: DS only
  const char* shared;  ///< "add_u32"; nullptr: memory only
  unsigned bytes;
  Operation apply;
  const char* first = "gfx906";  ///< that has the memory's, here tried on it
  const char* first_shared = "gfx906";
};

template <class T>
T as(u64 raw) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<u32>(raw));
  } else {
    return std::bit_cast<T>(raw);
  }
}
template <class T>
u64 raw(T value) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<u32>(value);
  } else {
    return std::bit_cast<u64>(value);
  }
}
template <class T>
u64 minimum(u64 a, u64 b) {
  return as<T>(b) < as<T>(a) ? b : a;
}
template <class T>
u64 maximum(u64 a, u64 b) {
  return as<T>(b) > as<T>(a) ? b : a;
}
template <class T>
u64 increment(u64 a, u64 b) {
  return static_cast<T>(a) >= static_cast<T>(b) ? 0 : a + 1;
}
template <class T>
u64 decrement(u64 a, u64 b) {
  return static_cast<T>(a) == 0 || static_cast<T>(a) > static_cast<T>(b) ? b : a - 1;
}
template <class T>
u64 add_float(u64 a, u64 b) {
  const T x = as<T>(a);
  const T y = as<T>(b);
  const T sum = x + y;
  // inf - inf: the GPU's own NaN
  if (std::isnan(sum) && !std::isnan(x) && !std::isnan(y))
    return sizeof(T) == 4 ? u64{0x7FC00000} : u64{0x7FF8} << 48;
  return raw(sum);
}

double half_value(u32 half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = half & 0x3FF;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}
/// The nearest half, by search; ties to the even one.
u32 nearest_half(double value) {
  const u32 sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (size >= 65520) return sign | 0x7C00;
  u32 low = 0;
  u32 high = 0x7BFF;
  while (low < high) {  // the largest that is not above
    const u32 middle = (low + high + 1) / 2;
    if (half_value(middle) <= size) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low == 0x7BFF) return sign | 0x7BFF;
  const double below = size - half_value(low);
  const double above = half_value(low + 1) - size;
  if (above < below || (above == below && (low & 1) != 0)) ++low;
  return sign | low;
}
u64 add_halves(u64 a, u64 b) {
  u64 out = 0;
  for (unsigned n = 0; n < 32; n += 16) {
    const double sum = half_value(a >> n & 0xFFFF) + half_value(b >> n & 0xFFFF);
    out |= u64{nearest_half(sum)} << n;
  }
  return out;
}
u64 add_bfloats(u64 a, u64 b) {
  u64 out = 0;
  for (unsigned n = 0; n < 32; n += 16) {
    const double sum = double{std::bit_cast<float>(static_cast<u32>(a >> n & 0xFFFF) << 16)} +
                       std::bit_cast<float>(static_cast<u32>(b >> n & 0xFFFF) << 16);
    // Neighbours of the truncated sum.
    const u32 cut = std::bit_cast<u32>(static_cast<float>(sum)) & 0xFFFF0000u;
    u32 best = cut;
    double distance = INFINITY;
    for (const u32 near : {cut - 0x10000, cut, cut + 0x10000}) {
      const double away = std::fabs(double{std::bit_cast<float>(near)} - sum);
      const bool even = (near >> 16 & 1) == 0;
      if (away < distance || (away == distance && even)) {
        distance = away;
        best = near;
      }
    }
    out |= u64{best >> 16} << n;
  }
  return out;
}

const Atomic atomics[] = {
    {"add", "add_u32", 4, [](u64 a, u64 b) { return a + b; }},
    {"sub", "sub_u32", 4, [](u64 a, u64 b) { return a - b; }},
    {nullptr, "rsub_u32", 4, [](u64 a, u64 b) { return b - a; }},
    {"and", "and_b32", 4, [](u64 a, u64 b) { return a & b; }},
    {"or", "or_b32", 4, [](u64 a, u64 b) { return a | b; }},
    {"xor", "xor_b32", 4, [](u64 a, u64 b) { return a ^ b; }},
    {"swap", nullptr, 4, [](u64, u64 b) { return b; }},
    {"smin", "min_i32", 4, minimum<std::int32_t>},
    {"umin", "min_u32", 4, minimum<u32>},
    {"smax", "max_i32", 4, maximum<std::int32_t>},
    {"umax", "max_u32", 4, maximum<u32>},
    {"inc", "inc_u32", 4, increment<u32>},
    {"dec", "dec_u32", 4, decrement<u32>},
    {"add_x2", "add_u64", 8, [](u64 a, u64 b) { return a + b; }},
    {"sub_x2", "sub_u64", 8, [](u64 a, u64 b) { return a - b; }},
    {nullptr, "rsub_u64", 8, [](u64 a, u64 b) { return b - a; }},
    {"and_x2", "and_b64", 8, [](u64 a, u64 b) { return a & b; }},
    {"or_x2", "or_b64", 8, [](u64 a, u64 b) { return a | b; }},
    {"xor_x2", "xor_b64", 8, [](u64 a, u64 b) { return a ^ b; }},
    {"swap_x2", nullptr, 8, [](u64, u64 b) { return b; }},
    {"smin_x2", "min_i64", 8, minimum<std::int64_t>},
    {"umin_x2", "min_u64", 8, minimum<u64>},
    {"smax_x2", "max_i64", 8, maximum<std::int64_t>},
    {"umax_x2", "max_u64", 8, maximum<u64>},
    {"inc_x2", "inc_u64", 8, increment<u64>},
    {"dec_x2", "dec_u64", 8, decrement<u64>},
    {"add_f32", "add_f32", 4, add_float<float>, "gfx942"},
    {nullptr, "min_f32", 4, minimum<float>},
    {nullptr, "max_f32", 4, maximum<float>},
    {"add_f64", "add_f64", 8, add_float<double>, "gfx90a", "gfx90a"},
    {"min_f64", "min_f64", 8, minimum<double>, "gfx90a"},
    {"max_f64", "max_f64", 8, maximum<double>, "gfx942"},
    {"pk_add_f16", "pk_add_f16", 4, add_halves, "gfx942", "gfx942"},
    {"pk_add_bf16", "pk_add_bf16", 4, add_bfloats, "gfx942", "gfx942"},
};

constexpr u32 special32[] = {0,          0x80000000, 1,          0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000,
                             0xBF800000, 0x00000001, 0x80000001, 0x007FFFFF, 0x7F7FFFFF, 0x00800000,
                             0x3C003C00, 0x04008400, 0x7BFF7BFF, 0x00010001, 0x3F803F80};
constexpr u64 special64[] = {0,
                             1,
                             0x8000000000000000,
                             0x7FFFFFFFFFFFFFFF,
                             ~u64{0},
                             0x3FF0000000000000,
                             0xBFF0000000000000,
                             0x0000000000000001,
                             0x000FFFFFFFFFFFFF,
                             0x7FEFFFFFFFFFFFFF};

/// Finite numbers where they are floating-point: NaNs have a test of their own.
u64 draw(const Atomic& atomic, std::mt19937& random) {
  const std::string name(atomic.shared != nullptr ? atomic.shared : atomic.memory);
  u64 value = atomic.bytes == 4 ? random() : random() | u64{random()} << 32;
  if (random() % 3 == 0)
    value = atomic.bytes == 4 ? special32[random() % std::size(special32)]
                              : special64[random() % std::size(special64)];
  if (name.find("f32") != std::string::npos && !std::isfinite(as<float>(value)))
    value &= 0xBFFFFFFF;
  if (name.find("f64") != std::string::npos && !std::isfinite(as<double>(value)))
    value &= ~(u64{1} << 62);
  if (name.find("pk_add_f16") != std::string::npos)
    value &= 0xBBFFBBFF | 0x40004000 * (random() % 2);
  if (name.find("pk_add_f16") != std::string::npos)
    for (unsigned n = 0; n < 32; n += 16)
      if ((value >> n & 0x7C00) == 0x7C00) value &= ~(u64{0x4000} << n);
  if (name.find("pk_add_bf16") != std::string::npos)
    for (unsigned n = 0; n < 32; n += 16)
      if ((value >> n & 0x7F80) == 0x7F80 || (value >> n & 0x7F80) > 0x6000)
        value &= ~(u64{0x4000} << n);
  return value;
}

u64 lane_value(Machine& m, unsigned reg, unsigned lane, unsigned bytes) {
  return m.v(reg)[lane] | (bytes == 8 ? u64{m.v(reg + 1)[lane]} << 32 : 0);
}

/// Runs `text` with addresses (or LDS offsets) in v[2:3], data in v[8:9], results in v[12:13].
void check(Machine& m, const Atomic& atomic, const std::string& text, std::uint8_t* memory,
           u64 address, bool returns, bool same, u64 lanes, std::mt19937& random) {
  u32 offset[64];
  for (unsigned l = 0; l < 64; ++l) {
    offset[l] = same ? 512 : (l * 37 % 64) * atomic.bytes;
    set_address(m, 2, l, address + offset[l]);
    const u64 data = draw(atomic, random);
    m.v(8)[l] = static_cast<u32>(data);
    m.v(9)[l] = static_cast<u32>(data >> 32);
    const u64 old = draw(atomic, random);
    std::memcpy(memory + offset[l], &old, atomic.bytes);
  }
  randomise(m, 12, 2, random);
  const Lanes before[2] = {m.lanes(12), m.lanes(13)};
  std::vector<std::uint8_t> expected(memory, memory + 1024);
  u64 olds[64];
  for (unsigned l = 0; l < 64; ++l) {
    olds[l] = before[0][l] | u64{before[1][l]} << 32;
    if (!active(lanes, l)) continue;
    u64 old = 0;
    std::memcpy(&old, expected.data() + offset[l], atomic.bytes);
    const u64 value = atomic.apply(old, lane_value(m, 8, l, atomic.bytes));
    std::memcpy(expected.data() + offset[l], &value, atomic.bytes);
    if (returns) olds[l] = atomic.bytes == 8 ? old : old | u64{before[1][l]} << 32;
  }
  m.wave().set_exec(lanes);
  ASSERT_EQ(m.run(text), Stop::ended) << text;
  for (unsigned n = 0; n < 1024; n += atomic.bytes) {
    u64 got = 0;
    u64 want = 0;
    std::memcpy(&got, memory + n, atomic.bytes);
    std::memcpy(&want, expected.data() + n, atomic.bytes);
    ASSERT_EQ(got, want) << text << " at " << n << std::hex << " " << got << " " << want;
  }
  for (unsigned l = 0; l < 64; ++l) ASSERT_EQ(lane_value(m, 12, l, 8), olds[l]) << text << " " << l;
}

TEST(Atomic, Memory) {
  for_levels([](isa::Level level) {
    std::mt19937 random(31);
    for (const Atomic& atomic : atomics) {
      if (atomic.memory == nullptr) continue;
      Machine m(atomic.first, level);
      Pages pages(4096);
      m.space().add(pages.data(), pages.size());
      const bool newer = std::string(atomic.first) == "gfx942";
      for (const char* prefix : {"global", "flat"}) {
        const bool flat = prefix[0] == 'f';
        for (const bool returns : {false, true})
          for (const bool same : {false, true})
            for (const u64 lanes : {some_lanes[0], some_lanes[2]}) {
              const std::string data = registers('v', 8, atomic.bytes);
              const std::string text = std::string(prefix) + "_atomic_" + atomic.memory + " " +
                                       (returns ? registers('v', 12, atomic.bytes) + ", " : "") +
                                       "v[2:3], " + data + (flat ? "" : ", off") +
                                       (returns ? newer ? " sc0" : " glc" : "");
              check(m, atomic, text, pages.data(), pages.va(), returns, same, lanes, random);
              if (testing::Test::HasFatalFailure()) return;
            }
      }
    }
  });
}

TEST(Atomic, Lds) {
  for_levels([](isa::Level level) {
    std::mt19937 random(32);
    for (const Atomic& atomic : atomics) {
      if (atomic.shared == nullptr) continue;
      Machine m(atomic.first_shared, level);
      for (const bool returns : {false, true})
        for (const bool same : {false, true})
          for (const u64 lanes : {some_lanes[0], some_lanes[2]}) {
            std::string name(atomic.shared);
            if (returns) name.insert(name.rfind('_'), "_rtn");
            const std::string text = "ds_" + name + " " +
                                     (returns ? registers('v', 12, atomic.bytes) + ", " : "") +
                                     "v2, " + registers('v', 8, atomic.bytes) + " offset:64";
            check(m, atomic, text, reinterpret_cast<std::uint8_t*>(m.lds()) + 64, 0, returns, same,
                  lanes, random);
            if (testing::Test::HasFatalFailure()) return;
          }
    }
  });
}

TEST(Atomic, CompareAndSwap) {
  for_levels([](isa::Level level) {
    for (const unsigned bytes : {4u, 8u}) {
      Machine m("gfx90a", level);
      Pages pages(4096);
      m.space().add(pages.data(), pages.size());
      const unsigned dwords = bytes / 4;
      std::mt19937 random(33);
      for (const bool returns : {false, true}) {
        std::vector<std::uint8_t> expected = pages.copy();
        randomise(m, 8, 4, random);
        for (unsigned l = 0; l < 64; ++l) {
          set_address(m, 2, l, pages.va() + l * bytes);
          std::uint8_t* at = expected.data() + l * bytes;
          for (unsigned r = 0; r < dwords && l % 3 != 0; ++r)
            m.v(8 + dwords + r)[l] = peek<u32>(at + 4 * r);
          if (l % 3 != 0)
            for (unsigned r = 0; r < dwords; ++r) std::memcpy(at + 4 * r, &m.v(8 + r)[l], 4);
        }
        const std::vector<std::uint8_t> before = pages.copy();
        ASSERT_EQ(m.run(std::string("global_atomic_cmpswap") + (bytes == 8 ? "_x2 " : " ") +
                        (returns ? registers('v', 12, bytes) + ", " : "") + "v[2:3], " +
                        registers('v', 8, 2 * bytes) + ", off" + (returns ? " glc" : "")),
                  Stop::ended);
        ASSERT_EQ(pages.copy(), expected);
        for (unsigned l = 0; l < 64 && returns; ++l)
          for (unsigned r = 0; r < dwords; ++r)
            ASSERT_EQ(m.v(12 + r)[l], peek<u32>(before.data() + l * bytes + 4 * r));
      }
    }
  });
}

TEST(Atomic, LdsCompareAndStoreComparesWithTheFirst) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    const u32 values[] = {5, 6, 0x80000000, 0x7FC00000};
    std::memcpy(m.lds(), values, sizeof values);
    for (unsigned l = 0; l < 4; ++l) {
      m.v(2)[l] = l * 4;
      m.v(8)[l] = l == 0 ? 5 : l == 2 ? 0 : values[l] + (l == 1 ? 1 : 0);
      m.v(9)[l] = 100 + l;
    }
    m.wave().set_exec(0xF);
    ASSERT_EQ(m.run("ds_cmpst_rtn_b32 v12, v2, v8, v9"), Stop::ended);
    u32 after[4];
    std::memcpy(after, m.lds(), sizeof after);
    EXPECT_EQ(after[0], 100u);
    EXPECT_EQ(after[1], 6u);
    EXPECT_EQ(after[2], 0x80000000u);
    EXPECT_EQ(after[3], 103u);
    EXPECT_EQ(m.v(12)[0], 5u);
    // As floats -0 is 0, and a NaN is nothing's equal.
    std::memcpy(m.lds(), values, sizeof values);
    ASSERT_EQ(m.run("ds_cmpst_f32 v2, v8, v9"), Stop::ended);
    std::memcpy(after, m.lds(), sizeof after);
    EXPECT_EQ(after[2], 102u);
    EXPECT_EQ(after[3], 0x7FC00000u);
    const u64 wide[] = {0x1122334455667788, 9};
    std::memcpy(m.lds(), wide, sizeof wide);
    m.wave().set_exec(1);
    m.v(8)[0] = 0x55667788;
    m.v(9)[0] = 0x11223344;
    m.v(10)[0] = 1;
    m.v(11)[0] = 2;
    ASSERT_EQ(m.run("ds_cmpst_b64 v2, v[8:9], v[10:11]"), Stop::ended);
    EXPECT_EQ(peek<u64>(reinterpret_cast<std::uint8_t*>(m.lds())), 0x0000000200000001u);
  });
}

TEST(Atomic, LdsOperationsOfTwoOperands) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(34);
    auto* lds = reinterpret_cast<std::uint8_t*>(m.lds());
    for (unsigned n = 0; n < 65536; ++n) lds[n] = static_cast<std::uint8_t>(random());
    randomise(m, 8, 4, random);
    std::vector<std::uint8_t> before(lds, lds + 65536);
    for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l * 16;
    ASSERT_EQ(
        m.run("ds_mskor_b32 v2, v8, v9\n ds_mskor_rtn_b64 v[12:13], v2, v[8:9], v[10:11] offset:8\n"
              "ds_wrap_rtn_b32 v14, v2, v8, v9 offset:4"),
        Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      const std::uint8_t* old = before.data() + l * 16;
      const u32 a = m.v(8)[l];
      const u32 b = m.v(9)[l];
      EXPECT_EQ(peek<u32>(lds + l * 16), (peek<u32>(old) & ~a) | b);
      const u64 mask = lane_value(m, 8, l, 8);
      EXPECT_EQ(peek<u64>(lds + l * 16 + 8),
                (peek<u64>(old + 8) & ~mask) | lane_value(m, 10, l, 8));
      EXPECT_EQ(lane_value(m, 12, l, 8), peek<u64>(old + 8));
      const u32 wrapped = peek<u32>(old + 4);
      EXPECT_EQ(peek<u32>(lds + l * 16 + 4), wrapped >= a ? wrapped - a : wrapped + b);
      EXPECT_EQ(m.v(14)[l], wrapped);
    }
    before.assign(lds, lds + 65536);
    ASSERT_EQ(m.run("ds_wrxchg_rtn_b32 v12, v2, v8 offset:4096"), Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(m.v(12)[l], peek<u32>(before.data() + 4096 + l * 16));
      EXPECT_EQ(peek<u32>(lds + 4096 + l * 16), m.v(8)[l]);
    }
    before.assign(lds, lds + 65536);
    ASSERT_EQ(m.run("ds_wrxchg2_rtn_b64 v[12:15], v2, v[8:9], v[10:11] offset0:200 offset1:201\n"
                    "ds_wrxchg2st64_rtn_b32 v[16:17], v2, v8, v9 offset0:20 offset1:255"),
              Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(lane_value(m, 12, l, 8), peek<u64>(before.data() + 1600 + l * 16));
      EXPECT_EQ(lane_value(m, 14, l, 8), peek<u64>(before.data() + 1608 + l * 16));
      EXPECT_EQ(peek<u64>(lds + 1608 + l * 16), lane_value(m, 10, l, 8));
      EXPECT_EQ(m.v(16)[l], peek<u32>(before.data() + 20 * 256 + l * 16));
      const bool inside = 255 * 256 + l * 16 < 65536;
      EXPECT_EQ(m.v(17)[l], inside ? peek<u32>(before.data() + 255 * 256 + l * 16) : 0);
    }
  });
}

TEST(Atomic, NothingOutsideLds) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    m.wave().group->lds_bytes = 128;
    std::memset(m.lds(), 0, 65536);
    for (unsigned l = 0; l < 64; ++l) {
      m.v(2)[l] = l * 4;
      m.v(8)[l] = 7;
      m.v(12)[l] = 99;
    }
    ASSERT_EQ(m.run("ds_add_rtn_u32 v12, v2, v8"), Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(m.v(12)[l], 0u);
      EXPECT_EQ(peek<u32>(reinterpret_cast<std::uint8_t*>(m.lds()) + l * 4), l < 32 ? 7u : 0u);
    }
  });
}

TEST(Atomic, MisalignedOnesAreViolations) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(4096);
    m.space().add(pages.data(), pages.size());
    const std::vector<std::uint8_t> memory = pages.copy();
    m.wave().set_pair(4, pages.va());
    for (const char* text :
         {"global_atomic_add v[2:3], v8, off", "flat_atomic_add v[2:3], v8",
          "global_atomic_add v4, v8, s[4:5]", "ds_add_u32 v4, v8",
          "global_atomic_swap_x2 v[6:7], v[8:9], off", "ds_add_rtn_u64 v[12:13], v5, v[8:9]",
          "ds_wrxchg2_rtn_b32 v[12:13], v4, v8, v9 offset1:1"}) {
      for (unsigned l = 0; l < 64; ++l) {
        set_address(m, 2, l, pages.va() + l * 4 + (l == 40 ? 1 : 0));
        set_address(m, 6, l, pages.va() + l * 8 + (l == 40 ? 4 : 0));
        m.v(4)[l] = l * 4 + (l == 40 ? 2 : 0);
        m.v(5)[l] = l * 8 + (l == 40 ? 4 : 0);
      }
      EXPECT_EQ(m.run(text), Stop::exception) << text;
      EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_aperture_violation) << text;
      EXPECT_EQ(pages.copy(), memory);
    }
  });
}

TEST(Atomic, FloatsThatAreNoNumbers) {
  for_levels([](isa::Level level) {
    Machine m("gfx942", level);
    Pages pages(4096);
    m.space().add(pages.data(), pages.size());
    const auto run = [&](const std::string& name, u32 old, u32 data) {
      std::memcpy(pages.data(), &old, 4);
      m.v(8)[0] = data;
      m.wave().set_exec(1);
      set_address(m, 2, 0, pages.va());
      EXPECT_EQ(m.run("global_atomic_" + name + " v[2:3], v8, off"), Stop::ended);
      return peek<u32>(pages.data());
    };
    EXPECT_EQ(run("add_f32", 0x7F800000, 0xFF800000), 0x7FC00000u);
    EXPECT_EQ(run("add_f32", 0x7F800000, 0x3F800000), 0x7F800000u);
    EXPECT_EQ(run("add_f32", 0x7F800001, 0x3F800000), 0x7FC00001u);
    EXPECT_EQ(run("add_f32", 0x00000001, 0x00000001), 2u);
    EXPECT_EQ(run("pk_add_f16", 0x7C003C00, 0xFC003C01), 0x7E004000u);
    EXPECT_EQ(run("pk_add_f16", 0x7BFF7BFF, 0x7BFF5000), 0x7C007C00u);
    EXPECT_EQ(run("pk_add_f16", 0x00010400, 0x00018001), 0x000203FFu);
    EXPECT_EQ(run("pk_add_bf16", 0x7F803F80, 0xFF803F80), 0x7FC04000u);
    EXPECT_EQ(run("pk_add_bf16", 0x7F7F0001, 0x7F7F0001), 0x7F800002u);
  });
}

TEST(Atomic, TheMemoryOfOlderGpusFlushesDenormals) {
  for (const char* processor : {"gfx90a", "gfx942"}) {
    Machine m(processor);
    Pages pages(4096);
    m.space().add(pages.data(), pages.size());
    const u32 values[] = {0x00000005, 0x80800000, 0x00000000};
    std::memcpy(pages.data(), values, sizeof values);
    const u32 data[] = {0x00000003, 0x00800001, 0x80000007};
    for (unsigned l = 0; l < 3; ++l) {
      set_address(m, 2, l, pages.va() + l * 4);
      m.v(8)[l] = data[l];
    }
    m.wave().set_exec(7);
    ASSERT_EQ(m.run("global_atomic_add_f32 v[2:3], v8, off"), Stop::ended);
    const bool keeps = processor[4] == '4';
    EXPECT_EQ(peek<u32>(pages.data()), keeps ? 8u : 0u);
    EXPECT_EQ(peek<u32>(pages.data() + 4), keeps ? 1u : 0u);
    EXPECT_EQ(peek<u32>(pages.data() + 8), keeps ? 0x80000007u : 0u);
  }
}

TEST(Atomic, LdsFollowsMode) {
  Machine m("gfx942");
  const u32 value = 5;
  for (const bool flush : {false, true}) {
    std::memcpy(m.lds(), &value, 4);
    m.wave().mode = flush ? 0xC0 : 0xF0;
    m.wave().set_exec(1);
    m.v(2)[0] = 0;
    m.v(8)[0] = 4;
    ASSERT_EQ(m.run("ds_add_f32 v2, v8"), Stop::ended);
    EXPECT_EQ(peek<u32>(reinterpret_cast<std::uint8_t*>(m.lds())), flush ? 0u : 9u);
  }
}

TEST(Atomic, ThroughApertures) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(4096);
    m.space().add(pages.data(), pages.size());
    std::memset(m.lds(), 0, 4096);
    for (unsigned l = 0; l < 64; ++l) {
      *reinterpret_cast<u32*>(m.wave().scratch_base() + 8 * 64 + l * 4) = 10;
      std::memset(pages.data() + l * 4, 0, 4);
      m.v(8)[l] = l + 1;
      const u64 bases[] = {0x1000000000000ull + l * 4, 0x2000000000008ull, pages.va() + l * 4};
      set_address(m, 2, l, bases[l % 3]);
    }
    ASSERT_EQ(m.run("flat_atomic_add v12, v[2:3], v8 glc"), Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      const u32 got = l % 3 == 0 ? peek<u32>(reinterpret_cast<std::uint8_t*>(m.lds()) + l * 4)
                      : l % 3 == 1
                          ? *reinterpret_cast<u32*>(m.wave().scratch_base() + 8 * 64 + l * 4)
                          : peek<u32>(pages.data() + l * 4);
      EXPECT_EQ(got, l + 1 + (l % 3 == 1 ? 10 : 0));
      EXPECT_EQ(m.v(12)[l], l % 3 == 1 ? 10u : 0u);
    }
    for (unsigned l = 0; l < 64; ++l) set_address(m, 2, l, 0x2000000000008ull);
    EXPECT_EQ(m.run("flat_atomic_add v[2:3], v8"), Stop::ended);
    EXPECT_EQ(m.run("flat_atomic_add_x2 v[2:3], v[8:9]"), Stop::unmodelled);
  });
}

TEST(Atomic, WavesOnSeveralThreadsLoseNothing) {
  for (const std::string name : {"add", "inc", "add_f32", "umax"}) {
    alignas(4096) static u32 shared[1024];
    std::memset(shared, 0, sizeof shared);
    constexpr unsigned rounds = 40000;
    std::barrier begin(2);
    const auto work = [&] {
      Machine m("gfx942");
      m.space().add(shared, sizeof shared);
      for (unsigned l = 0; l < 64; ++l) {
        set_address(m, 2, l, reinterpret_cast<std::uintptr_t>(shared) + l % 2 * 4);
        m.v(8)[l] = name == "add_f32" ? 0x3F800000 : name == "inc" ? 0xFFFFFFFF : 1;
      }
      EXPECT_EQ(m.run("s_nop 0"), Stop::ended);  // LLVM is loaded
      begin.arrive_and_wait();
      EXPECT_EQ(m.run("s_mov_b32 s0, " + std::to_string(rounds) + "\n1:\n global_atomic_" + name +
                      " v[2:3], v8, off\n s_sub_u32 s0, s0, 1\n s_cmp_lg_u32 s0, 0\n"
                      "s_cbranch_scc1 1b"),
                Stop::ended);
    };
    std::thread other(work);
    work();
    other.join();
    constexpr u32 all = 2 * rounds * 32;
    static_assert(all < 1 << 24, "floats count no further");
    const u32 expected = name == "add_f32" ? std::bit_cast<u32>(float{all})
                         : name == "umax"  ? 1
                                           : all;
    EXPECT_EQ(shared[0], expected) << name;
    EXPECT_EQ(shared[1], expected) << name;
  }
}

}  // namespace
}  // namespace rocdrill::test
