#include "stack/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <stdexcept>

#include "stack/timeline_storage.hpp"

namespace rocdrill {

struct Timeline::Impl {
  detail::Records records;
  detail::Arena arena;     ///< text of names and fields
  detail::Interner names;  ///< kinds and subjects
  detail::FieldStore fields;

  /// `impl` may be null: an empty timeline.
  static const detail::Record& record_of(const Impl* impl, EventId id) {
    const std::size_t count = impl ? impl->records.size() : 0;
    if (id == no_event || id > count) {
      throw std::out_of_range(fmt::format("timeline: no event {} of {}", id, count));
    }
    return impl->records[id - 1];
  }
  std::string_view name(std::uint32_t id) const { return names.text(arena, id); }
  std::vector<Field> fields_of(const detail::Record& record) const {
    return record.has_fields ? fields.read(arena, record.fields) : std::vector<Field>();
  }
  void check(const EventInput& event) const;
  void add_effect(EventId cause, EventId effect);
  std::vector<bool> names_with(std::string_view part) const;
};

namespace {

std::string to_text(const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::string(std::get<std::string_view>(value));
}

bool contains(const FieldValue& value, std::string_view part) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return text->contains(part);
  return to_text(value).contains(part);
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

/// A key names one value, in the timeline as in a JSON object.
void check_keys(std::span<const Field> fields) {
  std::vector<std::string_view> sorted;
  const bool few = fields.size() <= 16;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view key = fields[i].key;
    if (!is_ascii(key)) throw std::invalid_argument("event: a field's key is not ASCII");
    if (!few) {
      sorted.push_back(key);
    } else if (std::ranges::find(fields.first(i), key, &Field::key) != fields.begin() + i) {
      throw std::invalid_argument(fmt::format("event: field '{}' is there twice", key));
    }
  }
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw std::invalid_argument(fmt::format("event: field '{}' is there twice", *twice));
  }
}

bool same(const EventView& first, const EventView& second) {
  const auto same_field = [](const Field& a, const Field& b) {
    return a.key == b.key && a.value == b.value;
  };
  return first.time_ns == second.time_ns && first.layer == second.layer &&
         first.severity == second.severity && first.kind == second.kind &&
         first.subject == second.subject && first.cause == second.cause &&
         std::ranges::equal(first.fields, second.fields, same_field);
}

}  // namespace

std::string EventView::text(std::string_view key) const {
  const std::optional<FieldValue> value = find(key);
  return value ? to_text(*value) : std::string();
}

std::optional<FieldValue> EventView::find(std::string_view key) const {
  const auto field = std::ranges::find(fields, key, &Field::key);
  return field == fields.end() ? std::nullopt : std::optional(field->value);
}

// A timeline without an Impl is empty: so is one that was moved from.
Timeline::Timeline() = default;
Timeline::~Timeline() = default;
Timeline::Timeline(Timeline&&) noexcept = default;
Timeline& Timeline::operator=(Timeline&&) noexcept = default;
Timeline::Timeline(const Timeline& other)
    : impl_(other.impl_ ? std::make_unique<Impl>(*other.impl_) : nullptr) {}
Timeline& Timeline::operator=(const Timeline& other) {
  if (this != &other) *this = Timeline(other);
  return *this;
}

EventId Timeline::record(const EventInput& event) {
  if (!impl_) impl_ = std::make_unique<Impl>();
  Impl& impl = *impl_;
  impl.check(event);
  detail::Record record;
  record.time_ns = event.time_ns;
  record.cause = event.cause;
  record.layer = event.layer;
  record.severity = event.severity;
  record.kind = impl.names.intern(impl.arena, event.kind);
  record.subject = impl.names.intern(impl.arena, event.subject);
  record.has_fields = !event.fields.empty();
  if (record.has_fields) record.fields = impl.fields.append(impl.arena, event.fields);
  impl.records.push_back(record);
  const auto id = static_cast<EventId>(impl.records.size());
  if (event.cause != no_event) impl.add_effect(event.cause, id);
  return id;
}

void Timeline::Impl::check(const EventInput& event) const {
  const std::size_t count = records.size();
  if (event.kind.empty()) throw std::invalid_argument("event: its kind is empty");
  if (event.cause > count) {
    throw std::invalid_argument(
        fmt::format("event {}: cause {} is not an earlier event", count + 1, event.cause));
  }
  if (count > 0 && event.time_ns < records[count - 1].time_ns) {
    throw std::invalid_argument(fmt::format("event {}: time runs backwards, from {} to {} ns",
                                            count + 1, records[count - 1].time_ns, event.time_ns));
  }
  if (event.layer > Layer::framework || event.severity > Severity::unmodelled) {
    throw std::invalid_argument("event: unknown layer or severity");
  }
  check_keys(event.fields);
  if (count >= std::numeric_limits<EventId>::max()) throw std::length_error("timeline: it is full");
}

