// How the command line looks: colour only on a terminal that wants it, widths, wrapping.
#pragma once

#include <string>
#include <string_view>

namespace rocdrill::cli {

enum class Colour { none, red, green, yellow, blue, grey, bold };

/// Whether standard output gets colour: a terminal, NO_COLOR unset or empty, TERM not "dumb".
bool use_colour();
std::string paint(std::string_view text, Colour colour);
/// Columns of the terminal; 100 where there is none.
std::size_t columns();
/// Breaks at blanks so that no line is longer than `width`; every line is indented.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);
/// Colours are left out, other control characters but newline and tab become '?': text of a node
/// must not steer the terminal.
std::string printable(std::string_view text);
/// "0.204 s" of nanoseconds.
std::string seconds(std::uint64_t ns);

}  // namespace rocdrill::cli
