// What a window looks at: a drill that is recorded, a history, a node that runs; and the moment.
#include <algorithm>
#include <cmath>

#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

std::string Workspace::open(const std::string& drill) {
  try {
    scenarios::RunOptions run = options_.run;
    run.queue_events = cp::EventLevel::transitions;  // for the queues' layout
    auto recorded = scenarios::record_drill(options_.data, drill, run);
    if (!recorded) return scenarios::text(recorded.error());
    practice_.reset();
    background_.reset();  // before what it looks at
    recording_ = std::move(*recorded);
    attached_.reset();
    timeline_.reset();
    title_.clear();
    forget_comparison();
    story_ = std::make_unique<Story>(recording_->timeline());
    background_ = std::make_unique<Background>(recorded_node(*recording_));
    story_->compare_with(recording_->healthy());
    to_the_end();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string Workspace::attach(const std::string& session, std::string title) {
  try {
    auto attached = std::make_unique<Attached>(session);
    open_timeline({}, std::move(title));
    attached_ = std::move(attached);
    background_ = std::make_unique<Background>(running_node(*attached_));
    follow();
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

void Workspace::follow() {
  bool restarted = false;
  const bool at_end = state_.now == story_->last();
  const Span before = state_.span;
  if (attached_->poll(*timeline_, restarted)) {
    const bool all_in_view = before == opened(*story_).span;
    if (restarted) {
      story_ = std::make_unique<Story>(*timeline_);
      state_.bookmarks.clear();
      background_ = std::make_unique<Background>(running_node(*attached_));  // other numbers now
    } else {
      story_->extend();
    }
    const State fresh = opened(*story_);
    if (at_end || restarted) state_.now = fresh.now;
    if (all_in_view || restarted) state_.span = fresh.span;
  }
  if (const std::string problem = attached_->problem(); !problem.empty() && problem != told_) {
    told_ = problem;
    notice_ = problem;
  }
}

void Workspace::open_timeline(Timeline timeline, std::string title) {
  practice_.reset();
  background_.reset();  // before what it looks at
  attached_.reset();
  forget_comparison();
  timeline_ = std::make_unique<Timeline>(std::move(timeline));
  story_ = std::make_unique<Story>(*timeline_);
  background_ = std::make_unique<Background>(nullptr);
  recording_.reset();
  title_ = std::move(title);
  to_the_end();
}

/// A fresh look, in the form and the sizes that the person has chosen.
void Workspace::to_the_end() {
  State fresh = opened(*story_);
  fresh.expert = state_.expert;
  fresh.sizes = std::move(state_.sizes);
  state_ = std::move(fresh);
}

bool Workspace::go_to(const std::string& moment) {
  std::size_t used = 0;
  double value = -1;
  const bool number = moment.starts_with('#');
  try {
    value = std::stod(number ? moment.substr(1) : moment, &used);
  } catch (const std::exception&) {
    return false;
  }
  if (number) used += 1;
  const std::string unit = moment.substr(used);
  if (!(value >= 0) || value > 1e9) return false;
  if (number) {
    if (!unit.empty()) return false;
    gui::apply(intent::GoTo{static_cast<EventId>(value)}, state_, *story_);
    return true;
  }
  if (!unit.empty() && unit != "s" && unit != "ms") return false;
  const auto time = static_cast<std::uint64_t>(std::llround(value * (unit == "ms" ? 1e6 : 1e9)));
  EventId last = no_event;
  while (last < story_->last() && story_->timeline().time_of(last + 1) <= time) ++last;
  gui::apply(intent::GoTo{std::max<EventId>(last, 1)}, state_, *story_);
  return true;
}

}  // namespace rocdrill::gui
