// MUBUF: addresses and range checks against a V#.
#include <gtest/gtest.h>

#include "access.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

struct Descriptor {
  std::uint32_t stride = 0;
  std::uint32_t records = 0;
  bool swizzled = false;
  unsigned index_stride = 3;  ///< 8 << it
  bool add_tid = false;
};
void set_descriptor(Machine& m, unsigned s, std::uint64_t base, const Descriptor& d) {
  m.s(s) = static_cast<std::uint32_t>(base);
  m.s(s + 1) =
      static_cast<std::uint32_t>(base >> 32) | d.stride << 16 | (d.swizzled ? 1u << 31 : 0);
  m.s(s + 2) = d.records;
  m.s(s + 3) = d.index_stride << 21 | (d.add_tid ? 1u << 23 : 0);
}

struct Mode {
  const char* text;
  bool idxen;
  bool offen;
};
constexpr Mode modes[] = {
    {"off", false, false}, {"v2", false, true}, {"v2", true, false}, {"v[2:3]", true, true}};
std::string flags(const Mode& mode) {
  return std::string(mode.idxen ? " idxen" : "") + (mode.offen ? " offen" : "");
}

/// One lane's view, as the guides describe it.
struct Reference {
  Descriptor d;
  Mode mode;
  std::uint64_t soffset;
  std::uint64_t plus;

  std::uint64_t at(std::uint64_t index, std::uint64_t offset) const {
    if (!d.swizzled) return index * d.stride + offset;
    const std::uint64_t lanes = 8u << d.index_stride;
    return (index / lanes * d.stride + offset / 4 * 4) * lanes + index % lanes * 4 + offset % 4;
  }
  std::uint64_t index(unsigned lane, std::uint32_t v) const {
    return (mode.idxen ? v : 0) + (d.add_tid ? lane : 0);
  }
  /// Of the dword (or what is smaller) at `offset`; soffset not added.
  bool inside(std::uint64_t index, std::uint64_t offset, unsigned bytes) const {
    if (mode.idxen && d.stride != 0)
      return index < d.records && (!d.swizzled || offset + bytes <= d.stride);
    return at(index, offset) + soffset + bytes <= d.records;
  }
};

constexpr std::size_t memory_bytes = 65536;

class Buffer {
 public:
  Buffer(isa::Level level, const char* processor, const Descriptor& descriptor, const Mode& mode,
         std::uint64_t lanes)
      : m(processor, level),
        pages(memory_bytes),
        reference{descriptor, mode, 64, 20},
        lanes_(lanes) {
    m.space().add(pages.data(), pages.size());
    set_descriptor(m, 8, pages.va(), descriptor);
    m.s(12) = 64;
    m.wave().set_exec(lanes);
  }
  std::string operands(const std::string& data) const {
    return " " + data + ", " + reference.mode.text + ", s[8:11], s12" + flags(reference.mode) +
           " offset:20";
  }
  void draw(unsigned alignment, bool unit) {
    const std::uint32_t most_index = reference.d.stride == 0 ? 100 : 70;
    for (unsigned l = 0; l < 64; ++l) {
      auto index = static_cast<std::uint32_t>(random() % most_index);
      auto offset = static_cast<std::uint32_t>(random() % (900 / alignment)) * alignment;
      if (reference.mode.idxen) offset %= reference.d.stride == 0 ? 900 : reference.d.stride + 8;
      offset = offset / alignment * alignment;
      if (unit) {
        index = l;
        const std::uint32_t step = alignment < 4 ? 4 : alignment;
        offset = reference.mode.idxen ? step : l * step;
      } else if (l % 13 == 5 && (!reference.mode.idxen || reference.d.stride == 0)) {
        offset = 0u - 4u * (l % 8);  // far out; sums must not wrap around
      }
      index_[l] = index;
      offset_[l] = offset;
      m.v(2)[l] = reference.mode.idxen ? index : offset;
      m.v(3)[l] = offset;
      if (!active(lanes_, l)) m.v(2)[l] = m.v(3)[l] = static_cast<std::uint32_t>(random());
    }
  }
  /// Where byte n of lane l lies; nothing if out of range.
  std::uint8_t* place(std::uint8_t* memory, unsigned l, unsigned n, unsigned bytes) {
    const std::uint64_t offset = (reference.mode.offen ? offset_[l] : 0) + reference.plus;
    const std::uint64_t index = reference.index(l, index_[l]);
    const unsigned part = bytes < 4 ? bytes : 4;
    if (!reference.inside(index, offset + n / 4 * 4, part)) return nullptr;
    const std::uint64_t at = reference.at(index, offset + n) + reference.soffset;
    return at < memory_bytes ? memory + at : nullptr;
  }
  void check_loads(unsigned alignment, bool unit);
  void check_stores(unsigned alignment, bool unit);
  void check_atomics(bool unit);

