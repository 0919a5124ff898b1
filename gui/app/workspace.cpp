#include "gui/app/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace rocdrill::gui {
Workspace::Workspace(WorkspaceOptions options) : options_(std::move(options)) {
  static const Timeline nothing;
  story_ = std::make_unique<Story>(nothing);
  background_ = std::make_unique<Background>(nullptr);
  state_ = opened(*story_);
}

Workspace::~Workspace() = default;

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
    background_ = std::make_unique<Background>(recording_.get());
    story_->compare_with(recording_->healthy());
    const bool expert = state_.expert;
    state_ = opened(*story_);
    state_.expert = expert;
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
  attached_.reset();
  background_.reset();
  forget_comparison();
  timeline_ = std::make_unique<Timeline>(std::move(timeline));
  story_ = std::make_unique<Story>(*timeline_);
  background_ = std::make_unique<Background>(nullptr);
  recording_.reset();
  title_ = std::move(title);
  state_ = opened(*story_);
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

void Workspace::advance(double seconds) {
  gui::advance(state_, *story_, seconds);
  if (practice_) practice_->poll();
  if (attached_) follow();
}

void Workspace::settle() {
  background_->wait();
  if (practice_) practice_->settle();
}

const std::vector<DrillRow>& Workspace::drills() {
  if (!drills_read_) drills_ = read_drills(options_.data);
  drills_read_ = true;
  if (drills_sorted_ != state_.sort) sort_drills(drills_, static_cast<DrillColumn>(state_.sort));
  drills_sorted_ = state_.sort;
  return drills_;
}

