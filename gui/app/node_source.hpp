// The node behind a window, whether it is a recorded run's or one that runs: what can be asked of
// it. Questions are slow and come from a thread (background.hpp).
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/engine/recording.hpp"

namespace rocdrill::gui {

class Attached;

class NodeSource {
 public:
  virtual ~NodeSource() = default;
  /// Answers to questions about moments with the same number are the same.
  virtual std::size_t state_of(EventId now) const = 0;
  /// Whether it only knows the present, which moves on: an answer of a moment ago is better than
  /// none.
  virtual bool present_only() const = 0;

  virtual std::optional<scenarios::Evidence> look(EventId now, const std::string& command,
                                                  EventId about) = 0;
  virtual std::vector<checks::Result> check(EventId now) = 0;
  virtual scenarios::Versions versions(EventId now) = 0;
  virtual scenarios::Topology topology(EventId now) = 0;
  /// As the node's user reads it; the error says why that is not possible.
  virtual std::expected<std::string, std::string> read_file(EventId now,
                                                            const std::string& path) = 0;
};

/// Of a run that was recorded; `recording` outlives it.
std::unique_ptr<NodeSource> recorded_node(const scenarios::Recording& recording);
/// Of a node that runs; `attached` outlives it.
std::unique_ptr<NodeSource> running_node(const Attached& attached);

}  // namespace rocdrill::gui
