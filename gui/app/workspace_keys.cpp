// The keyboard: the terminal's, a text field's, or keys of the table of actions.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "gui/app/workspace.hpp"

namespace rocdrill::gui {
namespace {

constexpr std::array special{key::escape,    key::enter, key::tab,  key::backspace, key::del,
                             key::right,     key::left,  key::down, key::up,        key::page_up,
                             key::page_down, key::home,  key::end};

}  // namespace

bool Workspace::terminal_focused() const {
  return state_.layout == Layout::practice && practice_ && state_.terminal &&
         state_.overlay == Overlay::none;
}

void Workspace::type_into_terminal(const KeyEvent& event) {
  Terminal& terminal = practice_->terminal();
  if (event.character != 0) return terminal.character(event.character, false, event.alt);
  if (action_of({event.key, event.control, event.shift}, true)) return;
  const bool letter = event.key >= 'A' && event.key <= 'Z';
  if (std::ranges::find(special, event.key) != special.end()) {
    terminal.press(event.key, event.control, event.shift);
  } else if (event.key == 'V' && event.control && event.shift) {
    if (const char* text = ImGui::GetClipboardText()) terminal.type(text);
  } else if (letter && event.control) {
    terminal.character(static_cast<char32_t>(std::tolower(event.key)), true, false);
  }
}

Intents Workspace::keys(const Strings& words) {
  Intents others;
  for (const KeyEvent& event : std::exchange(events_, {})) {
    const bool terminal = terminal_focused();
    if (event.key == key::escape && !notice_.empty()) {
      notice_.clear();
      continue;
    }
    if (event.key != 0) {
      const bool typing = terminal || ImGui::GetIO().WantTextInput;
      const Intents more = press({event.key, event.control, event.shift}, typing, words);
      others.insert(others.end(), more.begin(), more.end());
    }
    if (terminal && terminal_focused()) type_into_terminal(event);
  }
  return others;
}

Intents Workspace::press(const Chord& chord, bool typing, const Strings& words) {
  if (chord.key == key::escape && state_.overlay != Overlay::none)
    return apply({intent::Show{Overlay::none}});
  const bool palette = state_.overlay == Overlay::palette;
  if (palette) {
    const auto found = entries(words);
    const int last = std::max(static_cast<int>(found.size()) - 1, 0);
    if (chord.key == key::down) return apply({intent::Choose{std::min(state_.choice + 1, last)}});
    if (chord.key == key::up) return apply({intent::Choose{state_.choice - 1}});
    if (chord.key == key::enter) {
      if (found.empty()) return {};
      Intents wanted{intent::Show{Overlay::none}};
      const auto& chosen = found[static_cast<std::size_t>(std::min(state_.choice, last))].intents;
      wanted.insert(wanted.end(), chosen.begin(), chosen.end());
      return apply(wanted);
    }
    if (chord == Chord{'P', true, false}) return apply({intent::Show{Overlay::none}});
  } else if (state_.layout == Layout::drills && !typing && !drills_.empty()) {
    const int last = static_cast<int>(drills_.size()) - 1;
    if (chord.key == key::down) return apply({intent::Choose{std::min(state_.choice + 1, last)}});
    if (chord.key == key::up) return apply({intent::Choose{state_.choice - 1}});
    if (chord.key == key::enter) {
      const auto chosen = static_cast<std::size_t>(std::clamp(state_.choice, 0, last));
      return apply({intent::OpenDrill{drills_[chosen].id, chord.shift}});
    }
  }
  const Action* action = action_of(chord, typing || palette);
  return action ? apply({action->intent}) : Intents{};
}

}  // namespace rocdrill::gui
