// Packed and mixed floating point: op_sel, neg, clamp; pairs of halves and of singles.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

Bits part(Bits value, bool high, unsigned width) {
  return (high ? value >> width : value) & ((1ull << width) - 1);
}

/// Modifiers of VOP3P as the assembler writes them.
struct Select {
  const char* text;
  unsigned low, high;  ///< op_sel, op_sel_hi: bit n for source n
  unsigned neg_low, neg_high;
};
const Select selects[] = {
    {"", 0, 7, 0, 0},
    {"op_sel:[1,0,0] op_sel_hi:[0,1,1]", 1, 6, 0, 0},
    {"op_sel:[0,1,1] op_sel_hi:[1,0,0]", 6, 1, 0, 0},
    {"op_sel:[1,1,1]", 7, 7, 0, 0},
    {"op_sel_hi:[0,0,0]", 0, 0, 0, 0},
    {"neg_lo:[1,0,0] neg_hi:[0,1,1]", 0, 7, 1, 6},
};
/// The same for an instruction of two sources.
std::string text_of(const Select& select, unsigned sources) {
  std::string text = select.text;
  if (sources == 3) return text;
  for (std::size_t at = text.find(']'); at != std::string::npos; at = text.find(']', at + 1))
    text.erase(at -= 2, 2);
  return text;
}

/// `one` on the parts of `width` bits that the modifiers pick.
template <class One>
auto packed(unsigned width, const Select& select, One one) {
  return [=](Bits a, Bits b, Bits c, Bits) {
    const Bits sources[] = {a, b, c};
    Bits out = 0;
    for (const bool high : {false, true}) {
      Bits picked[3];
      for (unsigned n = 0; n < 3; ++n) {
        picked[n] = part(sources[n], ((high ? select.high : select.low) >> n & 1) != 0, width);
        picked[n] ^= Bits{(high ? select.neg_high : select.neg_low) >> n & 1} << (width - 1);
      }
      out |= one(picked[0], picked[1], picked[2]) << (high ? width : 0);
    }
    return out;
  };
}

double value(Bits half) { return half_to_float(half & 0xFFFF); }
Bits add_halves(Bits a, Bits b, Bits) { return half_bits(value(a) + value(b)); }
Bits multiply_halves(Bits a, Bits b, Bits) { return half_bits(value(a) * value(b)); }
/// Rounded to odd in double precision first.
Bits fma_halves(Bits a, Bits b, Bits c) {
  const double product = value(a) * value(b);
  const double sum = product + value(c);
  const __float128 exact = static_cast<__float128>(product) + value(c);
  if (!std::isfinite(sum) || exact == sum || (bits(sum) & 1) != 0) return half_bits(sum);
  const double infinity = std::numeric_limits<double>::infinity();
  return half_bits(std::nextafter(sum, exact > sum ? infinity : -infinity));
}
Bits extreme(Bits a, Bits b, bool least) {
  const auto signals = [](Bits h) { return std::isnan(value(h)) && (h & 0x200) == 0; };
  if (signals(a)) return a | 0x200;
  if (signals(b)) return b | 0x200;
  if (std::isnan(value(a))) return b;
  if (std::isnan(value(b))) return a;
  if (value(a) == 0 && value(b) == 0) return least ? a | b : a & b;
  return (value(a) < value(b)) == least ? a : b;
}
Bits min_halves(Bits a, Bits b, Bits) { return extreme(a, b, true); }
Bits max_halves(Bits a, Bits b, Bits) { return extreme(a, b, false); }
Bits clamp_half(Bits half) {
  const double x = value(half);
  return std::isnan(x) || x <= 0 ? 0 : half_bits(std::min(x, 1.0));
}
Bits add_singles(Bits a, Bits b, Bits) { return bits(f32(a) + f32(b)); }
Bits multiply_singles(Bits a, Bits b, Bits) { return bits(f32(a) * f32(b)); }
Bits fma_singles(Bits a, Bits b, Bits c) { return bits(std::fma(f32(a), f32(b), f32(c))); }

using One = Bits (*)(Bits, Bits, Bits);
void check_packed(const char* mnemonic, char type, unsigned sources, One one) {
  const unsigned width = type == 'p' ? 16 : 32;
  for (const Select& select : selects) {
    Options options;
    options.suffix = text_of(select, sources);
    check_everywhere({mnemonic, std::string(sources + 1, type), packed(width, select, one)},
                     options);
  }
}

