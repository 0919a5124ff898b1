// Integers of 32 and 64 bits: VOP1, VOP2, VOP3.
#include <bit>

#include "lane_cases.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;
using Unary = u32 (*)(u32);
using Binary = u32 (*)(u32, u32);
using Ternary = u32 (*)(u32, u32, u32);

void unary(const std::string& mnemonic, Unary f) {
  check({.mnemonic = mnemonic,
         .dwords = {1},
         .reference = [f](u64 a, u64, u64, u64) { return f(static_cast<u32>(a)); },
         .literal = "0x89ABCDEF"});
}
void binary(const std::string& mnemonic, Binary f, bool vop2, const std::string& suffix = "") {
  check({.mnemonic = mnemonic,
         .dwords = {1, 1},
         .reference = [f](u64 a, u64 b, u64,
                          u64) { return f(static_cast<u32>(a), static_cast<u32>(b)); },
         .suffix = suffix,
         .literal = vop2 ? "0x89ABCDEF" : ""});
}
void ternary(const std::string& mnemonic, Ternary f) {
  check({.mnemonic = mnemonic, .dwords = {1, 1, 1}, .reference = [f](u64 a, u64 b, u64 c, u64) {
           return f(static_cast<u32>(a), static_cast<u32>(b), static_cast<u32>(c));
         }});
}

i32 s(u32 value) { return static_cast<i32>(value); }
u32 u(i64 value) { return static_cast<u32>(value); }
u32 clamp_u(i64 value) { return u(std::clamp<i64>(value, 0, 0xFFFFFFFFll)); }
u32 clamp_s(i64 value) { return u(std::clamp<i64>(value, -0x80000000ll, 0x7FFFFFFFll)); }

TEST(Integer, OneOperand) {
  unary("v_mov_b32", [](u32 a) { return a; });
  unary("v_not_b32", [](u32 a) { return ~a; });
  unary("v_bfrev_b32", [](u32 a) {
    u32 out = 0;
    for (unsigned n = 0; n < 32; ++n) out |= (a >> n & 1) << (31 - n);
    return out;
  });
  unary("v_ffbh_u32", [](u32 a) { return a == 0 ? ~0u : u(std::countl_zero(a)); });
  unary("v_ffbl_b32", [](u32 a) { return a == 0 ? ~0u : u(std::countr_zero(a)); });
  unary("v_ffbh_i32", [](u32 a) {
    for (unsigned n = 1; n < 32; ++n)
      if ((a >> (31 - n) & 1) != a >> 31) return n;
    return ~0u;
  });
  unary("v_sat_pk_u8_i16", [](u32 a) {
    const i32 low = std::clamp<i32>(static_cast<i16>(a), 0, 255);
    const i32 high = std::clamp<i32>(static_cast<i16>(a >> 16), 0, 255);
    return u(low | high << 8);
  });
}

TEST(Integer, Sums) {
  binary("v_add_u32", [](u32 a, u32 b) { return a + b; }, true);
  binary("v_sub_u32", [](u32 a, u32 b) { return a - b; }, true);
  binary("v_subrev_u32", [](u32 a, u32 b) { return b - a; }, true);
  binary("v_add_i32", [](u32 a, u32 b) { return a + b; }, false);
  binary("v_sub_i32", [](u32 a, u32 b) { return a - b; }, false);
}

TEST(Integer, SumsThatAreClamped) {
  const std::string clamp = " clamp";
  binary("v_add_u32", [](u32 a, u32 b) { return clamp_u(i64{a} + b); }, false, clamp);
  binary("v_sub_u32", [](u32 a, u32 b) { return clamp_u(i64{a} - b); }, false, clamp);
  binary("v_subrev_u32", [](u32 a, u32 b) { return clamp_u(i64{b} - a); }, false, clamp);
  binary("v_add_i32", [](u32 a, u32 b) { return clamp_s(i64{s(a)} + s(b)); }, false, clamp);
  binary("v_sub_i32", [](u32 a, u32 b) { return clamp_s(i64{s(a)} - s(b)); }, false, clamp);
}

