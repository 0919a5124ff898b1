// GLOBAL and FLAT: loads and stores.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "access.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

struct Form {
  const char* prefix;
  bool base;  ///< the address is an SGPR pair and a 32-bit offset
};
constexpr Form forms[] = {{"global", false}, {"global", true}, {"flat", false}};

std::string operands(const Form& form, const std::string& data, bool store) {
  const std::string address = form.base ? "v2" : "v[2:3]";
  const std::string tail = form.base                                   ? ", s[4:5]"
                           : std::string_view(form.prefix) == "global" ? ", off"
                                                                       : "";
  return (store ? address + ", " + data : data + ", " + address) + tail + " offset:24\n";
}

/// Addresses so that va + 24 + offset is reached.
void set_addresses(Machine& m, const Form& form, std::uint64_t va, const Lanes& offsets) {
  m.wave().set_pair(4, va);
  for (unsigned l = 0; l < 64; ++l) {
    if (form.base) {
      m.v(2)[l] = offsets[l];
    } else {
      set_address(m, 2, l, va + offsets[l]);
    }
  }
}

Lanes offsets_of(const Pattern& pattern, unsigned bytes, std::mt19937& random,
                 std::uint64_t lanes) {
  Lanes out;
  for (unsigned l = 0; l < 64; ++l) {
    out[l] = pattern.offset(l, bytes, random);
    // What inactive lanes hold must not matter.
    if (!active(lanes, l)) out[l] = static_cast<std::uint32_t>(random());
  }
  return out;
}

void check_loads(isa::Level level, const Form& form, const Pattern& pattern, std::uint64_t lanes,
                 char kind) {
  std::mt19937 random(7);
  Machine m("gfx90a", level);
  Pages pages(8192);
  m.space().add(pages.data(), pages.size());
  for (const Load& load : loads) {
    const Lanes offsets = offsets_of(pattern, load.bytes, random, lanes);
    set_addresses(m, form, pages.va(), offsets);
    randomise(m, 8, 4, random, kind == 'a');
    Lanes before[4];
    for (unsigned r = 0; r < 4; ++r)
      std::memcpy(before[r].data(), kind == 'a' ? m.a(8 + r) : m.v(8 + r), sizeof(Lanes));
    m.wave().set_exec(lanes);
    ASSERT_EQ(m.run(std::string(form.prefix) + "_load_" + load.name + " " +
                    operands(form, registers(kind, 8, load.bytes), false)),
              Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      std::uint32_t expected[4];
      for (unsigned r = 0; r < 4; ++r) expected[r] = before[r][l];
      if (active(lanes, l)) load.apply(pages.data() + 24 + offsets[l], expected);
      for (unsigned r = 0; r < 4; ++r)
        ASSERT_EQ((kind == 'a' ? m.a(8 + r) : m.v(8 + r))[l], expected[r])
            << form.prefix << (form.base ? " saddr " : " ") << load.name << " " << pattern.name
            << " lane " << l << " register " << r << " level " << isa::name(level);
    }
  }
}

TEST(Global, Loads) {
  for_levels([](isa::Level level) {
    for (const Form& form : forms)
      for (const Pattern& pattern : patterns)
        for (const std::uint64_t lanes : some_lanes) check_loads(level, form, pattern, lanes, 'v');
  });
}

TEST(Global, LoadsIntoAgprs) {
  for (const Pattern& pattern : patterns)
    check_loads(isa::best_level(), forms[1], pattern, some_lanes[2], 'a');
}

void check_stores(isa::Level level, const Form& form, const Pattern& pattern, std::uint64_t lanes) {
  std::mt19937 random(8);
  Machine m("gfx90a", level);
  Pages pages(8192);
  m.space().add(pages.data(), pages.size());
  for (const Store& store : stores) {
    const Lanes offsets = offsets_of(pattern, store.bytes, random, lanes);
    set_addresses(m, form, pages.va(), offsets);
    randomise(m, 8, 4, random);
    std::vector<std::uint8_t> expected = pages.copy();
    for (unsigned l = 0; l < 64; ++l) {
      const std::uint32_t data[4] = {m.v(8)[l], m.v(9)[l], m.v(10)[l], m.v(11)[l]};
      if (active(lanes, l)) store_lane(store, expected.data() + 24 + offsets[l], data);
    }
    m.wave().set_exec(lanes);
    ASSERT_EQ(m.run(std::string(form.prefix) + "_store_" + store.name + " " +
                    operands(form, registers('v', 8, store.bytes), true)),
              Stop::ended);
    ASSERT_EQ(pages.copy(), expected)
        << form.prefix << " " << store.name << " " << pattern.name << " level " << isa::name(level);
  }
}

