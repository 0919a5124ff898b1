// A drill's run, kept so that it can be looked at as of any moment: its timeline, and the node as
// it was after every task.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/engine/evidence.hpp"
#include "scenarios/engine/run.hpp"
#include "scenarios/engine/topology.hpp"
#include "scenarios/engine/versions.hpp"

namespace rocdrill::scenarios {

class Recording {
 public:
  /// Runs the drill. Throws std::runtime_error as run_drill() does.
  Recording(ResolvedDrill drill, sim::NodeSpec spec, RunOptions options);

  const ResolvedDrill& drill() const { return drill_; }
  const sim::NodeSpec& spec() const { return spec_; }
  const Timeline& timeline() const { return timeline_; }
  /// Of the same run without the fault; made when it is first asked for.
  const Timeline& healthy() const;

  // What follows looks at a copy of the node and leaves no trace in the timeline. Slow (up to a
  // second on a node with eight GPUs); may be called from any thread.

  /// Which state of the node an event is in: looks with the same number give the same answer. A
  /// task is atomic: the state is that at its end.
  std::size_t state_of(EventId now) const;
  std::optional<Evidence> look(EventId now, std::string_view command, EventId about) const;
  std::vector<checks::Result> check(EventId now) const;
  Versions versions(EventId now) const;
  Topology topology(EventId now) const;
  /// A file as the node's user reads it; nullopt if that is not possible.
  std::optional<std::string> read_file(EventId now, const std::string& path) const;

 private:
  struct State {
    EventId until = no_event;  ///< last event of the task
    std::string saved;
  };
  sim::Node& node_at(std::size_t state) const;  ///< with mutex_ held

  ResolvedDrill drill_;
  sim::NodeSpec spec_;
  RunOptions options_;
  Timeline timeline_;
  std::vector<State> states_;  ///< the first: installed, powered off
  mutable std::mutex mutex_;
  mutable std::optional<Timeline> healthy_;
  mutable std::unique_ptr<sim::Node> copy_;
};

/// The drill of that name with its device code, run. The problems are those of its files.
Loaded<std::unique_ptr<Recording>> record_drill(const DataPath& data, std::string_view id,
                                                RunOptions options);

}  // namespace rocdrill::scenarios