TEST(Integer, LogicAndShifts) {
  binary("v_and_b32", [](u32 a, u32 b) { return a & b; }, true);
  binary("v_or_b32", [](u32 a, u32 b) { return a | b; }, true);
  binary("v_xor_b32", [](u32 a, u32 b) { return a ^ b; }, true);
  binary("v_xnor_b32", [](u32 a, u32 b) { return ~(a ^ b); }, true);
  binary("v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); }, true);
  binary("v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); }, true);
  binary("v_ashrrev_i32", [](u32 a, u32 b) { return u(s(b) >> (a & 31)); }, true);
  binary("v_bfm_b32", [](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }, false);
  binary("v_bcnt_u32_b32", [](u32 a, u32 b) { return u(std::popcount(a)) + b; }, false);
  ternary("v_bfi_b32", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); });
  ternary("v_bfe_u32", [](u32 a, u32 b, u32 c) {
    u32 out = 0;
    for (unsigned n = 0; n < (c & 31) && n + (b & 31) < 32; ++n)
      out |= (a >> (n + (b & 31)) & 1) << n;
    return out;
  });
  ternary("v_bfe_i32", [](u32 a, u32 b, u32 c) {
    const unsigned from = b & 31;
    const unsigned count = std::min<unsigned>(c & 31, 32 - from);
    u32 out = 0;
    for (unsigned n = 0; n < 32 && count != 0; ++n)
      out |= (a >> (from + std::min(n, count - 1)) & 1) << n;
    return out;
  });
  ternary("v_alignbit_b32",
          [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); });
  ternary("v_alignbyte_b32", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3)));
  });
}

TEST(Integer, MinimaAndMaxima) {
  binary("v_min_u32", [](u32 a, u32 b) { return std::min(a, b); }, true);
  binary("v_max_u32", [](u32 a, u32 b) { return std::max(a, b); }, true);
  binary("v_min_i32", [](u32 a, u32 b) { return u(std::min(s(a), s(b))); }, true);
  binary("v_max_i32", [](u32 a, u32 b) { return u(std::max(s(a), s(b))); }, true);
  ternary("v_min3_u32", [](u32 a, u32 b, u32 c) { return std::min({a, b, c}); });
  ternary("v_max3_u32", [](u32 a, u32 b, u32 c) { return std::max({a, b, c}); });
  ternary("v_min3_i32", [](u32 a, u32 b, u32 c) { return u(std::min({s(a), s(b), s(c)})); });
  ternary("v_max3_i32", [](u32 a, u32 b, u32 c) { return u(std::max({s(a), s(b), s(c)})); });
  ternary("v_med3_u32", [](u32 a, u32 b, u32 c) {
    u32 sorted[] = {a, b, c};
    std::ranges::sort(sorted);
    return sorted[1];
  });
  ternary("v_med3_i32", [](u32 a, u32 b, u32 c) {
    i32 sorted[] = {s(a), s(b), s(c)};
    std::ranges::sort(sorted);
    return u(sorted[1]);
  });
}

