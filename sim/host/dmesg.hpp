// The kernel's ring buffer.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "sim/host/archive.hpp"
#include "stack/event.hpp"

namespace rocdrill::sim {

class Dmesg {
 public:
  /// `level` as in <linux/kern_levels.h>: 3 err, 4 warning, 6 info.
  struct Line {
    std::uint64_t time_ns = 0;  ///< since this boot
    int level = 6;
    std::string text;
    EventId event = no_event;  ///< what made the kernel say it

    template <class Archive>
    void serialize(Archive& archive) {
      archive("time_ns", time_ns);
      archive("level", level);
      archive("text", text);
      archive("event", event);
    }
  };

  void add(std::uint64_t time_ns, int level, std::string text, EventId event) {
    lines_.push_back({time_ns, level, std::move(text), event});
    if (lines_.size() > capacity) lines_.pop_front();
  }
  void clear() { lines_.clear(); }
  const std::deque<Line>& lines() const { return lines_; }
  /// As dmesg prints it: "[    5.123456] text" lines.
  std::string text() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("lines", lines_);
  }

 private:
  static constexpr std::size_t capacity = 8192;
  std::deque<Line> lines_;
};

}  // namespace rocdrill::sim