TEST(Global, Stores) {
  for_levels([](isa::Level level) {
    for (const Form& form : forms)
      for (const Pattern& pattern : patterns)
        for (const std::uint64_t lanes : some_lanes) check_stores(level, form, pattern, lanes);
  });
}

TEST(Global, AStoreTakesAgprs) {
  Machine m;
  Pages pages(4096);
  m.space().add(pages.data(), pages.size());
  std::mt19937 random(3);
  randomise(m, 4, 2, random, true);
  for (unsigned l = 0; l < 64; ++l) set_address(m, 2, l, pages.va() + l * 8);
  ASSERT_EQ(m.run("global_store_dwordx2 v[2:3], a[4:5], off"), Stop::ended);
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(peek<std::uint32_t>(pages.data() + l * 8), m.a(4)[l]);
    EXPECT_EQ(peek<std::uint32_t>(pages.data() + l * 8 + 4), m.a(5)[l]);
  }
}

TEST(Global, NoLaneNoAccess) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    m.wave().set_exec(0);
    m.wave().set_pair(4, 0);
    EXPECT_EQ(m.run("global_load_dword v1, v2, s[4:5]\n global_store_dword v2, v1, s[4:5]\n"
                    "flat_load_dword v1, v[2:3]\n global_atomic_add v2, v1, s[4:5]\n"
                    "scratch_load_dword v1, v2, off offset:4000\n ds_read_b32 v1, v2"),
              Stop::ended);
  });
}

// Other waves may be writing there.
TEST(Global, AStoreLeavesThePlacesOfInactiveLanesAlone) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(8192);
    m.space().add(pages.data(), pages.size());
    ASSERT_EQ(mprotect(pages.data() + 4096, 4096, PROT_READ), 0);
    for (const unsigned bytes : {1u, 2u, 4u, 8u, 12u, 16u}) {
      for (const unsigned lanes : {32u, 29u}) {
        for (unsigned l = 0; l < 64; ++l)
          set_address(m, 2, l, pages.va() + 4096 - lanes * bytes + l * bytes);
        m.wave().set_exec((1ull << lanes) - 1);
        const char* name = "";
        for (const Store& store : stores)
          if (store.bytes == bytes) name = store.name;
        EXPECT_EQ(m.run(std::string("global_store_") + name + " v[2:3], " +
                        registers('v', 8, bytes) + ", off"),
                  Stop::ended);
      }
    }
    mprotect(pages.data() + 4096, 4096, PROT_READ | PROT_WRITE);
  });
}

TEST(Global, NegativeOffsets) {
  Machine m;
  Pages pages(4096);
  m.space().add(pages.data(), pages.size());
  for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = 4096 + l * 4;
  m.wave().set_pair(4, pages.va());
  ASSERT_EQ(m.run("global_load_dword v1, v2, s[4:5] offset:-4096"), Stop::ended);
  EXPECT_EQ(m.v(1)[5], peek<std::uint32_t>(pages.data() + 20));
}

/// Two stretches of memory next to each other in the GPU's addresses but not on the host.
struct Neighbours {
  explicit Neighbours(Machine& m, std::uint64_t va) : boundary(va + 8192) {
    m.space().add(va, 8192, {}, low.data());
    m.space().add(boundary, 8192, {}, high.data());
  }
  std::uint8_t* host(std::uint64_t va) {
    return va < boundary ? low.data() + (va + 8192 - boundary) : high.data() + (va - boundary);
  }
  Pages low{8192, 11};
  Pages high{8192, 12};
  std::uint64_t boundary;
};

// One boundary is one of 4 GiB, too: addresses differ in their high dwords.
constexpr std::uint64_t boundaries[] = {0x700000010000, 0x6FFFFFFFE000};

