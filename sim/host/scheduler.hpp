// Virtual time and what is still to happen. Tasks are data, not closures, so that a node can
// be saved between any two of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/host/archive.hpp"

namespace rocdrill::sim {

inline constexpr std::uint64_t us = 1'000;
inline constexpr std::uint64_t ms = 1'000'000;
inline constexpr std::uint64_t sec = 1'000'000'000;

class Clock {
 public:
  std::uint64_t now() const { return now_ns_; }
  /// Work that takes virtual time.
  void advance(std::uint64_t ns) { now_ns_ += ns; }
  void advance_to(std::uint64_t time_ns) {
    if (time_ns > now_ns_) now_ns_ = time_ns;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive("now_ns", now_ns_);
  }

 private:
  std::uint64_t now_ns_ = 0;
};

/// "boot", "inject", "command", "workload": Node::perform knows what each does.
struct Task {
  std::string kind;
  Json arguments = Json::object();

  template <class Archive>
  void serialize(Archive& archive) {
    archive("kind", kind);
    archive("arguments", arguments);
  }
};

class Scheduler {
 public:
  /// Tasks of the same time run in the order in which they were scheduled.
  void schedule(std::uint64_t time_ns, Task task) {
    tasks_.emplace(std::pair{time_ns, next_++}, std::move(task));
  }
  bool empty() const { return tasks_.empty(); }
  std::optional<std::uint64_t> next_time() const {
    if (tasks_.empty()) return std::nullopt;
    return tasks_.begin()->first.first;
  }
  std::pair<std::uint64_t, Task> take() {
    auto node = tasks_.extract(tasks_.begin());
    return {node.key().first, std::move(node.mapped())};
  }
  void clear() { tasks_.clear(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("next", next_);
    archive("tasks", tasks_);
  }

 private:
  std::uint64_t next_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Task> tasks_;
};

}  // namespace rocdrill::sim
