// Integers of 16 bits, one or two per lane; bytes; dot products.
#include <bit>
#include <cmath>
#include <cstdlib>

#include "lane_cases.hpp"

namespace rocdrill::test {
namespace {

i32 s16(u64 value) { return static_cast<i16>(value); }
u32 u16_of(u64 value) { return static_cast<u16>(value); }
u32 clamp_u16(i64 value) { return static_cast<u32>(std::clamp<i64>(value, 0, 65535)); }
u32 clamp_s16(i64 value) { return static_cast<u16>(std::clamp<i64>(value, -32768, 32767)); }

/// f gives the low half; the high half is 0 or what it was.
template <class F>
void halves(const std::string& mnemonic, unsigned sources, bool kept, F f, bool literals = false,
            const std::string& suffix = "") {
  check({.mnemonic = mnemonic,
         .dwords = std::vector<unsigned>(sources, 1),
         .reference = [f, kept](u64 a, u64 b, u64 c, u64 old) -> u64 {
           return u16_of(static_cast<u64>(f(a, b, c))) | (kept ? old & 0xFFFF0000 : 0);
         },
         .suffix = suffix,
         .literal = literals ? "0xABCD" : ""});
}

TEST(Integer16, ThoseOfVop2ClearTheHighHalf) {
  halves("v_add_u16", 2, false, [](u64 a, u64 b, u64) { return a + b; }, true);
  halves("v_sub_u16", 2, false, [](u64 a, u64 b, u64) { return a - b; }, true);
  halves("v_subrev_u16", 2, false, [](u64 a, u64 b, u64) { return b - a; }, true);
  halves("v_mul_lo_u16", 2, false, [](u64 a, u64 b, u64) { return a * b; }, true);
  halves("v_lshlrev_b16", 2, false, [](u64 a, u64 b, u64) { return b << (a & 15); }, true);
  halves("v_lshrrev_b16", 2, false, [](u64 a, u64 b, u64) { return u16_of(b) >> (a & 15); }, true);
  halves("v_ashrrev_i16", 2, false, [](u64 a, u64 b, u64) { return s16(b) >> (a & 15); }, true);
  halves("v_min_u16", 2, false, [](u64 a, u64 b, u64) { return std::min(u16_of(a), u16_of(b)); });
  halves("v_max_u16", 2, false, [](u64 a, u64 b, u64) { return std::max(u16_of(a), u16_of(b)); });
  halves("v_min_i16", 2, false, [](u64 a, u64 b, u64) { return std::min(s16(a), s16(b)); });
  halves("v_max_i16", 2, false, [](u64 a, u64 b, u64) { return std::max(s16(a), s16(b)); });
  halves("v_mad_legacy_u16", 3, false, [](u64 a, u64 b, u64 c) { return a * b + c; });
  halves("v_mad_legacy_i16", 3, false, [](u64 a, u64 b, u64 c) { return a * b + c; });
}

TEST(Integer16, ThoseOfVop3KeepIt) {
  halves("v_add_i16", 2, true, [](u64 a, u64 b, u64) { return a + b; });
  halves("v_sub_i16", 2, true, [](u64 a, u64 b, u64) { return a - b; });
  halves("v_mad_u16", 3, true, [](u64 a, u64 b, u64 c) { return a * b + c; });
  halves("v_mad_i16", 3, true, [](u64 a, u64 b, u64 c) { return a * b + c; });
  halves("v_min3_u16", 3, true,
         [](u64 a, u64 b, u64 c) { return std::min({u16_of(a), u16_of(b), u16_of(c)}); });
  halves("v_max3_u16", 3, true,
         [](u64 a, u64 b, u64 c) { return std::max({u16_of(a), u16_of(b), u16_of(c)}); });
  halves("v_min3_i16", 3, true,
         [](u64 a, u64 b, u64 c) { return std::min({s16(a), s16(b), s16(c)}); });
  halves("v_max3_i16", 3, true,
         [](u64 a, u64 b, u64 c) { return std::max({s16(a), s16(b), s16(c)}); });
  halves("v_med3_u16", 3, true, [](u64 a, u64 b, u64 c) {
    u32 sorted[] = {u16_of(a), u16_of(b), u16_of(c)};
    std::ranges::sort(sorted);
    return sorted[1];
  });
  halves("v_med3_i16", 3, true, [](u64 a, u64 b, u64 c) {
    i32 sorted[] = {s16(a), s16(b), s16(c)};
    std::ranges::sort(sorted);
    return sorted[1];
  });
}

TEST(Integer16, Clamps) {
  const std::string clamp = " clamp";
  const auto u = [](u64 value) { return static_cast<i64>(u16_of(value)); };
  const auto add = [u](u64 a, u64 b, u64) { return clamp_u16(u(a) + u(b)); };
  const auto sub = [u](u64 a, u64 b, u64) { return clamp_u16(u(a) - u(b)); };
  const auto subrev = [u](u64 a, u64 b, u64) { return clamp_u16(u(b) - u(a)); };
  const auto mad = [u](u64 a, u64 b, u64 c) { return clamp_u16(u(a) * u(b) + u(c)); };
  const auto mad_i = [](u64 a, u64 b, u64 c) { return clamp_s16(i64{s16(a)} * s16(b) + s16(c)); };
  halves("v_add_u16", 2, false, add, false, clamp);
  halves("v_sub_u16", 2, false, sub, false, clamp);
  halves("v_subrev_u16", 2, false, subrev, false, clamp);
  halves(
      "v_add_i16", 2, true, [](u64 a, u64 b, u64) { return clamp_s16(s16(a) + s16(b)); }, false,
      clamp);
  halves(
      "v_sub_i16", 2, true, [](u64 a, u64 b, u64) { return clamp_s16(s16(a) - s16(b)); }, false,
      clamp);
  halves("v_mad_u16", 3, true, mad, false, clamp);
  halves("v_mad_i16", 3, true, mad_i, false, clamp);
  halves("v_mad_legacy_u16", 3, false, mad, false, clamp);
  halves("v_mad_legacy_i16", 3, false, mad_i, false, clamp);
}

// --- op_sel --------------------------------------------------------------------------------------

std::string list(const std::string& name, unsigned bits, unsigned count) {
  std::string out = " " + name + ":[";
  for (unsigned n = 0; n < count; ++n) out += (bits >> n & 1) != 0 ? "1," : "0,";
  out.back() = ']';
  return out;
}
u64 half(u64 value, bool high) { return value >> (high ? 16 : 0) & 0xFFFF; }

TEST(Integer16, OpSelPicksHalvesAndWritesOne) {
  for (unsigned picks = 0; picks < 16; ++picks)
    check({.mnemonic = "v_mad_u16",
           .dwords = {1, 1, 1},
           .reference = [picks](u64 a, u64 b, u64 c, u64 old) -> u64 {
             const u64 result =
                 half(half(a, picks & 1) * half(b, picks & 2) + half(c, picks & 4), false);
             return (picks & 8) != 0 ? (old & 0xFFFF) | result << 16 : (old & 0xFFFF0000) | result;
           },
           .suffix = list("op_sel", picks, 4)});
  for (unsigned picks = 0; picks < 8; ++picks)
    check({.mnemonic = "v_sub_i16",
           .dwords = {1, 1},
           .reference = [picks](u64 a, u64 b, u64, u64 old) -> u64 {
             const u64 result = clamp_s16(s16(half(a, picks & 1)) - s16(half(b, picks & 2)));
             return (picks & 4) != 0 ? (old & 0xFFFF) | result << 16 : (old & 0xFFFF0000) | result;
           },
           .suffix = list("op_sel", picks, 3) + " clamp"});
}

TEST(Integer16, HalvesThatMakeADword) {
  for (unsigned picks = 0; picks < 4; ++picks) {
    check({.mnemonic = "v_mad_u32_u16",
           .dwords = {1, 1, 1},
           .reference = [picks](u64 a, u64 b, u64 c,
                                u64) { return half(a, picks & 1) * half(b, picks & 2) + c; },
           .suffix = list("op_sel", picks, 4)});
    check({.mnemonic = "v_mad_i32_i16",
           .dwords = {1, 1, 1},
           .reference =
               [picks](u64 a, u64 b, u64 c, u64) {
                 return static_cast<u64>(i64{s16(half(a, picks & 1))} * s16(half(b, picks & 2))) +
                        c;
               },
           .suffix = list("op_sel", picks, 4)});
    check({.mnemonic = "v_pack_b32_f16",
           .dwords = {1, 1},
           .reference = [picks](u64 a, u64 b, u64,
                                u64) { return half(a, picks & 1) | half(b, picks & 2) << 16; },
           .suffix = list("op_sel", picks, 3)});
  }
  Machine& m = machine("gfx90a", isa::best_level());
  m.wave().set_exec(~u64{0});
  m.v(1)[5] = 0xBC001234;
  m.v(2)[5] = 0x3C00FFFF;
  ASSERT_EQ(m.run("v_pack_b32_f16 v0, |v1|, -v2 op_sel:[1,1,0]"), isa::Stop::ended);
  EXPECT_EQ(m.v(0)[5], 0xBC003C00);
}

// --- VOP3P ---------------------------------------------------------------------------------------

template <class F>
void packed(const std::string& mnemonic, unsigned sources, F f, const std::string& suffix = "") {
  Inputs inputs(11);
  for (unsigned n = 0; n < 6; ++n) {
    const unsigned low = n == 0 ? 0 : inputs.below(8);
    const unsigned high = n == 0 ? 7 : inputs.below(8);
    check({.mnemonic = mnemonic,
           .dwords = std::vector<unsigned>(sources, 1),
           .reference = [f, low, high](u64 a, u64 b, u64 c, u64) -> u64 {
             const auto one = [&](unsigned picks) {
               return u16_of(
                   static_cast<u64>(f(half(a, picks & 1), half(b, picks & 2), half(c, picks & 4))));
             };
             return one(low) | one(high) << 16;
           },
           .suffix = list("op_sel", low, sources) + list("op_sel_hi", high, sources) + suffix});
  }
}

TEST(PackedInteger, Operations) {
  packed("v_pk_add_u16", 2, [](u64 a, u64 b, u64) { return a + b; });
  packed("v_pk_sub_u16", 2, [](u64 a, u64 b, u64) { return a - b; });
  packed("v_pk_add_i16", 2, [](u64 a, u64 b, u64) { return a + b; });
  packed("v_pk_sub_i16", 2, [](u64 a, u64 b, u64) { return a - b; });
  packed("v_pk_mul_lo_u16", 2, [](u64 a, u64 b, u64) { return a * b; });
  packed("v_pk_min_u16", 2, [](u64 a, u64 b, u64) { return std::min(a, b); });
  packed("v_pk_max_u16", 2, [](u64 a, u64 b, u64) { return std::max(a, b); });
  packed("v_pk_min_i16", 2, [](u64 a, u64 b, u64) { return std::min(s16(a), s16(b)); });
  packed("v_pk_max_i16", 2, [](u64 a, u64 b, u64) { return std::max(s16(a), s16(b)); });
  packed("v_pk_lshlrev_b16", 2, [](u64 a, u64 b, u64) { return b << (a & 15); });
  packed("v_pk_lshrrev_b16", 2, [](u64 a, u64 b, u64) { return b >> (a & 15); });
  packed("v_pk_ashrrev_i16", 2, [](u64 a, u64 b, u64) { return s16(b) >> (a & 15); });
  packed("v_pk_mad_u16", 3, [](u64 a, u64 b, u64 c) { return a * b + c; });
  packed("v_pk_mad_i16", 3, [](u64 a, u64 b, u64 c) { return a * b + c; });
}

TEST(PackedInteger, Clamps) {
  const std::string clamp = " clamp";
  const auto i = [](u64 value) { return static_cast<i64>(value); };
  packed("v_pk_add_u16", 2, [i](u64 a, u64 b, u64) { return clamp_u16(i(a) + i(b)); }, clamp);
  packed("v_pk_sub_u16", 2, [i](u64 a, u64 b, u64) { return clamp_u16(i(a) - i(b)); }, clamp);
  packed("v_pk_add_i16", 2, [](u64 a, u64 b, u64) { return clamp_s16(s16(a) + s16(b)); }, clamp);
  packed("v_pk_sub_i16", 2, [](u64 a, u64 b, u64) { return clamp_s16(s16(a) - s16(b)); }, clamp);
  packed(
      "v_pk_mad_u16", 3, [i](u64 a, u64 b, u64 c) { return clamp_u16(i(a) * i(b) + i(c)); }, clamp);
  packed(
      "v_pk_mad_i16", 3,
      [](u64 a, u64 b, u64 c) { return clamp_s16(i64{s16(a)} * s16(b) + s16(c)); }, clamp);
}

i64 field(u64 value, unsigned bits, unsigned k, bool is_signed) {
  const i64 raw = static_cast<i64>(value >> (bits * k) & ((1ull << bits) - 1));
  return is_signed && (raw >> (bits - 1) & 1) != 0 ? raw - (1ll << bits) : raw;
}
i64 dot(u64 a, u64 b, u64 c, unsigned bits, bool is_signed) {
  i64 sum = is_signed ? i64{static_cast<i32>(c)} : static_cast<i64>(c);
  for (unsigned k = 0; k < 32 / bits; ++k)
    sum += field(a, bits, k, is_signed) * field(b, bits, k, is_signed);
  return sum;
}
void dots(const std::string& mnemonic, unsigned bits, bool is_signed) {
  check({.mnemonic = mnemonic, .dwords = {1, 1, 1}, .reference = [=](u64 a, u64 b, u64 c, u64) {
           return static_cast<u64>(dot(a, b, c, bits, is_signed));
         }});
  check({.mnemonic = mnemonic,
         .dwords = {1, 1, 1},
         .reference =
             [=](u64 a, u64 b, u64 c, u64) {
               const i64 least = is_signed ? -0x80000000ll : 0;
               const i64 greatest = is_signed ? 0x7FFFFFFFll : 0xFFFFFFFFll;
               return static_cast<u64>(std::clamp(dot(a, b, c, bits, is_signed), least, greatest));
             },
         .suffix = " clamp"});
}

TEST(PackedInteger, DotProducts) {
  dots("v_dot2_i32_i16", 16, true);
  dots("v_dot2_u32_u16", 16, false);
  dots("v_dot4_i32_i8", 8, true);
  dots("v_dot4_u32_u8", 8, false);
  dots("v_dot8_i32_i4", 4, true);
  dots("v_dot8_u32_u4", 4, false);
  for (const auto& [mnemonic, bits] :
       {std::pair{"v_dot2c_i32_i16", 16u}, {"v_dot4c_i32_i8", 8u}, {"v_dot8c_i32_i4", 4u}})
    check({.mnemonic = mnemonic, .dwords = {1, 1}, .reference = [bits](u64 a, u64 b, u64, u64 old) {
             return static_cast<u64>(dot(a, b, old, bits, true));
           }});
}

float half_value(u64 bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const float fraction = static_cast<float>(bits & 0x3FF);
  const float magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(PackedInteger, DotProductsOfHalves) {
  Inputs inputs(21);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    const u64 exec = inputs.mask();
    m.wave().set_exec(exec);
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned r = 0; r < 2; ++r)  // finite halves
        m.v(r)[lane] = inputs.dword() & 0xBFFFBFFF;
      m.v(2)[lane] = std::bit_cast<u32>(static_cast<float>(inputs.below(1000)) / 64);
      for (unsigned r = 3; r < 6; ++r) m.v(r)[lane] = m.v(2)[lane];
    }
    ASSERT_EQ(m.run("v_dot2_f32_f16 v3, v0, v1, v2\n v_dot2c_f32_f16 v4, v0, v1\n"
                    "v_dot2_f32_f16 v5, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,0,1] "
                    "neg_lo:[1,0,1] neg_hi:[0,1,0]"),
              isa::Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const float a[] = {half_value(m.v(0)[lane]), half_value(m.v(0)[lane] >> 16)};
      const float b[] = {half_value(m.v(1)[lane]), half_value(m.v(1)[lane] >> 16)};
      const float c = std::bit_cast<float>(m.v(2)[lane]);
      const float sum = c + a[0] * b[0] + a[1] * b[1];
      const float other = -c - a[1] * b[0] + a[1] * -b[0];
      const bool active = has(exec, lane);
      ASSERT_EQ(std::bit_cast<float>(m.v(3)[lane]), active ? sum : c) << lane;
      ASSERT_EQ(std::bit_cast<float>(m.v(4)[lane]), active ? sum : c) << lane;
      ASSERT_EQ(std::bit_cast<float>(m.v(5)[lane]), active ? other : c) << lane;
    }
  }
}

