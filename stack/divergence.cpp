#include <algorithm>
#include <array>

#include "stack/timeline.hpp"

namespace rocdrill {
namespace {

// What a layer asked, got and did, and how it ended; what it shows is worded by versions.
constexpr std::array compared{field::asked, field::got, field::did, field::status};

bool alike(const EventView& first, const EventView& second) {
  return first.layer == second.layer && first.kind == second.kind &&
         first.subject == second.subject &&
         std::ranges::all_of(
             compared, [&](std::string_view key) { return first.find(key) == second.find(key); });
}

/// Walks the events of a timeline that are not to be skipped.
class Walk {
 public:
  Walk(const Timeline& timeline, const std::function<bool(const EventView&)>& skip)
      : timeline_(timeline), skip_(skip) {}

  /// The next event; its id is no_event at the end.
  EventView next() {
    while (last_ < timeline_.size()) {
      EventView event = timeline_.at(++last_);
      if (!skip_ || !skip_(event)) return event;
    }
    return {};
  }

 private:
  const Timeline& timeline_;
  const std::function<bool(const EventView&)>& skip_;
  EventId last_ = no_event;
};

}  // namespace

std::optional<Divergence> first_divergence(const Timeline& first, const Timeline& second,
                                           const std::function<bool(const EventView&)>& skip) {
  Walk in_first(first, skip);
  Walk in_second(second, skip);
  while (true) {
    const EventView a = in_first.next();
    const EventView b = in_second.next();
    if (a.id == no_event && b.id == no_event) return std::nullopt;
    if (a.id == no_event || b.id == no_event || !alike(a, b)) return Divergence{a.id, b.id};
  }
}

}  // namespace rocdrill
