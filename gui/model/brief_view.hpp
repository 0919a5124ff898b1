// The ticket, how far the drill is solved, and what was learnt.
#pragma once

#include <string>
#include <vector>

#include "scenarios/engine/grading.hpp"

namespace rocdrill::gui {

/// A check of the bring-up script, with what was seen where it failed.
struct CheckRow {
  std::string title;
  Layer layer = Layer::silicon;
  int step = 0;  ///< of the bring-up script, 1 to 6; 0 for a finer check
  checks::Status status = checks::Status::not_reached;
  std::string evidence;
  std::string next;
};

struct ChoiceView {
  std::string text;
  std::string answer;  ///< as scenarios::Answers takes it
  bool given = false;
};

struct TaskView {
  int number = 0;
  scenarios::DrillTask::Kind kind = scenarios::DrillTask::Kind::detect;
  std::string ask;
  scenarios::TaskStatus status = scenarios::TaskStatus::open;
  std::string open_because;
  int points = 0;
  std::vector<ChoiceView> choices;  ///< none: a state of the node
  bool asks_layer = false;          ///< answers name a layer, too
  std::vector<std::string> hints;   ///< those given, in order
};

struct DebriefView {
  bool known = false;  ///< may be shown
  std::string chain;
  std::string command;
  std::string shows;
  std::vector<std::string> look_alikes;
  std::vector<std::string> sources;
};

struct BriefView {
  std::string id;
  std::string title;
  std::string node;
  std::vector<std::string> paragraphs;
  std::vector<TaskView> tasks;
  std::vector<CheckRow> checks;
  bool checks_asked = true;   ///< else nobody has asked for them yet
  bool checks_known = false;  ///< else they are being run, or there is no node
  int points = 0;             ///< had so far
  int possible = 0;
  int hint_cost = 0;
  bool repaired = false;
  DebriefView debrief;
};

/// How a drill stands.
struct Progress {
  std::vector<scenarios::TaskResult> results;  ///< empty: not graded
  scenarios::Answers answers;
  std::vector<std::pair<scenarios::DrillTask::Kind, std::string>> hints;
  int hint_cost = 0;
  bool repaired = false;
  bool revealed = false;  ///< the answer may be shown
};

/// `checks` may be null: not run yet.
BriefView brief_view(const scenarios::Drill& drill, const std::string& node,
                     const std::vector<checks::Result>* checks, const Progress& progress);

/// Text that was wrapped by hand becomes paragraphs that can be wrapped anew; lines that look like
/// a mail's header stay lines.
std::vector<std::string> paragraphs_of(const std::string& text);

}  // namespace rocdrill::gui