TEST(PackedFloat, Halves) {
  check_packed("v_pk_add_f16", 'p', 2, add_halves);
  check_packed("v_pk_mul_f16", 'p', 2, multiply_halves);
  check_packed("v_pk_fma_f16", 'p', 3, fma_halves);
  check_packed("v_pk_min_f16", 'p', 2, min_halves);
  check_packed("v_pk_max_f16", 'p', 2, max_halves);
  check_everywhere({"v_pk_fmac_f16", "ppp", [](Bits a, Bits b, Bits, Bits before) {
                      return packed(16, selects[0], fma_halves)(a, b, before, 0);
                    }});
}

TEST(PackedFloat, ClampAndDenormals) {
  Options options;
  options.suffix = "clamp";
  check_everywhere({"v_pk_add_f16", "ppp",
                    packed(16, selects[0],
                           [](Bits a, Bits b, Bits) { return clamp_half(add_halves(a, b, 0)); })},
                   options);
  check_everywhere({"v_pk_fma_f32", "gggg",
                    packed(32, selects[0],
                           [](Bits a, Bits b, Bits c) {
                             const float x = f32(fma_singles(a, b, c));
                             return std::isnan(x) || x <= 0 ? Bits{0} : bits(std::min(x, 1.0f));
                           })},
                   options);
  options.suffix = "";
  options.mode &= ~0xC0u;
  const auto flush = [](Bits h) { return (h & 0x7C00) == 0 ? h & 0x8000 : h; };
  check_everywhere({"v_pk_mul_f16", "ppp",
                    packed(16, selects[0],
                           [flush](Bits a, Bits b, Bits) {
                             return flush(multiply_halves(flush(a), flush(b), 0));
                           })},
                   options);
}

TEST(PackedFloat, Singles) {
  check_packed("v_pk_add_f32", 'g', 2, add_singles);
  check_packed("v_pk_mul_f32", 'g', 2, multiply_singles);
  check_packed("v_pk_fma_f32", 'g', 3, fma_singles);
  for (const unsigned select : {0u, 1u, 2u, 3u}) {
    Options options;
    options.suffix =
        "op_sel:[" + std::to_string(select & 1) + "," + std::to_string(select >> 1) + "]";
    check_everywhere({"v_pk_mov_b32", "qqq",
                      [select](Bits a, Bits b, Bits, Bits) {
                        return part(a, (select & 1) != 0, 32) | part(b, select > 1, 32) << 32;
                      }},
                     options);
  }
}

TEST(PackedFloat, ConstantsAndOverlaps) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(2)[lane] = static_cast<std::uint32_t>(bits(static_cast<float>(lane)));
      m.v(3)[lane] = static_cast<std::uint32_t>(bits(static_cast<float>(lane) * 2));
      m.v(4)[lane] = 0x3C004000;
    }
    ASSERT_EQ(m.run("v_pk_add_f32 v[0:1], v[2:3], 1.0 op_sel_hi:[1,0]\n"
                    "v_pk_add_f16 v5, v4, 1.0 op_sel_hi:[1,0]\n v_pk_add_f16 v6, v4, 1.0\n"
                    "v_pk_mul_f32 v[2:3], v[2:3], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]"),
              isa::Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto x = static_cast<float>(lane);
      EXPECT_EQ(m.v(0)[lane], bits(x + 1));
      EXPECT_EQ(m.v(1)[lane], bits(2 * x + 1));
      EXPECT_EQ(m.v(5)[lane], 0x40004200u);
      EXPECT_EQ(m.v(6)[lane], 0x3C004200u);
      EXPECT_EQ(m.v(2)[lane], bits(2 * x * x));
      EXPECT_EQ(m.v(3)[lane], bits(2 * x * x));
    }
  }
}

// --- dot products --------------------------------------------------------------------------------

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float dot(Bits a, Bits b, float c) {
  const auto low = static_cast<float>(value(a) * value(b));
  const auto high = static_cast<float>(value(a >> 16) * value(b >> 16));
  return flush(flush(flush(c) + low) + high);
}

TEST(PackedFloat, DotProducts) {
  check_everywhere({"v_dot2_f32_f16", "fppf",
                    [](Bits a, Bits b, Bits c, Bits) { return bits(dot(a, b, f32(c))); }});
  check_everywhere({"v_dot2c_f32_f16", "fpp", [](Bits a, Bits b, Bits, Bits before) {
                      return bits(dot(a, b, f32(before)));
                    }});
}

