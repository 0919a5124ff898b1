#include "scenarios/engine/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::scenarios {
namespace {

constexpr std::size_t shown_characters = 60;
}  // namespace

std::string text(const Diagnostic& diagnostic) {
  std::string out = diagnostic.file;
  if (diagnostic.line > 0) {
    out += fmt::format(":{}:{}", diagnostic.line, std::max(diagnostic.column, 1));
  }
  out += fmt::format(": error: {}\n", diagnostic.message);
  if (!diagnostic.hint.empty()) out += fmt::format("  hint: {}\n", diagnostic.hint);
  return out;
}

std::string text(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += text(diagnostic);
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  std::size_t characters = 0;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    const bool continues = (code & 0xc0u) == 0x80u;
    if (!continues && characters++ == shown_characters) return out + "...'";
    if (byte == '\n') {
      out += "\\n";
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += byte;
    }
  }
  return out + "'";
}

}  // namespace rocdrill::scenarios
