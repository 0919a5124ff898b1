#include "gui/app/attached.hpp"

#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "sim/interpose/protocol/message.hpp"

namespace rocdrill::gui {
namespace {

using interpose::Json;
using namespace std::chrono_literals;

constexpr auto interval = 500ms;

/// Throws interpose::ConnectionError.
Json ask_session(const std::string& session, const Json& question) {
  const int fd = interpose::connect_to_session(session);
  try {
    Json told = interpose::request(fd, question);
    ::close(fd);
    return told;
  } catch (...) {
    ::close(fd);
    throw;
  }
}

}  // namespace

Attached::Attached(std::string session) : session_(std::move(session)) {
  watch_packets();
  ask();
  if (!problem_.empty()) {
    if (packets_ >= 0) ::close(packets_);
    throw std::runtime_error(problem_);
  }
  ask_who();
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Attached::~Attached() {
  thread_.request_stop();
  changed_.notify_all();
  thread_.join();
  if (packets_ >= 0) ::close(packets_);
}

void Attached::watch_packets() {
  try {
    packets_ = interpose::connect_to_session(session_);
    interpose::request(packets_, {{"op", "watch_packets"}});
  } catch (const std::exception&) {  // said by what asks next
  }
}

void Attached::ask_who() {
  try {
    const Json status = ask_session(session_, {{"op", "status"}});
    node_ = status.value("node", std::string());
    const Json brief = ask_session(session_, {{"op", "brief"}});
    if (brief.value("errno", -1) == 0)
      ticket_ = {brief.at("id"), brief.at("title"), brief.at("brief")};
  } catch (const std::exception&) {  // it has none, or has just ended
  }
}

void Attached::ask() {
  try {
    Json told = ask_session(session_, {{"op", "log"}, {"since", events_}});
    const bool shorter = told.value("last", std::size_t{0}) < events_;
    if (shorter) {  // somebody took a step back
      told = ask_session(session_, {{"op", "log"}, {"since", 0}});
      lines_.clear();
    }
    const std::string more = told.at("lines");
    lines_ += more;
    events_ = told.at("last");
    const std::uint64_t held = told.value("held", std::uint64_t{0});
    if (shorter || !more.empty() || held != held_) ++generation_;
    held_ = held;
    if (shorter || !more.empty()) {
      auto read = Timeline::from_json_lines(lines_);
      if (!read) throw std::runtime_error("the node's history cannot be read: " + read.error());
      const std::scoped_lock lock(mutex_);
      timeline_ = std::move(*read);
      news_ = true;
      restarted_ = restarted_ || shorter;
    }
    const std::scoped_lock lock(mutex_);
    problem_.clear();
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    problem_ = error.what();
  }
}

void Attached::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, interval, [] { return false; });
    }
    if (!stop.stop_requested()) ask();
  }
}

bool Attached::poll(Timeline& timeline, bool& restarted) {
  const std::scoped_lock lock(mutex_);
  restarted = std::exchange(restarted_, false);
  if (!std::exchange(news_, false)) return false;
  timeline = std::move(timeline_);
  timeline_ = {};
  return true;
}

std::string Attached::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

}  // namespace rocdrill::gui
