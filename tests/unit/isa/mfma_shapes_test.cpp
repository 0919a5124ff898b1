// Every matrix instruction of every target against a plain product. Layouts as AMD's matrix
// instruction calculator prints them.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

using std::uint32_t;

enum class Type { f32, xf32, f16, bf16, i8, fp8, bf8, f64 };

unsigned width_of(Type type) {
  switch (type) {
    case Type::f64:
      return 64;
    case Type::f32:
    case Type::xf32:
      return 32;
    case Type::f16:
    case Type::bf16:
      return 16;
    default:
      return 8;
  }
}

/// The code of a small whole number, which all types hold exactly.
Bits code_of(Type type, int value) {
  switch (type) {
    case Type::f64:
      return bits(static_cast<double>(value));
    case Type::f32:
    case Type::xf32:
      return bits(static_cast<float>(value));
    case Type::f16:
      return half_bits(value);
    case Type::bf16:
      return bits(static_cast<float>(value)) >> 16;
    case Type::i8:
      return static_cast<std::uint8_t>(value);
    default:
      break;
  }
  const int fraction = type == Type::fp8 ? 3 : 2;
  const int bias = type == Type::fp8 ? 8 : 16;
  if (value == 0) return 0;
  const int size = std::abs(value);
  const int exponent = std::ilogb(size);
  const int mantissa = ((size << fraction) >> exponent) - (1 << fraction);
  return static_cast<Bits>((value < 0 ? 0x80 : 0) | (exponent + bias) << fraction | mantissa);
}

struct Shape {
  std::string name;
  unsigned n, blocks, k;
  Type a, b;
  bool sparse = false;
};

/// Of A and B: the lane of row or column x and the place in its registers.
struct Place {
  unsigned lane, element;
};
Place place_of(const Shape& s, unsigned block, unsigned x, unsigned k) {
  const bool is_double = s.a == Type::f64;
  const unsigned groups = is_double ? 4 : 64 / (s.n * s.blocks);
  const unsigned per_lane = s.k / groups;
  const unsigned group_lanes = is_double ? 16 : s.n * s.blocks;
  return {x + s.n * block + group_lanes * (k / per_lane), k % per_lane};
}
/// Of D.
Place result_of(const Shape& s, unsigned block, unsigned row, unsigned column) {
  if (s.a == Type::f64)
    return s.n == 16 ? Place{row % 4 * 16 + column, row / 4}
                     : Place{16 * row + 4 * block + column, 0};
  if (s.n == 4) return {4 * block + column, row};
  const unsigned groups = 64 / s.n;
  return {row / 4 % groups * s.n + column,
          block * s.n * s.n / 64 + row / (4 * groups) * 4 + row % 4};
}

void put_element(Machine& m, unsigned at, Type type, Place place, Bits code) {
  const unsigned width = width_of(type);
  if (width == 64) {
    m.v(at)[place.lane] = static_cast<uint32_t>(code);
    m.v(at + 1)[place.lane] = static_cast<uint32_t>(code >> 32);
    return;
  }
  const unsigned per_dword = 32 / width;
  uint32_t& dword = m.v(at + place.element / per_dword)[place.lane];
  const unsigned shift = place.element % per_dword * width;
  const auto mask = static_cast<uint32_t>((1ull << width) - 1);
  dword = (dword & ~(mask << shift)) | static_cast<uint32_t>(code) << shift;
}

struct Fields {
  unsigned cbsz = 0, abid = 0, blgp = 0;
  enum class C { same, constant, accumulators } c = C::same;
};

std::string registers(char file, unsigned first, unsigned count) {
  if (count == 1) return file + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" +
         std::to_string(first + count - 1) + "]";
}

unsigned lanes_of_b(unsigned pattern, unsigned lane) {
  switch (pattern) {
    case 0:
      return lane;
    case 1:
      return lane % 32;
    case 2:
      return lane % 32 + 32;
    case 3:
      return (lane + 16) % 64;
    default:
      return lane % 16 + 16 * (pattern - 4);
  }
}

constexpr unsigned a_at = 0;
constexpr unsigned b_at = 16;
constexpr unsigned d_at = 64;
constexpr unsigned index_at = 60;

