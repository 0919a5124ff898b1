// SCRATCH: a lane's private memory, interleaved with that of the other lanes dword by dword.
#include <gtest/gtest.h>

#include "access.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

/// Byte `offset` of a lane.
std::uint8_t& scratch(Machine& m, unsigned lane, std::uint32_t offset) {
  return *reinterpret_cast<std::uint8_t*>(m.wave().scratch_base() +
                                          std::uint64_t{offset / 4} * 256 + lane * 4 + offset % 4);
}

struct Form {
  const char* operands;  ///< of vaddr (v2) and saddr (s6)
  bool vaddr;
  bool saddr;
  const char* processor;
};
constexpr Form forms[] = {
    {"v2, off", true, false, "gfx90a"}, {"off, s6", false, true, "gfx90a"},
    {"v2, off", true, false, "gfx942"}, {"off, s6", false, true, "gfx942"},
    {"v2, s6", true, true, "gfx942"},   {"off, off", false, false, "gfx942"},
};

void check(isa::Level level, const Form& form, unsigned alignment, bool uniform,
           std::uint64_t lanes) {
  Machine m(form.processor, level);
  std::mt19937 random(9);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned n = 0; n < 4096; ++n) scratch(m, l, n) = static_cast<std::uint8_t>(random());
  const auto offset = [&](unsigned l) {
    return 32 + (form.vaddr ? m.v(2)[l] : 0) + (form.saddr ? m.s(6) : 0);
  };
  const auto addresses = [&] {
    m.s(6) = static_cast<std::uint32_t>(random() % (2000 / alignment)) * alignment;
    const auto same = static_cast<std::uint32_t>(random() % (2000 / alignment)) * alignment;
    for (unsigned l = 0; l < 64; ++l)
      m.v(2)[l] =
          uniform ? same : static_cast<std::uint32_t>(random() % (2000 / alignment)) * alignment;
    for (unsigned l = 0; l < 64; ++l)
      if (!active(lanes, l)) m.v(2)[l] = static_cast<std::uint32_t>(random());
  };
  m.wave().set_exec(lanes);
  for (const Load& load : loads) {
    addresses();
    randomise(m, 8, 4, random);
    const Lanes before[4] = {m.lanes(8), m.lanes(9), m.lanes(10), m.lanes(11)};
    ASSERT_EQ(m.run(std::string("scratch_load_") + load.name + " " + registers('v', 8, load.bytes) +
                    ", " + form.operands + " offset:32"),
              Stop::ended)
        << load.name;
    for (unsigned l = 0; l < 64; ++l) {
      std::uint32_t expected[4];
      for (unsigned r = 0; r < 4; ++r) expected[r] = before[r][l];
      std::uint8_t bytes[16];
      if (active(lanes, l)) {
        for (unsigned n = 0; n < load.bytes; ++n) bytes[n] = scratch(m, l, offset(l) + n);
        load.apply(bytes, expected);
      }
      for (unsigned r = 0; r < 4; ++r)
        ASSERT_EQ(m.v(8 + r)[l], expected[r]) << load.name << " " << form.operands << " lane " << l;
    }
  }
  for (const Store& store : stores) {
    addresses();
    randomise(m, 8, 4, random);
    const auto* begin = reinterpret_cast<const std::uint8_t*>(m.wave().scratch_base());
    std::vector<std::uint8_t> expected(begin, begin + 64 * 4096);
    for (unsigned l = 0; l < 64; ++l) {
      if (!active(lanes, l)) continue;
      const std::uint32_t data[4] = {m.v(8)[l], m.v(9)[l], m.v(10)[l], m.v(11)[l]};
      std::uint8_t bytes[16];
      store_lane(store, bytes, data);
      for (unsigned n = 0; n < store.bytes; ++n)
        expected[static_cast<std::size_t>(&scratch(m, l, offset(l) + n) - begin)] = bytes[n];
    }
    const std::string where(form.operands);
    ASSERT_EQ(
        m.run(std::string("scratch_store_") + store.name + " " + where.substr(0, where.find(',')) +
              ", " + registers('v', 8, store.bytes) + where.substr(where.find(',')) + " offset:32"),
        Stop::ended)
        << store.name;
    ASSERT_EQ(std::memcmp(expected.data(), begin, expected.size()), 0) << store.name;
  }
}

