// Which view-model goes into which pane.
#include <algorithm>

#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

EvidenceView Workspace::evidence_of(const DetailView& view) {
  EvidenceView evidence;
  evidence.present = background_->present_only();
  if (view.command.empty() || !background_->has_node()) return evidence;
  const auto* answer = background_->look(state_.now, view.command, view.event);
  if (!answer) {
    evidence.state = EvidenceView::State::looking;
    evidence.evidence.command = view.command;
  } else if (!*answer) {
    evidence.state = EvidenceView::State::not_there;
  } else {
    evidence.state = EvidenceView::State::ready;
    evidence.evidence = **answer;
  }
  return evidence;
}

BriefView Workspace::practice_brief() const {
  Progress progress = practice_->progress();
  progress.revealed = state_.debrief;
  BriefView view = brief_view(recording_->drill().drill, recording_->spec().title,
                              practice_->check_results(), progress);
  view.checks_asked = practice_->busy();
  return view;
}

BriefView Workspace::brief() {
  if (recording_) {
    return brief_view(recording_->drill().drill, recording_->spec().title,
                      background_->check(state_.now), {});
  }
  if (!attached_) return {};
  scenarios::Drill drill;
  drill.id = attached_->ticket().id;
  drill.title = attached_->ticket().title;
  drill.brief = attached_->ticket().text;
  return brief_view(drill, attached_->node(), background_->check(state_.now), {});
}

StackView Workspace::live_stack() const {
  State live;  // the end of the node's own history
  live.now = practice_->story().last();
  live.layer = state_.layer;
  return stack_view(practice_->story(), live, nullptr);
}

namespace {

/// Whether the stack gives nothing away any more.
bool located(const BriefView& brief) {
  if (brief.debrief.known) return true;
  return std::ranges::none_of(brief.tasks, [](const TaskView& task) {
    return task.asks_layer && task.status != scenarios::TaskStatus::passed;
  });
}

}  // namespace

void Workspace::draw_pane(Ui& ui, const Placed& placed) {
  switch (placed.pane) {
    case Pane::bar: {
      BarView bar{.title = {},
                  .node = {},
                  .layout = state_.layout,
                  .practice = !options_.rocdrill.empty() && recording_};
      bar.replay = recording_ || timeline_;
      bar.title = state_.layout == Layout::drills ? std::string() : title_;
      if (recording_ && state_.layout != Layout::drills) {
        bar.title = recording_->drill().drill.title;
        bar.node = recording_->spec().title;
      }
      if (attached_ && state_.layout != Layout::drills && attached_->node() != title_)
        bar.node = attached_->node();
      draw_bar(ui, placed.rect, bar);
      break;
    }
    case Pane::stack:
      if (state_.layout == Layout::practice && practice_) {
        const BriefView brief = practice_brief();
        const StackView stack = live_stack();
        draw_practice_stack(ui, placed.rect, located(brief) ? &stack : nullptr, brief,
                            state_.expert);
      } else {
        StackView stack = stack_view(*story_, state_, background_->versions(state_.now));
        if (background_->has_node() &&
            stack.versions.empty()) {  // asked for; nothing moves when they come
          for (const char* what : {"microcode", "amdgpu", "ROCr"})
            stack.versions.push_back({what, "\xE2\x80\xA6", LayerState::not_reached});
        }
        draw_stack(ui, placed.rect, stack, state_.expert);
      }
      break;
    case Pane::detail: {
      const DetailView view = detail_view(*story_, state_, 64);
      draw_detail(ui, placed.rect, view, evidence_of(view));
      break;
    }
    case Pane::brief: {
      draw_brief(ui, placed.rect, brief(), why_view(*story_, state_), false);
      break;
    }
    case Pane::timeline:
      draw_timeline(ui, placed.rect, *story_, state_, focus_filter_);
      focus_filter_ = false;
      break;
    case Pane::drills:
      draw_drills(ui, placed.rect, drills(), state_);
      break;
    case Pane::topology:
      draw_topology(
          ui, placed.rect,
          topology_view(background_->topology(state_.now), background_->has_node(), state_),
          state_.expert);
      break;
    case Pane::queues:
      draw_queues(ui, placed.rect, queue_view(*story_, state_, ring_cells, 24), state_.expert);
      break;
    case Pane::compare:
      draw_compare(ui, placed.rect, compared(ui.words, compare_rows(ui, placed.rect)));
      break;
    case Pane::waves:
      draw_waves(ui, placed.rect, waves());
      break;
    case Pane::terminal:
      if (practice_)
        draw_terminal(ui, placed.rect, practice_->terminal().view(), terminal_focused());
      break;
    case Pane::tasks:
      if (practice_)
        draw_tasks(ui, placed.rect,
                   {practice_brief(), practice_->busy(), practice_message(ui.words)}, state_);
      break;
  }
}

}  // namespace rocdrill::gui