/// A problem in its registers.
class Problem {
 public:
  Problem(const Shape& shape, const Fields& fields, Machine& machine, unsigned seed)
      : s_(shape), f_(fields), m_(machine), random_(seed) {
    for (unsigned block = 0; block < s_.blocks; ++block)
      for (unsigned x = 0; x < s_.n; ++x)
        for (unsigned k = 0; k < s_.k; ++k) {
          a_.push_back(small(s_.a));
          b_.push_back(small(s_.b));
        }
    if (s_.sparse) make_sparse();
    for (unsigned block = 0; block < s_.blocks; ++block)
      for (unsigned x = 0; x < s_.n; ++x)
        for (unsigned k = 0; k < s_.k; ++k) {
          if (!s_.sparse)
            put_element(m_, a_at, s_.a, place_of(s_, block, x, k), code_of(s_.a, a(block, x, k)));
          put_element(m_, b_at, s_.b, place_of(s_, block, x, k), code_of(s_.b, b(block, x, k)));
        }
    for (unsigned r = 0; r < results(); ++r)
      for (unsigned lane = 0; lane < 64; ++lane) put_sum(r, lane, c_value(r, lane));
  }

  std::string text(bool accumulators_only) const {
    const unsigned per_k = s_.a == Type::f64 ? 4 : 64 / (s_.n * s_.blocks);
    const unsigned a_bits = s_.k / per_k * width_of(s_.a) / (s_.sparse ? 2 : 1);
    const unsigned b_bits = s_.k / per_k * width_of(s_.b);
    const unsigned count = results() * (s_.a == Type::f64 ? 2 : 1);
    const bool in_accumulators = accumulators_only || f_.c == Fields::C::accumulators;
    const std::string d = registers(in_accumulators ? 'a' : 'v', in_accumulators ? 0 : d_at, count);
    const std::string c = s_.sparse                     ? registers('v', index_at, 1)
                          : f_.c == Fields::C::constant ? (s_.a == Type::i8 ? "7" : "2.0")
                                                        : d;
    std::string out = s_.name + " " + d + ", " + registers('v', a_at, a_bits / 32) + ", " +
                      registers('v', b_at, b_bits / 32) + ", " + c;
    if (f_.cbsz != 0) out += " cbsz:" + std::to_string(f_.cbsz);
    if (f_.abid != 0) out += " abid:" + std::to_string(f_.abid);
    if (f_.blgp != 0) out += " blgp:" + std::to_string(f_.blgp);
    return out;
  }

  void expect(bool in_accumulators, const std::string& what) {
    in_accumulators = in_accumulators || f_.c == Fields::C::accumulators;
    unsigned failures = 0;
    for (unsigned block = 0; block < s_.blocks; ++block)
      for (unsigned row = 0; row < s_.n; ++row)
        for (unsigned column = 0; column < s_.n; ++column) {
          const Place place = result_of(s_, block, row, column);
          double sum = f_.c != Fields::C::constant ? c_value(place.element, place.lane)
                       : s_.a == Type::i8          ? 7
                                                   : 2;
          for (unsigned k = 0; k < s_.k; ++k)
            sum += a(block_of_a(block), row, k) * b_element(block, column, k);
          const double got = sum_at(place.element, place.lane, in_accumulators);
          if (got == sum || ++failures > 3) continue;
          ADD_FAILURE() << what << ": block " << block << " row " << row << " column " << column
                        << " expected " << sum << " got " << got;
        }
  }

