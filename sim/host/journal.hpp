// Where every component records what happens to it: the node's timeline at the node's time.
#pragma once

#include <initializer_list>

#include "sim/host/scheduler.hpp"
#include "stack/timeline.hpp"

namespace rocdrill::sim {

class Journal {
 public:
  Journal(Timeline& timeline, Clock& clock) : timeline_(timeline), clock_(clock) {}

  EventId record(Layer layer, Severity severity, std::string_view kind, std::string_view subject,
                 std::initializer_list<Field> fields, EventId cause) {
    if (muted_) return no_event;
    return timeline_.record({.time_ns = clock_.now(),
                             .layer = layer,
                             .severity = severity,
                             .kind = kind,
                             .subject = subject,
                             .fields = {fields.begin(), fields.size()},
                             .cause = cause});
  }
  /// A request that the simulator does not model: refused, and said so.
  EventId unmodelled(Layer layer, std::string_view what, std::string_view refused_with,
                     EventId cause) {
    return record(
        layer, Severity::unmodelled, "unmodelled", what,
        {{field::did, "refused: rocdrill does not model this"}, {field::status, refused_with}},
        cause);
  }

  /// While a node is made from its description nothing has happened to it yet.
  void mute(bool muted) { muted_ = muted; }
  Timeline& timeline() { return timeline_; }
  Clock& clock() { return clock_; }

 private:
  Timeline& timeline_;
  Clock& clock_;
  bool muted_ = false;
};

}  // namespace rocdrill::sim