TEST(Global, AccessesAcrossNeighbouringRanges) {
  for_levels([](isa::Level level) {
    for (const std::uint64_t begin : boundaries) {
      for (const bool base : {false, true}) {
        Machine m("gfx90a", level);
        Neighbours memory(m, begin);
        std::mt19937 random(5);
        for (const unsigned first : {100u, 65u, 399u}) {
          const std::uint64_t from = memory.boundary - first;
          m.wave().set_pair(4, from);
          std::uint64_t va[64];
          for (unsigned l = 0; l < 64; ++l) {
            va[l] = from + l * 16;
            m.v(2)[l] = static_cast<std::uint32_t>(base ? l * 16 : va[l]);
            m.v(3)[l] = static_cast<std::uint32_t>(va[l] >> 32);
          }
          const std::string load = base ? ", v2, s[4:5]\n" : ", v[2:3], off\n";
          ASSERT_EQ(m.run("global_load_dwordx4 v[8:11]" + load + "global_load_ushort v12" + load),
                    Stop::ended);
          for (unsigned l = 0; l < 64; ++l)
            for (unsigned byte = 0; byte < 16; ++byte)
              ASSERT_EQ(m.v(8 + byte / 4)[l] >> byte % 4 * 8 & 0xFF, *memory.host(va[l] + byte))
                  << l << " " << byte;
          for (unsigned l = 0; l < 64; ++l) ASSERT_EQ(m.v(12)[l], m.v(8)[l] & 0xFFFF);
          randomise(m, 8, 3, random);
          ASSERT_EQ(m.run(base ? "global_store_dwordx3 v2, v[8:10], s[4:5]"
                               : "global_store_dwordx3 v[2:3], v[8:10], off"),
                    Stop::ended);
          for (unsigned l = 0; l < 64; ++l)
            for (unsigned byte = 0; byte < 12; ++byte)
              ASSERT_EQ(m.v(8 + byte / 4)[l] >> byte % 4 * 8 & 0xFF, *memory.host(va[l] + byte))
                  << l << " " << byte;
        }
      }
    }
  });
}

// An SGPR base and 32-bit offsets: the sum is of 64 bits.
TEST(Global, OffsetsThatWrapAroundAreNoRow) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages low(8192, 1);
    Pages high(8192, 2);
    constexpr std::uint64_t base = 0x700000000000;
    m.space().add(base, 8192, {}, low.data());
    m.space().add(base + 0xFFFFF000, 8192, {}, high.data());
    m.wave().set_pair(4, base);
    for (const std::uint64_t lanes : {~0ull, ~1ull}) {
      m.wave().set_exec(lanes);
      for (unsigned l = 0; l < 64; ++l) m.v(2)[l] = 0xFFFFFFC0u + l * 4;
      ASSERT_EQ(m.run("global_load_dword v8, v2, s[4:5]"), Stop::ended);
      for (unsigned l = 1; l < 64; ++l)
        ASSERT_EQ(m.v(8)[l], l < 16 ? peek<std::uint32_t>(high.data() + 0xFC0 + l * 4)
                                    : peek<std::uint32_t>(low.data() + l * 4 - 64));
    }
  });
}

TEST(Global, ARowInTwoPlacesIsNone) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages low(4096, 1);
    Pages high(4096, 2);
    constexpr std::uint64_t va = 0x700000000000;
    m.space().add(va, 4096, {}, low.data());
    m.space().add(va + 0x100000000, 4096, {}, high.data());
    for (unsigned l = 0; l < 64; ++l) set_address(m, 2, l, va + l * 4 + l % 2 * 0x100000000);
    for (const char* text : {"global_load_dword v8, v[2:3], off", "flat_load_dword v8, v[2:3]"}) {
      ASSERT_EQ(m.run(text), Stop::ended);
      for (unsigned l = 0; l < 64; ++l)
        ASSERT_EQ(m.v(8)[l], peek<std::uint32_t>((l % 2 == 0 ? low.data() : high.data()) + l * 4));
    }
  });
}

TEST(Global, RangesMayBeSmallerThanALanesData) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(4096);
    m.space().add(pages.va(), 8);
    for (unsigned l = 0; l < 64; ++l) set_address(m, 2, l, pages.va());
    EXPECT_EQ(m.run("global_load_dwordx2 v[8:9], v[2:3], off"), Stop::ended);
    EXPECT_EQ(m.run("global_load_dwordx4 v[8:11], v[2:3], off"), Stop::exception);
    EXPECT_EQ(m.wave().exception.address, pages.va() + 8);
  });
}

