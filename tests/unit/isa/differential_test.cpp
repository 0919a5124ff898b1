// Made-up kernels of integer expressions, compiled by clang for each GPU that is executed and
// computed anew on this CPU: ROCDRILL_MADE_UP_KERNELS of them per target and level of optimisation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <tuple>

#include "support/random_kernels/generate.hpp"
#include "support/random_kernels/reduce.hpp"
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

/// How it differs and nothing that is known of clang explains it; empty if it does not.
std::string difference_of(const Kernel& kernel, const std::string& processor, unsigned optimisation,
                          std::uint64_t seed) {
  const Trial trial(std::span(&kernel, 1));
  const auto code = random_kernels::compile(trial.text(), processor, optimisation);
  if (!code) return {};
  auto bench = workbench::Workbench::open(*code, processor, {.threads = 1});
  if (!bench) return bench.error();
  std::string difference = trial.run(**bench, seed);
  if (difference.empty() || trial.is_compilers_fault(processor, optimisation, seed)) return {};
  return difference;
}

/// The same of a kernel that is as small as can be, the first of `made` that differs for one of a
/// few inputs.
std::string smallest_difference(std::vector<Kernel>& made, const std::string& processor,
                                unsigned optimisation, std::uint64_t seed) {
  for (Kernel& kernel : made) {
    for (std::uint64_t inputs = seed; inputs < seed + 4; ++inputs) {
      const auto difference = [&](const Kernel& one) {
        return difference_of(one, processor, optimisation, inputs);
      };
      if (difference(kernel).empty()) continue;
      random_kernels::Reducer(kernel, [&](const Kernel& one) {
        return !difference(one).empty();
      }).reduce();
      return difference(kernel);
    }
  }
  return "alone, each kernel does what it should";
}

class Differential : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(Differential, KernelsStoreWhatTheyShould) {
  const auto& [processor, optimisation] = GetParam();
  constexpr unsigned in_one = 34;  // translation unit
  const char* asked = std::getenv("ROCDRILL_MADE_UP_KERNELS");
  const unsigned count = asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 170;
  unsigned miscompiled = 0;  // translation units
  std::uint64_t seed = std::hash<std::string>()(processor) + optimisation * 1000003ull;
  for (unsigned done = 0; done < count; done += in_one, seed += in_one) {
    std::vector<Kernel> made = kernels(seed, std::min(in_one, count - done));
    const Trial trial(made);
    const auto code = random_kernels::compile(trial.text(), processor, optimisation);
    if (!code && random_kernels::crashed(code.error())) {
      ++miscompiled;
      continue;
    }
    ASSERT_TRUE(code) << code.error();
    for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512}) {
      if (level > isa::best_level()) continue;
      auto bench = workbench::Workbench::open(*code, processor, {.threads = 1, .level = level});
      ASSERT_TRUE(bench) << bench.error();
      const std::string difference = trial.run(**bench, seed);
      if (difference.empty()) continue;
      ASSERT_TRUE(trial.is_compilers_fault(processor, optimisation, seed))
          << isa::name(level) << ", seed " << seed << ": " << difference
          << "\nMade smaller: " << smallest_difference(made, processor, optimisation, seed);
      ++miscompiled;
      break;
    }
  }
  EXPECT_LE(miscompiled, 1 + count / in_one / 5) << "too many to be the compiler's fault";
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