 private:
  unsigned results() const {
    if (s_.a == Type::f64) return s_.n == 16 ? 4 : 1;
    return s_.n * s_.n * s_.blocks / 64;
  }
  int small(Type type) {
    if (type == Type::i8) return static_cast<int>(random_() % 256) - 128;
    return static_cast<int>(random_() % 9) - 4;
  }
  int& a(unsigned block, unsigned x, unsigned k) { return a_[(block * s_.n + x) * s_.k + k]; }
  int b(unsigned block, unsigned x, unsigned k) { return b_[(block * s_.n + x) * s_.k + k]; }
  unsigned block_of_a(unsigned block) const {
    if (s_.sparse) return block;
    const unsigned group = 1u << f_.cbsz;
    return block / group * group + (f_.cbsz == 0 ? block % group : f_.abid);
  }
  /// With BLGP, a lane has the values of another one.
  int b_element(unsigned block, unsigned x, unsigned k) {
    if (f_.blgp == 0) return b(block, x, k);
    const Place place = place_of(s_, block, x, k);
    const unsigned lane = lanes_of_b(f_.blgp, place.lane);
    const unsigned groups = 64 / (s_.n * s_.blocks);
    return b(lane / s_.n % s_.blocks, lane % s_.n,
             lane / (s_.n * s_.blocks) * (s_.k / groups) + place.element);
  }
  double c_value(unsigned r, unsigned lane) const {
    return static_cast<double>((r * 64 + lane) % 101) - 50;
  }
  uint32_t* sums(unsigned r, bool accumulators) { return accumulators ? m_.a(r) : m_.v(d_at + r); }
  void put_sum(unsigned r, unsigned lane, double value) {
    for (const bool accumulators : {false, true}) {
      if (s_.a == Type::f64) {
        sums(2 * r, accumulators)[lane] = static_cast<uint32_t>(bits(value));
        sums(2 * r + 1, accumulators)[lane] = static_cast<uint32_t>(bits(value) >> 32);
      } else {
        sums(r, accumulators)[lane] = s_.a == Type::i8
                                          ? static_cast<uint32_t>(static_cast<int>(value))
                                          : static_cast<uint32_t>(bits(static_cast<float>(value)));
      }
    }
  }
  double sum_at(unsigned r, unsigned lane, bool accumulators) {
    if (s_.a == Type::f64)
      return f64(sums(2 * r, accumulators)[lane] | Bits{sums(2 * r + 1, accumulators)[lane]} << 32);
    const uint32_t value = sums(r, accumulators)[lane];
    return s_.a == Type::i8 ? static_cast<int>(value) : static_cast<double>(f32(value));
  }
  /// Two of every four values of k stay; where, differs by row.
  void make_sparse() {
    for (unsigned lane = 0; lane < 64; ++lane) m_.v(index_at)[lane] = 0xFFFFFFFF;
    const unsigned groups = 64 / s_.n;
    const unsigned index_bits = s_.k / groups;
    const unsigned set = f_.cbsz != 0 ? 0 : f_.abid * index_bits;
    for (unsigned x = 0; x < s_.n; ++x)
      for (unsigned k = 0; k < s_.k; k += 4) {
        const unsigned first = random_() % 3;
        const unsigned second = first + 1 + random_() % (3 - first);
        for (unsigned e = 0; e < 4; ++e)
          if (e != first && e != second) a(0, x, k + e) = 0;
        Place place = place_of(s_, 0, x, k);
        place.element /= 2;
        uint32_t& index = m_.v(index_at)[place.lane];
        const unsigned shift = set + 2 * place.element;
        index = (index & ~(15u << shift)) | (first | second << 2) << shift;
        put_element(m_, a_at, s_.a, place, code_of(s_.a, a(0, x, k + first)));
        ++place.element;
        put_element(m_, a_at, s_.a, place, code_of(s_.a, a(0, x, k + second)));
      }
  }

  const Shape& s_;
  const Fields& f_;
  Machine& m_;
  std::mt19937 random_;
  std::vector<int> a_, b_;
};

