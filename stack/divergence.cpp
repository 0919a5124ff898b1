#include <algorithm>
#include <array>
#include <vector>

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

using ByLayer = std::array<std::vector<EventId>, all_layers.size() + 1>;

ByLayer by_layer(const Timeline& timeline, const std::function<bool(const EventView&)>& skip) {
  ByLayer lists;
  Walk walk(timeline, skip);
  for (EventView event = walk.next(); event.id != no_event; event = walk.next())
    lists[static_cast<std::size_t>(event.layer)].push_back(event.id);
  return lists;
}

}  // namespace

std::array<std::optional<Divergence>, all_layers.size() + 1> divergences_by_layer(
    const Timeline& first, const Timeline& second,
    const std::function<bool(const EventView&)>& skip) {
  std::array<std::optional<Divergence>, all_layers.size() + 1> found;
  const ByLayer in_first = by_layer(first, skip);
  const ByLayer in_second = by_layer(second, skip);
  for (std::size_t layer = 0; layer < found.size(); ++layer) {
    const auto& a = in_first[layer];
    const auto& b = in_second[layer];
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && alike(first.at(a[at]), second.at(b[at]))) ++at;
    if (at == a.size() && at == b.size()) continue;
    found[layer] = {at < a.size() ? a[at] : no_event, at < b.size() ? b[at] : no_event};
  }
  return found;
}

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