TEST(Integer, TwoOperationsInOne) {
  ternary("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; });
  ternary("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; });
  ternary("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; });
  ternary("v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return a << (b & 31) | c; });
  ternary("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; });
  ternary("v_add_lshl_u32", [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); });
  ternary("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; });
}

u64 u24(u32 value) { return value & 0xFFFFFF; }
i64 i24(u32 value) { return s(value << 8) >> 8; }

TEST(Integer, Products) {
  binary("v_mul_lo_u32", [](u32 a, u32 b) { return a * b; }, false);
  binary("v_mul_hi_u32", [](u32 a, u32 b) { return u(i64(u64{a} * b >> 32)); }, false);
  binary("v_mul_hi_i32", [](u32 a, u32 b) { return u(i64{s(a)} * s(b) >> 32); }, false);
  binary("v_mul_u32_u24", [](u32 a, u32 b) { return static_cast<u32>(u24(a) * u24(b)); }, true);
  binary(
      "v_mul_hi_u32_u24", [](u32 a, u32 b) { return static_cast<u32>(u24(a) * u24(b) >> 32); },
      true);
  binary("v_mul_i32_i24", [](u32 a, u32 b) { return u(i24(a) * i24(b)); }, true);
  binary("v_mul_hi_i32_i24", [](u32 a, u32 b) { return u(i24(a) * i24(b) >> 32); }, true);
  ternary("v_mad_u32_u24",
          [](u32 a, u32 b, u32 c) { return static_cast<u32>(u24(a) * u24(b) + c); });
  ternary("v_mad_i32_i24", [](u32 a, u32 b, u32 c) { return u(i24(a) * i24(b) + c); });
}

TEST(Integer, ShiftsOf64Bits) {
  const auto shift = [](const std::string& mnemonic, u64 (*f)(u64, u64)) {
    check({.mnemonic = mnemonic,
           .dwords = {1, 2},
           .result_dwords = 2,
           .reference = [f](u64 a, u64 b, u64, u64) { return f(a & 63, b); }});
  };
  shift("v_lshlrev_b64", [](u64 count, u64 value) { return value << count; });
  shift("v_lshrrev_b64", [](u64 count, u64 value) { return value >> count; });
  shift("v_ashrrev_i64",
        [](u64 count, u64 value) { return static_cast<u64>(static_cast<i64>(value) >> count); });
}

TEST(Integer, WhatGfx942AddsOf64Bits) {
  check({.mnemonic = "v_lshl_add_u64",
         .dwords = {2, 1, 2},
         .result_dwords = 2,
         .reference = [](u64 a, u64 b, u64 c, u64) { return (a << (b & 7)) + c; },
         .processor = "gfx942"});
  check({.mnemonic = "v_mov_b64",
         .dwords = {2},
         .result_dwords = 2,
         .reference = [](u64 a, u64, u64, u64) { return a; },
         .processor = "gfx942"});
}

TEST(Integer, PackedMoveTakesADwordOfEachSource) {
  for (unsigned picks = 0; picks < 4; ++picks) {
    const bool first = (picks & 1) != 0;
    const bool second = (picks & 2) != 0;
    check({.mnemonic = "v_pk_mov_b32",
           .dwords = {2, 2},
           .result_dwords = 2,
           .reference =
               [first, second](u64 a, u64 b, u64, u64) {
                 return (a >> (first ? 32 : 0) & 0xFFFFFFFF) | b >> (second ? 32 : 0) << 32;
               },
           .suffix = std::string(" op_sel:[") + (first ? "1," : "0,") + (second ? "1]" : "0]")});
  }
}

// --- what has masks ------------------------------------------------------------------------------

struct Carry {
  const char* mnemonic;
  bool carry_in;
  u32 (*value)(u32 a, u32 b, u32 in);
  bool (*out)(u32 a, u32 b, u32 in);
};
const Carry carries[] = {
    {"v_add_co_u32", false, [](u32 a, u32 b, u32) { return a + b; },
     [](u32 a, u32 b, u32) { return u64{a} + b > 0xFFFFFFFF; }},
    {"v_addc_co_u32", true, [](u32 a, u32 b, u32 in) { return a + b + in; },
     [](u32 a, u32 b, u32 in) { return u64{a} + b + in > 0xFFFFFFFF; }},
    {"v_sub_co_u32", false, [](u32 a, u32 b, u32) { return a - b; },
     [](u32 a, u32 b, u32) { return a < b; }},
    {"v_subb_co_u32", true, [](u32 a, u32 b, u32 in) { return a - b - in; },
     [](u32 a, u32 b, u32 in) { return a < u64{b} + in; }},
    {"v_subrev_co_u32", false, [](u32 a, u32 b, u32) { return b - a; },
     [](u32 a, u32 b, u32) { return b < a; }},
    {"v_subbrev_co_u32", true, [](u32 a, u32 b, u32 in) { return b - a - in; },
     [](u32 a, u32 b, u32 in) { return b < u64{a} + in; }},
};

void check_carry(const Carry& carry, isa::Level level, bool vcc, u64 exec, Inputs& inputs) {
  Machine& m = machine("gfx90a", level);
  for (unsigned lane = 0; lane < 64; ++lane) {
    m.v(0)[lane] = inputs.dword();
    m.v(1)[lane] = inputs.below(4) == 0 ? ~m.v(0)[lane] : inputs.dword();
    if (inputs.below(8) == 0) m.v(1)[lane] = m.v(0)[lane];
    m.v(2)[lane] = 0xDEAD;
  }
  const u64 in = inputs.mask();
  m.wave().set_vcc(in);
  m.wave().set_pair(30, in);
  m.wave().set_pair(32, ~in);
  m.wave().set_exec(exec);
  const std::string out = vcc ? "vcc" : "s[32:33]";
  const std::string text = std::string(carry.mnemonic) + " v2, " + out + ", v0, v1" +
                           (!carry.carry_in ? ""
                            : vcc           ? ", vcc"
                                            : ", s[30:31]");
  ASSERT_EQ(m.run(text), Stop::ended) << text;
  const u64 carried = vcc ? m.wave().vcc() : m.wave().pair(32);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const u32 a = m.v(0)[lane];
    const u32 b = m.v(1)[lane];
    const u32 bit = has(in, lane) ? 1 : 0;
    const bool active = has(exec, lane);
    ASSERT_EQ(m.v(2)[lane], active ? carry.value(a, b, bit) : 0xDEAD) << text << " " << a << b;
    ASSERT_EQ(has(carried, lane), active && carry.out(a, b, bit)) << text << " lane " << lane;
  }
}

TEST(Integer, CarriesComeAndGoInMasks) {
  Inputs inputs(7);
  for (const isa::Level level : levels())
    for (const Carry& carry : carries)
      for (const bool vcc : {true, false})
        for (const u64 exec : {~u64{0}, u64{0}, inputs.mask(), inputs.mask()})
          check_carry(carry, level, vcc, exec, inputs);
}

template <bool is_signed>
void check_multiply_add_wide(isa::Level level, const std::string& addend, u64 exec,
                             Inputs& inputs) {
  Machine& m = machine("gfx90a", level);
  for (unsigned r = 0; r < 6; ++r)
    for (unsigned lane = 0; lane < 64; ++lane) m.v(r)[lane] = inputs.dword();
  m.wave().set_exec(exec);
  const std::string text = std::string(is_signed ? "v_mad_i64_i32" : "v_mad_u64_u32") +
                           " v[4:5], s[2:3], v0, v1, " + addend;
  const Lanes before[] = {m.lanes(4), m.lanes(5)};
  ASSERT_EQ(m.run(text), Stop::ended);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const u32 a = m.v(0)[lane];
    const u32 b = m.v(1)[lane];
    const u64 c = addend == "-1" ? ~0ull : m.v(2)[lane] | u64{m.v(3)[lane]} << 32;
    __int128 sum;
    if constexpr (is_signed) {
      sum = __int128{s(a)} * s(b) + static_cast<i64>(c);
    } else {
      sum = static_cast<__int128>(static_cast<unsigned __int128>(a) * b + c);
    }
    const u64 result = m.v(4)[lane] | u64{m.v(5)[lane]} << 32;
    if (!has(exec, lane)) {
      ASSERT_EQ(m.v(4)[lane], before[0][lane]);
      ASSERT_EQ(m.v(5)[lane], before[1][lane]);
      ASSERT_FALSE(has(m.wave().pair(2), lane));
      continue;
    }
    ASSERT_EQ(result, static_cast<u64>(sum)) << text << std::hex << " " << a << " " << b;
    ASSERT_EQ(has(m.wave().pair(2), lane), (static_cast<u64>(sum >> 64) & 1) != 0)
        << text << std::hex << " " << a << " " << b << " " << c;
  }
}

TEST(Integer, ProductsOf64BitsWithASum) {
  Inputs inputs(8);
  for (const isa::Level level : levels())
    for (const char* addend : {"v[2:3]", "-1"})
      for (const u64 exec : {~u64{0}, inputs.mask(), inputs.mask()}) {
        check_multiply_add_wide<false>(level, addend, exec, inputs);
        check_multiply_add_wide<true>(level, addend, exec, inputs);
      }
}

TEST(Integer, MbcntCountsTheLanesBelow) {
  Inputs inputs(9);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (const u64 mask : {~u64{0}, inputs.mask()}) {
      m.wave().set_exec(~u64{0});
      m.wave().set_pair(4, mask);
      ASSERT_EQ(m.run("v_mbcnt_lo_u32_b32 v0, s4, 0\n v_mbcnt_hi_u32_b32 v1, s5, v0\n"
                      "v_mbcnt_lo_u32_b32 v2, -1, 5"),
                Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const u64 below = lane == 0 ? 0 : ~u64{0} >> (64 - lane);
        ASSERT_EQ(m.v(1)[lane], u(std::popcount(mask & below))) << lane;
        ASSERT_EQ(m.v(2)[lane], 5 + std::min(lane, 32u)) << lane;
      }
    }
  }
}

TEST(Integer, CndmaskChooses) {
  Inputs inputs(10);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (const u64 exec : {~u64{0}, inputs.mask()}) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        m.v(0)[lane] = inputs.dword();
        m.v(1)[lane] = inputs.dword();
        for (unsigned r = 2; r < 6; ++r) m.v(r)[lane] = 0xDEAD;
      }
      m.wave().set_vcc(inputs.mask());
      m.wave().set_pair(4, inputs.mask());
      m.wave().set_exec(exec);
      ASSERT_EQ(m.run("v_cndmask_b32 v2, v0, v1, vcc\n v_cndmask_b32 v3, v0, 3, s[4:5]\n"
                      "v_cndmask_b32 v4, -v0, |v1|, vcc\n v_cndmask_b32 v5, -|v0|, v1, s[4:5]"),
                Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const u32 a = m.v(0)[lane];
        const u32 b = m.v(1)[lane];
        const bool vcc = has(m.wave().vcc(), lane);
        const bool other = has(m.wave().pair(4), lane);
        const bool active = has(exec, lane);
        ASSERT_EQ(m.v(2)[lane], !active ? 0xDEAD : vcc ? b : a) << lane;
        ASSERT_EQ(m.v(3)[lane], !active ? 0xDEAD : other ? 3 : a) << lane;
        ASSERT_EQ(m.v(4)[lane], !active ? 0xDEAD : vcc ? b & 0x7FFFFFFF : a ^ 0x80000000) << lane;
        ASSERT_EQ(m.v(5)[lane], !active ? 0xDEAD : other ? b : a | 0x80000000) << lane;
      }
    }
  }
}