/// The shapes that gfx908 has, with the names of gfx908 and gfx90a.
std::vector<Shape> shapes_of_gfx908() {
  std::vector<Shape> out = {{"v_mfma_f32_32x32x1f32", 32, 2, 1, Type::f32, Type::f32},
                            {"v_mfma_f32_16x16x1f32", 16, 4, 1, Type::f32, Type::f32},
                            {"v_mfma_f32_4x4x1f32", 4, 16, 1, Type::f32, Type::f32},
                            {"v_mfma_f32_32x32x2f32", 32, 1, 2, Type::f32, Type::f32},
                            {"v_mfma_f32_16x16x4f32", 16, 1, 4, Type::f32, Type::f32}};
  const auto add = [&out](const std::string& suffix, Type type, unsigned k, const char* sum) {
    const auto name = [&](unsigned n, unsigned of_k) {
      return std::string("v_mfma_") + sum + "_" + std::to_string(n) + "x" + std::to_string(n) +
             "x" + std::to_string(of_k) + suffix;
    };
    out.push_back({name(32, k), 32, 2, k, type, type});
    out.push_back({name(16, k), 16, 4, k, type, type});
    out.push_back({name(4, k), 4, 16, k, type, type});
    out.push_back({name(32, 2 * k), 32, 1, 2 * k, type, type});
    out.push_back({name(16, 4 * k), 16, 1, 4 * k, type, type});
  };
  add("f16", Type::f16, 4, "f32");
  add("bf16", Type::bf16, 2, "f32");
  add("i8", Type::i8, 4, "i32");
  return out;
}
std::vector<Shape> shapes_of_gfx90a() {
  std::vector<Shape> out = shapes_of_gfx908();
  for (const auto& [n, blocks, k] :
       {std::array{32u, 2u, 4u}, {16u, 4u, 4u}, {4u, 16u, 4u}, {32u, 1u, 8u}, {16u, 1u, 16u}}) {
    const std::string size = std::to_string(n) + "x" + std::to_string(n) + "x" + std::to_string(k);
    out.push_back({"v_mfma_f32_" + size + "bf16_1k", n, blocks, k, Type::bf16, Type::bf16});
  }
  out.push_back({"v_mfma_f64_16x16x4f64", 16, 1, 4, Type::f64, Type::f64});
  out.push_back({"v_mfma_f64_4x4x4f64", 4, 4, 4, Type::f64, Type::f64});
  return out;
}
std::vector<Shape> shapes_of_gfx942() {
  std::vector<Shape> out;
  const auto add = [&out](const std::string& kind, unsigned n, unsigned blocks, unsigned k,
                          const std::string& types, Type a, Type b) {
    std::string name = "v_" + kind + "_" + std::to_string(n) + "x" + std::to_string(n) + "x" +
                       std::to_string(k) + "_";
    if (blocks > 1) name += std::to_string(blocks) + "b_";
    out.push_back({name + types, n, blocks, k, a, b, kind.starts_with("smfmac")});
  };
  const auto dense = [&add](const char* types, Type type, unsigned k, unsigned wide,
                            const char* sum = "mfma_f32") {
    add(sum, 32, 2, k, types, type, type);
    add(sum, 16, 4, k, types, type, type);
    add(sum, 4, 16, k, types, type, type);
    add(sum, 32, 1, wide, types, type, type);
    add(sum, 16, 1, 2 * wide, types, type, type);
  };
  dense("f32", Type::f32, 1, 2);
  dense("f16", Type::f16, 4, 8);
  dense("bf16", Type::bf16, 4, 8);
  dense("i8", Type::i8, 4, 16, "mfma_i32");
  add("mfma_f32", 16, 1, 8, "xf32", Type::xf32, Type::xf32);
  add("mfma_f32", 32, 1, 4, "xf32", Type::xf32, Type::xf32);
  add("mfma_f64", 16, 1, 4, "f64", Type::f64, Type::f64);
  add("mfma_f64", 4, 4, 4, "f64", Type::f64, Type::f64);
  for (const Type a : {Type::fp8, Type::bf8})
    for (const Type b : {Type::fp8, Type::bf8}) {
      const std::string types =
          std::string(a == Type::fp8 ? "fp8_" : "bf8_") + (b == Type::fp8 ? "fp8" : "bf8");
      add("mfma_f32", 16, 1, 32, types, a, b);
      add("mfma_f32", 32, 1, 16, types, a, b);
      add("smfmac_f32", 16, 1, 64, types, a, b);
      add("smfmac_f32", 32, 1, 32, types, a, b);
    }
  for (const auto& [types, type] : {std::pair{"f16", Type::f16}, {"bf16", Type::bf16}}) {
    add("smfmac_f32", 16, 1, 32, types, type, type);
    add("smfmac_f32", 32, 1, 16, types, type, type);
  }
  add("smfmac_i32", 16, 1, 64, "i8", Type::i8, Type::i8);
  add("smfmac_i32", 32, 1, 32, "i8", Type::i8, Type::i8);
  return out;
}

void check_shape(const std::string& processor, isa::Level level, const Shape& shape,
                 const Fields& fields) {
  Machine m(processor, level);
  m.wave().set_exec(0x5);  // does not matter
  Problem problem(shape, fields, m, shape.n * 100 + shape.k);
  const bool accumulators_only = processor == "gfx908";
  const std::string text = problem.text(accumulators_only);
  ASSERT_EQ(m.run(text), isa::Stop::ended)
      << (m.wave().unmodelled != nullptr ? m.wave().unmodelled : text.c_str());
  problem.expect(accumulators_only, processor + " " + std::string(isa::name(level)) + " " + text);
}

