// DS: loads and stores of LDS, and data that lanes give each other.
#include <gtest/gtest.h>

#include "access.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

std::uint8_t* lds_of(Machine& m) { return reinterpret_cast<std::uint8_t*>(m.lds()); }
void randomise_lds(Machine& m, std::mt19937& random) {
  for (unsigned n = 0; n < 65536; ++n) m.lds()[n] = static_cast<std::byte>(random());
}

/// As the hardware reads: 0 for a value that does not lie in LDS.
void shared_load(Machine& m, const Load& load, std::uint32_t address, std::uint32_t* registers) {
  static constexpr std::uint8_t zeros[16] = {};
  const std::uint32_t room = m.wave().group->lds_bytes;
  const bool inside = address <= room && room - address >= load.bytes;
  load.apply(inside ? lds_of(m) + address : zeros, registers);
}

struct Case {
  const Pattern* pattern;
  std::uint64_t lanes;
  bool beyond;  ///< some lanes are out of range
};
std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Pattern& pattern : patterns)
    for (const std::uint64_t lanes : some_lanes)
      for (const bool beyond : {false, true}) out.push_back({&pattern, lanes, beyond});
  return out;
}
Lanes addresses(const Case& c, unsigned bytes, std::mt19937& random) {
  Lanes out;
  for (unsigned l = 0; l < 64; ++l) {
    out[l] = c.pattern->offset(l, bytes, random);
    if (!active(c.lanes, l)) out[l] = static_cast<std::uint32_t>(random());
    if (c.beyond && l % 5 == 0) out[l] = l == 15 ? 0xFFFFFFF0u : 65536 - 24 - l % 16;
    if (c.beyond && l == 1) out[l] = static_cast<std::uint32_t>(-20);  // + 24 is in range
  }
  return out;
}

TEST(Lds, Loads) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(1);
    randomise_lds(m, random);
    for (const Case& c : cases()) {
      for (const Load& load : shared_loads) {
        const Lanes at = addresses(c, load.bytes, random);
        m.set(2, at);
        randomise(m, 8, 4, random);
        const Lanes before[4] = {m.lanes(8), m.lanes(9), m.lanes(10), m.lanes(11)};
        m.wave().set_exec(c.lanes);
        ASSERT_EQ(m.run(std::string("ds_read_") + load.name + " " + registers('v', 8, load.bytes) +
                        ", v2 offset:24"),
                  Stop::ended);
        for (unsigned l = 0; l < 64; ++l) {
          std::uint32_t expected[4];
          for (unsigned r = 0; r < 4; ++r) expected[r] = before[r][l];
          if (active(c.lanes, l)) shared_load(m, load, at[l] + 24, expected);
          for (unsigned r = 0; r < 4; ++r)
            ASSERT_EQ(m.v(8 + r)[l], expected[r]) << load.name << " " << c.pattern->name << " " << l
                                                  << " " << c.beyond << " " << isa::name(level);
        }
      }
    }
  });
}

TEST(Lds, Stores) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(2);
    randomise_lds(m, random);
    for (const Case& c : cases()) {
      for (const Store& store : shared_stores) {
        const Lanes at = addresses(c, store.bytes, random);
        m.set(2, at);
        randomise(m, 8, 4, random);
        std::vector<std::uint8_t> expected(lds_of(m), lds_of(m) + 65536);
        for (unsigned l = 0; l < 64; ++l) {
          const std::uint32_t data[4] = {m.v(8)[l], m.v(9)[l], m.v(10)[l], m.v(11)[l]};
          const std::uint32_t to = at[l] + 24;
          if (active(c.lanes, l) && to <= 65536 - store.bytes)
            store_lane(store, expected.data() + to, data);
        }
        m.wave().set_exec(c.lanes);
        ASSERT_EQ(m.run(std::string("ds_write_") + store.name + " v2, " +
                        registers('v', 8, store.bytes) + " offset:24"),
                  Stop::ended);
        ASSERT_EQ(std::memcmp(expected.data(), m.lds(), 65536), 0)
            << store.name << " " << c.pattern->name << " " << isa::name(level);
      }
    }
  });
}

