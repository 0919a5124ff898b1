#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace rocdrill::cli {
namespace {

const char* code(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::blue:
      return "36";
    case Colour::grey:
      return "90";
    case Colour::bold:
      return "1";
    case Colour::none:
      break;
  }
  return "0";
}

}  // namespace

bool use_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color && *no_color != '\0') return false;
  if (!term || std::string_view(term) == "dumb") return false;
  return isatty(STDOUT_FILENO) == 1;
}

std::string paint(std::string_view text, Colour colour) {
  static const bool colours = use_colour();
  if (!colours || colour == Colour::none) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code(colour), text);
}

std::size_t columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return std::min<std::size_t>(size.ws_col, 120);
  return 100;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string out;
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    do {
      std::size_t cut = line.size();
      if (indent + cut > width) {
        cut = line.rfind(' ', width - indent);
        if (cut == std::string_view::npos || cut == 0) cut = std::min(line.find(' '), line.size());
      }
      out += margin + std::string(line.substr(0, cut)) + '\n';
      line.remove_prefix(std::min(cut + 1, line.size()));
    } while (!line.empty());
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 0x1B && i + 1 < text.size() && text[i + 1] == '[') {  // a colour: left out
      while (i < text.size() && (text[i] < '@' || text[i] == '[')) ++i;
      continue;
    }
    out += (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F ? '?' : text[i];
  }
  return out;
}

std::string seconds(std::uint64_t ns) {
  return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9);
}

}  // namespace rocdrill::cli
