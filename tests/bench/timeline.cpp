// Timeline: cost of recording a million typical events against the obvious way to keep them (a
// vector of structs that own their strings), and of querying, writing and reading them back.
//
// A typical event: three fields, two of them texts of about 30 bytes that vary, one an integer.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stack/timeline.hpp"

namespace {

using namespace rocdrill;

constexpr std::size_t event_count = 1'000'000;

/// Fills in the event number `i`; the views in it point into this object.
class TypicalEvent {
 public:
  const EventInput& make(std::size_t i) {
    constexpr std::array<std::string_view, 4> kinds{"aql.packet", "kfd.ioctl", "signal.store",
                                                    "hsa.queue_create"};
    constexpr std::array<std::string_view, 3> subjects{"0000:1b:00.0", "/dev/kfd", "queue 3"};
    fields_[0] = {field::asked, digits(asked_, i)};
    fields_[1] = {field::got, digits(got_, i * 7)};
    fields_[2] = {"index", static_cast<std::int64_t>(i)};
    event_.time_ns = 100 * i;
    event_.layer = static_cast<Layer>(i % 10);
    event_.kind = kinds[i % kinds.size()];
    event_.subject = subjects[i % subjects.size()];
    event_.fields = fields_;
    event_.cause = static_cast<EventId>(i - i % 8);
    return event_;
  }

 private:
  /// Overwrites the last eight characters: what varies costs no more than it must.
  static std::string_view digits(std::string& text, std::size_t value) {
    for (std::size_t at = text.size(); at > text.size() - 8; value /= 10) {
      text[--at] = static_cast<char>('0' + value % 10);
    }
    return text;
  }

  std::string asked_ = "dispatch of a kernel n00000000";
  std::string got_ = "completed at doorbell 00000000";
  std::array<Field, 3> fields_;
  EventInput event_;
};

const Timeline& recorded() {
  static const Timeline timeline = [] {
    Timeline filled;
    TypicalEvent event;
    for (std::size_t i = 0; i < event_count; ++i) filled.record(event.make(i));
    return filled;
  }();
  return timeline;
}

void set_rates(benchmark::State& state, double bytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * event_count));
  state.counters["bytes_per_event"] = bytes / event_count;
}

void record(benchmark::State& state) {
  double bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    Timeline timeline;
    TypicalEvent event;
    for (std::size_t i = 0; i < event_count; ++i) timeline.record(event.make(i));
    bytes = static_cast<double>(timeline.memory_bytes());
    benchmark::DoNotOptimize(timeline);
  }
  set_rates(state, bytes);
}
BENCHMARK(record)->Unit(benchmark::kMillisecond);

struct PlainField {
  std::string key;
  std::variant<std::int64_t, std::string> value;
};

struct PlainEvent {
  std::uint64_t time_ns;
  Layer layer;
  Severity severity;
  std::string kind;
  std::string subject;
  std::vector<PlainField> fields;
  EventId cause;
};

/// What a string holds on the heap.
std::size_t heap_bytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

std::size_t bytes_of(const std::vector<PlainEvent>& events) {
  std::size_t bytes = events.capacity() * sizeof(PlainEvent);
  for (const PlainEvent& event : events) {
    bytes += heap_bytes(event.kind) + heap_bytes(event.subject);
    bytes += event.fields.capacity() * sizeof(PlainField);
    for (const PlainField& field : event.fields) {
      bytes += heap_bytes(field.key);
      if (const auto* text = std::get_if<std::string>(&field.value)) bytes += heap_bytes(*text);
    }
  }
  return bytes;
}

PlainEvent to_plain(const EventInput& event) {
  PlainEvent plain{event.time_ns,
                   event.layer,
                   event.severity,
                   std::string(event.kind),
                   std::string(event.subject),
                   {},
                   event.cause};
  plain.fields.reserve(event.fields.size());
  for (const Field& field : event.fields) {
    plain.fields.push_back({std::string(field.key), {}});
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      plain.fields.back().value = *number;
    } else {
      plain.fields.back().value = std::string(std::get<std::string_view>(field.value));
    }
  }
  return plain;
}

void record_plain_structs(benchmark::State& state) {
  double bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::vector<PlainEvent> events;
    TypicalEvent event;
    for (std::size_t i = 0; i < event_count; ++i) {
      events.push_back(to_plain(event.make(i)));  // NOLINT: nobody knows how many will come
    }
    state.PauseTiming();
    bytes = static_cast<double>(bytes_of(events));
    state.ResumeTiming();
    benchmark::DoNotOptimize(events);
  }
  set_rates(state, bytes);
}
BENCHMARK(record_plain_structs)->Unit(benchmark::kMillisecond);

void find_by_kind(benchmark::State& state) {
  const Timeline& timeline = recorded();
  const Query query{.layer = Layer::kernel, .kind_prefix = "hsa"};
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(timeline.find(query));
}
BENCHMARK(find_by_kind)->Unit(benchmark::kMillisecond);

void find_text(benchmark::State& state) {
  const Timeline& timeline = recorded();
  const Query query{.contains = "n00999999"};
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(timeline.find(query));
}
BENCHMARK(find_text)->Unit(benchmark::kMillisecond);

void read_every_event(benchmark::State& state) {
  const Timeline& timeline = recorded();
  for ([[maybe_unused]] auto _ : state) {
    for (EventId id = 1; id <= timeline.size(); ++id) benchmark::DoNotOptimize(timeline.at(id));
  }
  set_rates(state, static_cast<double>(timeline.memory_bytes()));
}
BENCHMARK(read_every_event)->Unit(benchmark::kMillisecond);

void copy(benchmark::State& state) {
  const Timeline& timeline = recorded();
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(Timeline(timeline));
}
BENCHMARK(copy)->Unit(benchmark::kMillisecond);

void write_json_lines(benchmark::State& state) {
  const Timeline& timeline = recorded();
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string lines = timeline.to_json_lines();
    bytes = lines.size();
    benchmark::DoNotOptimize(lines.data());
  }
  set_rates(state, static_cast<double>(bytes));
}
BENCHMARK(write_json_lines)->Unit(benchmark::kMillisecond);

void read_json_lines(benchmark::State& state) {
  const std::string lines = recorded().to_json_lines();
  for ([[maybe_unused]] auto _ : state) {
    const auto timeline = Timeline::from_json_lines(lines);
    if (!timeline) state.SkipWithError(timeline.error().c_str());
    benchmark::DoNotOptimize(timeline);
  }
  set_rates(state, static_cast<double>(lines.size()));
}
BENCHMARK(read_json_lines)->Unit(benchmark::kMillisecond);

}  // namespace
