#include "scenarios/engine/vars.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rocdrill::scenarios {
namespace {

Variable text_var(std::string name, std::string text) {
  return {std::move(name), Text{std::move(text)}, {}};
}

const std::vector<Variable> variables{
    {"word", Choose{{"a", "b", "c"}}, {}},
    {"count", IntegerRange{-3, 3}, {}},
    {"gpu", AnyGpu{}, {}},
    text_var("all", "${word}/${count}/${half}"),
    text_var("half", "<${gpu}>"),
};

TEST(Vars, SameSeedSameValues) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(draw(variables, "drill", 8, seed), draw(variables, "drill", 8, seed));
  }
}

TEST(Vars, ValuesAreTheSameOnEveryPlatform) {
  const Values values = draw(variables, "drill", 8, 1);
  EXPECT_EQ(std::get<std::string>(values.at("all")), "a/3/<1>");
}

TEST(Vars, AnotherSeedOrDrillGivesOtherValues) {
  std::set<std::string> seen;
  std::set<std::string> words;
  std::set<std::int64_t> counts;
  std::set<std::int64_t> gpus;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Values values = draw(variables, "drill", 8, seed);
    seen.insert(std::get<std::string>(values.at("all")));
    words.insert(std::get<std::string>(values.at("word")));
    counts.insert(std::get<std::int64_t>(values.at("count")));
    gpus.insert(std::get<std::int64_t>(values.at("gpu")));
  }
  // Every value occurs, and none outside of the range.
  EXPECT_EQ(words, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(counts, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(gpus, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_GT(seen.size(), 60u);
  EXPECT_NE(draw(variables, "drill", 8, 1), draw(variables, "other", 8, 1));
}

TEST(Vars, AVariableDoesNotDependOnTheOthers) {
  const std::vector<Variable> alone{variables[1]};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(draw(alone, "drill", 8, seed).at("count"),
              draw(variables, "drill", 8, seed).at("count"));
  }
}

TEST(Vars, TheWidestRangeWorks) {
  const std::vector<Variable> wide{{"x", IntegerRange{INT64_MIN, INT64_MAX}, {}}};
  EXPECT_NE(draw(wide, "d", 0, 1), draw(wide, "d", 0, 2));
}

TEST(Vars, SubstitutesAndKeepsTheRest) {
  const Values values{{"a", std::string("x")}, {"n", std::int64_t{5}}, {"f", true}};
  EXPECT_EQ(substitute("${a}-${n}-${f}", values), "x-5-true");
  EXPECT_EQ(substitute("$${a} $a {a} ${unknown} ${", values), "${a} $a {a} ${unknown} ${");
  EXPECT_EQ(substitute("", values), "");
}

TEST(Vars, AWholeReferenceKeepsItsType) {
  const Values values{{"n", std::int64_t{5}}, {"f", false}};
  EXPECT_EQ(substitute_value(std::string("${n}"), values), ParameterValue(std::int64_t{5}));
  EXPECT_EQ(substitute_value(std::string("${f}"), values), ParameterValue(false));
  EXPECT_EQ(substitute_value(std::string("n=${n}"), values), ParameterValue(std::string("n=5")));
  EXPECT_EQ(substitute_value(std::int64_t{7}, values), ParameterValue(std::int64_t{7}));
}

TEST(Vars, AValueIsNotReadAgain) {
  const Values values{{"a", std::string("${b}")}, {"b", std::string("no")}};
  EXPECT_EQ(substitute("${a}", values), "${b}");
}

TEST(Vars, FindsCycles) {
  EXPECT_TRUE(find_cycle(variables).empty());
  EXPECT_EQ(find_cycle({text_var("a", "${b}"), text_var("b", "${c}"), text_var("c", "x${b}")}),
            (std::vector<std::string>{"b", "c", "b"}));
  EXPECT_EQ(find_cycle({text_var("a", "${a}")}), (std::vector<std::string>{"a", "a"}));
}

TEST(Vars, KnowsTheLargestValueWithoutBuildingIt) {
  std::vector<Variable> bomb{text_var("a0", "0123456789")};
  for (int i = 1; i < 60; ++i) {
    const std::string before = "${a" + std::to_string(i - 1) + "}";
    bomb.push_back(text_var("a" + std::to_string(i), before + before));
  }
  const auto sizes = largest_values(bomb);
  EXPECT_EQ(sizes.at("a0"), 10u);
  EXPECT_EQ(sizes.at("a4"), 160u);
  EXPECT_EQ(sizes.at("a5"), max_value_size + 1);
  EXPECT_EQ(sizes.at("a59"), max_value_size + 1);
  EXPECT_EQ(largest_values(variables).at("all"), 1u + 20u + 22u + 2u);
}

}  // namespace
}  // namespace rocdrill::scenarios
