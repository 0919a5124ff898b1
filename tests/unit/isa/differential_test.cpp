// Made-up kernels of integer expressions, compiled by clang for each GPU that is executed and
// computed anew on this CPU.
#include <gtest/gtest.h>

#include <fstream>
#include <tuple>

#include "support/random_kernels/generate.hpp"
#include "support/random_kernels/trial.hpp"

namespace rocdrill::test {
namespace {

using random_kernels::Choices;
using random_kernels::Generator;
using random_kernels::Kernel;
using random_kernels::Trial;

std::vector<Kernel> kernels(std::uint64_t first_seed, unsigned count) {
  std::vector<Kernel> made;
  for (unsigned n = 0; n < count; ++n) {
    Choices choices(first_seed + n);
    made.push_back(Generator(choices).kernel());
  }
  return made;
}

class Differential : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(Differential, KernelsStoreWhatTheyShould) {
  const auto& [processor, optimisation] = GetParam();
  constexpr unsigned count = 40;
  const std::uint64_t seed = std::hash<std::string>()(processor) + optimisation;
  const Trial trial(kernels(seed, count));
  const auto code = random_kernels::compile(trial.text(), processor, optimisation);
  ASSERT_TRUE(code) << code.error();
  for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512}) {
    if (level > isa::best_level()) continue;
    auto bench = workbench::Workbench::open(*code, processor, {.threads = 1, .level = level});
    ASSERT_TRUE(bench) << bench.error();
    const std::string difference = trial.run(**bench, seed);
    ASSERT_TRUE(difference.empty()) << isa::name(level) << ": " << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Differential,
                         testing::Combine(testing::Values("gfx90a", "gfx942"),
                                          testing::Values(0u, 1u, 3u)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_O" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace rocdrill::test