void Timeline::Impl::add_effect(EventId cause, EventId effect) {
  detail::Record& parent = records[cause - 1];
  if (parent.last_effect == no_event) {
    records[effect - 1].next_effect = effect;
  } else {
    detail::Record& last = records[parent.last_effect - 1];
    records[effect - 1].next_effect = last.next_effect;
    last.next_effect = effect;
  }
  parent.last_effect = effect;
}

std::size_t Timeline::size() const { return impl_ ? impl_->records.size() : 0; }

EventView Timeline::at(EventId id) const {
  EventView view = head(id);
  view.fields = impl_->fields_of(Impl::record_of(impl_.get(), id));
  return view;
}

EventView Timeline::head(EventId id) const {
  const detail::Record& record = Impl::record_of(impl_.get(), id);
  EventView view;
  view.id = id;
  view.time_ns = record.time_ns;
  view.layer = record.layer;
  view.severity = record.severity;
  view.kind = impl_->name(record.kind);
  view.subject = impl_->name(record.subject);
  view.cause = record.cause;
  return view;
}

EventId Timeline::cause_of(EventId id) const { return Impl::record_of(impl_.get(), id).cause; }
Layer Timeline::layer_of(EventId id) const { return Impl::record_of(impl_.get(), id).layer; }
std::uint64_t Timeline::time_of(EventId id) const {
  return Impl::record_of(impl_.get(), id).time_ns;
}

std::vector<EventId> Timeline::cause_chain(EventId id) const {
  std::vector<EventId> chain;
  do {
    chain.push_back(id);
    id = cause_of(id);
  } while (id != no_event);
  return chain;
}

std::vector<EventId> Timeline::effects_of(EventId id) const {
  const EventId last = Impl::record_of(impl_.get(), id).last_effect;
  std::vector<EventId> effects;
  for (EventId effect = last; effect != no_event;) {
    effect = impl_->records[effect - 1].next_effect;
    effects.push_back(effect);
    if (effect == last) break;
  }
  return effects;
}

/// For every interned name, whether it contains `part`: each is looked at once, however many
/// events have it.
std::vector<bool> Timeline::Impl::names_with(std::string_view part) const {
  std::vector<bool> with(names.size());
  for (std::uint32_t id = 0; id < with.size(); ++id) with[id] = name(id).contains(part);
  return with;
}

std::vector<EventId> Timeline::find(const Query& query) const {
  std::vector<EventId> found;
  if (!impl_) return found;
  const Impl& impl = *impl_;
  const std::optional subject = impl.names.find(impl.arena, query.subject);
  if (!query.subject.empty() && !subject) return found;
  const std::vector<bool> named =
      query.contains.empty() ? std::vector<bool>() : impl.names_with(query.contains);
  const auto contains = [&](const detail::Record& record) {
    return named[record.kind] || named[record.subject] ||
           std::ranges::any_of(impl.fields_of(record), [&](const Field& field) {
             return rocdrill::contains(field.value, query.contains);
           });
  };
  // Time never runs backwards, so that the first event is found by bisection.
  const auto indices = std::views::iota(std::size_t{0}, impl.records.size());
  const auto before = [&](std::size_t i) { return impl.records[i].time_ns < query.from_ns; };
  const auto first = std::ranges::partition_point(indices, before);
  for (const std::size_t i : std::ranges::subrange(first, indices.end())) {
    const detail::Record& record = impl.records[i];
    if (record.time_ns > query.until_ns) break;
    if (query.layer && record.layer != *query.layer) continue;
    if (query.at_least && record.severity < *query.at_least) continue;
    if (!query.subject.empty() && record.subject != *subject) continue;
    if (!impl.name(record.kind).starts_with(query.kind_prefix)) continue;
    if (!query.contains.empty() && !contains(record)) continue;
    found.push_back(static_cast<EventId>(i + 1));
  }
  return found;
}

std::size_t Timeline::memory_bytes() const {
  if (!impl_) return sizeof(Timeline);
  return sizeof(Timeline) + sizeof(Impl) + impl_->records.memory_bytes() +
         impl_->arena.memory_bytes() + impl_->names.memory_bytes() + impl_->fields.memory_bytes();
}

bool operator==(const Timeline& first, const Timeline& second) {
  if (first.size() != second.size()) return false;
  for (EventId id = 1; id <= first.size(); ++id) {
    if (!same(first.at(id), second.at(id))) return false;
  }
  return true;
}

}  // namespace rocdrill
