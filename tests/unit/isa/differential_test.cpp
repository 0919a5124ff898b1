// Made-up kernels of integer expressions, compiled by clang for each GPU that is executed and
// computed anew on this CPU: ROCDRILL_MADE_UP_KERNELS of them per target and level of optimisation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

/// clang 19 takes `v_ashrrev_i16 v1, 8, v0` for sext(v0) BYTE_1 in instructions of 32 bits, too,
/// where the first leaves zeros above bit 15 (SIPeepholeSDWA). What agrees without that pass is no
/// fault of the handlers: each form of SDWA has tests of its own.
bool compilers_fault(const Trial& trial, const char* processor, unsigned optimisation,
                     std::uint64_t seed) {
  const auto code = random_kernels::compile(trial.text(), processor, optimisation,
                                            "-mllvm -amdgpu-sdwa-peephole=0");
  if (!code) return false;
  auto bench = workbench::Workbench::open(*code, processor, {.threads = 1});
  return bench && trial.run(**bench, seed).empty();
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
    const Trial trial(kernels(seed, std::min(in_one, count - done)));
    const auto code = random_kernels::compile(trial.text(), processor, optimisation);
    ASSERT_TRUE(code) << code.error();
    for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512}) {
      if (level > isa::best_level()) continue;
      auto bench = workbench::Workbench::open(*code, processor, {.threads = 1, .level = level});
      ASSERT_TRUE(bench) << bench.error();
      const std::string difference = trial.run(**bench, seed);
      if (difference.empty()) continue;
      ASSERT_TRUE(compilers_fault(trial, processor, optimisation, seed))
          << isa::name(level) << ", seed " << seed << ": " << difference;
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