// --- bytes ---------------------------------------------------------------------------------------

u32 byte_of(u64 value, unsigned k) { return static_cast<u8>(value >> (8 * k)); }
u32 sad(u64 a, u64 b, bool masked) {
  u32 sum = 0;
  for (unsigned k = 0; k < 4; ++k)
    if (!masked || byte_of(b, k) != 0)
      sum += static_cast<u32>(
          std::abs(static_cast<i32>(byte_of(a, k)) - static_cast<i32>(byte_of(b, k))));
  return sum;
}

TEST(Bytes, Permutations) {
  const auto reference = [](u64 a, u64 b, u64 c, u64) {
    const u64 bytes = a << 32 | b;
    u64 out = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned selector = byte_of(c, k);
      u64 value = 0xFF;
      if (selector < 8) value = byte_of(bytes, selector);
      if (selector >= 8 && selector < 12)
        value = (bytes >> (16 * (selector - 8) + 15) & 1) != 0 ? 0xFF : 0;
      if (selector == 12) value = 0;
      out |= value << (8 * k);
    }
    return out;
  };
  check({.mnemonic = "v_perm_b32", .dwords = {1, 1, 1}, .reference = reference});
  Inputs inputs(12);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    m.wave().set_exec(~u64{0});
    for (const unsigned most : {8u, 15u}) {  // selectors that mean something
      for (unsigned lane = 0; lane < 64; ++lane) {
        m.v(1)[lane] = inputs.dword();
        m.v(2)[lane] = inputs.dword();
        m.v(3)[lane] = 0;
        for (unsigned k = 0; k < 4; ++k) m.v(3)[lane] |= inputs.below(most) << (8 * k);
      }
      ASSERT_EQ(m.run("v_perm_b32 v0, v1, v2, v3"), isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane)
        ASSERT_EQ(m.v(0)[lane], reference(m.v(1)[lane], m.v(2)[lane], m.v(3)[lane], 0))
            << std::hex << m.v(3)[lane];
    }
  }
}