TEST(Global, WildAccessesFaultAndWriteNothing) {
  const char* programs[] = {"global_load_dword v8, v[2:3], off",
                            "global_load_dwordx4 v[8:11], v[2:3], off",
                            "flat_load_ubyte v8, v[2:3]",
                            "global_load_dword v8, v4, s[4:5]",
                            "global_store_dwordx2 v[2:3], v[8:9], off",
                            "flat_store_byte v[2:3], v8",
                            "global_store_dword v4, v8, s[4:5]",
                            "global_atomic_add v8, v[2:3], v9, off glc",
                            "global_atomic_add_x2 v4, v[8:9], s[4:5]"};
  for_levels([&programs](isa::Level level) {
    for (const char* program : programs) {
      for (const unsigned bad : {0u, 9u, 63u}) {
        for (const std::uint64_t wild : {0ull, 0x123456789000ull, 0xFFFFFFFFFFFFFF00ull}) {
          Machine m("gfx90a", level);
          Pages pages(4096);
          m.space().add(pages.data(), pages.size());
          std::mt19937 random(1);
          randomise(m, 8, 4, random);
          const Lanes before = m.lanes(8);
          const std::vector<std::uint8_t> memory = pages.copy();
          const std::string text(program);
          const bool base = text.find("s[4:5]") != std::string::npos;
          m.wave().set_pair(4, pages.va());
          for (unsigned l = 0; l < 64; ++l) {
            set_address(m, 2, l, pages.va() + l * 16);
            m.v(4)[l] = l * 16;
          }
          m.wave().set_exec(~0ull << 1 | (bad == 0 ? 1 : 0));
          set_address(m, 2, bad, wild);
          set_address(m, 2, 63, wild);
          m.v(4)[bad] = 0x40000000;
          EXPECT_EQ(m.run(text), Stop::exception) << text;
          const isa::Exception& what = m.wave().exception;
          EXPECT_EQ(what.code, cp::KfdException::wave_memory_violation) << text;
          EXPECT_EQ(what.address, base ? pages.va() + 0x40000000 : wild) << text;
          EXPECT_EQ(what.access,
                    text.find("load") != std::string::npos ? cp::Access::read : cp::Access::write);
          EXPECT_EQ(m.lanes(8), before) << text;
          EXPECT_EQ(pages.copy(), memory) << text;
          EXPECT_EQ(m.wave().fragment->va(m.wave().next), m.wave().fragment->begin);
        }
      }
    }
  });
}

TEST(Global, TheEndOfARangeIsTheEnd) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(8192);
    m.space().add(pages.va(), 4096);
    for (const unsigned bytes : {4u, 16u}) {
      const std::string load = bytes == 4 ? "global_load_dword v8, v[2:3], off"
                                          : "global_load_dwordx4 v[8:11], v[2:3], off";
      for (const unsigned beyond : {0u, 1u, bytes}) {
        for (unsigned l = 0; l < 64; ++l)
          set_address(m, 2, l, pages.va() + 4096 - (64 - l) * bytes + beyond);
        m.v(8)[0] = 77;
        EXPECT_EQ(m.run(load), beyond == 0 ? Stop::ended : Stop::exception);
        if (beyond == 0) {
          EXPECT_EQ(m.v(8)[63], peek<std::uint32_t>(pages.data() + 4096 - bytes));
        } else {
          EXPECT_EQ(m.wave().exception.address, pages.va() + 4096);
          EXPECT_EQ(m.v(8)[0], 77u);
          // Without the last lane nothing is beyond the end.
          m.wave().set_exec(~0ull >> 1);
          EXPECT_EQ(m.run(load), Stop::ended);
          EXPECT_EQ(m.v(8)[62], peek<std::uint32_t>(pages.data() + 4096 - 2 * bytes + beyond));
          m.wave().set_exec(~0ull);
        }
      }
    }
  });
}

TEST(Global, ReadOnlyMemoryFaultsOnWrite) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    Pages pages(4096);
    m.space().add(pages.data(), pages.size(), {.read = true, .write = false});
    const std::vector<std::uint8_t> memory = pages.copy();
    for (unsigned l = 0; l < 64; ++l) set_address(m, 2, l, pages.va() + l * 4);
    EXPECT_EQ(m.run("global_load_dword v8, v[2:3], off"), Stop::ended);
    for (const char* text : {"global_store_dword v[2:3], v8, off", "flat_store_short v[2:3], v8",
                             "global_atomic_or v[2:3], v8, off"}) {
      EXPECT_EQ(m.run(text), Stop::exception);
      EXPECT_EQ(m.wave().exception.access, cp::Access::write);
      EXPECT_EQ(m.wave().exception.address, pages.va());
    }
    EXPECT_EQ(pages.copy(), memory);
  });
}