TEST(Lds, TwoValues) {
  struct Two {
    const char* suffix;
    unsigned bytes;
    unsigned unit;
  };
  constexpr Two kinds[] = {
      {"2_b32", 4, 4}, {"2_b64", 8, 8}, {"2st64_b32", 4, 256}, {"2st64_b64", 8, 512}};
  for_levels([&kinds](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(3);
    randomise_lds(m, random);
    for (const Two& two : kinds) {
      for (const std::uint64_t lanes : some_lanes) {
        for (unsigned l = 0; l < 64; ++l) {
          m.v(2)[l] = l * 2 * two.bytes;
          if (l == 7) m.v(2)[l] = 65530;
          if (l == 9) m.v(2)[l] = 65536 - 6 * two.unit;  // the sixth value is beyond
        }
        m.wave().set_exec(lanes);
        randomise(m, 8, 4, random);
        const unsigned dwords = two.bytes / 4;
        for (const unsigned second : {19u, 6u}) {
          const Lanes before[4] = {m.lanes(8), m.lanes(9), m.lanes(10), m.lanes(11)};
          ASSERT_EQ(
              m.run(std::string("ds_read") + two.suffix + " " + registers('v', 8, 2 * two.bytes) +
                    ", v2 offset0:5 offset1:" + std::to_string(second)),
              Stop::ended);
          for (unsigned l = 0; l < 64; ++l)
            for (unsigned r = 0; r < 2 * dwords; ++r) {
              const unsigned begin = m.v(2)[l] + (r < dwords ? 5 : second) * two.unit;
              std::uint32_t expected = before[r][l];
              if (active(lanes, l))
                expected = begin + two.bytes <= 65536
                               ? peek<std::uint32_t>(lds_of(m) + begin + r % dwords * 4)
                               : 0;
              ASSERT_EQ(m.v(8 + r)[l], expected) << two.suffix << " " << l;
            }
        }
        randomise(m, 8, 4, random);
        std::vector<std::uint8_t> expected(lds_of(m), lds_of(m) + 65536);
        for (unsigned n = 0; n < 2; ++n)
          for (unsigned l = 0; l < 64; ++l) {
            const unsigned begin = m.v(2)[l] + (n == 0 ? 19 : 6) * two.unit;
            if (!active(lanes, l) || begin + two.bytes > 65536) continue;
            for (unsigned r = 0; r < dwords; ++r)
              std::memcpy(expected.data() + begin + r * 4, &m.v((n == 0 ? 8 : 10) + r)[l], 4);
          }
        ASSERT_EQ(
            m.run(std::string("ds_write") + two.suffix + " v2, " + registers('v', 8, two.bytes) +
                  ", " + registers('v', 10, two.bytes) + " offset0:19 offset1:6"),
            Stop::ended);
        ASSERT_EQ(std::memcmp(expected.data(), m.lds(), 65536), 0) << two.suffix;
      }
    }
  });
}

TEST(Lds, AddressesMayLieInTheDestination) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(4);
    randomise_lds(m, random);
    for (unsigned l = 0; l < 64; ++l) m.v(9)[l] = (63 - l) * 40;
    ASSERT_EQ(m.run("ds_read2_b64 v[8:11], v9 offset0:0 offset1:2"), Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(m.v(8)[l], peek<std::uint32_t>(lds_of(m) + (63 - l) * 40));
      EXPECT_EQ(m.v(11)[l], peek<std::uint32_t>(lds_of(m) + (63 - l) * 40 + 20));
    }
    // Rows of 16 lanes, and one place for each 16.
    for (const std::uint32_t stride : {8u, 0u}) {
      const auto at = [stride](unsigned l) { return l / 16 * 200 + l % 16 * stride; };
      for (unsigned l = 0; l < 64; ++l) m.v(8)[l] = at(l);
      ASSERT_EQ(m.run("ds_read2_b64 v[8:11], v8 offset0:1 offset1:4"), Stop::ended);
      for (unsigned l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(8)[l], peek<std::uint32_t>(lds_of(m) + at(l) + 8));
        EXPECT_EQ(m.v(11)[l], peek<std::uint32_t>(lds_of(m) + at(l) + 36));
      }
    }
  });
}

