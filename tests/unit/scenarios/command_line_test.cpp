#include "scenarios/engine/command_line.hpp"

#include <gtest/gtest.h>

namespace rocdrill::scenarios {
namespace {

using Words = std::vector<std::string>;

Words words(std::string_view line) {
  auto split = split_command(line);
  EXPECT_TRUE(split) << line << ": " << (split ? "" : split.error().message);
  return split.value_or(Words{});
}

/// "offset: message", "" if the line is fine.
std::string error(std::string_view line) {
  const auto split = split_command(line);
  return split ? "" : std::to_string(split.error().offset) + ": " + split.error().message;
}

TEST(CommandLine, SplitsAsAShellDoes) {
  EXPECT_EQ(words("  modprobe   amdgpu "), (Words{"modprobe", "amdgpu"}));
  EXPECT_EQ(words("a 'b c' \"d e\" f\\ g"), (Words{"a", "b c", "d e", "f g"}));
  EXPECT_EQ(words("a'b'\"c\"d"), (Words{"abcd"}));
  EXPECT_EQ(words("a '' \"\""), (Words{"a", "", ""}));
  EXPECT_EQ(words(R"(a "\"\\\n" '\n')"), (Words{"a", R"("\\n)", R"(\n)"}));
  EXPECT_EQ(words("a '$HOME|*' \"x;y\" \\$ a#b x~"),
            (Words{"a", "$HOME|*", "x;y", "$", "a#b", "x~"}));
  EXPECT_EQ(words("export A=1,2 pip==2.6.0+rocm6.3"),
            (Words{"export", "A=1,2", "pip==2.6.0+rocm6.3"}));
}

TEST(CommandLine, LeavesVariablesOfTheDrill) {
  EXPECT_EQ(words("rm ${file}"), (Words{"rm", "${file}"}));
  EXPECT_EQ(words("a \"${b} c\" x${d}y $${e}"), (Words{"a", "${b} c", "x${d}y", "$${e}"}));
}

TEST(CommandLine, RefusesWhatNeedsAShell) {
  const std::string shell = " needs a shell, which the node does not use here";
  EXPECT_EQ(error("dmesg | grep x"), "6: '|'" + shell);
  EXPECT_EQ(error("a && b"), "2: '&'" + shell);
  EXPECT_EQ(error("a; b"), "1: ';'" + shell);
  EXPECT_EQ(error("echo x > /y"), "7: '>'" + shell);
  EXPECT_EQ(error("ls /dev/*"), "8: '*'" + shell);
  EXPECT_EQ(error("ls ~/x"), "3: '~'" + shell);
  EXPECT_EQ(error("a # b"), "2: '#'" + shell);
  EXPECT_EQ(error("uname `x`"), "6: '`'" + shell);
  EXPECT_EQ(error("ls $HOME"), "3: '$'" + shell);
  EXPECT_EQ(error("ls \"$HOME\""), "4: '$'" + shell);
  EXPECT_EQ(error("ls $(x)"), "3: '$'" + shell);
  EXPECT_EQ(error("ls ${x"), "3: '$'" + shell);
  EXPECT_EQ(error("a \"`b`\""), "3: command substitution is not possible here");
}

TEST(CommandLine, RefusesWhatIsIncomplete) {
  EXPECT_EQ(error(""), "0: the command is empty");
  EXPECT_EQ(error("  "), "0: the command is empty");
  EXPECT_EQ(error("a 'b"), "2: this quote is not closed");
  EXPECT_EQ(error("a \"b"), "2: this quote is not closed");
  EXPECT_EQ(error("a \"b\\"), "2: this quote is not closed");
  EXPECT_EQ(error("a \\"), "2: a backslash at the end protects nothing");
  EXPECT_EQ(error("a\nb"), "1: a command must stand in one line");
}

}  // namespace
}  // namespace rocdrill::scenarios
