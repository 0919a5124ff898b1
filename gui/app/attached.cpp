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

/// Events after `since`. Throws interpose::ConnectionError.
Json log_since(const std::string& session, std::size_t since) {
  const int fd = interpose::connect_to_session(session);
  try {
    Json told = interpose::request(fd, {{"op", "log"}, {"since", since}});
    ::close(fd);
    return told;
  } catch (...) {
    ::close(fd);
    throw;
  }
}

}  // namespace

Attached::Attached(std::string session) : session_(std::move(session)) {
  ask();
  if (!problem_.empty()) throw std::runtime_error(problem_);
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Attached::~Attached() {
  thread_.request_stop();
  changed_.notify_all();
}

void Attached::ask() {
  try {
    Json told = log_since(session_, events_);
    const bool shorter = told.value("last", std::size_t{0}) < events_;
    if (shorter) told = log_since(session_, 0);  // somebody took a step back
    const std::scoped_lock lock(mutex_);
    if (shorter) lines_.clear();
    const std::string more = told.at("lines");
    lines_ += more;
    events_ = told.at("last");
    news_ = news_ || shorter || !more.empty();
    restarted_ = restarted_ || shorter;
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
  restarted = false;
  if (!news_) return false;
  news_ = false;
  auto read = Timeline::from_json_lines(lines_);
  if (!read) {
    problem_ = "the node's history cannot be read: " + read.error();
    return false;
  }
  restarted = std::exchange(restarted_, false);
  timeline = std::move(*read);
  return true;
}

std::string Attached::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

}  // namespace rocdrill::gui
