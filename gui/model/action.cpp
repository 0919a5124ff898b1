#include "gui/model/action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace rocdrill::gui {
namespace {

using namespace intent;

const std::vector<Action>& table() {
  static const std::vector<Action> all{
      {"palette", {'P', true, false}, Show{Overlay::palette}, false},
      {"palette-anywhere", {'P', true, true}, Show{Overlay::palette}, true},
      {"keys", {key::f1, false, false}, Show{Overlay::keys}, true},
      {"settings", {',', true, false}, Show{Overlay::settings}, true},
      {"drills", {'1', true, false}, ChooseLayout{Layout::drills}, true},
      {"replay", {'2', true, false}, ChooseLayout{Layout::replay}, true},
      {"practice", {'3', true, false}, ChooseLayout{Layout::practice}, true},
      {"queues", {'4', true, false}, ChooseLayout{Layout::queues}, true},
      {"topology", {'5', true, false}, ChooseLayout{Layout::topology}, true},
      {"waves", {'6', true, false}, ChooseLayout{Layout::waves}, true},
      {"compare", {'7', true, false}, ChooseLayout{Layout::compare}, true},
      {"play", {' ', false, false}, Play{}},
      {"step", {key::right, false, false}, Step{1}},
      {"back", {key::left, false, false}, Step{-1}},
      {"step-10", {key::right, false, true}, Step{10}},
      {"back-10", {key::left, false, true}, Step{-10}},
      {"first", {key::home, false, false}, GoTo{1}},
      {"last", {key::end, false, false}, GoTo{UINT32_MAX}},
      {"faster", {'.', false, false}, Faster{true}},
      {"slower", {',', false, false}, Faster{false}},
      {"deviation", {'D', false, false}, ToDeviation{}},
      {"symptom", {'S', false, false}, ToSymptom{}},
      {"cause", {'C', false, false}, ToCause{}},
      {"effect", {'E', false, false}, ToEffect{}},
      {"zoom-in", {'=', false, false}, Zoom{0.5}},
      {"zoom-out", {'-', false, false}, Zoom{2}},
      {"show-all", {'0', false, false}, ShowAll{}},
      {"pan-left", {'H', false, false}, Pan{-0.25}},
      {"pan-right", {'L', false, false}, Pan{0.25}},
      {"bookmark", {'B', false, false}, Bookmark{}},
      {"next-bookmark", {'N', false, false}, ToBookmark{true}},
      {"previous-bookmark", {'N', false, true}, ToBookmark{false}},
      {"filter", {'F', false, false}, Do{"focus-filter"}},
      {"no-filter", {'F', false, true}, SetFilter{}},
      {"layer-up", {key::up, false, false}, NextLayer{1}},
      {"layer-down", {key::down, false, false}, NextLayer{-1}},
      {"follow", {'A', false, false}, ChooseLayer{}},
      {"next-evidence", {key::tab, false, false}, NextEvidence{1}},
      {"previous-evidence", {key::tab, false, true}, NextEvidence{-1}},
      {"next-item", {'J', false, false}, NextItem{1}},
      {"previous-item", {'K', false, false}, NextItem{-1}},
      {"next-group", {'J', false, true}, NextGroup{1}},
      {"previous-group", {'K', false, true}, NextGroup{-1}},
      {"expert", {'X', false, false}, ToggleExpert{}},
      {"left-seam-left", {key::left, true, false}, MoveSeam{Edge::left, -16}},
      {"left-seam-right", {key::right, true, false}, MoveSeam{Edge::left, 16}},
      {"right-seam-left", {key::left, true, true}, MoveSeam{Edge::right, -16}},
      {"right-seam-right", {key::right, true, true}, MoveSeam{Edge::right, 16}},
      {"lower-seam-up", {key::up, true, false}, MoveSeam{Edge::bottom, -16}},
      {"lower-seam-down", {key::down, true, false}, MoveSeam{Edge::bottom, 16}},
      {"default-sizes", {'0', true, false}, DefaultSizes{}},
      {"check", {key::f1 + 4, false, false}, Check{}, true},
      {"hint", {key::f1 + 5, false, false}, Hint{}, true},
      {"undo", {key::f1 + 6, false, false}, Undo{}, true},
      {"restart", {key::f1 + 7, false, false}, Restart{}, true},
      {"reveal", {'R', true, true}, Reveal{}, true},
      {"terminal", {'`', true, false}, Do{"focus-terminal"}, true},
      {"next-palette", {'L', true, true}, Do{"next-palette"}, true},
      {"bigger", {'=', true, false}, Do{"bigger"}, true},
      {"smaller", {'-', true, false}, Do{"smaller"}, true},
      {"language", {'Y', true, true}, Do{"next-language"}, true},
      {"quit", {'Q', true, false}, Quit{}, true},
  };
  return all;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

}  // namespace

std::string text(const Chord& chord) {
  std::string out = chord.control ? "Ctrl-" : "";
  if (chord.shift) out += "Shift-";
  switch (chord.key) {
    case ' ':
      return out + "Space";
    case key::escape:
      return out + "Esc";
    case key::enter:
      return out + "Enter";
    case key::tab:
      return out + "Tab";
    case key::backspace:
      return out + "Backspace";
    case key::right:
      return out + "Right";
    case key::left:
      return out + "Left";
    case key::up:
      return out + "Up";
    case key::down:
      return out + "Down";
    case key::home:
      return out + "Home";
    case key::end:
      return out + "End";
    case '=':
      return out + "+";
    default:
      break;
  }
  if (chord.key >= key::f1) return out + fmt::format("F{}", chord.key - key::f1 + 1);
  return out + static_cast<char>(chord.key);
}

std::span<const Action> actions() { return table(); }

const Action* action_of(const Chord& chord, bool typing) {
  for (const Action& action : table()) {
    if (action.chord == chord && (!typing || action.everywhere)) return &action;
  }
  return nullptr;
}

bool holds_words(std::string_view title, std::string_view typed) {
  const std::string in = lower(title);
  std::istringstream words{lower(typed)};
  for (std::string word; words >> word;) {
    if (!in.contains(word)) return false;
  }
  return true;
}

std::vector<const Action*> matching_actions(std::string_view typed, const Strings& strings) {
  std::vector<const Action*> found;
  for (const Action& action : table()) {
    if (action.id == "palette-anywhere") continue;  // the same as "palette"
    if (holds_words(strings["action." + std::string(action.id)], typed)) found.push_back(&action);
  }
  return found;
}

}  // namespace rocdrill::gui
