// VGPR indexing: s_set_gpr_idx_on and what follows.
#include "lane_cases.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

class GprIndex : public testing::Test {
 protected:
  GprIndex() {
    for (unsigned r = 0; r < 40; ++r)
      for (unsigned lane = 0; lane < 64; ++lane) m.v(r)[lane] = 1000 * r + lane;
    m.wave().set_exec(~u64{1});
    m.s(4) = 0xFFFFFF07;  // only 7:0 count
    m.s(isa::reg::m0) = 0xABCD0000;
  }
  ~GprIndex() override { m.wave().vgprs = 256; }
  Machine& m = machine("gfx90a", isa::best_level());
};

TEST_F(GprIndex, OfASource) {
  ASSERT_EQ(m.run("s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_mov_b32 v1, v2\n s_set_gpr_idx_off"),
            Stop::ended);
  EXPECT_EQ(m.v(1)[5], 9005u);
  EXPECT_EQ(m.v(1)[0], 1000u);
  EXPECT_EQ(m.s(isa::reg::m0), 0xABCD1007);
}

TEST_F(GprIndex, OfAResult) {
  ASSERT_EQ(m.run("s_set_gpr_idx_on s4, gpr_idx(DST)\n v_mov_b32 v1, v2\n s_set_gpr_idx_off\n"
                  "v_mov_b32 v3, v2"),
            Stop::ended);
  EXPECT_EQ(m.v(8)[5], 2005u);
  EXPECT_EQ(m.v(1)[5], 1005u);
  EXPECT_EQ(m.v(3)[5], 2005u);
}

TEST_F(GprIndex, ChangesOnTheWay) {
  ASSERT_EQ(m.run("s_set_gpr_idx_on 3, gpr_idx(SRC0)\n v_mov_b32 v20, v2\n s_set_gpr_idx_idx s4\n"
                  "v_mov_b32 v21, v2\n s_set_gpr_idx_mode gpr_idx(DST)\n v_mov_b32 v22, v2\n"
                  "s_cmp_eq_u32 s4, s4\n s_waitcnt 0\n v_mov_b32 v23, 5\n s_set_gpr_idx_off"),
            Stop::ended);
  EXPECT_EQ(m.v(20)[5], 5005u);
  EXPECT_EQ(m.v(21)[5], 9005u);
  EXPECT_EQ(m.v(29)[5], 2005u);
  EXPECT_EQ(m.v(30)[5], 5u);
  EXPECT_EQ(m.wave().scc, 1u);
}

// Turned on as often as fits into a program: the last one counts.
TEST_F(GprIndex, TurnedOnWhileItIsOn) {
  ASSERT_EQ(m.run(".rept 200000\n s_set_gpr_idx_on 3, gpr_idx(DST)\n .endr\n"
                  "s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_mov_b32 v1, v2\n s_set_gpr_idx_off"),
            Stop::ended);
  EXPECT_EQ(m.v(1)[5], 9005u);
}

TEST_F(GprIndex, BeyondTheRegistersThatAreAllocated) {
  m.wave().vgprs = 30;
  ASSERT_EQ(m.run("s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_mov_b32 v1, v23\n s_set_gpr_idx_off\n"
                  "s_set_gpr_idx_on s4, gpr_idx(DST)\n v_mov_b32 v23, 9\n s_set_gpr_idx_off"),
            Stop::ended);
  EXPECT_EQ(m.v(1)[5], 5u);  // v0
  EXPECT_EQ(m.v(30)[5], 30005u);
}

TEST_F(GprIndex, AnythingElseIsRefused) {
  ASSERT_EQ(m.run("s_set_gpr_idx_on s4, gpr_idx(SRC0)\n v_add_u32 v1, v2, v3\n"
                  "s_set_gpr_idx_off"),
            Stop::unmodelled);
  EXPECT_STREQ(m.wave().unmodelled, "VGPR indexing of anything but v_mov_b32");
}

}  // namespace
}  // namespace rocdrill::test
