// A history made of random events that own their texts: the model that a Timeline is compared
// with. The same seed gives the same history on every platform.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stack/timeline.hpp"

namespace rocdrill::test {

struct OwnedEvent {
  using Value = std::variant<std::int64_t, std::string>;

  std::uint64_t time_ns = 0;
  Layer layer = Layer::host;
  Severity severity = Severity::info;
  std::string kind;
  std::string subject;
  std::vector<std::pair<std::string, Value>> fields;
  EventId cause = no_event;

  EventId record(Timeline& timeline) const {
    std::vector<Field> views;
    views.reserve(fields.size());
    for (const auto& [key, value] : fields) {
      views.push_back({key, std::visit([](const auto& v) { return FieldValue(v); }, value)});
    }
    return timeline.record({time_ns, layer, severity, kind, subject, views, cause});
  }

  /// Whether the timeline holds this event under `id`.
  bool is(const EventView& view, EventId id) const {
    if (view.id != id || view.time_ns != time_ns || view.layer != layer ||
        view.severity != severity || view.kind != kind || view.subject != subject ||
        view.cause != cause || view.fields.size() != fields.size()) {
      return false;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto& [key, value] = fields[i];
      if (view.fields[i].key != key) return false;
      if (std::visit([](const auto& v) { return FieldValue(v); }, value) != view.fields[i].value) {
        return false;
      }
    }
    return true;
  }
};

class RandomEvents {
 public:
  explicit RandomEvents(std::uint64_t seed) : random_(seed) {}

  std::vector<OwnedEvent> make(std::size_t count) {
    std::vector<OwnedEvent> events;
    events.reserve(count);
    for (std::size_t i = 0; i < count; ++i) events.push_back(next(i));
    return events;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  OwnedEvent next(std::size_t earlier) {
    OwnedEvent event;
    time_ += below(3) == 0 ? 0 : below(1000);
    event.time_ns = time_;
    event.layer = static_cast<Layer>(below(10));
    event.severity = static_cast<Severity>(below(5));
    event.kind = "kind." + std::to_string(below(50));
    event.subject = below(20) == 0 ? text() : "subject " + std::to_string(below(200));
    event.cause = static_cast<EventId>(below(5) == 0 ? 0 : below(earlier + 1));
    const std::size_t fields = below(100) == 0 ? 40 : below(5);
    for (std::size_t i = 0; i < fields; ++i) {
      std::string key(1, static_cast<char>('a' + i % 26));
      if (i >= 26) key += static_cast<char>('0' + i / 26);
      if (below(3) == 0) {
        event.fields.emplace_back(std::move(key), number());
      } else {
        event.fields.emplace_back(std::move(key), text());
      }
    }
    return event;
  }

  /// All magnitudes, both signs, and the ends of the range.
  std::int64_t number() {
    switch (below(20)) {
      case 0:
        return INT64_MIN;
      case 1:
        return INT64_MAX;
      default:
        return static_cast<std::int64_t>(random_()) >> below(64);
    }
  }

  /// UTF-8 with everything that JSON escapes; sometimes empty, sometimes seen before, sometimes
  /// larger than a block of the timeline.
  std::string text() {
    static const std::vector<std::string> pieces{
        "queue",
        "\"",
        "\\",
        "\n",
        std::string(1, '\0'),
        "\x7f",
        "\xc3\xa9",
        "\xe2\x82\xac",
        " ",
        "\x01",
        "{}[",
        "/",
        "0x7f00deadb000",
        "'",
        "\xf0\x9f\x94\xa7",
    };
    if (!seen_.empty() && below(3) == 0) return seen_[below(seen_.size())];
    std::string made;
    for (std::size_t i = below(8); i > 0; --i) made += pieces[below(pieces.size())];
    if (below(2000) == 0) made += std::string(below(100'000), 'x');
    if (seen_.size() < 100) seen_.push_back(made);
    return made;
  }

  std::mt19937_64 random_;
  std::uint64_t time_ = 0;
  std::vector<std::string> seen_;
};

}  // namespace rocdrill::test
