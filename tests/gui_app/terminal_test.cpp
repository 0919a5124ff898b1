#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "gui/app/terminal.hpp"
#include "gui/model/action.hpp"

namespace rocdrill::gui {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

bool wait_for(Terminal& terminal, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    if (!terminal.poll()) std::this_thread::sleep_for(2ms);
  }
  return true;
}

std::string screen(const Terminal& terminal) {
  const TerminalView view = terminal.view();
  std::string text;
  for (int row = 0; row < view.rows; ++row) text += view.text(row) + "\n";
  return text;
}

TEST(Terminal, ShowsWhatAProgramPrintsAndHowItEnds) {
  Terminal terminal(40, 5);
  terminal.start({"/bin/sh", "-c", "printf 'one\\ntwo \\033[1;31mred\\033[0m\\n'; exit 3"});
  ASSERT_TRUE(wait_for(terminal, [&] { return !terminal.running(); }));
  const TerminalView view = terminal.view();
  EXPECT_EQ(view.text(0), "one");
  EXPECT_EQ(view.text(1), "two red");
  EXPECT_TRUE(view.at(1, 0).own_foreground);
  EXPECT_FALSE(view.at(1, 4).own_foreground);
  EXPECT_TRUE(view.at(1, 4).bold);
  EXPECT_EQ(view.ended, "exit status 3");
}

TEST(Terminal, KeysReachTheProgram) {
  Terminal terminal(40, 5);
  terminal.start({"/bin/cat"});
  for (const char c : std::string("hello"))
    terminal.character(static_cast<char32_t>(c), false, false);
  terminal.press(key::enter, false, false);
  ASSERT_TRUE(wait_for(terminal, [&] { return terminal.view().text(1) == "hello"; }))
      << screen(terminal);
  terminal.character('d', true, false);  // Ctrl-D: end of the input
  EXPECT_TRUE(wait_for(terminal, [&] { return !terminal.running(); }));
  EXPECT_EQ(terminal.view().ended, "exit status 0");
}

TEST(Terminal, AHundredThousandLinesKeepTheLastOnes) {
  Terminal terminal(80, 24);
  terminal.start({"/bin/sh", "-c", "i=0; while [ $i -lt 1 ]; do seq 100000; i=1; done"});
  ASSERT_TRUE(wait_for(terminal, [&] { return !terminal.running() && !terminal.poll(); }));
  EXPECT_THAT(screen(terminal), HasSubstr("100000"));
  EXPECT_EQ(terminal.view().history, static_cast<int>(Terminal::most_history));
  terminal.scroll(1 << 20);
  EXPECT_EQ(terminal.view().scrolled, static_cast<int>(Terminal::most_history));
  EXPECT_EQ(terminal.view().text(0), "89978");
  terminal.scroll(-(1 << 20));
  EXPECT_EQ(terminal.view().scrolled, 0);
}

TEST(Terminal, TheProgramKnowsItsSize) {
  Terminal terminal(61, 17);
  terminal.start({"/bin/sh", "-c", "stty size; read x; stty size"});
  ASSERT_TRUE(wait_for(terminal, [&] { return screen(terminal).contains("17 61"); }));
  terminal.resize(33, 9);
  terminal.type("\n");
  EXPECT_TRUE(wait_for(terminal, [&] { return screen(terminal).contains("9 33"); }))
      << screen(terminal);
  terminal.resize(0, 0);
  EXPECT_EQ(terminal.view().columns, 2);
}

TEST(Terminal, WideCharactersTakeTwoColumns) {
  Terminal terminal(20, 3);
  terminal.start({"/bin/sh", "-c", "printf '\\344\\270\\255x'"});
  ASSERT_TRUE(wait_for(terminal, [&] { return !terminal.running(); }));
  EXPECT_EQ(terminal.view().at(0, 0).width, 2);
  EXPECT_EQ(terminal.view().at(0, 2).character, U'x');
  EXPECT_EQ(terminal.view().text(0), "\xE4\xB8\xADx");
}

TEST(Terminal, ClosingItEndsTheProgram) {
  const auto start = std::chrono::steady_clock::now();
  {
    Terminal terminal(20, 3);
    terminal.start({"/bin/sleep", "600"});
    EXPECT_TRUE(terminal.running());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(Terminal, AProgramThatIsNotThereIsSaid) {
  Terminal terminal(20, 3);
  terminal.start({"/no/such/program"});
  ASSERT_TRUE(wait_for(terminal, [&] { return !terminal.running(); }));
  EXPECT_EQ(terminal.view().ended, "exit status 127");
}

}  // namespace
}  // namespace rocdrill::gui
