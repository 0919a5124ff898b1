// What a person wants, from a click, a key or the command palette; and what it does to the state.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "gui/model/state.hpp"

namespace rocdrill::gui {

namespace intent {
struct GoTo {  ///< an event, clamped to those there are
  EventId event = no_event;
};
struct Step {  ///< so many events on; those that match the filter, if there is one
  int by = 1;
};
struct Play {  ///< or pause
};
struct Faster {  ///< twice or half as fast
  bool faster = true;
};
struct Zoom {  ///< the span times `factor` around event `around`
  double factor = 1;
  double around = 0;  ///< 0: around now
};
struct Pan {
  double by = 0;  ///< of the span's length
};
struct ShowAll {};
struct ToDeviation {};  ///< first event that a healthy run does not have
struct ToSymptom {};
struct ToCause {};   ///< of now
struct ToEffect {};  ///< the first one
struct Bookmark {};  ///< sets or removes one at now
struct ToBookmark {
  bool forward = true;
};
struct SetFilter {
  Filter filter;
};
struct ChooseLayer {  ///< empty: the layer of now
  std::optional<Layer> layer;
};
struct NextLayer {
  int by = 1;  ///< upwards
};
struct ChooseEvidence {
  std::string command;
};
struct NextEvidence {
  int by = 1;
};
struct ChooseLayout {
  Layout layout = Layout::replay;
};
struct ChooseItem {  ///< of the layout that is shown
  int item = 0;
};
struct ChooseGroup {  ///< and its first item
  int group = 0;
};
struct NextItem {  ///< the workspace knows how many there are
  int by = 1;
};
struct NextGroup {
  int by = 1;
};
struct ToggleExpert {};
struct Resize {  ///< a pane to so many pixels at a font size of 15; 0: as it suits the window
  Pane pane = Pane::stack;
  int size = 0;
};
struct MoveSeam {  ///< of the layout that is shown; to the right or down; the workspace knows it
  Edge at = Edge::left;
  int by = 16;
};
struct DefaultSizes {};
struct Show {  ///< an overlay; none: closes it
  Overlay overlay = Overlay::none;
};
struct Type {  ///< into the palette
  std::string text;
};
struct Choose {
  int line = 0;
};
struct Reveal {};  ///< cause chain and debrief, although the drill is not done

// Beyond the state: what the application does.
struct Do {
  std::string action;  ///< id of action.hpp
};
struct OpenDrill {
  std::string id;
  bool practice = false;
};
struct Answer {
  int task = 0;        ///< 1, 2, ...
  std::string choice;  ///< as in scenarios::Answers
};
struct PickLayer {  ///< of a task that asks for one
  int task = 0;
  std::string layer;
};
struct PickPart {
  int task = 0;
  std::string part;
};
struct Sort {
  int column = 0;
};
struct FocusTerminal {
  bool focus = true;
};
struct TerminalSize {
  int columns = 80;
  int rows = 24;
};
struct TerminalScroll {
  int lines = 0;
};
struct Check {};
struct Hint {};
struct Undo {};
struct Restart {};  ///< of the shell, on a fresh node
struct SetPalette {
  std::string name;
};
struct SetFontSize {
  int pixels = 15;
};
struct SetLanguage {
  std::string code;
};
struct Quit {};
}  // namespace intent

using Intent = std::variant<
    intent::GoTo, intent::Step, intent::Play, intent::Faster, intent::Zoom, intent::Pan,
    intent::ShowAll, intent::ToDeviation, intent::ToSymptom, intent::ToCause, intent::ToEffect,
    intent::Bookmark, intent::ToBookmark, intent::SetFilter, intent::ChooseLayer, intent::NextLayer,
    intent::ChooseEvidence, intent::NextEvidence, intent::ChooseLayout, intent::ChooseItem,
    intent::ChooseGroup, intent::NextItem, intent::NextGroup, intent::ToggleExpert, intent::Resize,
    intent::MoveSeam, intent::DefaultSizes, intent::Show, intent::Type, intent::Choose,
    intent::Reveal, intent::Do, intent::OpenDrill, intent::Answer, intent::PickLayer,
    intent::PickPart, intent::Sort, intent::FocusTerminal, intent::TerminalSize,
    intent::TerminalScroll, intent::Check, intent::Hint, intent::Undo, intent::Restart,
    intent::SetPalette, intent::SetFontSize, intent::SetLanguage, intent::Quit>;
/// Collected while a frame is drawn, applied after it.
using Intents = std::vector<Intent>;

class Story;

/// Applies an intent to the state; those beyond the state change nothing here.
void apply(const Intent& intent, State& state, const Story& story);
/// Time goes on: moves `now` while it plays, and pauses at the end.
void advance(State& state, const Story& story, double seconds);
/// As the window opens: the end of the story, all of it in view.
State opened(const Story& story);

}  // namespace rocdrill::gui
