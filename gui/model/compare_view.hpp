// Two runs side by side: which of their events are the same, and where each layer first differs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gui/model/detail_view.hpp"

namespace rocdrill::gui {

/// Pairs the events of two runs. Two are the same if layer, kind, subject and the fields asked,
/// got, did and status are; times and numbers do not count. Made once; neither run may grow.
class Comparison {
 public:
  struct Pair {
    EventId first = no_event;  ///< no_event: only the other run has it
    EventId second = no_event;
    bool same() const { return first != no_event && second != no_event; }
  };
  /// Both must outlive it.
  Comparison(const Story& first, const Story& second);

  const Story& first() const { return first_; }
  const Story& second() const { return second_; }
  /// All events of both, in order.
  const std::vector<Pair>& pairs() const { return pairs_; }
  /// Index of the pair that holds event `now` of the first run; 0 for no_event.
  std::size_t at(EventId now) const;
  /// The first difference of a layer, whatever the others do; no_event on a side that has ended,
  /// on both if it does not differ. Injected faults do not count.
  Pair divergence(Layer layer) const { return diverged_[static_cast<std::size_t>(layer)]; }
  /// Indices of the pairs that are not the same.
  const std::vector<std::size_t>& differences() const { return differences_; }

 private:
  const Story& first_;
  const Story& second_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> pair_of_;  ///< by event of the first run
  std::vector<std::size_t> differences_;
  std::array<Pair, lane_count> diverged_{};
};

/// A layer in both runs.
struct CompareLayer {
  Layer layer = Layer::host;
  LayerState first = LayerState::not_reached;  ///< at the end
  LayerState second = LayerState::not_reached;
  bool differs = false;
  EventId in_first = no_event;
  EventId in_second = no_event;
  std::string first_text;  ///< "modprobe.not_found amdgpu"; "" if that run has no more events
  std::string second_text;
};

/// One line of both runs.
struct CompareRow {
  EventRow first;  ///< id no_event: nothing happened here
  EventRow second;
  bool same = true;
  bool current = false;
};

struct CompareView {
  bool ready = false;  ///< there is something to compare with
  std::string first_title;
  std::string second_title;
  std::vector<CompareLayer> layers;     ///< framework first, the operating system last
  std::vector<CompareRow> rows;         ///< around now
  std::vector<DetailRow> first_detail;  ///< asked, got, did, status of the current line
  std::vector<DetailRow> second_detail;
  std::size_t differences = 0;
  std::size_t difference = 0;  ///< how many of them there are up to now
};

/// `comparison` may be null: there is no other run. At most `most_rows` rows.
CompareView compare_view(const Comparison* comparison, const State& state, std::size_t most_rows);

/// The event of the first run to go to from `now` for the next (or previous) difference: one of its
/// own, or the last one before what only the other run has. no_event if there is none.
EventId next_difference(const Comparison& comparison, EventId now, bool forward);

}  // namespace rocdrill::gui