EvidenceView Workspace::evidence_of(const DetailView& view) {
  EvidenceView evidence;
  if (view.command.empty() || !recording_) return evidence;
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
        if (recording_ && stack.versions.empty()) {  // asked for; nothing moves when they come
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
      const BriefView brief = recording_
                                  ? brief_view(recording_->drill().drill, recording_->spec().title,
                                               background_->check(state_.now), {})
                                  : BriefView{};
      draw_brief(ui, placed.rect, brief, why_view(*story_, state_), false);
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
      draw_topology(ui, placed.rect,
                    topology_view(background_->topology(state_.now), recording_ != nullptr, state_),
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

std::vector<PaletteEntry> Workspace::entries(const Strings& words) const {
  const bool practised = state_.layout == Layout::practice && practice_;
  return palette_entries(state_.palette, words, drills_,
                         practised ? practice_brief().tasks : std::vector<TaskView>());
}

void Workspace::draw_overlay(Ui& ui, float width, float height, const SettingsView& settings) {
  switch (state_.overlay) {
    case Overlay::palette:
      drills();
      draw_palette(ui, width, height, state_, entries(ui.words));
      break;
    case Overlay::keys:
      draw_keys(ui, width, height);
      break;
    case Overlay::settings:
      draw_settings(ui, width, height, settings);
      break;
    case Overlay::none:
      break;
  }
}

Intents Workspace::draw(Ui& ui, float width, float height, const SettingsView& settings) {
  Intents others = keys(ui.words);
  if (state_.layout == Layout::practice && !practice_) start_practice(ui.words);
  for (const Placed& placed : arrange(state_.layout, width, height, ui.scale))
    draw_pane(ui, placed);
  draw_overlay(ui, width, height, settings);
  if (!notice_.empty()) draw_notice(ui, width, height, notice_);
  const Intents more = apply(std::exchange(ui.intents, {}));
  others.insert(others.end(), more.begin(), more.end());
  return others;
}

std::string Workspace::practice_message(const Strings& words) const {
  const auto& [key, text] = practice_->message();
  if (key.empty()) return text;
  return text.empty() ? words[key] : std::string(words[key]) + ": " + text;
}

void Workspace::start_practice(const Strings& words) {
  if (!recording_ || options_.rocdrill.empty()) {
    state_.layout = Layout::drills;
    return;
  }
  state_.terminal = true;
  try {
    practice_ = std::make_unique<Practice>(
        PracticeRequest{options_.rocdrill, recording_->drill().drill.id, options_.run.seed,
                        options_.data.root().string()},
        columns_, rows_);
  } catch (const std::system_error& error) {
    notice_ = std::string(words["practice.no-shell"]) + ": " + error.what();
    state_.layout = Layout::replay;
  }
}

namespace {

struct Perform {
  Workspace& workspace;
  Practice* practice;
  std::string& notice;

  bool operator()(const intent::Check&) const {
    if (practice) practice->check();
    return true;
  }
  bool operator()(const intent::Hint&) const {
    if (practice) practice->hint();
    return true;
  }
  bool operator()(const intent::Undo&) const {
    if (practice) practice->undo();
    return true;
  }
  bool operator()(const intent::TerminalScroll& scroll) const {
    if (practice) practice->terminal().scroll(scroll.lines);
    return true;
  }
  bool operator()(const intent::Answer& answer) const {
    if (!practice) return true;
    const auto& tasks = workspace.recording().drill().drill.tasks;
    if (answer.task >= 1 && answer.task <= static_cast<int>(tasks.size()))
      practice->answer(tasks[static_cast<std::size_t>(answer.task) - 1].kind, answer.choice);
    return true;
  }
  bool operator()(const intent::OpenDrill& open) const {
    notice = workspace.open(open.id);
    if (notice.empty())
      workspace.state().layout = open.practice ? Layout::practice : Layout::replay;
    return true;
  }
  bool operator()(const auto&) const { return false; }
};

/// The answer, once both of its parts are picked.
std::optional<intent::Answer> answer_of(const State& state, int task) {
  const auto layer = state.picked_layer.find(task);
  const auto part = state.picked_part.find(task);
  if (layer == state.picked_layer.end() || part == state.picked_part.end()) return std::nullopt;
  return intent::Answer{task, layer->second + "/" + part->second};
}

}  // namespace

bool Workspace::perform(const Intent& intent) {
  if (const auto* act = std::get_if<intent::Do>(&intent)) {
    if (act->action == "focus-filter") focus_filter_ = state_.layout == Layout::replay;
    if (act->action == "focus-terminal") state_.terminal = !state_.terminal;
    return act->action.starts_with("focus-");
  }
  if (std::holds_alternative<intent::Restart>(intent)) {
    practice_.reset();
    state_.picked_layer.clear();
    state_.picked_part.clear();
    return true;
  }
  if (const auto* size = std::get_if<intent::TerminalSize>(&intent)) {
    columns_ = size->columns;
    rows_ = size->rows;
    if (practice_) practice_->terminal().resize(columns_, rows_);
    return true;
  }
  if (const auto* next = std::get_if<intent::NextEvidence>(&intent)) {
    const DetailView view = detail_view(*story_, state_, 0);
    const auto at = std::ranges::find(view.commands, view.command) - view.commands.begin();
    const auto count = static_cast<std::ptrdiff_t>(view.commands.size());
    if (count > 0)
      state_.command = view.commands[static_cast<std::size_t>((at + next->by + count) % count)];
    return true;
  }
  if (choose_next(intent)) return true;
  return std::visit(Perform{*this, practice_.get(), notice_}, intent);
}

Intents Workspace::apply(const Intents& intents) {
  Intents others;
  for (const Intent& intent : intents) {
    if (perform(intent)) continue;
    gui::apply(intent, state_, *story_);
    const auto* layer = std::get_if<intent::PickLayer>(&intent);
    const auto* part = std::get_if<intent::PickPart>(&intent);
    if (layer || part) {
      if (const auto answer = answer_of(state_, layer ? layer->task : part->task)) perform(*answer);
    }
    others.push_back(intent);
  }
  return others;
}

}  // namespace rocdrill::gui