  Machine m;
  Pages pages;
  Reference reference;
  std::mt19937 random{21};

 private:
  std::uint64_t lanes_;
  Lanes index_{};
  Lanes offset_{};
};

void Buffer::check_loads(unsigned alignment, bool unit) {
  for (const Load& load : loads) {
    draw(alignment, unit);
    randomise(m, 8, 4, random);
    const Lanes before[4] = {m.lanes(8), m.lanes(9), m.lanes(10), m.lanes(11)};
    ASSERT_EQ(
        m.run(std::string("buffer_load_") + load.name + operands(registers('v', 8, load.bytes))),
        Stop::ended)
        << load.name;
    for (unsigned l = 0; l < 64; ++l) {
      std::uint32_t expected[4];
      for (unsigned r = 0; r < 4; ++r) expected[r] = before[r][l];
      if (active(lanes_, l)) {
        std::uint8_t bytes[16] = {};
        for (unsigned n = 0; n < load.bytes; ++n) {
          const std::uint8_t* from = place(pages.data(), l, n, load.bytes);
          bytes[n] = from != nullptr ? *from : 0;
        }
        load.apply(bytes, expected);
      }
      for (unsigned r = 0; r < 4; ++r)
        ASSERT_EQ(m.v(8 + r)[l], expected[r])
            << load.name << operands("") << " stride " << reference.d.stride << " records "
            << reference.d.records << " swizzled " << reference.d.swizzled << " lane " << l
            << " index " << index_[l] << " offset " << offset_[l];
    }
  }
}

void Buffer::check_stores(unsigned alignment, bool unit) {
  for (const Store& store : stores) {
    draw(alignment, unit);
    randomise(m, 8, 4, random);
    std::vector<std::uint8_t> expected = pages.copy();
    for (unsigned l = 0; l < 64; ++l) {
      if (!active(lanes_, l)) continue;
      const std::uint32_t data[4] = {m.v(8)[l], m.v(9)[l], m.v(10)[l], m.v(11)[l]};
      std::uint8_t bytes[16];
      store_lane(store, bytes, data);
      for (unsigned n = 0; n < store.bytes; ++n)
        if (std::uint8_t* to = place(expected.data(), l, n, store.bytes)) *to = bytes[n];
    }
    ASSERT_EQ(
        m.run(std::string("buffer_store_") + store.name + operands(registers('v', 8, store.bytes))),
        Stop::ended);
    // Where lanes overlap, who is last depends on the path: compare what the lanes' order decides.
    const std::vector<std::uint8_t> got = pages.copy();
    std::vector<unsigned> writers(memory_bytes);
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned n = 0; n < store.bytes && active(lanes_, l); ++n)
        if (std::uint8_t* to = place(expected.data(), l, n, store.bytes))
          ++writers[static_cast<std::size_t>(to - expected.data())];
    for (std::size_t n = 0; n < memory_bytes; ++n)
      if (writers[n] < 2) {
        ASSERT_EQ(got[n], expected[n]) << store.name << operands("") << " at " << n;
      }
  }
}