// --- mixed ---------------------------------------------------------------------------------------

struct Mix {
  const char* text;
  unsigned half, high;  ///< bit n: source n is a half, its high one
  unsigned negative, magnitude;
};
const Mix mixes[] = {
    {"", 0, 0, 0, 0},
    {"op_sel_hi:[1,1,1]", 7, 0, 0, 0},
    {"op_sel:[1,0,1] op_sel_hi:[1,1,1]", 7, 5, 0, 0},
    {"op_sel:[0,1,0] op_sel_hi:[0,1,0]", 2, 2, 0, 0},
    {"op_sel_hi:[1,0,0]", 1, 0, 3, 4},
};

float mixed(const Mix& mix, unsigned n, Bits source) {
  float x = (mix.half >> n & 1) == 0 ? f32(source)
                                     : half_to_float(part(source, (mix.high >> n & 1) != 0, 16));
  if ((mix.magnitude >> n & 1) != 0) x = f32(bits(x) & 0x7FFFFFFF);
  if ((mix.negative >> n & 1) != 0) x = f32(bits(x) ^ 0x80000000);
  return x;
}
float mixed_fma(const Mix& mix, Bits a, Bits b, Bits c) {
  return std::fma(mixed(mix, 0, a), mixed(mix, 1, b), mixed(mix, 2, c));
}
/// A single becomes a half with its NaN's payload.
Bits to_half(float x) {
  if (std::isnan(x)) return (bits(x) >> 16 & 0x8000) | 0x7E00 | (bits(x) >> 13 & 0x3FF);
  return half_bits(x);
}

TEST(PackedFloat, MixedPrecision) {
  for (const Mix& mix : mixes) {
    Options options;
    options.suffix = mix.text;
    options.scalars = false;
    for (unsigned n = 0; n < 3; ++n)
      options.modifiers[n] = std::string((mix.negative >> n & 1) != 0 ? "-" : "") +
                             ((mix.magnitude >> n & 1) != 0 ? "||" : "");
    // The helper must not apply them to what it passes on: sources are no 'f' here.
    const std::string sources = "iii";
    std::vector<Row> rows = rows_for("ffff", 500);
    const std::vector<Row> halves = rows_for("pppp", 500);
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (unsigned n = 0; n < 3; ++n)
        if ((mix.half >> n & 1) != 0) rows[k][n] = halves[k % halves.size()][n];
    for (const isa::Level level : levels()) {
      options.level = level;
      options.exec = 0xFFFFFFFFFFFFF0FF;
      check({"v_fma_mix_f32", "f" + sources,
             [&mix](Bits a, Bits b, Bits c, Bits) { return bits(mixed_fma(mix, a, b, c)); }},
            rows, options);
      check({"v_fma_mixlo_f16", "p" + sources,
             [&mix](Bits a, Bits b, Bits c, Bits before) {
               return to_half(mixed_fma(mix, a, b, c)) | (before & 0xFFFF0000);
             }},
            rows, options);
      check({"v_fma_mixhi_f16", "p" + sources,
             [&mix](Bits a, Bits b, Bits c, Bits before) {
               return to_half(mixed_fma(mix, a, b, c)) << 16 | (before & 0xFFFF);
             }},
            rows, options);
    }
  }
  // gfx900: a rounded product, a rounded sum, no denormals.
  Options vega;
  vega.processor = "gfx900";
  vega.scalars = false;
  check_everywhere({"v_mad_mix_f32", "ffff", on([](float a, float b, float c) {
                      const float product = flush(flush(a) * flush(b));
                      return flush(product + flush(c));
                    })},
                   vega);
}

TEST(PackedFloat, MixedConstantsAreSingles) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane)
      m.v(1)[lane] = static_cast<std::uint32_t>(bits(static_cast<float>(lane)));
    ASSERT_EQ(m.run("v_fma_mix_f32 v0, v1, 4.0, 0.5\n v_fma_mix_f32 v2, v1, 1.0, 0"),
              isa::Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(m.v(0)[lane], bits(static_cast<float>(lane) * 4 + 0.5f));
      EXPECT_EQ(m.v(2)[lane], m.v(1)[lane]);
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
