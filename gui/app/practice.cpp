#include "gui/app/practice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/interpose/protocol/message.hpp"
#include "sim/interpose/server/session.hpp"

namespace rocdrill::gui {
namespace {

using interpose::Json;
using namespace std::chrono_literals;

constexpr auto log_interval = 500ms;

/// A name that no other window has.
std::string session_name(const std::string& drill) {
  static int count = 0;
  return fmt::format("{}.gui.{}.{}", drill, ::getpid(), ++count);
}

std::vector<std::string> shell_words(const PracticeRequest& request, const std::string& name) {
  std::vector<std::string> words{request.rocdrill,
                                 "shell",
                                 request.drill,
                                 "--name",
                                 name,
                                 "--seed",
                                 std::to_string(request.seed)};
  if (!request.data.empty()) words.insert(words.end(), {"--data", request.data});
  return words;
}

checks::Status status_of(const std::string& text) {
  for (const auto status : {checks::Status::pass, checks::Status::fail, checks::Status::not_reached,
                            checks::Status::not_modelled}) {
    if (checks::name(status) == text) return status;
  }
  return checks::Status::not_reached;
}

scenarios::TaskStatus task_status_of(const std::string& text) {
  for (const auto status : {scenarios::TaskStatus::passed, scenarios::TaskStatus::failed}) {
    if (scenarios::name(status) == text) return status;
  }
  return scenarios::TaskStatus::open;
}

std::optional<scenarios::DrillTask::Kind> task_of(const std::string& text) {
  using Kind = scenarios::DrillTask::Kind;
  for (const Kind kind : {Kind::detect, Kind::localise, Kind::root_cause, Kind::mitigate}) {
    if (scenarios::name(kind) == text) return kind;
  }
  return std::nullopt;
}

std::vector<checks::Result> checks_of(const Json& reply) {
  std::vector<checks::Result> results;
  for (const auto& one : reply.at("checks")) {
    results.push_back(
        {.id = one.at("id"),
         .step = one.at("step"),
         .layer = layer_from_name(one.at("layer").get<std::string>()).value_or(Layer::host),
         .title = one.at("title"),
         .status = status_of(one.at("status")),
         .evidence = one.at("evidence"),
         .next = one.at("next")});
  }
  return results;
}

std::vector<scenarios::TaskResult> tasks_of(const Json& reply) {
  std::vector<scenarios::TaskResult> results;
  for (const auto& one : reply.at("tasks")) {
    results.push_back({.kind = task_of(one.at("task")).value_or(scenarios::DrillTask::Kind::detect),
                       .status = task_status_of(one.at("status")),
                       .is_answer = one.at("answer"),
                       .ask = one.at("ask"),
                       .open_because = one.at("open_because"),
                       .points = one.at("points")});
  }
  return results;
}

/// "kernel/dkms build": where the layer ends; 0 if it names none.
std::size_t layer_end(const std::string& choice) {
  const std::size_t slash = choice.find('/');
  return slash != std::string::npos && layer_from_name(choice.substr(0, slash)) ? slash : 0;
}

}  // namespace

Practice::Practice(PracticeRequest request, int columns, int rows)
    : request_(std::move(request)),
      name_(session_name(request_.drill)),
      terminal_(columns, rows),
      story_(std::make_unique<Story>(timeline_)) {
  session_ = (interpose::sessions_folder() / name_).string();
  terminal_.start(shell_words(request_, name_));
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Practice::~Practice() {
  thread_.request_stop();
  changed_.notify_all();
}

void Practice::ask(std::string op, std::string message) {
  const std::scoped_lock lock(mutex_);
  questions_.emplace_back(std::move(op), std::move(message));
  changed_.notify_all();
}

void Practice::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !questions_.empty(); })) {
    const auto [op, message] = questions_.front();
    questions_.pop_front();
    busy_ = op != "log";
    lock.unlock();
    Reply reply{op, {}, {}};
    try {
      const int fd = interpose::connect_to_session(session_);
      try {
        const Json told = interpose::request(fd, Json::parse(message));
        if (told.value("errno", 0) != 0) {
          reply.problem = told.value("error", std::string("the node refused"));
        } else {
          reply.text = told.dump(-1, ' ', false, Json::error_handler_t::replace);
        }
      } catch (...) {
        ::close(fd);
        throw;
      }
      ::close(fd);
    } catch (const std::exception& error) {
      reply.problem = error.what();
    }
    lock.lock();
    busy_ = false;
    replies_.push_back(std::move(reply));
    changed_.notify_all();
  }
}

void Practice::take(const Reply& reply) {
  if (reply.op == "log") log_asked_ = false;
  if (!reply.problem.empty()) {
    if (reply.op != "log") message_ = {"", reply.problem};  // the node may still be starting
    return;
  }
  const Json told = Json::parse(reply.text);
  if (reply.op == "log") {
    if (told.at("last") < events_) {  // undone: the history is shorter
      lines_.clear();
      events_ = 0;
      return;
    }
    const std::string more = told.at("lines");
    if (more.empty()) return;
    lines_ += more;
    events_ = told.at("last");
    if (auto read = Timeline::from_json_lines(lines_)) {
      timeline_ = std::move(*read);
      story_ = std::make_unique<Story>(timeline_);
    }
  } else if (reply.op == "check" || reply.op == "answer") {
    checks_ = checks_of(told);
    checked_ = true;
    progress_.repaired = told.at("passed");
    if (told.contains("tasks")) progress_.results = tasks_of(told);
    progress_.hint_cost = told.value("hint_cost", progress_.hint_cost);
    message_ = {};
  } else if (reply.op == "hint") {
    const std::string text = told.at("text");
    message_ = text.empty() ? Message{"practice.no-hints", ""} : Message{};
    if (text.empty()) return;
    progress_.hint_cost += told.value("cost", 0);
    if (const auto kind = task_of(told.at("task"))) progress_.hints.emplace_back(*kind, text);
  } else if (reply.op == "undo") {
    message_ = {"practice.undone", told.at("undone").get<std::string>()};
    lines_.clear();
    events_ = 0;
  }
}

void Practice::poll() {
  if (terminal_.poll()) last_output_ = std::chrono::steady_clock::now();
  std::deque<Reply> replies;
  {
    const std::scoped_lock lock(mutex_);
    replies.swap(replies_);
  }
  for (const Reply& reply : replies) take(reply);
  const auto now = std::chrono::steady_clock::now();
  if (!log_asked_ && now >= next_log_ && terminal_.running()) {
    next_log_ = now + log_interval;
    log_asked_ = true;
    ask("log", Json{{"op", "log"}, {"since", events_}}.dump());
  }
}

void Practice::check() { ask("check", R"({"op":"check"})"); }
void Practice::hint() { ask("hint", R"({"op":"hint"})"); }
void Practice::undo() { ask("undo", R"({"op":"undo"})"); }

void Practice::answer(scenarios::DrillTask::Kind task, const std::string& choice) {
  progress_.answers[task] = choice;
  const std::size_t slash = layer_end(choice);
  ask("answer", Json{{"op", "answer"},
                     {"task", name(task)},
                     {"choice", choice.substr(slash == 0 ? 0 : slash + 1)},
                     {"layer", choice.substr(0, slash)}}
                    .dump());
}

bool Practice::ready() const {
  const auto quiet = std::chrono::steady_clock::now() - last_output_;
  return !terminal_.running() ||
         (events_ > 0 && last_output_.time_since_epoch().count() != 0 && quiet > 400ms);
}

void Practice::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return questions_.empty() && !busy_; });
  lock.unlock();
  poll();
}

}  // namespace rocdrill::gui