TEST(Lds, ASmallWorkgroupHasASmallLds) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(5);
    randomise_lds(m, random);
    for (const std::uint32_t room : {0u, 3u, 128u, 251u, 252u, 256u}) {
      m.wave().group->lds_bytes = room;
      for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l * 4;
      ASSERT_EQ(m.run("ds_read_b32 v8, v2"), Stop::ended);
      for (unsigned l = 0; l < 64; ++l)
        EXPECT_EQ(m.v(8)[l], l * 4 + 4 <= room ? peek<std::uint32_t>(lds_of(m) + l * 4) : 0);
      // Rows of 16 lanes, of which the last ends at 252.
      for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l / 16 * 60 + l % 16 * 4;
      ASSERT_EQ(m.run("ds_read2_b32 v[8:9], v2 offset1:2"), Stop::ended);
      for (unsigned l = 0; l < 64; ++l) {
        const std::uint32_t at = l / 16 * 60 + l % 16 * 4;
        EXPECT_EQ(m.v(8)[l], at + 4 <= room ? peek<std::uint32_t>(lds_of(m) + at) : 0);
        EXPECT_EQ(m.v(9)[l], at + 12 <= room ? peek<std::uint32_t>(lds_of(m) + at + 8) : 0);
      }
    }
  });
}

TEST(Lds, AgprsAndLaneAddresses) {
  Machine m;
  std::mt19937 random(6);
  randomise_lds(m, random);
  for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l * 8;
  m.s(isa::reg::m0) = 0xABCD0010;
  ASSERT_EQ(m.run("ds_read_b64 a[4:5], v2\n ds_read_addtid_b32 v3 offset:8"), Stop::ended);
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(m.a(5)[l], peek<std::uint32_t>(lds_of(m) + l * 8 + 4));
    EXPECT_EQ(m.v(3)[l], peek<std::uint32_t>(lds_of(m) + 0x18 + l * 4));
  }
  ASSERT_EQ(m.run("ds_write_addtid_b32 v2 offset:8\n ds_nop"), Stop::ended);
  EXPECT_EQ(peek<std::uint32_t>(lds_of(m) + 0x18 + 12), 24u);
}

TEST(Lds, AppendAndConsumeCountLanes) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    const std::uint32_t begin = 1000;
    std::memcpy(m.lds() + 0x40, &begin, 4);
    m.s(isa::reg::m0) = 0x30;
    m.wave().set_exec(0xFF00Full);
    m.v(1)[0] = m.v(1)[5] = 9;
    ASSERT_EQ(m.run("ds_append v1 offset:16\n ds_append v2 offset:16\n ds_consume v3 offset:16"),
              Stop::ended);
    EXPECT_EQ(m.v(1)[0], 1000u);
    EXPECT_EQ(m.v(1)[5], 9u);
    EXPECT_EQ(m.v(2)[19], 1012u);
    EXPECT_EQ(m.v(3)[19], 1024u);
    EXPECT_EQ(peek<std::uint32_t>(lds_of(m) + 0x40), 1012u);
  });
}

TEST(Lds, WhatThereIsNotIsRefused) {
  Machine old("gfx906");
  for (const char* text :
       {"ds_read_b32 v0, v2 gds", "ds_add_u32 v0, v2 gds", "ds_ordered_count v0, v2 gds",
        "ds_gws_barrier v0 gds", "ds_add_src2_u32 v0"}) {
    EXPECT_EQ(old.run(text), Stop::unmodelled) << text;
    EXPECT_EQ(std::string(old.wave().unmodelled), text);
  }
  Machine m("gfx90a");
  EXPECT_EQ(m.run("ds_gws_init v0 gds"), Stop::unmodelled);
}

// --- between lanes -------------------------------------------------------------------------------