TEST(MfmaShapes, EveryOne) {
  for (const isa::Level level : levels()) {
    for (const Shape& shape : shapes_of_gfx908()) check_shape("gfx908", level, shape, {});
    for (const auto& [processor, shapes] :
         {std::pair{"gfx90a", shapes_of_gfx90a()}, {"gfx942", shapes_of_gfx942()}}) {
      for (const Shape& shape : shapes) {
        check_shape(processor, level, shape, {});
        Fields fields;
        fields.c = Fields::C::accumulators;
        check_shape(processor, level, shape, fields);
        if (shape.sparse) {
          fields.abid = 1;
          check_shape(processor, level, shape, fields);
          fields.cbsz = 1;
          check_shape(processor, level, shape, fields);
          continue;
        }
        fields.c = Fields::C::constant;
        check_shape(processor, level, shape, fields);
      }
    }
  }
}

TEST(MfmaShapes, BroadcastsOfBlocksAndLanes) {
  for (const isa::Level level : levels()) {
    for (const Shape& shape : shapes_of_gfx90a()) {
      if (shape.a == Type::f64) continue;
      for (unsigned cbsz = 1; 1u << cbsz <= shape.blocks; ++cbsz)
        for (const unsigned abid : {0u, (1u << cbsz) - 1})
          check_shape("gfx90a", level, shape, {cbsz, abid, 0, Fields::C::same});
      for (unsigned blgp = 1; blgp < 8; ++blgp)
        check_shape("gfx90a", level, shape, {0, 0, blgp, Fields::C::same});
    }
  }
}

/// MI200 takes denormals of FP16 and BF16 as zeros, and those of such sums.
TEST(MfmaShapes, Denormals) {
  for (const isa::Level level : levels()) {
    for (const bool flushes : {true, false}) {
      Machine m(flushes ? "gfx90a" : "gfx942", level);
      for (unsigned lane = 0; lane < 64; ++lane) {
        m.v(0)[lane] = m.v(1)[lane] = 0x00010001;  // a denormal of both formats
        m.v(2)[lane] = m.v(3)[lane] = 0x3C003C00;  // 1 as FP16
        m.v(4)[lane] = m.v(5)[lane] = 0x3F803F80;  // 1 as BF16
        m.v(6)[lane] = static_cast<uint32_t>(bits(1.0f));
        m.v(7)[lane] = 1;  // a denormal
      }
      ASSERT_EQ(m.run(flushes ? "v_mfma_f32_4x4x4f16 v[8:11], v[0:1], v[2:3], 0\n"
                                "v_mfma_f32_4x4x4bf16_1k v[12:15], v[0:1], v[4:5], 0\n"
                                "v_mfma_f32_4x4x1f32 v[16:19], v6, v7, 0"
                              : "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[0:1], v[2:3], 0\n"
                                "v_mfma_f32_4x4x4_16b_bf16 v[12:15], v[0:1], v[4:5], 0\n"
                                "v_mfma_f32_4x4x1_16b_f32 v[16:19], v6, v7, 0"),
                isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        EXPECT_EQ(f32(m.v(8)[lane]), flushes ? 0.0f : 4 * 0x1p-24f);
        EXPECT_EQ(m.v(12)[lane], flushes ? 0u : 4u << 16);
        EXPECT_EQ(m.v(16)[lane], 1u);
      }
    }
  }
}

/// What sparse A leaves out is not multiplied: infinities there do not matter.
TEST(MfmaShapes, SparseLeavesOut) {
  Machine m("gfx942");
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned r = 0; r < 8; ++r) m.v(r)[lane] = 0;
    m.v(0)[lane] = m.v(1)[lane] = 0x3C003C00;
    for (unsigned r = 0; r < 4; ++r) m.v(4 + r)[lane] = r % 2 == 0 ? 0x3C003C00 : 0x7C007C00;
    m.v(12)[lane] = 0x44;  // the first and second of each four
    for (unsigned r = 8; r < 12; ++r) m.v(r)[lane] = 0;
  }
  ASSERT_EQ(m.run("v_smfmac_f32_16x16x32_f16 v[8:11], v[0:1], v[4:7], v12"), isa::Stop::ended);
  for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(f32(m.v(8)[lane]), 16.0f);
}

}  // namespace
}  // namespace rocdrill::test