TEST(Bytes, SumsOfAbsoluteDifferences) {
  const auto three = [](const std::string& mnemonic, u64 (*f)(u64, u64, u64)) {
    check({.mnemonic = mnemonic, .dwords = {1, 1, 1}, .reference = [f](u64 a, u64 b, u64 c, u64) {
             return f(a, b, c);
           }});
  };
  three("v_sad_u8", [](u64 a, u64 b, u64 c) { return sad(a, b, false) + c; });
  three("v_sad_hi_u8", [](u64 a, u64 b, u64 c) { return (u64{sad(a, b, false)} << 16) + c; });
  three("v_msad_u8", [](u64 a, u64 b, u64 c) { return sad(a, b, true) + c; });
  three("v_sad_u32", [](u64 a, u64 b, u64 c) { return (a > b ? a - b : b - a) + c; });
  three("v_sad_u16", [](u64 a, u64 b, u64 c) {
    const auto apart = [](u64 x, u64 y) { return x > y ? x - y : y - x; };
    return apart(a & 0xFFFF, b & 0xFFFF) + apart(a >> 16, b >> 16) + c;
  });
  three("v_lerp_u8", [](u64 a, u64 b, u64 c) {
    u64 out = 0;
    for (unsigned k = 0; k < 4; ++k)
      out |= u64{(byte_of(a, k) + byte_of(b, k) + (byte_of(c, k) & 1)) / 2} << (8 * k);
    return out;
  });
}