TEST(Global, RangesAreForgottenWhenTheMappingChanges) {
  Machine m;
  Pages pages(4096);
  m.space().add(pages.data(), pages.size());
  for (unsigned l = 0; l < 64; ++l) set_address(m, 2, l, pages.va() + l * 4);
  EXPECT_EQ(m.run("global_load_dword v8, v[2:3], off"), Stop::ended);
  m.space().remove(pages.va());
  m.wave().memory->refresh();
  EXPECT_EQ(m.run("global_load_dword v8, v[2:3], off"), Stop::exception);
}

TEST(Global, ManyRanges) {
  for_levels([](isa::Level level) {
    Machine m("gfx90a", level);
    std::vector<std::unique_ptr<Pages>> all;
    for (unsigned n = 0; n < 200; ++n) {
      all.push_back(std::make_unique<Pages>(4096, n));
      m.space().add(0x700000000000 + n * std::uint64_t{0x100000}, 4096, {}, all.back()->data());
    }
    std::mt19937 random(3);
    for (unsigned round = 0; round < 20; ++round) {
      unsigned which[64];
      for (unsigned l = 0; l < 64; ++l) {
        which[l] = static_cast<unsigned>(random() % all.size());
        set_address(m, 2, l, 0x700000000000 + which[l] * std::uint64_t{0x100000} + l * 8);
      }
      ASSERT_EQ(m.run("global_load_dwordx2 v[8:9], v[2:3], off\n"
                      "global_store_dword v[2:3], v9, off offset:2048"),
                Stop::ended);
      for (unsigned l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(8)[l], peek<std::uint32_t>(all[which[l]]->data() + l * 8));
        EXPECT_EQ(m.v(9)[l], peek<std::uint32_t>(all[which[l]]->data() + 2048 + l * 8));
      }
    }
  });
}

// --- apertures -----------------------------------------------------------------------------------

TEST(Flat, AperturesLeadToLdsAndScratch) {
  for_levels([](isa::Level level) {
    for (const bool mixed : {false, true}) {
      for (const char* processor : {"gfx90a", "gfx942"}) {
        Machine m(processor, level);
        Pages pages(4096);
        m.space().add(pages.data(), pages.size());
        std::mt19937 random(4);
        const auto scratch = [&m](unsigned lane, unsigned byte) {
          return reinterpret_cast<std::uint8_t*>(m.wave().scratch_base() + byte / 4 * 256 +
                                                 lane * 4 + byte % 4);
        };
        for (unsigned n = 0; n < 4096; ++n) {
          m.lds()[n] = static_cast<std::byte>(random());
          for (unsigned l = 0; l < 64; ++l) *scratch(l, n) = static_cast<std::uint8_t>(random());
        }
        const auto reads = [&](unsigned kind, unsigned lane, unsigned offset) {
          if (kind == 0) return static_cast<std::uint8_t>(m.lds()[offset]);
          return kind == 1 ? *scratch(lane, offset) : pages.data()[offset];
        };
        const std::uint64_t bases[] = {0x1000000000000ull, 0x2000000000000ull, pages.va()};
        for (const unsigned same : {0u, 1u}) {
          for (const char* form : {"unit", "any"}) {
            unsigned kind[64];
            unsigned offset[64];
            for (unsigned l = 0; l < 64; ++l) {
              kind[l] = mixed ? l * 7 % 3 : same;
              offset[l] = form[0] == 'u' ? 40 + l * 16 : static_cast<unsigned>(random() % 4000);
              set_address(m, 2, l, bases[kind[l]] + offset[l]);
            }
            ASSERT_EQ(m.run("flat_load_dwordx4 v[8:11], v[2:3] offset:4\n"
                            "flat_load_sbyte v12, v[2:3]\n flat_load_dwordx3 v[16:18], v[2:3]"),
                      Stop::ended);
            for (unsigned l = 0; l < 64; ++l) {
              for (unsigned n = 0; n < 16; ++n)
                ASSERT_EQ(m.v(8 + n / 4)[l] >> n % 4 * 8 & 0xFF,
                          reads(kind[l], l, offset[l] + 4 + n))
                    << l;
              ASSERT_EQ(static_cast<std::int8_t>(m.v(12)[l]),
                        static_cast<std::int8_t>(reads(kind[l], l, offset[l])));
            }
            randomise(m, 8, 2, random);
            ASSERT_EQ(m.run("flat_store_dwordx2 v[2:3], v[8:9]"), Stop::ended);
            // Where lanes overlap the last one wins: look at those whose bytes are their own.
            for (unsigned l = 0; l < 64; ++l) {
              const unsigned n = 63 - l;
              bool own = true;
              for (unsigned k = n + 1; k < 64 && kind[n] != 1; ++k)
                own = own && (kind[k] != kind[n] || offset[k] + 8 <= offset[n] ||
                              offset[n] + 8 <= offset[k]);
              for (unsigned b = 0; b < 8 && own; ++b)
                ASSERT_EQ(m.v(8 + b / 4)[n] >> b % 4 * 8 & 0xFF, reads(kind[n], n, offset[n] + b));
            }
          }
        }
      }
    }
  });
}

