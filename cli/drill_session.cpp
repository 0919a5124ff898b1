#include "cli/drill_session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>

#include "scenarios/engine/run.hpp"
#include "sim/host/users.hpp"

namespace rocdrill::cli {
namespace {

namespace fs = std::filesystem;
using interpose::Asker;
using interpose::Json;

constexpr std::size_t most_steps = 50;

}  // namespace

DrillSession::DrillSession(interpose::NodeServer& server,
                           std::optional<scenarios::ResolvedDrill> drill)
    : server_(server), drill_(std::move(drill)) {
  server.handle("session", [this](const Json&, const Asker&) { return session(); });
  server.handle("check", [this](const Json&, const Asker&) { return check(); });
  server.handle("answer", [this](const Json& request, const Asker&) { return answer(request); });
  server.handle("hint", [this](const Json&, const Asker&) { return hint(); });
  server.handle("undo", [this](const Json&, const Asker&) { return undo(); });
  server.handle("brief", [this](const Json&, const Asker&) { return brief(); });
  server.before_change([this](const std::vector<std::string>& words) {
    if (steps_.size() == most_steps) steps_.erase(steps_.begin());
    steps_.push_back({fmt::format("{}", fmt::join(words, " ")), server_.node().save()});
  });
}

Json DrillSession::session() const {
  const sim::Os& os = server_.node().os;
  const Identity& who = os.session;
  const auto user = sim::find_user(os.files, who.uid);
  Json environment = Json::object();
  for (const auto& [name, value] : os.session_environment) environment[name] = value;
  return {{"errno", 0},
          {"user", who.user},
          {"home", user ? user->home : "/"},
          {"identity",
           fmt::format("{}:{}:{}:{}", who.user, who.uid, who.gid, fmt::join(who.groups, ","))},
          {"hostname", os.hostname},
          {"node", server_.node().spec().id},
          {"drill", drill_ ? drill_->drill.id : ""},
          {"environment", std::move(environment)}};
}

Json DrillSession::check() {
  sim::Node& node = server_.node();
  Json checks = Json::array();
  const auto results = checks::run(node, scenarios::deployment_of(node.spec()));
  for (const checks::Result& result : results) {
    checks.push_back({{"id", result.id},
                      {"step", result.step},
                      {"layer", name(result.layer)},
                      {"title", result.title},
                      {"status", checks::name(result.status)},
                      {"evidence", result.evidence},
                      {"next", result.next}});
  }
  const checks::Result* failed = checks::first_failure(results);
  Json reply{{"errno", 0},
             {"node", node.spec().id},
             {"checks", std::move(checks)},
             {"first_failure", failed ? Json(failed->id) : Json()},
             {"passed", failed == nullptr}};
  if (!drill_) return reply;
  const auto graded = scenarios::grade(node, drill_->drill, answers_);
  Json tasks = Json::array();
  for (const scenarios::TaskResult& task : graded) {
    tasks.push_back({{"task", name(task.kind)},
                     {"status", scenarios::name(task.status)},
                     {"answer", task.is_answer},
                     {"ask", task.ask},
                     {"open_because", task.open_because},
                     {"points", task.points}});
  }
  reply["drill"] = drill_->drill.id;
  reply["tasks"] = std::move(tasks);
  reply["hint_cost"] = hint_cost_;
  reply["passed"] = scenarios::repaired(graded);
  return reply;
}

/// An answer stands until another is given. The reply is that of check.
Json DrillSession::answer(const Json& request) {
  if (!drill_) return {{"errno", EINVAL}, {"error", "this node is no drill: it asks nothing"}};
  const scenarios::Drill& drill = drill_->drill;
  const std::string asked = request.at("task");
  const auto task =
      std::ranges::find(drill.tasks, asked, [](const auto& one) { return name(one.kind); });
  const auto* question =
      task == drill.tasks.end() ? nullptr : std::get_if<scenarios::Answer>(&task->check);
  if (!question) {
    return {
        {"errno", EINVAL},
        {"error", fmt::format("no question is called '{}' (rocdrill brief lists them)", asked)}};
  }
  const std::string choice = request.at("choice");
  if (std::ranges::find(question->choices, choice) == question->choices.end())
    return {{"errno", EINVAL}, {"error", fmt::format("'{}' is not offered", choice)}};
  std::string given = choice;
  if (question->layer) {
    const auto layer = layer_from_name(request.at("layer").get<std::string>());
    if (!layer) {
      return {{"errno", EINVAL},
              {"error", fmt::format("'{}' is no layer", request.at("layer").get<std::string>())}};
    }
    given = fmt::format("{}/{}", name(*layer), choice);
  }
  answers_[task->kind] = std::move(given);
  return check();
}

Json DrillSession::hint() {
  if (!drill_) return {{"errno", EINVAL}, {"error", "this node is no drill: there are no hints"}};
  const auto graded = scenarios::grade(server_.node(), drill_->drill, answers_);
  const auto given = scenarios::next_hint(server_.node(), drill_->drill, graded, hints_);
  if (!given.hint) return {{"errno", 0}, {"text", ""}};
  hint_cost_ += given.hint->cost;
  return {{"errno", 0},
          {"task", name(given.task)},
          {"text", given.hint->text},
          {"cost", given.hint->cost},
          {"left", given.left}};
}

Json DrillSession::undo() {
  if (steps_.empty()) return {{"errno", EINVAL}, {"error", "there is nothing to undo"}};
  if (server_.node().kernel.kfd.open_files() > 0) {
    return {
        {"errno", EBUSY},
        {"error", "a program has a device of the node open: end it first (rocdrill node status)"}};
  }
  const Step step = std::move(steps_.back());
  steps_.pop_back();
  server_.restore(step.state);
  return {{"errno", 0}, {"undone", step.command}, {"left", steps_.size()}};
}

Json DrillSession::brief() const {
  if (!drill_) return {{"errno", EINVAL}, {"error", "this node is no drill: it has no ticket"}};
  Json tasks = Json::array();
  for (const scenarios::DrillTask& task : drill_->drill.tasks) {
    const auto* question = std::get_if<scenarios::Answer>(&task.check);
    const auto given = answers_.find(task.kind);
    tasks.push_back({{"task", name(task.kind)},
                     {"ask", task.ask},
                     {"points", task.points},
                     {"choices", question ? question->choices : std::vector<std::string>{}},
                     {"asks_layer", question && question->layer},
                     {"given", given == answers_.end() ? "" : given->second}});
  }
  return {{"errno", 0},
          {"id", drill_->drill.id},
          {"title", drill_->drill.title},
          {"brief", drill_->drill.brief},
          {"tasks", std::move(tasks)}};
}

void DrillSession::keep_transcript() const {
  const fs::path typed = server_.session().path() / "transcript";
  std::error_code error;
  if (!fs::exists(typed, error) || fs::file_size(typed, error) == 0) return;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if ((!state || !*state) && (!home || !*home)) return;
  const fs::path folder = (state && *state ? fs::path(state) : fs::path(home) / ".local/state") /
                          "rocdrill/transcripts";
  fs::create_directories(folder, error);
  char when[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(when, sizeof when, "%Y%m%d-%H%M%S", std::localtime(&now));
  fs::copy_file(typed, folder / fmt::format("{}-{}.txt", server_.session().name(), when),
                fs::copy_options::overwrite_existing, error);
}

}  // namespace rocdrill::cli
