// Kernel arguments as people write them; kernels of the build's own code objects on the bench.
#include "sim/workbench/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

namespace rocdrill::workbench {
namespace {

using testing::HasSubstr;

std::vector<std::byte> code_object(const std::string& name) {
  std::ifstream file(ROCDRILL_BINARY_DIR "/share/rocdrill/code_objects/" + name, std::ios::binary);
  std::vector<std::byte> bytes;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
    bytes.push_back(static_cast<std::byte>(*at));
  return bytes;
}

std::unique_ptr<Workbench> bench_of(const std::string& name, unsigned threads = 2) {
  auto bench = Workbench::open(code_object(name), "", {.threads = threads});
  EXPECT_TRUE(bench) << bench.error();
  return std::move(*bench);
}

class Arguments : public testing::Test {
 protected:
  Argument parsed(const std::string& text, std::size_t bytes, const std::string& type = "") {
    auto argument = parse_argument(text, wanted(bytes, type), *bench_, 0);
    EXPECT_TRUE(argument) << text << ": " << argument.error();
    return argument ? *argument : Argument{};
  }
  std::string refused(const std::string& text, std::size_t bytes) {
    const auto argument = parse_argument(text, wanted(bytes, ""), *bench_, 0);
    return argument ? "(taken)" : argument.error();
  }
  static code_objects::KernelArgument wanted(std::size_t bytes, const std::string& type) {
    code_objects::KernelArgument argument;
    argument.size = bytes;
    argument.type_name = type;
    argument.value_kind = "by_value";
    return argument;
  }
  template <class T>
  static T value(const Argument& argument) {
    T out{};
    EXPECT_EQ(argument.bytes.size(), sizeof out);
    std::memcpy(&out, argument.bytes.data(), std::min(sizeof out, argument.bytes.size()));
    return out;
  }
  std::unique_ptr<Workbench> bench_ = bench_of("saxpy/gfx90a.co");
};

TEST_F(Arguments, Scalars) {
  EXPECT_EQ(value<std::int32_t>(parsed("-7", 4)), -7);
  EXPECT_EQ(value<std::uint64_t>(parsed("0x10", 8)), 16u);
  EXPECT_EQ(value<float>(parsed("2.5", 4)), 2.5f);
  EXPECT_EQ(value<float>(parsed("2", 4, "float")), 2.0f);
  EXPECT_EQ(value<double>(parsed("1e3", 8)), 1000.0);
  EXPECT_EQ(value<std::uint8_t>(parsed("u8:255", 1)), 255);
  EXPECT_EQ(value<std::uint16_t>(parsed("f16:1.0", 2)), 0x3C00);
  EXPECT_EQ(value<std::uint64_t>(parsed("null", 8)), 0u);
}

TEST_F(Arguments, Buffers) {
  const Argument iota = parsed("i32[5]=iota", 8);
  EXPECT_EQ(element_text(iota, 4), "4");
  EXPECT_EQ(value<std::uint64_t>(iota), iota.buffer.va());
  EXPECT_EQ(element_text(parsed("f64[2]=2.5", 8), 1), "2.5");
  EXPECT_EQ(element_text(parsed("f16[1]=65504", 8), 0), "65504");
  EXPECT_EQ(element_text(parsed("i8[2]=-3", 8), 1), "-3");
  const Argument first = parsed("f32[100]=random:5", 8);
  const Argument again = parsed("f32[100]=random:5", 8);
  const Argument other = parsed("f32[100]=random:6", 8);
  EXPECT_EQ(element_text(first, 99), element_text(again, 99));
  EXPECT_NE(element_text(first, 99), element_text(other, 99));
}

TEST_F(Arguments, WrongOnesAreNamed) {
  EXPECT_THAT(refused("seven", 4), HasSubstr("'seven' is no whole number"));
  EXPECT_THAT(refused("u8:256", 1), HasSubstr("does not fit into 1 bytes"));
  EXPECT_THAT(refused("f64:1", 4), HasSubstr("the kernel takes 4 bytes here, f64 has 8"));
  EXPECT_THAT(refused("q32[4]", 8), HasSubstr("'q32' is no type"));
  EXPECT_THAT(refused("f32[0]", 8), HasSubstr("number of elements"));
  EXPECT_THAT(refused("f32[4", 8), HasSubstr("']' is missing"));
  EXPECT_THAT(refused("f32[4]=@/nowhere", 8), HasSubstr("cannot read '/nowhere'"));
  EXPECT_THAT(refused("f32[4]=1.0.0", 8), HasSubstr("is no number"));
  EXPECT_THAT(refused("f32[4]", 4), HasSubstr("no pointer"));
  EXPECT_THAT(refused("1", 24), HasSubstr("no scalar"));
}

TEST(Half, RoundsAsTheHardwareDoes) {
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {
    const float value = from_half(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(to_half(value), bits);
    ASSERT_EQ(to_half(-value), bits | 0x8000u);
    // Half-way to the next one: to even.
    const float next = from_half(static_cast<std::uint16_t>(bits + 1));
    if (bits + 1 < 0x7C00) {
      ASSERT_EQ(to_half((value + next) / 2), bits + (bits & 1));
    }
  }
  EXPECT_EQ(to_half(65519.0f), 0x7BFF);
  EXPECT_EQ(to_half(65520.0f), 0x7C00);
  EXPECT_TRUE(std::isnan(from_half(to_half(NAN))));
}

class Bench : public testing::TestWithParam<const char*> {
 protected:
  std::string target() const { return GetParam(); }
};

TEST_P(Bench, SaxpyIsTheCpusResult) {
  const auto bench = bench_of("saxpy/" + target() + ".co");
  constexpr std::uint32_t n = 1000;  // the last workgroup is partial
  const Buffer y = bench->allocate(n * 4);
  const Buffer x = bench->allocate(n * 4);
  auto* ys = reinterpret_cast<float*>(y.bytes().data());
  auto* xs = reinterpret_cast<float*>(x.bytes().data());
  std::vector<float> expected;
  for (std::uint32_t i = 0; i < n; ++i) {
    xs[i] = static_cast<float>(i) * 0.37f;
    ys[i] = 1.0f / static_cast<float>(i + 1);
    expected.push_back(std::fma(2.5f, xs[i], ys[i]));
  }
  KernelLaunch launch{.kernel = "saxpy",
                      .geometry = {.grid = {n, 1, 1}, .group = {256, 1, 1}},
                      .arguments = {},
                      .dynamic_lds = 0};
  const auto add = [&](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    launch.arguments.emplace_back(bytes.begin(), bytes.end());
  };
  add(y.va());
  add(x.va());
  add(2.5f);
  add(n);
  const auto outcome = bench->run(launch);
  ASSERT_TRUE(outcome) << outcome.error();
  ASSERT_EQ(outcome->end, isa::End::completed) << outcome->text;
  EXPECT_EQ(outcome->counters.workgroups, 4u);
  EXPECT_EQ(outcome->counters.waves, 16u);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(ys[i], expected[i]) << i;
}

TEST_P(Bench, WrongLaunchesAreNamed) {
  const auto bench = bench_of("saxpy/" + target() + ".co");
  KernelLaunch launch{.kernel = "sexpy", .geometry = {}, .arguments = {}, .dynamic_lds = 0};
  EXPECT_THAT(bench->run(launch).error(), HasSubstr("no kernel 'sexpy'; there are: saxpy"));
  launch.kernel = "saxpy";
  EXPECT_THAT(bench->run(launch).error(), HasSubstr("takes 4 arguments, not 0"));
  launch.geometry.group = {1025, 1, 1};
  EXPECT_THAT(bench->run(launch).error(), HasSubstr("a block of 1025 work-items"));
  launch.geometry.group = {1, 1, 1};
  launch.dynamic_lds = 65537;
  EXPECT_THAT(bench->run(launch).error(), HasSubstr("65537 bytes of LDS"));
}

TEST_P(Bench, ANullPointerIsAMemoryViolation) {
  const auto bench = bench_of("saxpy/" + target() + ".co");
  KernelLaunch launch{.kernel = "saxpy",
                      .geometry = {.grid = {64, 1, 1}, .group = {64, 1, 1}},
                      .arguments = {std::vector<std::byte>(8),
                                    std::vector<std::byte>(8),
                                    std::vector<std::byte>(4),
                                    {std::byte{64}, {}, {}, {}}},
                      .dynamic_lds = 0};
  const auto outcome = bench->run(launch);
  ASSERT_TRUE(outcome) << outcome.error();
  EXPECT_EQ(outcome->end, isa::End::exception);
  EXPECT_EQ(outcome->exception.code, cp::KfdException::wave_memory_violation);
  EXPECT_EQ(outcome->exception.address, 0u);
}

TEST_P(Bench, MatrixProductsAgreeWithTheCpu) {
  const auto bench = bench_of("matmul/" + target() + ".co");
  constexpr std::uint32_t n = 48;
  const Buffer c = bench->allocate(n * n * 4);
  const Buffer a = bench->allocate(n * n * 4);
  const Buffer b = bench->allocate(n * n * 4);
  auto* as = reinterpret_cast<float*>(a.bytes().data());
  auto* bs = reinterpret_cast<float*>(b.bytes().data());
  const auto* cs = reinterpret_cast<const float*>(c.bytes().data());
  for (std::uint32_t i = 0; i < n * n; ++i) {
    as[i] = static_cast<float>(i % 17) - 8.25f;
    bs[i] = static_cast<float>(i % 23) * 0.125f;
  }
  for (const char* kernel : {"matmul_naive", "matmul_tiled"}) {
    KernelLaunch launch{.kernel = kernel,
                        .geometry = {.grid = {n, n, 1}, .group = {16, 16, 1}, .dimensions = 2},
                        .arguments = {},
                        .dynamic_lds = 0};
    for (const std::uint64_t va : {c.va(), a.va(), b.va()}) {
      const auto bytes = std::as_bytes(std::span(&va, 1));
      launch.arguments.emplace_back(bytes.begin(), bytes.end());
    }
    const auto bytes = std::as_bytes(std::span(&n, 1));
    launch.arguments.emplace_back(bytes.begin(), bytes.end());
    const auto outcome = bench->run(launch);
    ASSERT_TRUE(outcome) << outcome.error();
    ASSERT_EQ(outcome->end, isa::End::completed) << kernel << ": " << outcome->text;
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::uint32_t k = 0; k < n; ++k)
          sum += static_cast<double>(as[i * n + k]) * bs[k * n + j];
        ASSERT_NEAR(cs[i * n + j], sum, 1e-3) << kernel << " " << i << "," << j;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Bench, testing::Values("gfx90a", "gfx942", "gfx908"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace rocdrill::workbench
