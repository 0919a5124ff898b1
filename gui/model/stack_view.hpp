// The stack at one moment: nine layers, silicon at the bottom, and which broke which.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/model/story.hpp"
#include "scenarios/engine/versions.hpp"

namespace rocdrill::gui {

using scenarios::LayerState;

struct StackRow {
  Layer layer = Layer::silicon;
  LayerState state = LayerState::not_reached;
  EventId telling = no_event;
  bool chosen = false;   ///< shown in the detail
  bool current = false;  ///< the layer of the last event
  std::size_t events = 0;
  std::string subject;  ///< of the telling event; for the expert form
  std::string kind;
};

/// The telling event of `to` was caused, maybe by way of others, by one of layer `from`.
struct CauseArrow {
  Layer from = Layer::silicon;
  Layer to = Layer::silicon;
};

/// Firmware, driver and user space side by side.
struct VersionCell {
  std::string what;
  std::string version;
  LayerState state = LayerState::not_reached;
};

struct StackView {
  std::vector<StackRow> rows;  ///< framework first, as drawn
  std::vector<CauseArrow> arrows;
  std::vector<VersionCell> versions;
  std::string verdict;  ///< "supported", "unsupported", "unknown"; "" if there are no versions
  std::string reason;
};

/// The layer that the detail shows: the chosen one, else that of the last event, else (before power
/// on, or for events of the operating system) the faulty one.
Layer shown_layer(const Story& story, const State& state);

/// `versions` may be null: none are known.
StackView stack_view(const Story& story, const State& state, const scenarios::Versions* versions);

}  // namespace rocdrill::gui
