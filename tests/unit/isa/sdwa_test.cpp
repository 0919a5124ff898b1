// SDWA: bytes and words of the sources and of the result.
#include "lane_cases.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

const char* const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
const char* const unuseds[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

struct Field {
  unsigned first, bits;
};
constexpr Field fields[] = {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}, {0, 32}};

u32 picked(u32 value, unsigned select, bool sext) {
  const Field field = fields[select];
  const u64 raw = u64{value} >> field.first & ((u64{1} << field.bits) - 1);
  const bool negative = (raw >> (field.bits - 1) & 1) != 0;
  return static_cast<u32>(sext && negative ? raw - (u64{1} << field.bits) : raw);
}
u32 placed(u32 result, unsigned select, unsigned unused, u32 old) {
  const Field field = fields[select];
  u32 out = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const bool inside = bit >= field.first && bit < field.first + field.bits;
    bool value = inside && (result >> (bit - field.first) & 1) != 0;
    if (!inside && unused == 1 && bit > field.first) value = (result >> (field.bits - 1) & 1) != 0;
    if (!inside && unused == 2) value = (old >> bit & 1) != 0;
    out |= u32{value} << bit;
  }
  return out;
}

struct Vop2 {
  const char* mnemonic;
  u32 (*f)(u32 a, u32 b);
};
const Vop2 operations[] = {
    {"v_add_u32", [](u32 a, u32 b) { return a + b; }},
    {"v_mul_u32_u24", [](u32 a, u32 b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }},
    {"v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); }},
    {"v_max_i32", [](u32 a, u32 b) { return static_cast<i32>(a) > static_cast<i32>(b) ? a : b; }},
    {"v_add_u16", [](u32 a, u32 b) { return (a + b) & 0xFFFF; }},
    {"v_min_i16",
     [](u32 a, u32 b) -> u32 {
       return static_cast<u16>(std::min(static_cast<i16>(a), static_cast<i16>(b)));
     }},
};

void check_vop2(Machine& m, const Vop2& op, u64 exec, Inputs& inputs) {
  const unsigned a_select = inputs.below(7);
  const unsigned b_select = inputs.below(7);
  const unsigned select = inputs.below(7);
  const unsigned unused = inputs.below(3);
  const bool a_sext = inputs.below(2) != 0;
  const bool b_sext = inputs.below(2) != 0;
  const bool scalar = inputs.below(4) == 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 3; ++r) m.v(r)[lane] = inputs.dword();
  m.s(4) = inputs.dword();
  const Lanes old = m.lanes(2);
  m.wave().set_exec(exec);
  const std::string b = scalar ? "s4" : "v1";
  const std::string text = std::string(op.mnemonic) + "_sdwa v2, " + (a_sext ? "sext(v0)" : "v0") +
                           ", " + (b_sext ? "sext(" + b + ")" : b) + " dst_sel:" + selects[select] +
                           " dst_unused:" + unuseds[unused] + " src0_sel:" + selects[a_select] +
                           " src1_sel:" + selects[b_select];
  ASSERT_EQ(m.run(text), Stop::ended) << text;
  for (unsigned lane = 0; lane < 64; ++lane) {
    const u32 x = picked(m.v(0)[lane], a_select, a_sext);
    const u32 y = picked(scalar ? m.s(4) : m.v(1)[lane], b_select, b_sext);
    const u32 expected = placed(op.f(x, y), select, unused, old[lane]);
    ASSERT_EQ(m.v(2)[lane], has(exec, lane) ? expected : old[lane])
        << text << std::hex << " " << x << " " << y << " old " << old[lane];
  }
}

TEST(Sdwa, PicksAndPlaces) {
  Inputs inputs(15);
  for (const isa::Level level : levels())
    for (const Vop2& op : operations)
      for (unsigned n = 0; n < 60; ++n)
        check_vop2(machine("gfx90a", level), op, n % 2 == 0 ? ~u64{0} : inputs.mask(), inputs);
}

