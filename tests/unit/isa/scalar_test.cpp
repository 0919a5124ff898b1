// SOP1, SOP2, SOPC, SOPK and branches.
#include <gtest/gtest.h>

#include "machine.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

TEST(Scalar, AdditionCarries) {
  Machine m;
  m.s(0) = 0xFFFFFFFF;
  m.s(1) = 2;
  m.s(2) = 5;
  m.s(3) = 7;
  EXPECT_EQ(m.run("s_add_u32 s4, s0, s1\n s_addc_u32 s5, s2, s3"), Stop::ended);
  EXPECT_EQ(m.s(4), 1u);
  EXPECT_EQ(m.s(5), 13u);
  EXPECT_EQ(m.wave().scc, 0u);
}

TEST(Scalar, LiteralsAndInlineConstants) {
  Machine m;
  EXPECT_EQ(
      m.run("s_mov_b32 s0, 0x12345678\n s_mov_b64 s[2:3], -5\n s_mov_b64 s[4:5], 1.0\n"
            "s_mov_b32 s6, 1.0\n s_and_b64 s[8:9], s[2:3], 0x80000000\n s_movk_i32 s10, 0x8000"),
      Stop::ended);
  EXPECT_EQ(m.s(0), 0x12345678u);
  EXPECT_EQ(m.wave().pair(2), ~4ull);
  EXPECT_EQ(m.wave().pair(4), std::bit_cast<std::uint64_t>(1.0));
  EXPECT_EQ(m.s(6), std::bit_cast<std::uint32_t>(1.0f));
  EXPECT_EQ(m.wave().pair(8), 0x80000000ull);
  EXPECT_EQ(m.s(10), 0xFFFF8000u);
}

TEST(Scalar, LoopsAndCalls) {
  Machine m;
  EXPECT_EQ(m.run("s_mov_b32 s0, 0\n s_mov_b32 s1, 100000\n"
                  "1:\n s_add_u32 s0, s0, s1\n s_sub_u32 s1, s1, 1\n s_cmp_lg_u32 s1, 0\n"
                  "s_cbranch_scc1 1b\n"
                  "s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, 16\n s_addc_u32 s5, s5, 0\n"
                  "s_swappc_b64 s[6:7], s[4:5]\n s_endpgm\n"
                  "s_mov_b32 s2, 77\n s_setpc_b64 s[6:7]\n"),
            Stop::ended);
  EXPECT_EQ(m.s(0), static_cast<std::uint32_t>(100000ull * 100001 / 2));
  EXPECT_EQ(m.s(2), 77u);
}

TEST(Scalar, WildJumpFaults) {
  Machine m;
  EXPECT_EQ(m.run("s_mov_b64 s[0:1], 0x10000\n s_setpc_b64 s[0:1]"), Stop::exception);
  EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_memory_violation);
  EXPECT_EQ(m.wave().exception.address, 0x10000u);
  EXPECT_EQ(m.wave().exception.access, cp::Access::execute);
}

TEST(Scalar, AnIllegalEncodingIsNoGapOfOurs) {
  Machine m;
  EXPECT_EQ(m.run(".long 0xFFFFFFFF"), Stop::exception);
  EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_illegal_instruction);
  // SDWA selects that do not exist: of the result, of what is unused, of a source.
  for (const char* text : {".long 0x18E130F9, 0x06060762", ".long 0x18E130F9, 0x06061E62",
                           ".long 0x18E130F9, 0xCF452662"}) {
    EXPECT_EQ(m.run(text), Stop::exception) << text;
    EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_illegal_instruction) << text;
  }
  EXPECT_EQ(m.run("s_rfe_b64 s[0:1]"), Stop::unmodelled);
  EXPECT_STREQ(m.wave().unmodelled, "s_rfe_b64 s[0:1]");
}

// Their distance is not what says which text is theirs.
TEST(Scalar, BranchesThatAreNotModelledAreRefusedByName) {
  Machine m;
  for (const char* text : {"s_cbranch_cdbguser 3", "s_cbranch_cdbgsys 65532"}) {
    EXPECT_EQ(m.run(std::string(text) + "\ns_nop 0\ns_nop 0"), Stop::unmodelled) << text;
    EXPECT_STREQ(m.wave().unmodelled, text);
  }
}

TEST(Scalar, AMessageIsAnInterruptOf24Bits) {
  Machine machine;
  EXPECT_EQ(machine.run("s_mov_b32 m0, 0x12345678\ns_sendmsg sendmsg(MSG_INTERRUPT)"),
            isa::Stop::ended);
  EXPECT_EQ(machine.interrupts(), std::vector<std::uint32_t>{0x345678});
  EXPECT_EQ(machine.run("s_sendmsg sendmsg(MSG_GET_DOORBELL)"), isa::Stop::unmodelled);
}

TEST(Vector, SwapsNothingButVgprs) {
  Machine m;
  EXPECT_EQ(m.run(".long 0x7E02A302"), Stop::ended);                 // v1, v2
  for (const char* text : {".long 0x7E02A202", ".long 0x7E02A281"})  // v1, s2; v1, 1
    EXPECT_EQ(m.run(text), Stop::unmodelled) << text;
}

TEST(Vector, AddsInTheLanesOfExec) {
  for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512}) {
    if (level > isa::best_level()) continue;
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(1)[lane] = lane;
      m.v(0)[lane] = 1000;
    }
    m.s(0) = 100;
    m.wave().set_exec(0xFFFFFFFFFFFF00F1ull);
    EXPECT_EQ(m.run("v_add_u32 v0, s0, v1\n v_mov_b32 v2, 0x3f800000"), Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane)
      EXPECT_EQ(m.v(0)[lane], (m.wave().exec() >> lane & 1) != 0 ? 100 + lane : 1000) << lane;
  }
}

}  // namespace
}  // namespace rocdrill::test
