// One layer at one moment: what it asked, got and did, because of what, and what an operator sees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/model/stack_view.hpp"
#include "scenarios/engine/evidence.hpp"

namespace rocdrill::gui {

struct DetailRow {
  std::string label;  ///< key of the strings: "detail.asked"
  std::string text;
  EventId link = no_event;  ///< of "because"
  bool mono = false;
};

struct EventRow {
  EventId id = no_event;
  std::string time;
  Severity severity = Severity::info;
  std::string kind;
  std::string subject;
  bool current = false;
};

/// The last ones up to `now`, at most `most`; `events` are in order.
std::vector<EventRow> latest(const Story& story, const std::vector<EventId>& events, EventId now,
                             std::size_t most);

struct DetailView {
  Layer layer = Layer::silicon;
  LayerState state = LayerState::not_reached;
  EventId event = no_event;  ///< that is told about; no_event: nothing happened here yet
  std::string time;
  std::string what;  ///< "modprobe.not_found amdgpu"
  std::vector<DetailRow> rows;
  std::string shows;                  ///< the line that an operator sees, "" if none
  std::vector<std::string> commands;  ///< that show it, the most telling first
  std::string command;                ///< the chosen one; "" if there is none
  std::vector<EventRow> events;       ///< the layer's, up to now, the last ones
};

/// At most `most_events` rows of events.
DetailView detail_view(const Story& story, const State& state, std::size_t most_events);

/// A line of the cause chain.
struct WhyRow {
  EventId event = no_event;
  Layer layer = Layer::host;
  Severity severity = Severity::info;
  std::string kind;
  std::string subject;
  std::string sentence;  ///< "asked for X, got Y: Z"
  bool current = false;
};

/// From the top symptom that there is now down to the fault; empty while nothing is wrong. Of
/// several events of one kind in a row, such as one per GPU, the last.
std::vector<WhyRow> why_view(const Story& story, const State& state);

}  // namespace rocdrill::gui
