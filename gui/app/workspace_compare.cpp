// The run that the window's is compared with.
#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

void Workspace::forget_comparison() {
  comparison_.reset();
  other_.reset();
  other_timeline_.reset();
  other_title_.clear();
}

void Workspace::compare_with(Timeline timeline, std::string title) {
  forget_comparison();
  other_timeline_ = std::make_unique<Timeline>(std::move(timeline));
  other_ = std::make_unique<Story>(*other_timeline_);
  other_title_ = std::move(title);
}

std::string Workspace::compare_with(const std::string& drill) {
  try {
    scenarios::RunOptions run = options_.run;
    run.queue_events = cp::EventLevel::transitions;
    auto recorded = scenarios::record_drill(options_.data, drill, run);
    if (!recorded) return scenarios::text(recorded.error());
    compare_with((*recorded)->timeline(), drill);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

const Comparison* Workspace::comparison() {
  if (!other_ && recording_) other_ = std::make_unique<Story>(recording_->healthy());
  if (!other_) return nullptr;
  if (!comparison_) comparison_ = std::make_unique<Comparison>(*story_, *other_);
  return comparison_.get();
}

CompareView Workspace::compared(const Strings& words, std::size_t most_rows) {
  CompareView view = compare_view(comparison(), state_, most_rows);
  view.first_title = recording_ ? recording_->drill().drill.id : title_;
  view.second_title = other_title_.empty() ? words["compare.healthy"] : other_title_;
  return view;
}

}  // namespace rocdrill::gui
