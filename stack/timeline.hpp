// The causal history of a node: every event, in order, each with its cause.
//
// Compact: kinds, subjects and keys are interned, other text lies in one arena. Recording
// one million typical events takes at most 0.3 s and 150 bytes each (tests/bench).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/event.hpp"

namespace rocdrill {

/// An event of a timeline, read back. Valid until the timeline is destroyed or assigned to.
struct EventView {
  EventId id = no_event;
  std::uint64_t time_ns = 0;
  Layer layer = Layer::host;
  Severity severity = Severity::info;
  std::string_view kind;
  std::string_view subject;
  std::vector<Field> fields;
  EventId cause = no_event;

  /// The text of a field, "" if absent; integers in decimal.
  std::string text(std::string_view key) const;
  std::optional<FieldValue> find(std::string_view key) const;
};

/// A filter; empty members do not restrict.
struct Query {
  std::optional<Layer> layer = {};
  std::optional<Severity> at_least = {};  ///< by the order of Severity
  std::string_view kind_prefix = {};      ///< "hsa" matches "hsa.init"
  std::string_view subject = {};          ///< exact
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = UINT64_MAX;  ///< inclusive
  std::string_view contains = {};       ///< substring of kind, subject or any field's text
};

class Timeline {
 public:
  Timeline();
  ~Timeline();
  Timeline(Timeline&&) noexcept;
  Timeline& operator=(Timeline&&) noexcept;
  Timeline(const Timeline&);
  Timeline& operator=(const Timeline&);

  /// Records an event and returns its number. Throws std::invalid_argument if the cause is not
  /// an earlier event, if kind is empty, if time runs backwards, or if a field's key is not ASCII
  /// or occurs twice (JSON could not hold it); the timeline is then as it was. The texts are
  /// copied.
  EventId record(const EventInput& event);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// Throws std::out_of_range.
  EventView at(EventId id) const;
  /// Without its fields: cheap. Throws std::out_of_range.
  EventView head(EventId id) const;
  /// Cheap access without fields. Throws std::out_of_range.
  EventId cause_of(EventId id) const;
  Layer layer_of(EventId id) const;
  std::uint64_t time_of(EventId id) const;

  /// Numbers of the events that match, in order.
  std::vector<EventId> find(const Query& query) const;
  /// From `id` down its causes to the first event: front() is id, back() has no cause.
  std::vector<EventId> cause_chain(EventId id) const;
  /// Direct consequences, in order.
  std::vector<EventId> effects_of(EventId id) const;

  /// Bytes held (capacity, not size).
  std::size_t memory_bytes() const;

  /// JSON Lines: one event per line, keys id time_ns layer severity kind subject cause fields.
  /// Text that is not UTF-8 is written with U+FFFD; all else survives the way there and back.
  /// Same timeline, same bytes.
  std::string to_json_lines() const;
  static std::string to_json_line(const EventView& event);
  /// Error text: "line 3: ...". Every line has every key; numbers run 1, 2, 3, ...
  static std::expected<Timeline, std::string> from_json_lines(std::string_view text);

  friend bool operator==(const Timeline&, const Timeline&);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The first event at which two histories differ, compared by layer, kind, subject and the
/// fields asked/got/did/status (not by time or number); no_event on a side that has ended.
struct Divergence {
  EventId in_first = no_event;
  EventId in_second = no_event;
};
std::optional<Divergence> first_divergence(const Timeline& first, const Timeline& second,
                                           const std::function<bool(const EventView&)>& skip = {});
/// The same within each layer, whatever the others do; index: the layer's number.
std::array<std::optional<Divergence>, all_layers.size() + 1> divergences_by_layer(
    const Timeline& first, const Timeline& second,
    const std::function<bool(const EventView&)>& skip = {});

}  // namespace rocdrill
