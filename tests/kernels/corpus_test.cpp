// Kernels on the simulated shader array against their twins on this CPU.
//
// Inputs are fresh in each run. The seed is printed with a failure; ROCDRILL_TEST_SEED repeats it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernels/cases.hpp"

namespace rocdrill::test {
namespace {

struct Parameter {
  Case one;
  Build build;
};

std::string text(const Build& build) {
  std::string out = build.target + "_O" + std::to_string(build.level);
  if (build.host != isa::best_level()) out += "_" + std::string(isa::name(build.host));
  return out;
}

void PrintTo(const Parameter& parameter, std::ostream* out) {
  *out << parameter.one.name << ' ' << text(parameter.build);
}

std::vector<Build> builds() {
  std::vector<Build> list;
  for (const char* target : {"gfx90a", "gfx942"})
    for (const unsigned level : {0u, 1u, 3u}) list.push_back({target, level, isa::best_level()});
  // The handlers for lesser CPUs.
  for (const isa::Level host : {isa::Level::baseline, isa::Level::avx2})
    if (host < isa::best_level()) list.push_back({"gfx90a", 3, host});
  // GPUs before, which have fewer instructions and ids in registers of their own.
  for (const char* target : {"gfx900", "gfx906", "gfx908"})
    list.push_back({target, 3, isa::best_level()});
  return list;
}

bool has(const Case& one, const std::string& target) {
  return one.only == nullptr || std::string_view(one.only).find(target) != std::string_view::npos;
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list;
  for (const auto cases :
       {memory_cases(), number_cases(), control_cases(), matrix_cases(), math_cases()})
    for (const Case& one : cases)
      for (const Build& build : builds())
        if (has(one, build.target)) list.push_back({one, build});
  return list;
}

class Corpus : public testing::TestWithParam<Parameter> {};

TEST_P(Corpus, GivesWhatTheTwinGives) {
  const auto& [one, build] = GetParam();
  SCOPED_TRACE(testing::Message() << one.name << " of " << one.source << ", " << build.target
                                  << ", -O" << build.level << ", " << isa::name(build.host)
                                  << ", ROCDRILL_TEST_SEED=" << test_seed());
  try {
    Trial trial(one.source, build, test_seed());
    one.run(trial);
  } catch (const std::exception& error) {
    FAIL() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, testing::ValuesIn(parameters()), [](const auto& info) {
  return std::string(info.param.one.name) + "_" + text(info.param.build);
});

}  // namespace
}  // namespace rocdrill::test