TEST(Flat, OutsideAnApertureIsAViolation) {
  for_levels([](isa::Level level) {
    for (const std::uint64_t base : {0x1000000000000ull, 0x2000000000000ull}) {
      const std::uint64_t limit = base == 0x1000000000000ull ? 65536 : 4096;
      for (const char* text : {"flat_load_dword v8, v[2:3]", "flat_store_dword v[2:3], v8"}) {
        Machine m("gfx90a", level);
        for (unsigned l = 0; l < 64; ++l) {
          set_address(m, 2, l, base + l * 4);
          m.v(8)[l] = l;
        }
        const Lanes before = m.lanes(8);
        EXPECT_EQ(m.run(text), Stop::ended);
        set_address(m, 2, 17, base + limit - 3);
        m.set(8, before);
        EXPECT_EQ(m.run(text), Stop::exception);
        EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_aperture_violation);
        EXPECT_EQ(m.wave().exception.address, base + limit - 3);
        EXPECT_EQ(m.lanes(8), before);
        // The same with other lanes in other apertures.
        Pages pages(4096);
        m.space().add(pages.data(), pages.size());
        set_address(m, 2, 3, pages.va());
        set_address(m, 2, 4, base ^ 0x3000000000000ull);
        EXPECT_EQ(m.run(text), Stop::exception);
        EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_aperture_violation);
        EXPECT_EQ(m.wave().exception.address, base + limit - 3);
        EXPECT_EQ(m.lanes(8), before);
      }
    }
  });
}

// --- to LDS --------------------------------------------------------------------------------------

TEST(Global, LoadsToLds) {
  for_levels([](isa::Level level) {
    for (const char* processor : {"gfx90a", "gfx942"}) {
      const bool named = processor[4] == '4';
      Machine m(processor, level);
      Pages pages(8192);
      m.space().add(pages.data(), pages.size());
      std::mt19937 random(6);
      for (const Load& load : loads) {
        const std::string name(load.name);
        if (load.bytes > 4 || name.find("d16") != std::string::npos) continue;
        std::uint32_t offset[64];
        for (unsigned l = 0; l < 64; ++l) {
          offset[l] = static_cast<std::uint32_t>(random() % 1000) * 4;
          m.v(2)[l] = offset[l];
        }
        m.wave().set_pair(4, pages.va());
        std::memset(m.lds(), 0x5A, 65536);
        m.s(isa::reg::m0) = 0x12340100;
        m.wave().set_exec(some_lanes[2]);
        ASSERT_EQ(m.run(named ? "global_load_lds_" + name + " v2, s[4:5] offset:12"
                              : "global_load_" + name + " v2, s[4:5] offset:12 lds"),
                  Stop::ended)
            << processor << " " << name;
        const auto* lds = reinterpret_cast<const std::uint8_t*>(m.lds());
        for (unsigned l = 0; l < 64; ++l) {
          std::uint32_t expected = 0x5A5A5A5A;
          if (active(some_lanes[2], l)) load.apply(pages.data() + offset[l] + 12, &expected);
          ASSERT_EQ(peek<std::uint32_t>(lds + 0x100 + 12 + l * 4), expected) << name << " " << l;
        }
        EXPECT_EQ(peek<std::uint32_t>(lds + 0x100 + 8), 0x5A5A5A5Au);
      }
      // The end of LDS.
      m.wave().set_exec(~0ull);
      m.s(isa::reg::m0) = 65536 - 64;
      EXPECT_EQ(
          m.run(named ? "global_load_lds_dword v2, s[4:5]" : "global_load_dword v2, s[4:5] lds"),
          Stop::ended);
      EXPECT_EQ(peek<std::uint32_t>(reinterpret_cast<std::uint8_t*>(m.lds()) + 65532),
                peek<std::uint32_t>(pages.data() + m.v(2)[15]));
    }
  });
}

}  // namespace
}  // namespace rocdrill::test
