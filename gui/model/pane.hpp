// The parts of a window.
#pragma once

#include <cstdint>
#include <string_view>

namespace rocdrill::gui {

enum class Pane : std::uint8_t {
  bar,
  drills,
  stack,
  detail,
  brief,
  timeline,
  terminal,
  tasks,
  queues,
  topology,
  waves,
  compare
};
std::string_view name(Pane pane);

/// The edge of a pane that can be dragged: the inner one.
enum class Edge : std::uint8_t { left, right, bottom };  ///< where in the window the pane is

}  // namespace rocdrill::gui
