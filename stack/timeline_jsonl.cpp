// Timeline <-> JSON Lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "stack/timeline.hpp"

namespace rocdrill {
namespace {

// ---- writing --------------------------------------------------------------------------------

void put_text(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

void put_event(std::string& out, const EventView& event) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"id":{},"time_ns":{},"layer":"{}","severity":"{}","kind":)", event.id,
                 event.time_ns, name(event.layer), name(event.severity));
  put_text(out, event.kind);
  out += R"(,"subject":)";
  put_text(out, event.subject);
  fmt::format_to(std::back_inserter(out), R"(,"cause":{},"fields":{{)", event.cause);
  for (const Field& field : event.fields) {
    if (&field != &event.fields.front()) out += ',';
    put_text(out, field.key);
    out += ':';
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      fmt::format_to(std::back_inserter(out), "{}", *number);
    } else {
      put_text(out, std::get<std::string_view>(field.value));
    }
  }
  out += "}}";
}

// ---- reading --------------------------------------------------------------------------------

enum class Key : std::uint8_t { id, time_ns, layer, severity, kind, subject, cause, fields };
constexpr std::array<std::string_view, 8> key_names{"id",   "time_ns", "layer", "severity",
                                                    "kind", "subject", "cause", "fields"};

/// Text of the input as it may stand in a message: short, and nothing that a terminal obeys.
std::string printable(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string clean(text.substr(0, longest));
  std::ranges::replace_if(clean, [](char c) { return c < ' ' || c > '~'; }, '?');
  if (text.size() > longest) clean += "...";
  return clean;
}

/// Receives what the JSON parser finds in one line. No document is built: a line is a flat object
/// with one flat object in it, and anything else is refused where it begins. A callback that
/// returns false ends the parse; problem() says why.
class LineHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool number_integer(std::int64_t value) override;
  bool number_unsigned(std::uint64_t value) override;
  bool number_float(double, const std::string&) override {
    return refuse("a number that is no 64-bit integer");
  }
  bool string(std::string& value) override;
  bool binary(nlohmann::json::binary_t&) override { return refuse("binary data"); }
  bool start_array(std::size_t) override { return refuse("an array"); }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool end_object() override;
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override;

  const std::string& problem() const { return problem_; }
  /// Adds the event to the timeline; returns what is wrong with it, or "".
  std::string record(Timeline& timeline) const;

 private:
  enum class Place : std::uint8_t { outside, event, fields };
  using Value = std::variant<std::int64_t, std::string>;

  bool stop(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool refuse(std::string_view what);

  std::string problem_;
  Place place_ = Place::outside;
  Key key_ = Key::id;  ///< the latest in the event
  std::array<bool, key_names.size()> seen_{};
  std::uint64_t id_ = 0, time_ns_ = 0, cause_ = 0;
  Layer layer_ = Layer::host;
  Severity severity_ = Severity::info;
  std::string kind_, subject_;
  std::vector<std::pair<std::string, Value>> fields_;
};

bool LineHandler::refuse(std::string_view what) {
  switch (place_) {
    case Place::outside:
      return stop(fmt::format("an event is an object, not {}", what));
    case Place::event:
      return stop(
          fmt::format("'{}' cannot be {}", key_names[static_cast<std::size_t>(key_)], what));
    case Place::fields:
      break;
  }
  return stop(fmt::format("field '{}' cannot be {}", printable(fields_.back().first), what));
}

bool LineHandler::number_integer(std::int64_t value) {
  if (place_ != Place::fields) return refuse("a negative number");
  fields_.back().second = value;
  return true;
}

bool LineHandler::number_unsigned(std::uint64_t value) {
  if (place_ == Place::fields) {
    if (std::in_range<std::int64_t>(value)) return number_integer(static_cast<std::int64_t>(value));
    return refuse("a number above 2^63 - 1");
  }
  if (place_ == Place::outside) return refuse("a number");
  if (key_ == Key::time_ns) {
    time_ns_ = value;
  } else if (key_ != Key::id && key_ != Key::cause) {
    return refuse("a number");
  } else if (!std::in_range<EventId>(value)) {
    return refuse("a number above 2^32 - 1");
  } else {
    (key_ == Key::id ? id_ : cause_) = value;
  }
  return true;
}