TEST(Scratch, LoadsAndStores) {
  for_levels([](isa::Level level) {
    for (const Form& form : forms)
      for (const unsigned alignment : {4u, 1u})
        for (const bool uniform : {true, false})
          for (const std::uint64_t lanes : {some_lanes[0], some_lanes[2], some_lanes[3]})
            check(level, form, alignment, uniform, lanes);
  });
}

TEST(Scratch, OffsetsAreNegativeToo) {
  Machine m("gfx942");
  for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = 64;
  scratch(m, 9, 60) = 0x77;
  ASSERT_EQ(m.run("scratch_load_ubyte v8, v2, off offset:-4"), Stop::ended);
  EXPECT_EQ(m.v(8)[9], 0x77u);
}

TEST(Scratch, BeyondTheEndIsAViolation) {
  for_levels([](isa::Level level) {
    for (const char* text : {"scratch_load_dword v8, v2, off", "scratch_store_dword v2, v8, off",
                             "scratch_load_dwordx4 v[8:11], v2, off"}) {
      const bool store = std::string(text).find("store") != std::string::npos;
      Machine m("gfx90a", level);
      for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = 4096 - 16;
      EXPECT_EQ(m.run(text), Stop::ended);
      for (const std::uint32_t wild : {4093u, 4096u, 0xFFFFFFFCu}) {
        m.v(2)[12] = m.v(2)[13] = wild;
        m.v(8)[0] = 5;
        EXPECT_EQ(m.run(text), Stop::exception);
        EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_aperture_violation);
        EXPECT_EQ(m.wave().exception.address, 0x2000000000000ull + wild);
        EXPECT_EQ(m.wave().exception.access, store ? cp::Access::write : cp::Access::read);
        EXPECT_EQ(m.v(8)[0], 5u);
      }
      m.wave().scratch_bytes = 0;
      m.v(2)[12] = m.v(2)[13] = 0;
      EXPECT_EQ(m.run(text), Stop::exception);
    }
  });
}

TEST(Scratch, BackingThatIsNotMappedFaults) {
  Machine m;
  m.wave().set_pair(isa::reg::flat_scratch, 0x123400000000);
  for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = 8;
  m.wave().set_exec(~0ull << 3);
  EXPECT_EQ(m.run("scratch_load_dword v8, v2, off"), Stop::exception);
  EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_memory_violation);
  EXPECT_EQ(m.wave().exception.address, 0x123400000000ull + 2 * 256 + 3 * 4);
}

TEST(Scratch, BackingMayLieInTwoRanges) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages low(8192);
    Pages high(8192, 2);
    constexpr std::uint64_t va = 0x700000000000;
    m.space().add(va, 8192, {}, low.data());
    m.space().add(va + 8192, 8192, {}, high.data());
    m.wave().set_pair(isa::reg::flat_scratch, va);
    m.wave().scratch_bytes = 256;
    for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = 120;  // 128 bytes of each lane in the first
    ASSERT_EQ(m.run("scratch_load_dwordx4 v[8:11], v2, off"), Stop::ended);
    std::mt19937 random(1);
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned n = 0; n < 16; ++n) {
        const unsigned at = (120 + n) / 4 * 256 + l * 4 + n % 4;
        ASSERT_EQ(m.v(8 + n / 4)[l] >> n % 4 * 8 & 0xFF,
                  at < 8192 ? low.data()[at] : high.data()[at - 8192]);
      }
    randomise(m, 8, 4, random);
    ASSERT_EQ(m.run("scratch_store_dwordx4 v2, v[8:11], off"), Stop::ended);
    EXPECT_EQ(peek<std::uint32_t>(high.data() + 63 * 4), m.v(10)[63]);
    EXPECT_EQ(peek<std::uint32_t>(low.data() + 31 * 256 + 4), m.v(9)[1]);
  });
}

}  // namespace
}  // namespace rocdrill::test
