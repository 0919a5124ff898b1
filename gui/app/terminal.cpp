#include "gui/app/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vterm.h>

#include "gui/model/action.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace rocdrill::gui {

struct Terminal::Callbacks {
  static TerminalCell cell_of(VTermScreen* screen, const VTermScreenCell& from) {
    TerminalCell cell;
    cell.character = from.chars[0] == 0 ? U' ' : static_cast<char32_t>(from.chars[0]);
    cell.width = static_cast<std::uint8_t>(from.width);
    if (from.chars[0] == static_cast<std::uint32_t>(-1)) {  // the second half of a wide one
      cell.character = U' ';
      cell.width = 0;
    }
    cell.bold = from.attrs.bold != 0;
    cell.reverse = from.attrs.reverse != 0;
    const auto colour = [&](VTermColor value, std::uint32_t& into) {
      vterm_screen_convert_color_to_rgb(screen, &value);
      into = static_cast<std::uint32_t>(value.rgb.red) << 16 |
             static_cast<std::uint32_t>(value.rgb.green) << 8 | value.rgb.blue;
    };
    cell.own_foreground = VTERM_COLOR_IS_DEFAULT_FG(&from.fg);
    cell.own_background = VTERM_COLOR_IS_DEFAULT_BG(&from.bg);
    if (!cell.own_foreground) colour(from.fg, cell.foreground);
    if (!cell.own_background) colour(from.bg, cell.background);
    return cell;
  }

  static int move_cursor(VTermPos to, VTermPos, int visible, void* user) {
    auto& self = *static_cast<Terminal*>(user);
    self.cursor_row_ = to.row;
    self.cursor_column_ = to.col;
    self.cursor_visible_ = visible != 0;
    return 1;
  }
  static int set_property(VTermProp property, VTermValue* value, void* user) {
    if (property == VTERM_PROP_CURSORVISIBLE)
      static_cast<Terminal*>(user)->cursor_visible_ = value->boolean != 0;
    return 1;
  }
  static int push_line(int columns, const VTermScreenCell* cells, void* user) {
    auto& self = *static_cast<Terminal*>(user);
    std::vector<TerminalCell> line;
    for (int i = 0; i < columns; ++i) line.push_back(cell_of(self.screen_, cells[i]));
    self.history_.push_back(std::move(line));
    if (self.history_.size() > most_history) self.history_.pop_front();
    // Who has scrolled back goes on seeing the same lines.
    if (self.scrolled_ > 0)
      self.scrolled_ = std::min(self.scrolled_ + 1, static_cast<int>(self.history_.size()));
    return 1;
  }
};

Terminal::Terminal(int columns, int rows)
    : columns_(std::max(columns, 2)), rows_(std::max(rows, 1)) {
  vterm_ = vterm_new(rows_, columns_);
  vterm_set_utf8(vterm_, 1);
  screen_ = vterm_obtain_screen(vterm_);
  static const VTermScreenCallbacks callbacks = [] {
    VTermScreenCallbacks made{};
    made.movecursor = Callbacks::move_cursor;
    made.settermprop = Callbacks::set_property;
    made.sb_pushline = Callbacks::push_line;
    return made;
  }();
  vterm_screen_set_callbacks(screen_, &callbacks, this);
  vterm_screen_enable_altscreen(screen_, 1);
  vterm_screen_reset(screen_, 1);
}

