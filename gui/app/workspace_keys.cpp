// The keyboard: the terminal's, a text field's, or keys of the table of actions.
#include <algorithm>
#include <array>
#include <cctype>

#include "gui/app/workspace.hpp"

namespace rocdrill::gui {
namespace {

constexpr std::array special{key::escape,    key::enter, key::tab,  key::backspace, key::del,
                             key::right,     key::left,  key::down, key::up,        key::page_up,
                             key::page_down, key::home,  key::end};

bool pressed(int code) { return ImGui::IsKeyPressed(code, true); }

Chord chord_of(int code) {
  const ImGuiIO& io = ImGui::GetIO();
  return {code, io.KeyCtrl, io.KeyShift};
}

/// All keys that were pressed in this frame and may mean something.
std::vector<int> pressed_keys() {
  std::vector<int> codes;
  const auto add = [&](int code) {
    if (pressed(code) && std::ranges::find(codes, code) == codes.end()) codes.push_back(code);
  };
  for (const int code : special) add(code);
  for (const Action& action : actions()) add(action.chord.key);
  for (int code = 'A'; code <= 'Z'; ++code) add(code);
  return codes;
}

}  // namespace

bool Workspace::terminal_focused() const {
  return state_.layout == Layout::practice && practice_ && state_.terminal &&
         state_.overlay == Overlay::none;
}

void Workspace::type_into_terminal() {
  const ImGuiIO& io = ImGui::GetIO();
  Terminal& terminal = practice_->terminal();
  for (const int code : pressed_keys()) {
    if (action_of(chord_of(code), true)) continue;
    const bool is_special = std::ranges::find(special, code) != special.end();
    if (is_special) terminal.press(code, io.KeyCtrl, io.KeyShift);
    if (!is_special && io.KeyCtrl && code == 'V' && io.KeyShift) {
      if (const char* text = ImGui::GetClipboardText()) terminal.type(text);
    } else if (!is_special && io.KeyCtrl && code >= 'A' && code <= 'Z') {
      terminal.character(static_cast<char32_t>(std::tolower(code)), true, false);
    }
  }
  if (io.KeyCtrl) return;
  for (const ImWchar character : io.InputQueueCharacters)
    terminal.character(static_cast<char32_t>(character), false, io.KeyAlt);
}

Intents Workspace::keys(const Strings& words) {
  const bool terminal = terminal_focused();
  const bool typing = terminal || ImGui::GetIO().WantTextInput;
  Intents others;
  for (const int code : pressed_keys()) {
    if (!notice_.empty() && code == key::escape) {
      notice_.clear();
      continue;
    }
    const Intents more = press(chord_of(code), typing, words);
    others.insert(others.end(), more.begin(), more.end());
  }
  if (terminal && terminal_focused()) type_into_terminal();
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
