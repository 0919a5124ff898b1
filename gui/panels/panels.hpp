// The panes: each draws its view-model and says what the person wants. They keep nothing.
#pragma once

#include <string>
#include <vector>

#include "gui/model/action.hpp"
#include "gui/model/brief_view.hpp"
#include "gui/model/compare_view.hpp"
#include "gui/model/detail_view.hpp"
#include "gui/model/drills_view.hpp"
#include "gui/model/palette_entries.hpp"
#include "gui/model/queue_view.hpp"
#include "gui/model/stack_view.hpp"
#include "gui/model/terminal_view.hpp"
#include "gui/model/timeline_view.hpp"
#include "gui/model/topology_view.hpp"
#include "gui/model/wave_view.hpp"
#include "gui/panels/ui.hpp"

namespace rocdrill::gui {

/// The bar at the top.
struct BarView {
  std::string title;  ///< of the drill or trace
  std::string node;
  Layout layout = Layout::replay;
  bool practice = false;  ///< possible
  bool replay = true;     ///< possible
};
void draw_bar(Ui& ui, const Rect& rect, const BarView& view);

void draw_stack(Ui& ui, const Rect& rect, const StackView& view, bool expert);
/// While a drill is practised: the bring-up checks, and the stack once the fault is located
/// (`stack` null: not yet).
void draw_practice_stack(Ui& ui, const Rect& rect, const StackView* stack, const BriefView& brief,
                         bool expert);
/// The checks in an area of the current pane; `row`: height of a line.
void draw_checks(Ui& ui, const Rect& area, const BriefView& view, float row);

/// Evidence of the chosen command.
struct EvidenceView {
  enum class State { none, looking, ready, not_there } state = State::none;
  bool present = false;  ///< of a node that runs: as it is now, whatever the timeline shows
  scenarios::Evidence evidence;
};
void draw_detail(Ui& ui, const Rect& rect, const DetailView& view, const EvidenceView& evidence);

void draw_timeline(Ui& ui, const Rect& rect, const Story& story, const State& state,
                   bool focus_filter);

/// Ticket, cause chain and bring-up checks. `hidden`: the chain would give the answer away.
void draw_brief(Ui& ui, const Rect& rect, const BriefView& view, const std::vector<WhyRow>& why,
                bool hidden);

void draw_drills(Ui& ui, const Rect& rect, const std::vector<DrillRow>& drills, const State& state);

/// The shell of a drill.
void draw_terminal(Ui& ui, const Rect& rect, const TerminalView& view, bool focused);

/// Ticket, tasks with their answers, hints, checks and the debrief, while a drill is practised.
struct TasksView {
  BriefView brief;
  bool busy = false;    ///< a request is under way
  std::string message;  ///< what the last one said
};
void draw_tasks(Ui& ui, const Rect& rect, const TasksView& view, const State& state);

/// `expert`: tables with every number instead of boxes.
void draw_topology(Ui& ui, const Rect& rect, const TopologyView& view, bool expert);

/// Ring, packet, signals and events of a queue. `expert`: every field with its bits, addresses.
void draw_queues(Ui& ui, const Rect& rect, const QueueView& view, bool expert);

void draw_compare(Ui& ui, const Rect& rect, const CompareView& view);
/// How many lines of both runs fit.
std::size_t compare_rows(const Ui& ui, const Rect& rect);

/// One wave: disassembly, EXEC, registers, LDS.
void draw_waves(Ui& ui, const Rect& rect, const WaveView& view);

/// The seams between panes, over them. The window is so large.
void draw_seams(Ui& ui, const std::vector<Seam>& all, float width, float height);

/// A heading and a list that scrolls, in an area of the current pane.
void draw_facts(Ui& ui, const std::string& id, const Rect& area, std::string_view title,
                const std::vector<Fact>& facts);
/// The title of a pane that fills the window, and the area under it.
Rect draw_title(Ui& ui, const Rect& rect, const char* key);
/// Why there is nothing to show, in as many lines as it takes.
void draw_nothing(Ui& ui, const Rect& area, std::string_view why);
/// The form of a pane (beginner or expert) and the link that changes it, at the right edge.
void draw_form(Ui& ui, float right, float y, bool expert);

// Overlays, in the middle of a window of this size.
void draw_palette(Ui& ui, float width, float height, const State& state,
                  const std::vector<PaletteEntry>& entries);
struct SettingsView {
  std::string palette;
  int font_size = 15;
  std::string language;
  std::string file;  ///< where they are kept; "" if nowhere
};
void draw_settings(Ui& ui, float width, float height, const SettingsView& view);
/// A message that stays until Escape.
void draw_notice(Ui& ui, float width, float height, const std::string& text);
void draw_keys(Ui& ui, float width, float height);

}  // namespace rocdrill::gui