TEST(Integer, SwapsAndAccumulationRegisters) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    const u64 exec = 0xF0F0F0F0F0F0F0F1ull;
    m.wave().set_exec(exec);
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(0)[lane] = lane;
      m.v(1)[lane] = 100 + lane;
      m.v(2)[lane] = 200;
      m.a(1)[lane] = m.a(2)[lane] = 300;
    }
    ASSERT_EQ(m.run("v_swap_b32 v0, v1\n v_accvgpr_write_b32 a1, v0\n v_accvgpr_mov_b32 a2, a1\n"
                    "v_accvgpr_read_b32 v2, a2"),
              Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const bool active = has(exec, lane);
      ASSERT_EQ(m.v(0)[lane], active ? 100 + lane : lane);
      ASSERT_EQ(m.v(1)[lane], active ? lane : 100 + lane);
      ASSERT_EQ(m.v(2)[lane], active ? 100 + lane : 200);
      ASSERT_EQ(m.a(1)[lane], active ? 100 + lane : 300);
    }
  }
}

TEST(Integer, AClampThatNothingSaysAnythingOfIsRefused) {
  Machine& m = machine("gfx90a", isa::best_level());
  EXPECT_EQ(m.run("v_mad_u32_u24 v0, v1, v2, v3 clamp"), Stop::unmodelled);
  EXPECT_STREQ(m.wave().unmodelled, "v_mad_u32_u24 v0, v1, v2, v3 clamp");
}

}  // namespace
}  // namespace rocdrill::test
