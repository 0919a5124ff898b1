// Comparisons and classes.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

struct Predicate {
  const char* name;
  bool (*holds)(double, double);
};
const Predicate predicates[] = {
    {"f", [](double, double) { return false; }},
    {"lt", [](double a, double b) { return a < b; }},
    {"eq", [](double a, double b) { return a == b; }},
    {"le", [](double a, double b) { return a <= b; }},
    {"gt", [](double a, double b) { return a > b; }},
    {"lg", [](double a, double b) { return a < b || a > b; }},
    {"ge", [](double a, double b) { return a >= b; }},
    {"o", [](double a, double b) { return !std::isnan(a) && !std::isnan(b); }},
    {"u", [](double a, double b) { return std::isnan(a) || std::isnan(b); }},
    {"nge", [](double a, double b) { return !(a >= b); }},
    {"nlg", [](double a, double b) { return !(a < b || a > b); }},
    {"ngt", [](double a, double b) { return !(a > b); }},
    {"nle", [](double a, double b) { return !(a <= b); }},
    {"neq", [](double a, double b) { return a != b; }},
    {"nlt", [](double a, double b) { return !(a < b); }},
    {"tru", [](double, double) { return true; }},
};

double value_of(char type, Bits bits) {
  return type == 'd' ? f64(bits) : type == 'h' ? half_to_float(bits) : f32(bits);
}

TEST(FloatCompare, EveryPredicateAndWidth) {
  for (const Predicate& predicate : predicates) {
    for (const auto& [suffix, type] : {std::pair{"_f32", 'f'}, {"_f64", 'd'}, {"_f16", 'h'}}) {
      const auto holds = predicate.holds;
      const char t = type;
      const FloatOperation operation = {std::string("v_cmp_") + predicate.name + suffix,
                                        std::string("m") + t + t,
                                        [holds, t](Bits a, Bits b, Bits, Bits) -> Bits {
                                          return holds(value_of(t, a), value_of(t, b)) ? 1 : 0;
                                        }};
      const std::vector<Row> rows = rows_for(operation.types, 300);
      for (const isa::Level level : levels()) {
        Options options;
        options.level = level;
        options.encoding = "_e64";
        check(operation, rows, options);
        options.exec = 0x00FF00FF12345678;
        options.modifiers[0] = "-||";
        options.modifiers[1] = "-";
        check(operation, rows, options);
        options.scalar = 0;
        check(operation, rows, options);
      }
    }
  }
}

TEST(FloatCompare, DenormalsCountAsModeSays) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    m.wave().mode = 0x100;
    m.s(8) = 128;
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(0)[lane] = 1;
      m.v(1)[lane] = 0;
    }
    ASSERT_EQ(m.run("v_cmp_eq_f32 s[0:1], v0, v1\n v_cmp_eq_f64 s[2:3], v[0:1], 0\n"
                    "v_cmp_eq_f16 s[4:5], v0, v1\n v_cmp_class_f32 s[6:7], v0, s8"),
              isa::Stop::ended);
    for (const unsigned at : {0u, 2u, 4u}) EXPECT_EQ(m.wave().pair(at), ~0ull) << at;
    EXPECT_EQ(m.wave().pair(6), ~0ull);
    m.wave().mode = 0x1F0;
    ASSERT_EQ(m.run("v_cmp_eq_f32 s[0:1], v0, v1\n v_cmp_eq_f64 s[2:3], v[0:1], 0\n"
                    "v_cmp_eq_f16 s[4:5], v0, v1\n v_cmp_class_f32 s[6:7], v0, s8"),
              isa::Stop::ended);
    for (const unsigned at : {0u, 2u, 4u}) EXPECT_EQ(m.wave().pair(at), 0u) << at;
    EXPECT_EQ(m.wave().pair(6), ~0ull);
  }
}

TEST(FloatCompare, ResultsInVccAndExec) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane)
      m.v(0)[lane] = static_cast<std::uint32_t>(bits(static_cast<float>(lane)));
    m.s(0) = static_cast<std::uint32_t>(bits(40.0f));
    m.s(1) = static_cast<std::uint32_t>(bits(31.0f));
    m.wave().set_exec(0xFFFFFFFFFFFFFF00);
    ASSERT_EQ(m.run("v_cmp_gt_f32 vcc, s0, v0\n v_cmpx_lt_f32 s[2:3], s1, v0\n"), isa::Stop::ended);
    EXPECT_EQ(m.wave().vcc(), 0x000000FFFFFFFF00);
    EXPECT_EQ(m.wave().pair(2), 0xFFFFFFFF00000000);
    EXPECT_EQ(m.wave().exec(), 0xFFFFFFFF00000000);
    ASSERT_EQ(m.run("v_cmpx_gt_f32 vcc, s0, v0"), isa::Stop::ended);
    EXPECT_EQ(m.wave().exec(), 0x000000FF00000000);
    EXPECT_EQ(m.wave().vcc(), 0x000000FF00000000);
  }
}

/// The bit of V_CMP_CLASS that a number falls under.
unsigned class_of(Bits value, unsigned bits_of_fraction, unsigned bits_of_exponent) {
  const Bits fraction = value & ((1ull << bits_of_fraction) - 1);
  const Bits most = (1ull << bits_of_exponent) - 1;
  const Bits exponent = value >> bits_of_fraction & most;
  const bool negative = (value >> (bits_of_fraction + bits_of_exponent) & 1) != 0;
  if (exponent == most && fraction != 0) return fraction >> (bits_of_fraction - 1) != 0 ? 1 : 0;
  const unsigned from_infinity = exponent == most ? 0 : exponent != 0 ? 1 : fraction != 0 ? 2 : 3;
  return negative ? 2 + from_infinity : 9 - from_infinity;
}

TEST(FloatCompare, Classes) {
  struct Format {
    const char* suffix;
    const char* types;
    unsigned fraction, exponent;
  };
  for (const Format& format :
       {Format{"_f32", "mfi", 23, 8}, {"_f64", "mdi", 52, 11}, {"_f16", "mhi", 10, 5}}) {
    const FloatOperation operation = {std::string("v_cmp_class") + format.suffix, format.types,
                                      [format](Bits a, Bits b, Bits, Bits) -> Bits {
                                        return b >> class_of(a, format.fraction, format.exponent) &
                                               1;
                                      }};
    std::vector<Row> rows;
    for (const Row& row : rows_for(format.types, 0))
      for (unsigned bit = 0; bit < 10; ++bit) rows.push_back({row[0], 1u << bit, 0});
    rows.resize(rows.size() / 64 * 64);
    for (const isa::Level level : levels()) {
      Options options;
      options.level = level;
      options.encoding = "_e64";
      check(operation, rows, options);
      options.modifiers[0] = "-";
      options.exec = 0xFFFF0000FFFF1111;
      check(operation, rows, options);
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