bool LineHandler::string(std::string& value) {
  if (place_ == Place::outside) return refuse("a text");
  if (place_ == Place::fields) {
    fields_.back().second = std::move(value);
  } else if (key_ == Key::kind) {
    kind_ = std::move(value);
  } else if (key_ == Key::subject) {
    subject_ = std::move(value);
  } else if (key_ == Key::layer) {
    const std::optional layer = layer_from_name(value);
    if (!layer) return stop(fmt::format("unknown layer '{}'", printable(value)));
    layer_ = *layer;
  } else if (key_ == Key::severity) {
    const std::optional severity = severity_from_name(value);
    if (!severity) return stop(fmt::format("unknown severity '{}'", printable(value)));
    severity_ = *severity;
  } else {
    return refuse("a text");
  }
  return true;
}

bool LineHandler::start_object(std::size_t) {
  if (place_ == Place::outside) {
    place_ = Place::event;
  } else if (place_ == Place::event && key_ == Key::fields) {
    place_ = Place::fields;
  } else {
    return refuse("an object");
  }
  return true;
}

bool LineHandler::end_object() {
  place_ = place_ == Place::fields ? Place::event : Place::outside;
  return true;
}

bool LineHandler::key(std::string& name) {
  if (place_ == Place::fields) {
    fields_.emplace_back(std::move(name), 0);
    return true;
  }
  const auto known = std::ranges::find(key_names, name);
  if (known == key_names.end()) return stop(fmt::format("unknown key '{}'", printable(name)));
  const auto index = static_cast<std::size_t>(known - key_names.begin());
  if (seen_[index]) return stop(fmt::format("key '{}' is there twice", name));
  seen_[index] = true;
  key_ = static_cast<Key>(index);
  return true;
}

bool LineHandler::parse_error(std::size_t, const std::string&,
                              const nlohmann::json::exception& error) {
  // Its own "line 1" would contradict ours.
  const std::string_view what = error.what();
  const std::size_t column = what.find("column ");
  return stop(printable(column == what.npos ? what : what.substr(column)));
}

std::string LineHandler::record(Timeline& timeline) const {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i]) return fmt::format("key '{}' is missing", key_names[i]);
  }
  if (id_ != timeline.size() + 1) {
    return fmt::format("id {} where {} is due", id_, timeline.size() + 1);
  }
  std::vector<Field> fields;
  fields.reserve(fields_.size());
  for (const auto& [key, value] : fields_) {
    fields.push_back({key, std::visit([](const auto& v) { return FieldValue(v); }, value)});
  }
  try {
    timeline.record(
        {time_ns_, layer_, severity_, kind_, subject_, fields, static_cast<EventId>(cause_)});
  } catch (const std::invalid_argument& error) {
    return printable(error.what());
  }
  return {};
}

std::string read_line(std::string_view line, Timeline& timeline) {
  // The parser would take it for the end of the input and not see what follows.
  if (line.contains('\0')) return "a NUL byte";
  LineHandler handler;
  if (!nlohmann::json::sax_parse(line.begin(), line.end(), &handler)) return handler.problem();
  return handler.record(timeline);
}

}  // namespace

std::string Timeline::to_json_line(const EventView& event) {
  std::string line;
  put_event(line, event);
  return line;
}

std::string Timeline::to_json_lines() const {
  std::string lines;
  for (EventId id = 1; id <= size(); ++id) {
    put_event(lines, at(id));
    lines += '\n';
  }
  return lines;
}

std::expected<Timeline, std::string> Timeline::from_json_lines(std::string_view text) {
  Timeline timeline;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string problem = read_line(line, timeline);
    if (!problem.empty()) return std::unexpected(fmt::format("line {}: {}", number, problem));
  }
  return timeline;
}

}  // namespace rocdrill
