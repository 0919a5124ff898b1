// A program in a pseudo-terminal, and the screen that its output makes (libvterm).
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/terminal_view.hpp"

struct VTerm;
struct VTermScreen;

namespace rocdrill::gui {

class Terminal {
 public:
  static constexpr std::size_t most_history = 10'000;  ///< lines kept

  Terminal(int columns, int rows);
  /// Ends the program: SIGHUP as when a terminal is closed, then SIGKILL.
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Throws std::system_error.
  void start(const std::vector<std::string>& argv);
  /// Takes what the program has written, at most so many bytes; true if there was any.
  bool poll(std::size_t most = 1 << 20);
  /// Bytes as the program reads them. What it does not take at once is kept for the next poll().
  void type(std::string_view bytes);
  /// A character, with Ctrl or Alt or neither.
  void character(char32_t character, bool control, bool alt);
  /// Enter, arrows and the like, by the codes of model/action.hpp; false if it is none of them.
  bool press(int key, bool control, bool shift);
  /// No smaller than 2 x 1.
  void resize(int columns, int rows);
  /// By so many lines, upwards positive.
  void scroll(int lines);

  bool running() const { return pid_ > 0; }
  TerminalView view() const;

 private:
  struct Callbacks;
  friend struct Callbacks;

  void feed(std::string_view bytes);
  void flush();
  void reap(bool wait);

  int columns_;
  int rows_;
  VTerm* vterm_ = nullptr;
  VTermScreen* screen_ = nullptr;
  std::deque<std::vector<TerminalCell>> history_;
  int scrolled_ = 0;
  int cursor_row_ = 0;
  int cursor_column_ = 0;
  bool cursor_visible_ = true;
  int fd_ = -1;
  pid_t pid_ = 0;
  std::string pending_;
  std::string ended_;
};

}  // namespace rocdrill::gui
