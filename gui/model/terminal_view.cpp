#include "gui/model/terminal_view.hpp"

namespace rocdrill::gui {

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string TerminalView::text(int row) const {
  std::string line;
  for (int column = 0; column < columns; ++column) {
    const TerminalCell& cell = at(row, column);
    if (cell.width > 0) append_utf8(line, cell.character);
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace rocdrill::gui
