// What the window shows: where in the timeline it stands and what was chosen. Changed by intents
// alone (intent.hpp); no part of a simulation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "gui/model/pane.hpp"
#include "stack/timeline.hpp"

namespace rocdrill::gui {

enum class Layout : std::uint8_t { drills, replay, practice, queues, topology, waves, compare };
inline constexpr std::array all_layouts{Layout::drills, Layout::replay,   Layout::practice,
                                        Layout::queues, Layout::topology, Layout::waves,
                                        Layout::compare};
std::string_view name(Layout layout);  ///< "replay"
std::optional<Layout> layout_from_name(std::string_view text);

/// Which events the timeline stresses. Empty members do not restrict.
struct Filter {
  std::optional<Layer> layer;
  std::optional<Severity> at_least;
  std::string contains;

  bool empty() const { return !layer && !at_least && contains.empty(); }
  bool operator==(const Filter&) const = default;
};

/// The events that the timeline shows, by number, both inclusive; fractions while it is zoomed.
struct Span {
  double first = 1;
  double last = 1;

  double length() const { return last - first; }
  bool operator==(const Span&) const = default;
};

/// Widths of stack, brief and tasks, height of the timeline, in pixels at a font size of 15. A pane
/// that is missing has the size that suits the window.
using PaneSizes = std::map<Pane, int>;
inline constexpr int least_pane = 120;
inline constexpr int most_pane = 8192;

enum class Overlay : std::uint8_t { none, palette, keys, settings };

struct State {
  Layout layout = Layout::replay;
  EventId now = no_event;      ///< the last event that has happened
  std::optional<Layer> layer;  ///< chosen for the detail; empty: the layer of `now`
  std::string command;         ///< evidence that was chosen; "": the most telling
  bool playing = false;
  double speed = 1;   ///< events per second
  double played = 0;  ///< fraction of the next event
  Span span;
  Filter filter;
  std::set<EventId> bookmarks;
  bool expert = false;
  Overlay overlay = Overlay::none;
  std::string palette;  ///< what was typed into it
  int choice = 0;       ///< chosen line of the palette or the drill browser
  /// Of a task that asks for a layer and a part: what was picked so far, by the task's number.
  std::map<int, std::string> picked_layer;
  std::map<int, std::string> picked_part;
  /// Of the layouts that have items: the chosen one (a GPU, a packet, an instruction), and the
  /// chosen group of them (a queue, a wave). None: what the layout shows first.
  std::map<Layout, int> item;
  std::map<Layout, int> group;
  PaneSizes sizes;
  int sort = 0;          ///< column of the drill browser
  bool terminal = true;  ///< has the keyboard, in practice
  bool debrief = false;  ///< the answer may be shown
};

}  // namespace rocdrill::gui
