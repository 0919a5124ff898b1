// What a terminal shows: rows of cells, and where its cursor is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocdrill::gui {

struct TerminalCell {
  char32_t character = U' ';
  /// 0xRRGGBB, or the terminal's own.
  std::uint32_t foreground = 0;
  std::uint32_t background = 0;
  bool own_foreground = true;
  bool own_background = true;
  bool bold = false;
  bool reverse = false;
  std::uint8_t width = 1;  ///< columns: 2 for wide characters, 0 for the second half of one
};

struct TerminalView {
  int columns = 0;
  int rows = 0;
  std::vector<TerminalCell> cells;  ///< rows * columns, from the top
  int cursor_row = -1;              ///< -1: not in view
  int cursor_column = 0;
  int scrolled = 0;      ///< lines above the end that are shown
  int history = 0;       ///< lines that can be scrolled back to
  bool running = false;  ///< its program has not ended
  std::string ended;     ///< why there is no program: "exit status 0"

  const TerminalCell& at(int row, int column) const {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)];
  }
  /// A row as UTF-8, without blanks at its end; for tests and for copying.
  std::string text(int row) const;
};

void append_utf8(std::string& out, char32_t character);

}  // namespace rocdrill::gui