/// All or nothing, and what is out of range returns 0.
void Buffer::check_atomics(bool unit) {
  for (const unsigned form : {0u, 1u, 2u, 3u}) {
    const unsigned bytes = form % 2 == 0 ? 4 : 8;
    const bool returns = form / 2 == 0;
    draw(bytes, unit);
    reference.plus = 24;
    randomise(m, 8, 2, random);
    const Lanes before[2] = {m.lanes(8), m.lanes(9)};
    std::vector<std::uint8_t> expected = pages.copy();
    std::uint64_t old[64] = {};
    for (unsigned l = 0; l < 64; ++l) {
      if (!active(lanes_, l)) continue;
      std::uint8_t* at = place(expected.data(), l, 0, bytes);
      if (at == nullptr || place(expected.data(), l, bytes - 1, bytes) == nullptr) continue;
      std::memcpy(&old[l], at, bytes);
      const std::uint64_t sum = old[l] + (before[0][l] | std::uint64_t{before[1][l]} << 32);
      std::memcpy(at, &sum, bytes);
    }
    std::string text = std::string(bytes == 4 ? "buffer_atomic_add" : "buffer_atomic_add_x2") +
                       operands(registers('v', 8, bytes)) + (returns ? " glc" : "");
    text.replace(text.find("offset:20"), 9, "offset:24");
    ASSERT_EQ(m.run(text), Stop::ended);
    ASSERT_EQ(pages.copy(), expected) << text;
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned r = 0; r < bytes / 4; ++r)
        ASSERT_EQ(m.v(8 + r)[l], active(lanes_, l) && returns
                                     ? static_cast<std::uint32_t>(old[l] >> 32 * r)
                                     : before[r][l]);
    reference.plus = 20;
  }
}

constexpr Descriptor descriptors[] = {
    {.stride = 0, .records = 65536},
    {.stride = 0, .records = 700},
    {.stride = 0, .records = 331},
    {.stride = 0, .records = 0},
    {.stride = 0, .records = 50},
    {.stride = 48, .records = 60},
    {.stride = 48, .records = 1000},
    {.stride = 52, .records = 33, .add_tid = true},
    {.stride = 40, .records = 1692, .add_tid = true},
    {.stride = 0, .records = 65536, .swizzled = true, .index_stride = 3, .add_tid = true},
    {.stride = 0, .records = 30000, .swizzled = true, .index_stride = 3, .add_tid = true},
    {.stride = 64, .records = 50, .swizzled = true, .index_stride = 1},
    {.stride = 64, .records = 8192, .swizzled = true, .index_stride = 0, .add_tid = true},
};

TEST(Buffer, Loads) {
  for_levels([](isa::Level level) {
    for (const Descriptor& descriptor : descriptors)
      for (const Mode& mode : modes)
        for (const unsigned alignment : {4u, 1u})
          for (const bool unit : {true, false})
            for (const std::uint64_t lanes : {some_lanes[0], some_lanes[2]})
              Buffer(level, "gfx90a", descriptor, mode, lanes).check_loads(alignment, unit);
  });
}
TEST(Buffer, Stores) {
  for_levels([](isa::Level level) {
    for (const Descriptor& descriptor : descriptors)
      for (const Mode& mode : modes)
        for (const unsigned alignment : {4u, 1u})
          for (const bool unit : {true, false})
            for (const std::uint64_t lanes : {some_lanes[0], some_lanes[2]})
              Buffer(level, "gfx942", descriptor, mode, lanes).check_stores(alignment, unit);
  });
}
TEST(Buffer, Atomics) {
  for_levels([](isa::Level level) {
    for (const Descriptor& descriptor : descriptors) {
      if (descriptor.swizzled) continue;
      for (const Mode& mode : modes)
        for (const bool unit : {true, false}) {
          Buffer buffer(level, "gfx90a", descriptor, mode, some_lanes[0]);
          // Records that keep 64 bits aligned.
          if (descriptor.stride % 8 != 0) continue;
          buffer.check_atomics(unit);
        }
    }
  });
}

// What ROCr gives gfx90a as its private segment buffer.
TEST(Buffer, ThePrivateSegmentIsInterleaved) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::mt19937 random(2);
    set_descriptor(m, 0, m.wave().scratch_base() - 1024,
                   {.records = 0x7FFFFFFF, .swizzled = true, .add_tid = true});
    m.s(3) |= 4 << 15 | 1 << 19;  // DATA_FORMAT_32, ELEMENT_SIZE
    m.s(32) = 1024;
    randomise(m, 8, 4, random);
    for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l * 12 % 256;
    ASSERT_EQ(m.run("buffer_store_dword v8, off, s[0:3], s32 offset:8\n"
                    "buffer_store_dwordx2 v[10:11], v2, s[0:3], s32 offen offset:16\n"
                    "scratch_load_dword v12, off, s40 offset:8\n"
                    "scratch_load_dwordx2 v[14:15], v2, off offset:16\n"
                    "buffer_load_dword v16, off, s[0:3], s32 offset:8\n"
                    "buffer_load_ubyte v17, v2, s[0:3], s32 offen offset:17\n"),
              Stop::ended);
    EXPECT_EQ(m.lanes(14), m.lanes(10));
    EXPECT_EQ(m.lanes(15), m.lanes(11));
    EXPECT_EQ(m.lanes(12), m.lanes(8));
    EXPECT_EQ(m.lanes(16), m.lanes(8));
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(m.v(17)[l], m.v(10)[l] >> 8 & 0xFF);
  });
}

