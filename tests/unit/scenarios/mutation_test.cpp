// Damaged files: a message or a drill, but never a crash. Run it with ASan and UBSan.
#include <gtest/gtest.h>

#include "support.hpp"

namespace rocdrill::scenarios::test {
namespace {

/// A generator of our own, so that a failure can be repeated anywhere.
class Random {
 public:
  explicit Random(std::uint32_t state) : state_(state) {}
  std::size_t below(std::size_t bound) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8u) % bound;
  }

 private:
  std::uint32_t state_;
};

constexpr std::string_view pieces[] = {"[",        "]",
                                       "{",        "}",
                                       ":",        ": ",
                                       "- ",       "\n",
                                       "\n  ",     "'",
                                       "\"",       "|",
                                       ">",        "&a ",
                                       "*a",       "!x ",
                                       "---\n",    "?",
                                       "#",        "${",
                                       "${gpu}",   "$${",
                                       "}",        "\t",
                                       "\\",       "99999999999999999999",
                                       "-1",       "~",
                                       "true",     "\xff",
                                       "\xc3\xa4", "",
                                       ",",        "<<: ",
                                       "%",        "@",
                                       "`",        "...\n",
                                       "\r",       "all",
                                       "0x10"};

std::string mutate(std::string text, Random& random) {
  for (std::size_t times = 1 + random.below(4); times > 0; --times) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min(random.below(12), text.size() - at);
    switch (random.below(4)) {
      case 0:
        text.replace(at, length, pieces[random.below(std::size(pieces))]);
        break;
      case 1:
        text.insert(at, pieces[random.below(std::size(pieces))]);
        break;
      case 2:
        text.erase(at, length);
        break;
      default: {
        const std::string copy = text.substr(random.below(text.size() + 1), random.below(80));
        text.insert(at, copy);
      }
    }
  }
  return text;
}

TEST(Mutation, DamagedDrillsNeverCrash) {
  const sim::NodeSpec node = *parse_node("small.yaml", good_node, "small", knowledge());
  const Knowledge known = knowledge();
  Random random(2026);
  int good = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string yaml = mutate(good_drill, random);
    Diagnostics problems;
    const Drill drill = read_drill("d.yaml", yaml, "sample", problems);
    const Diagnostics more = validate(drill, node, known);
    problems.insert(problems.end(), more.begin(), more.end());
    for (const Diagnostic& problem : problems) {
      ASSERT_FALSE(problem.message.empty()) << yaml;
      ASSERT_TRUE(problem.line > 0 || problem.message.ends_with("more problems")) << yaml;
    }
    if (!problems.empty()) continue;
    ++good;
    resolve(drill, node, static_cast<std::uint64_t>(i));
  }
  // Some damage only changes prose; most must be noticed.
  EXPECT_GT(good, 100);
  EXPECT_LT(good, 12'000);
}

TEST(Mutation, DamagedNodesNeverCrash) {
  const Knowledge known = knowledge();
  Random random(7);
  for (int i = 0; i < 5'000; ++i) {
    const std::string yaml = mutate(good_node, random);
    const auto node = parse_node("small.yaml", yaml, "small", known);
    if (!node) {
      ASSERT_FALSE(node.error().empty()) << yaml;
    }
  }
}

TEST(Mutation, CutOffDrillsNeverCrash) {
  for (std::size_t length = 0; length <= good_drill.size(); ++length) {
    problems_of_drill(good_drill.substr(0, length));
  }
}

}  // namespace
}  // namespace rocdrill::scenarios::test