TEST(Lds, Permutations) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(7);
    for (const std::uint64_t lanes : some_lanes) {
      randomise(m, 2, 4, random);
      const Lanes index = m.lanes(2);
      const Lanes data = m.lanes(3);
      const Lanes before = m.lanes(4);
      m.wave().set_exec(lanes);
      ASSERT_EQ(m.run("ds_bpermute_b32 v4, v2, v3 offset:20\n ds_permute_b32 v5, v2, v3 offset:20"),
                Stop::ended);
      Lanes given = {};
      for (unsigned l = 0; l < 64; ++l)
        if (active(lanes, l)) given[(index[l] + 20) / 4 % 64] = data[l];
      for (unsigned l = 0; l < 64; ++l) {
        const unsigned from = (index[l] + 20) / 4 % 64;
        const std::uint32_t taken = active(lanes, from) ? data[from] : 0;
        EXPECT_EQ(m.v(4)[l], active(lanes, l) ? taken : before[l]) << l;
        if (active(lanes, l)) {
          EXPECT_EQ(m.v(5)[l], given[l]) << l;
        }
      }
      // In place.
      m.set(4, data);
      ASSERT_EQ(m.run("ds_bpermute_b32 v4, v2, v4"), Stop::ended);
      for (unsigned l = 0; l < 64; ++l)
        if (active(lanes, l) && active(lanes, index[l] / 4 % 64)) {
          EXPECT_EQ(m.v(4)[l], data[index[l] / 4 % 64]);
        }
    }
  });
}

/// As the guides' pseudo code has it.
unsigned swizzle_source(unsigned offset, unsigned lane) {
  const auto reversed = [](unsigned value) {
    unsigned out = 0;
    for (unsigned n = 0; n < 5; ++n)
      if ((value >> n & 1) != 0) out |= 16u >> n;
    return out;
  };
  if (offset >= 0xE000) {
    const unsigned mask = offset & 0x1F;
    if (mask == 0x1F) return lane;
    unsigned j = reversed(lane & 0x1F) >> std::popcount(mask);
    j |= lane & mask;
    return j | (lane & 0x20);
  }
  if (offset >= 0xC000) {
    int by = static_cast<int>(offset >> 5 & 31);
    if ((offset >> 10 & 1) != 0) by = -by;
    const unsigned mask = offset & 31;
    const unsigned turned = static_cast<unsigned>(static_cast<int>(lane & 31) + by) & 31;
    return (lane & 31 & mask) | (turned & ~mask & 31) | (lane & 32);
  }
  if ((offset & 0x8000) != 0) return lane / 4 * 4 + (offset >> lane % 4 * 2 & 3);
  return (((lane & 31 & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)) | (lane & 32);
}

TEST(Lds, Swizzles) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(8);
    std::vector<unsigned> offsets = {0x041F, 0x081F, 0x401F, 0x7C1F, 0x001F, 0x03FF, 0x8000,
                                     0x801B, 0x80E4, 0x80B1, 0xC020, 0xC443, 0xC7E0, 0xC01F,
                                     0xE000, 0xE001, 0xE01F, 0xE00F, 0xE010, 0x0000};
    for (unsigned n = 0; n < 30; ++n) offsets.push_back(static_cast<unsigned>(random() & 0xFFFF));
    for (const unsigned offset : offsets) {
      for (const std::uint64_t lanes : {some_lanes[0], some_lanes[2]}) {
        randomise(m, 2, 2, random);
        const Lanes data = m.lanes(2);
        const Lanes before = m.lanes(3);
        m.wave().set_exec(lanes);
        ASSERT_EQ(m.run("ds_swizzle_b32 v3, v2 offset:" + std::to_string(offset)), Stop::ended);
        for (unsigned l = 0; l < 64; ++l) {
          const unsigned from = swizzle_source(offset, l);
          const std::uint32_t taken = active(lanes, from) ? data[from] : 0;
          ASSERT_EQ(m.v(3)[l], active(lanes, l) ? taken : before[l])
              << std::hex << offset << std::dec << " " << l;
        }
      }
    }
  });
}

}  // namespace
}  // namespace rocdrill::test