TEST(Bytes, FourWindowsAtOnce) {
  for (const bool masked : {false, true}) {
    Inputs inputs(13);
    for (const isa::Level level : levels()) {
      Machine& m = machine("gfx90a", level);
      const u64 exec = inputs.mask();
      m.wave().set_exec(exec);
      for (unsigned r = 0; r < 16; ++r)
        for (unsigned lane = 0; lane < 64; ++lane) m.v(r)[lane] = inputs.dword();
      const Lanes before[] = {m.lanes(12), m.lanes(13)};
      std::string text =
          std::string(masked ? "v_mqsad" : "v_qsad") + "_pk_u16_u8 v[12:13], v[0:1], v2, v[4:5]\n";
      if (masked) text += "v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]\n";
      ASSERT_EQ(m.run(text), isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const u64 bytes = m.v(0)[lane] | u64{m.v(1)[lane]} << 32;
        for (unsigned k = 0; k < 4; ++k) {
          const u32 sum = sad(bytes >> (8 * k), m.v(2)[lane], masked);
          const unsigned r = k / 2;
          const u32 added = static_cast<u32>(half(m.v(4 + r)[lane], k % 2)) + sum;
          const u64 expected = has(exec, lane) ? added : before[r][lane] >> (16 * (k % 2));
          ASSERT_EQ(half(m.v(12 + r)[lane], k % 2), u16_of(expected)) << lane << " " << k;
          if (masked && has(exec, lane)) {
            ASSERT_EQ(m.v(8 + k)[lane], m.v(4 + k)[lane] + sum) << lane << " " << k;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
