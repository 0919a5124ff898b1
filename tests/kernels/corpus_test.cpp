// Kernels on the simulated shader array against their twins on this CPU.
//
// Inputs are fresh in each run. The seed is printed with a failure; ROCDRILL_TEST_SEED repeats it.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/cases.hpp"

namespace rocdrill::test {
namespace {

struct Parameter {
  Case one;
  Build build;
};

void PrintTo(const Parameter& parameter, std::ostream* out) {
  *out << parameter.one.name << " for " << parameter.build.target << " at -O"
       << parameter.build.level;
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list;
  for (const auto cases :
       {memory_cases(), number_cases(), control_cases(), matrix_cases(), math_cases()})
    for (const Case& one : cases)
      for (const char* target : {"gfx90a", "gfx942"})
        for (const unsigned level : {0u, 1u, 3u})
          if (one.only == nullptr || std::string(one.only) == target)
            list.push_back({one, {target, level}});
  return list;
}

class Corpus : public testing::TestWithParam<Parameter> {};

TEST_P(Corpus, GivesWhatTheTwinGives) {
  const auto& [one, build] = GetParam();
  SCOPED_TRACE(testing::Message() << one.name << " (" << one.source << "), " << build.target
                                  << ", -O" << build.level
                                  << ", ROCDRILL_TEST_SEED=" << test_seed());
  try {
    Trial trial(one.source, build, test_seed());
    one.run(trial);
  } catch (const std::exception& error) {
    FAIL() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, testing::ValuesIn(parameters()), [](const auto& info) {
  return std::string(info.param.one.name) + "_" + info.param.build.target + "_O" +
         std::to_string(info.param.build.level);
});

}  // namespace
}  // namespace rocdrill::test
