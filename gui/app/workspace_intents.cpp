// What the workspace and its shell do when a person wants something.
#include <algorithm>
#include <system_error>

#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

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

/// Moves the seam at that edge of the layout that is shown; nullopt: it has none.
std::optional<intent::Resize> Workspace::moved(const intent::MoveSeam& move) const {
  const auto all = seams(placed_, scale_);
  const auto seam = std::ranges::find(all, move.at, &Seam::at);
  if (seam == all.end()) return std::nullopt;
  const int size = seam->size + (move.at == Edge::left ? move.by : -move.by);
  return intent::Resize{seam->pane, std::clamp(size, least_pane, most_pane)};
}

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
  for (const Intent& asked : intents) {
    if (perform(asked)) continue;
    Intent intent = asked;
    if (const auto* move = std::get_if<intent::MoveSeam>(&asked)) {
      const auto resize = moved(*move);
      if (!resize) continue;
      intent = *resize;
    }
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
