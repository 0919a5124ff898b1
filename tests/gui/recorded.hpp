// Drills for the window's tests: recorded once for all tests of the program.
#pragma once

#include <map>
#include <memory>

#include "gui/model/intent.hpp"
#include "gui/model/story.hpp"
#include "scenarios/engine/recording.hpp"
#include "support/nodes.hpp"

namespace rocdrill::gui {

struct Recorded {
  std::unique_ptr<scenarios::Recording> recording;
  std::unique_ptr<Story> story;
};

inline std::unique_ptr<scenarios::Recording> record(const std::string& id) {
  auto made = scenarios::record_drill(
      test::data(), id, {.queue_events = cp::EventLevel::transitions});  // as the window does
  if (!made) throw std::runtime_error(scenarios::text(made.error()));
  return std::move(*made);
}

inline const Recorded& recorded(const std::string& id) {
  static std::map<std::string, Recorded> all;
  Recorded& one = all[id];
  if (!one.recording) {
    one.recording = record(id);
    one.story = std::make_unique<Story>(one.recording->timeline());
    one.story->compare_with(one.recording->healthy());
  }
  return one;
}

/// The first event of that kind.
inline EventId event_of(const Story& story, std::string_view kind) {
  const auto found = story.timeline().find({.kind_prefix = kind});
  return found.empty() ? no_event : found.front();
}

}  // namespace rocdrill::gui