TEST(Buffer, SoffsetIsAConstantToo) {
  Machine m;
  Pages pages(4096);
  m.space().add(pages.data(), pages.size());
  set_descriptor(m, 8, pages.va(), {.records = 4096});
  m.s(isa::reg::m0) = 12;
  ASSERT_EQ(m.run("buffer_load_dword v1, off, s[8:11], 0\n buffer_load_dword v2, off, s[8:11], 8\n"
                  "buffer_load_dword v3, off, s[8:11], m0"),
            Stop::ended);
  EXPECT_EQ(m.v(1)[3], peek<std::uint32_t>(pages.data()));
  EXPECT_EQ(m.v(2)[3], peek<std::uint32_t>(pages.data() + 8));
  EXPECT_EQ(m.v(3)[3], peek<std::uint32_t>(pages.data() + 12));
}

TEST(Buffer, InRangeButNotMappedFaults) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(4096);
    m.space().add(pages.data(), pages.size());
    set_descriptor(m, 8, pages.va(), {.records = 1u << 30});
    for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l * 4;
    m.v(2)[50] = 0x100000;
    m.v(8)[0] = 3;
    EXPECT_EQ(m.run("buffer_load_dword v8, v2, s[8:11], 0 offen"), Stop::exception);
    EXPECT_EQ(m.wave().exception.address, pages.va() + 0x100000);
    EXPECT_EQ(m.v(8)[0], 3u);
    EXPECT_EQ(m.run("buffer_store_short v8, v2, s[8:11], 0 offen"), Stop::exception);
    EXPECT_EQ(m.wave().exception.access, cp::Access::write);
  });
}

TEST(Buffer, LoadsToLds) {
  for_levels([](isa::Level level) {
    for (const char* processor : {"gfx90a", "gfx942"}) {
      Machine m(processor, level);
      Pages pages(4096);
      m.space().add(pages.data(), pages.size());
      set_descriptor(m, 8, pages.va(), {.records = 200});
      for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = l * 4;
      std::memset(m.lds(), 0x5A, 4096);
      m.s(isa::reg::m0) = 256;
      m.wave().set_exec(~0ull >> 2);
      ASSERT_EQ(m.run("buffer_load_dword v2, s[8:11], 0 offen offset:4 lds"), Stop::ended);
      for (unsigned l = 0; l < 64; ++l) {
        const std::uint32_t inside =
            l * 4 + 8 <= 200 ? peek<std::uint32_t>(pages.data() + l * 4 + 4) : 0;
        EXPECT_EQ(peek<std::uint32_t>(reinterpret_cast<std::uint8_t*>(m.lds()) + 256 + 4 + l * 4),
                  l < 62 ? inside : 0x5A5A5A5Au);
      }
    }
  });
}

TEST(Buffer, FormatsAndTheLikeAreRefusedByName) {
  Machine m("gfx906");
  for (const char* text :
       {"buffer_load_format_x v1, off, s[8:11], 0",
        "buffer_store_format_xy v[2:3], off, s[8:11], 0",
        "tbuffer_load_format_x v1, off, s[8:11], 0", "buffer_store_lds_dword s[8:11], 0 lds",
        "buffer_load_dword v[1:2], off, s[8:11], 0 tfe"}) {
    EXPECT_EQ(m.run(text), Stop::unmodelled) << text;
    EXPECT_EQ(std::string(m.wave().unmodelled).substr(0, 12), std::string(text).substr(0, 12));
  }
}

TEST(Buffer, CacheInstructionsDoNothingElse) {
  Machine old("gfx906");
  EXPECT_EQ(old.run("buffer_wbinvl1\n buffer_wbinvl1_vol"), Stop::ended);
  Machine m("gfx90a");
  EXPECT_EQ(m.run("buffer_wbinvl1_vol\n buffer_wbl2\n buffer_invl2"), Stop::ended);
  Machine newer("gfx942");
  EXPECT_EQ(newer.run("buffer_wbl2 sc1\n buffer_inv sc0 sc1"), Stop::ended);
}

}  // namespace
}  // namespace rocdrill::test