TEST(Sdwa, AnOperationWithOneSource) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    m.wave().set_exec(1);
    m.v(0)[0] = 0x12F45678;
    m.v(1)[0] = m.v(2)[0] = m.v(3)[0] = 0xAAAAAAAA;
    ASSERT_EQ(
        m.run("v_mov_b32_sdwa v1, sext(v0) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2\n"
              "v_not_b32_sdwa v2, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
              "v_mov_b32_sdwa v3, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3"),
        Stop::ended);
    EXPECT_EQ(m.v(1)[0], 0xFFFFFFF4);
    EXPECT_EQ(m.v(2)[0], 0xA987AAAA);
    EXPECT_EQ(m.v(3)[0], 0x00001200u);
  }
}

TEST(Sdwa, CarriesAndChoices) {
  Inputs inputs(16);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 6; ++r) m.v(r)[lane] = inputs.dword();
    const u64 exec = inputs.mask();
    const u64 vcc = inputs.mask();
    m.wave().set_exec(exec);
    m.wave().set_vcc(vcc);
    ASSERT_EQ(m.run("v_cndmask_b32_sdwa v2, v0, -v1, vcc dst_sel:DWORD dst_unused:UNUSED_PAD "
                    "src0_sel:WORD_1 src1_sel:DWORD\n"
                    "v_addc_co_u32_sdwa v3, vcc, v0, v1, vcc dst_sel:DWORD dst_unused:UNUSED_PAD "
                    "src0_sel:DWORD src1_sel:BYTE_3"),
              Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      if (!has(exec, lane)) {
        ASSERT_FALSE(has(m.wave().vcc(), lane));
        continue;
      }
      const u32 a = m.v(0)[lane];
      const u32 b = m.v(1)[lane];
      ASSERT_EQ(m.v(2)[lane], has(vcc, lane) ? b ^ 0x80000000 : a >> 16);
      const u64 sum = u64{a} + (b >> 24) + (has(vcc, lane) ? 1 : 0);
      ASSERT_EQ(m.v(3)[lane], static_cast<u32>(sum));
      ASSERT_EQ(has(m.wave().vcc(), lane), sum >> 32 != 0);
    }
  }
}

TEST(Sdwa, Comparisons) {
  Inputs inputs(17);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (unsigned n = 0; n < 40; ++n) {
      const unsigned a_select = inputs.below(7);
      const unsigned b_select = inputs.below(7);
      const bool a_sext = inputs.below(2) != 0;
      const bool cmpx = inputs.below(2) != 0;
      const u64 exec = inputs.mask();
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned r = 0; r < 2; ++r) m.v(r)[lane] = inputs.dword();
      m.wave().set_exec(exec);
      const std::string text = std::string(cmpx ? "v_cmpx" : "v_cmp") + "_lt_i32_sdwa s[8:9], " +
                               (a_sext ? "sext(v0)" : "v0") + ", v1 src0_sel:" + selects[a_select] +
                               " src1_sel:" + selects[b_select];
      ASSERT_EQ(m.run(text), Stop::ended) << text;
      u64 expected = 0;
      for (unsigned lane = 0; lane < 64; ++lane)
        if (has(exec, lane) && static_cast<i32>(picked(m.v(0)[lane], a_select, a_sext)) <
                                   static_cast<i32>(picked(m.v(1)[lane], b_select, false)))
          expected |= u64{1} << lane;
      ASSERT_EQ(m.wave().pair(8), expected) << text;
      ASSERT_EQ(m.wave().exec(), cmpx ? expected : exec) << text;
    }
  }
}

TEST(Sdwa, AClampThatTheOperationLacksIsRefused) {
  Machine& m = machine("gfx90a", isa::best_level());
  m.wave().set_exec(~u64{0});
  ASSERT_EQ(m.run("v_mul_u32_u24_sdwa v0, v1, v2 clamp dst_sel:DWORD src0_sel:BYTE_0"),
            Stop::unmodelled);
  EXPECT_TRUE(std::string(m.wave().unmodelled).starts_with("v_mul_u32_u24_sdwa"));
}

}  // namespace
}  // namespace rocdrill::test
