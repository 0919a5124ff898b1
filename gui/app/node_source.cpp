#include "gui/app/node_source.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "gui/app/attached.hpp"
#include "scenarios/engine/look_message.hpp"
#include "sim/interpose/protocol/message.hpp"

namespace rocdrill::gui {
namespace {

using scenarios::LookAnswer;
using scenarios::LookQuestion;

constexpr const char* unreadable = "the node's user cannot read it";

class RecordedNode final : public NodeSource {
 public:
  explicit RecordedNode(const scenarios::Recording& recording) : recording_(recording) {}
  std::size_t state_of(EventId now) const override { return recording_.state_of(now); }
  bool present_only() const override { return false; }
  std::optional<scenarios::Evidence> look(EventId now, const std::string& command,
                                          EventId about) override {
    return recording_.look(now, command, about);
  }
  std::vector<checks::Result> check(EventId now) override { return recording_.check(now); }
  scenarios::Versions versions(EventId now) override { return recording_.versions(now); }
  scenarios::Topology topology(EventId now) override { return recording_.topology(now); }
  std::expected<std::string, std::string> read_file(EventId now, const std::string& path) override {
    if (auto text = recording_.read_file(now, path)) return std::move(*text);
    return std::unexpected(unreadable);
  }

 private:
  const scenarios::Recording& recording_;
};

/// One connection for each question. Throws interpose::ConnectionError, and for what the node
/// refuses or says wrongly.
LookAnswer ask_node(const std::string& session, const LookQuestion& question) {
  constexpr int most_tries = 50;
  constexpr std::chrono::milliseconds pause{100};
  for (int tries = 1;; ++tries) {
    const int fd = interpose::connect_to_session(session);
    interpose::Json reply;
    try {
      reply = interpose::request(fd, scenarios::to_json(question));
      ::close(fd);
    } catch (...) {
      ::close(fd);
      throw;
    }
    const int error = reply.value("errno", EIO);
    if (error == EAGAIN && tries < most_tries) {
      std::this_thread::sleep_for(pause);  // others look, too
      continue;
    }
    if (error != 0)
      throw interpose::ConnectionError(reply.value("error", std::string("the node refused")));
    auto told = scenarios::answer_of(reply);
    if (!told) throw interpose::ConnectionError(told.error());
    return std::move(*told);
  }
}

class RunningNode final : public NodeSource {
 public:
  explicit RunningNode(const Attached& attached) : attached_(attached) {}
  std::size_t state_of(EventId) const override { return attached_.generation(); }
  bool present_only() const override { return true; }

  std::optional<scenarios::Evidence> look(EventId, const std::string& command,
                                          EventId about) override {
    try {
      LookQuestion question;
      question.commands.push_back({command, about});
      LookAnswer told = ask_node(attached_.session(), question);
      return told.evidence.empty() ? std::nullopt : std::move(told.evidence.front());
    } catch (const std::exception& error) {
      return scenarios::Evidence{
          command, 1, {{std::string("(the node did not answer: ") + error.what() + ")", false}}};
    }
  }
  std::vector<checks::Result> check(EventId) override {
    LookAnswer told = ask([](LookQuestion& question) { question.checks = true; });
    if (told.checks) return std::move(*told.checks);
    return {{.id = "look", .title = "the node did not answer", .evidence = problem_}};
  }
  scenarios::Versions versions(EventId) override {
    LookAnswer told = ask([](LookQuestion& question) { question.versions = true; });
    if (told.versions) return std::move(*told.versions);
    scenarios::Versions none;
    none.verdict.reason = "the node did not answer: " + problem_;
    return none;
  }
  scenarios::Topology topology(EventId) override {
    LookAnswer told = ask([](LookQuestion& question) { question.topology = true; });
    if (told.topology) return std::move(*told.topology);
    scenarios::Topology none;
    none.missing = problem_;
    return none;
  }
  std::expected<std::string, std::string> read_file(EventId, const std::string& path) override {
    problem_.clear();
    auto told = ask([&](LookQuestion& question) { question.file = path; });
    if (told.file) return std::move(*told.file);
    return std::unexpected(problem_.empty() ? unreadable : problem_);
  }

 private:
  template <class Want>
  LookAnswer ask(Want want) {
    LookQuestion question;
    want(question);
    try {
      return ask_node(attached_.session(), question);
    } catch (const std::exception& error) {
      problem_ = error.what();
      return {};
    }
  }
  const Attached& attached_;
  std::string problem_;
};

}  // namespace

std::unique_ptr<NodeSource> recorded_node(const scenarios::Recording& recording) {
  return std::make_unique<RecordedNode>(recording);
}

std::unique_ptr<NodeSource> running_node(const Attached& attached) {
  return std::make_unique<RunningNode>(attached);
}

}  // namespace rocdrill::gui
