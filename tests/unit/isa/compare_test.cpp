// Comparisons of integers.
#include "lane_cases.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

struct Type {
  const char* name;
  unsigned bits;
  bool is_signed;
};
constexpr Type types[] = {{"u16", 16, false}, {"i16", 16, true},  {"u32", 32, false},
                          {"i32", 32, true},  {"u64", 64, false}, {"i64", 64, true}};

struct Relation {
  const char* name;
  bool less, equal, greater;  ///< what it holds for
};
constexpr Relation relations[] = {{"f", false, false, false}, {"lt", true, false, false},
                                  {"eq", false, true, false}, {"le", true, true, false},
                                  {"gt", false, false, true}, {"ne", true, false, true},
                                  {"ge", false, true, true},  {"t", true, true, true}};

bool holds(const Relation& relation, const Type& type, u64 a, u64 b) {
  const unsigned unused = 64 - type.bits;
  a <<= unused;
  b <<= unused;
  if (a == b) return relation.equal;
  const bool less = type.is_signed ? static_cast<i64>(a) < static_cast<i64>(b) : a < b;
  return less ? relation.less : relation.greater;
}

struct Encoding {
  const char* dst;
  const char* a32;
  const char* a64;
  const char* b32;
  const char* b64;
};
constexpr Encoding encodings[] = {
    {"vcc", "v0", "v[0:1]", "v2", "v[2:3]"},    {"vcc", "s4", "s[4:5]", "v2", "v[2:3]"},
    {"vcc", "-3", "-3", "v2", "v[2:3]"},        {"s[8:9]", "v0", "v[0:1]", "v2", "v[2:3]"},
    {"s[8:9]", "v0", "v[0:1]", "s4", "s[4:5]"}, {"s[8:9]", "v0", "v[0:1]", "7", "7"}};

u64 value_of(Machine& m, const std::string& operand, unsigned lane) {
  if (operand[0] == 'v') {
    const unsigned r = operand[1] == '[' ? static_cast<unsigned>(operand[2] - '0')
                                         : static_cast<unsigned>(operand[1] - '0');
    return m.v(r)[lane] | u64{m.v(r + 1)[lane]} << 32;
  }
  if (operand[0] == 's') return m.wave().pair(4);
  return static_cast<u64>(std::stoll(operand));
}

void check_one(Machine& m, const Relation& relation, const Type& type, const Encoding& encoding,
               bool writes_exec, u64 exec, Inputs& inputs) {
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned r = 0; r < 4; ++r) m.v(r)[lane] = inputs.dword();
    const unsigned alike = inputs.below(4);
    if (alike <= 1) m.v(3)[lane] = m.v(1)[lane];
    if (alike == 0) m.v(2)[lane] = m.v(0)[lane];
  }
  m.s(4) = inputs.dword();
  m.s(5) = inputs.dword();
  m.wave().set_exec(exec);
  const bool wide = type.bits == 64;
  const std::string a = wide ? encoding.a64 : encoding.a32;
  const std::string b = wide ? encoding.b64 : encoding.b32;
  const std::string text = std::string(writes_exec ? "v_cmpx_" : "v_cmp_") + relation.name + "_" +
                           type.name + " " + encoding.dst + ", " + a + ", " + b;
  ASSERT_EQ(m.run(text), Stop::ended) << text;
  u64 expected = 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    if (has(exec, lane) && holds(relation, type, value_of(m, a, lane), value_of(m, b, lane)))
      expected |= u64{1} << lane;
  const u64 mask = std::string(encoding.dst) == "vcc" ? m.wave().vcc() : m.wave().pair(8);
  ASSERT_EQ(mask, expected) << text;
  ASSERT_EQ(m.wave().exec(), writes_exec ? expected : exec) << text;
}

TEST(Compare, AllRelationsOfAllIntegers) {
  Inputs inputs(14);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (const Relation& relation : relations)
      for (const Type& type : types)
        for (const Encoding& encoding : encodings)
          for (const bool writes_exec : {false, true})
            for (const u64 exec : {~u64{0}, inputs.mask()})
              check_one(m, relation, type, encoding, writes_exec, exec, inputs);
  }
}

TEST(Compare, AResultMayReplaceASource) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    m.wave().set_exec(0xFF);
    for (unsigned lane = 0; lane < 64; ++lane) m.v(0)[lane] = lane;
    m.s(8) = 3;
    ASSERT_EQ(m.run("v_cmp_lt_u32 s[8:9], v0, s8"), Stop::ended);
    EXPECT_EQ(m.wave().pair(8), 7u);
  }
}

TEST(CrossLane, ReadsAndWritesOneLane) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(0)[lane] = 1000 + lane;
      m.v(1)[lane] = 5;
    }
    m.s(4) = 0xFFFFFFC7;  // lane 7
    m.s(isa::reg::m0) = 63;
    m.wave().set_exec(0x30);
    ASSERT_EQ(m.run("v_readlane_b32 s8, v0, s4\n v_readlane_b32 s9, v0, 21\n"
                    "v_readlane_b32 s10, v0, m0\n v_readfirstlane_b32 s11, v0\n"
                    "v_writelane_b32 v1, s4, 9\n v_writelane_b32 v1, 44, m0\n"
                    "v_writelane_b32 v1, -1, s4"),
              Stop::ended);
    EXPECT_EQ(m.s(8), 1007u);
    EXPECT_EQ(m.s(9), 1021u);
    EXPECT_EQ(m.s(10), 1063u);
    EXPECT_EQ(m.s(11), 1004u);
    for (unsigned lane = 0; lane < 64; ++lane)
      EXPECT_EQ(m.v(1)[lane], lane == 9    ? 0xFFFFFFC7
                              : lane == 63 ? 44
                              : lane == 7  ? ~0u
                                           : 5)
          << lane;
  }
}

TEST(CrossLane, WithoutLanesTheFirstIsLane0) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) m.v(0)[lane] = 1000 + lane;
    m.wave().set_exec(0);
    ASSERT_EQ(m.run("v_readfirstlane_b32 s8, v0"), Stop::ended);
    EXPECT_EQ(m.s(8), 1000u);
  }
}

}  // namespace
}  // namespace rocdrill::test