Terminal::~Terminal() {
  if (fd_ >= 0) ::close(fd_);
  if (pid_ > 0) {
    ::kill(-pid_, SIGHUP);
    for (int i = 0; i < 200 && pid_ > 0; ++i) {
      reap(false);
      if (pid_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      reap(true);
    }
  }
  vterm_free(vterm_);
}

void Terminal::start(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const winsize size{static_cast<unsigned short>(rows_), static_cast<unsigned short>(columns_), 0,
                     0};
  const pid_t pid = ::forkpty(&fd_, nullptr, nullptr, &size);
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
  if (pid == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  pid_ = pid;
  ended_.clear();
  ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

void Terminal::reap(bool wait) {
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, wait ? 0 : WNOHANG) != pid_) return;
  pid_ = 0;
  ended_ = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                               : fmt::format("exit status {}", WEXITSTATUS(status));
}

void Terminal::feed(std::string_view bytes) {
  vterm_input_write(vterm_, bytes.data(), bytes.size());
  std::array<char, 512> answer;  // to questions such as where the cursor is
  while (const std::size_t size = vterm_output_read(vterm_, answer.data(), answer.size()))
    pending_.append(answer.data(), size);
}

bool Terminal::poll(std::size_t most) {
  if (fd_ < 0) return false;
  std::size_t taken = 0;
  std::array<char, 16384> buffer;
  while (taken < most) {
    const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
    if (got > 0) {
      feed({buffer.data(), static_cast<std::size_t>(got)});
      taken += static_cast<std::size_t>(got);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN) reap(false);  // EIO: nobody has the other end open
    break;
  }
  flush();
  return taken > 0;
}

void Terminal::flush() {
  while (!pending_.empty() && fd_ >= 0) {
    const ssize_t written = ::write(fd_, pending_.data(), pending_.size());
    if (written <= 0) {
      if (errno != EAGAIN && errno != EINTR) pending_.clear();
      return;
    }
    pending_.erase(0, static_cast<std::size_t>(written));
  }
}

void Terminal::type(std::string_view bytes) {
  if (!running()) return;
  scrolled_ = 0;
  pending_ += bytes;
  flush();
}

void Terminal::character(char32_t character, bool control, bool alt) {
  if (!running()) return;
  const int modifiers = (control ? VTERM_MOD_CTRL : 0) | (alt ? VTERM_MOD_ALT : 0);
  vterm_keyboard_unichar(vterm_, character, static_cast<VTermModifier>(modifiers));
  feed({});
  type({});
}

bool Terminal::press(int key, bool control, bool shift) {
  VTermKey pressed = VTERM_KEY_NONE;
  switch (key) {
    case key::enter:
      pressed = VTERM_KEY_ENTER;
      break;
    case key::tab:
      pressed = VTERM_KEY_TAB;
      break;
    case key::backspace:
      pressed = VTERM_KEY_BACKSPACE;
      break;
    case key::escape:
      pressed = VTERM_KEY_ESCAPE;
      break;
    case key::up:
      pressed = VTERM_KEY_UP;
      break;
    case key::down:
      pressed = VTERM_KEY_DOWN;
      break;
    case key::left:
      pressed = VTERM_KEY_LEFT;
      break;
    case key::right:
      pressed = VTERM_KEY_RIGHT;
      break;
    case key::home:
      pressed = VTERM_KEY_HOME;
      break;
    case key::end:
      pressed = VTERM_KEY_END;
      break;
    case key::page_up:
      pressed = VTERM_KEY_PAGEUP;
      break;
    case key::page_down:
      pressed = VTERM_KEY_PAGEDOWN;
      break;
    case key::del:
      pressed = VTERM_KEY_DEL;
      break;
    default:
      return false;
  }
  if (!running()) return true;
  const int modifiers = (control ? VTERM_MOD_CTRL : 0) | (shift ? VTERM_MOD_SHIFT : 0);
  vterm_keyboard_key(vterm_, pressed, static_cast<VTermModifier>(modifiers));
  feed({});
  type({});
  return true;
}

void Terminal::resize(int columns, int rows) {
  columns = std::clamp(columns, 2, 1000);
  rows = std::clamp(rows, 1, 1000);
  if (columns == columns_ && rows == rows_) return;
  columns_ = columns;
  rows_ = rows;
  vterm_set_size(vterm_, rows_, columns_);
  const winsize size{static_cast<unsigned short>(rows_), static_cast<unsigned short>(columns_), 0,
                     0};
  if (fd_ >= 0) ::ioctl(fd_, TIOCSWINSZ, &size);
}

void Terminal::scroll(int lines) {
  scrolled_ = std::clamp(scrolled_ + lines, 0, static_cast<int>(history_.size()));
}

TerminalView Terminal::view() const {
  TerminalView view{.columns = columns_, .rows = rows_, .cells = {}, .ended = ended_};
  view.scrolled = scrolled_;
  view.history = static_cast<int>(history_.size());
  view.running = running();
  view.cells.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
  for (int row = 0; row < rows_; ++row) {
    const auto out = view.cells.begin() + static_cast<std::ptrdiff_t>(row) * columns_;
    const int line = row - scrolled_;
    if (line < 0) {
      const auto& kept = history_[history_.size() - static_cast<std::size_t>(-line)];
      std::copy_n(kept.begin(),
                  std::min<std::size_t>(kept.size(), static_cast<std::size_t>(columns_)), out);
      continue;
    }
    for (int column = 0; column < columns_; ++column) {
      VTermScreenCell cell;
      if (vterm_screen_get_cell(screen_, {line, column}, &cell) != 0)
        *(out + column) = Callbacks::cell_of(screen_, cell);
    }
  }
  if (cursor_visible_ && cursor_row_ + scrolled_ < rows_) {
    view.cursor_row = cursor_row_ + scrolled_;
    view.cursor_column = std::min(cursor_column_, columns_ - 1);
  }
  return view;
}

}  // namespace rocdrill::gui
