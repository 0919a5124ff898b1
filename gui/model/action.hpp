// Everything that can be done, with its key: one table for the keyboard, the command palette and
// the list of keys.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/intent.hpp"
#include "gui/model/strings.hpp"

namespace rocdrill::gui {

/// Key codes: upper-case ASCII, and for others the numbers that GLFW gives them.
namespace key {
inline constexpr int escape = 256;
inline constexpr int enter = 257;
inline constexpr int tab = 258;
inline constexpr int backspace = 259;
inline constexpr int del = 261;
inline constexpr int right = 262;
inline constexpr int left = 263;
inline constexpr int down = 264;
inline constexpr int up = 265;
inline constexpr int page_up = 266;
inline constexpr int page_down = 267;
inline constexpr int home = 268;
inline constexpr int end = 269;
inline constexpr int f1 = 290;
}  // namespace key

struct Chord {
  int key = 0;
  bool control = false;
  bool shift = false;

  bool operator==(const Chord&) const = default;
};
std::string text(const Chord& chord);  ///< "Ctrl-P"

struct Action {
  std::string_view id;  ///< "play"; its name is the string "action.play"
  Chord chord;
  Intent intent;
  /// Also while a text field or the terminal has the keyboard.
  bool everywhere = false;
};

std::span<const Action> actions();
/// The action of a key; nullptr if it has none. `typing`: a text field or the terminal has the
/// keyboard.
const Action* action_of(const Chord& chord, bool typing);

/// Whether `title` holds all words of `typed`, in any case and order.
bool holds_words(std::string_view title, std::string_view typed);
/// Actions whose name contains all words of `typed`, in the table's order.
std::vector<const Action*> matching_actions(std::string_view typed, const Strings& strings);

}  // namespace rocdrill::gui
