#include "sim/interpose/trace/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace rocdrill::trace {
namespace {

constexpr double ns_per_us = 1000;

/// The file's list of events. A track is a "thread" of a "process".
class Events {
 public:
  void name_process(int process, std::string_view name) {
    metadata("process_name", process, 0, {{"name", name}});
  }
  void name_track(int process, int track, std::string_view name) {
    metadata("thread_name", process, track, {{"name", name}});
    metadata("thread_sort_index", process, track, {{"sort_index", track}});
  }
  void slice(int process, int track, std::uint64_t from_ns, std::uint64_t ns, std::string name,
             Json about) {
    add("X", process, track, from_ns, std::move(name))["dur"] = static_cast<double>(ns) / ns_per_us;
    list_.back()["args"] = std::move(about);
  }
  void instant(int process, int track, std::uint64_t at_ns, std::string name, Json about) {
    add("i", process, track, at_ns, std::move(name))["s"] = "t";
    list_.back()["args"] = std::move(about);
  }
  /// One end of an arrow; both have the id.
  void arrow(bool starts, int process, int track, std::uint64_t at_ns, std::uint64_t id) {
    Json& event = add(starts ? "s" : "f", process, track, at_ns, "cause");
    event["cat"] = "cause";
    event["id"] = id;
    if (!starts) event["bp"] = "e";
  }
  std::string text() const {
    return Json{{"traceEvents", list_}, {"displayTimeUnit", "ns"}}.dump(
               1, ' ', false, Json::error_handler_t::replace) +
           "\n";
  }

 private:
  void metadata(std::string_view what, int process, int track, Json about) {
    list_.push_back({{"ph", "M"},
                     {"name", what},
                     {"pid", process},
                     {"tid", track},
                     {"args", std::move(about)}});
  }
  Json& add(std::string_view phase, int process, int track, std::uint64_t at_ns, std::string name) {
    list_.push_back({{"ph", phase},
                     {"name", std::move(name)},
                     {"pid", process},
                     {"tid", track},
                     {"ts", static_cast<double>(at_ns) / ns_per_us}});
    return list_.back();
  }

  Json list_ = Json::array();
};

std::uint64_t time_of(const Record& record) {
  return record.json.value("time_ns", std::uint64_t{0});
}

std::uint64_t start_of(const Trace& trace) {
  std::uint64_t start = std::numeric_limits<std::uint64_t>::max();
  for (const Process& process : trace.processes)
    for (const Record& record : process.records) start = std::min(start, time_of(record));
  return start;
}

/// One process of a trace.
class Tracks {
 public:
  Tracks(Events& events, const Process& process, std::uint64_t start)
      : events_(events), process_(process), start_(start) {
    events_.name_process(process.pid, process.command);
  }

  void add(const Record& record) {
    const std::uint64_t at = time_of(record) - start_;
    const Json& json = record.json;
    switch (record.type) {
      case RecordType::ioctl:
      case RecordType::drm:
      case RecordType::mmap:
        return call(json, at, record.type == RecordType::mmap ? "mmap" : json.value("name", ""));
      case RecordType::doorbell:
        return events_.instant(process_.pid, queue(json), at, "doorbell",
                               {{"value", number_of(json, "value")}});
      case RecordType::packet:
        launched_[{number_of(json, "queue"), number_of(json, "index")}] = {at, &json};
        return;
      case RecordType::completion:
        return ended(json, at, {});
      case RecordType::failure:
        return ended(json, at, json.value("reason", "failed"));
      case RecordType::signalled:
        return events_.instant(process_.pid, signals(), at, "event signalled",
                               {{"event_id", json.value("event_id", std::uint64_t{0})}});
    }
  }

  /// Packets that never completed reach to the end.
  void finish(std::uint64_t end) {
    for (const auto& [key, launch] : launched_)
      packet(*launch.json, launch.at, end, {{"unfinished", true}});
  }

 private:
  struct Launch {
    std::uint64_t at = 0;
    const Json* json = nullptr;
  };

  // Threads have odd track numbers, queues even ones.
  void call(const Json& json, std::uint64_t at, const std::string& name) {
    Json about = Json::object();
    for (const char* key : {"in", "out", "device", "length", "address", "errno"})
      if (json.contains(key)) about[key] = json[key];
    const int thread = json.value("thread", 0);
    const int number = 2 * thread + 1;
    track(number, fmt::format("thread {}", thread));
    events_.instant(process_.pid, number, at, name, std::move(about));
  }

  int signals() {
    constexpr int number = -1;
    track(number, "events");
    return number;
  }
  int queue(const Json& json) {
    const auto id = static_cast<int>(number_of(json, "queue"));
    track(2 * id, fmt::format("queue {}", id));
    return 2 * id;
  }
  void track(int number, const std::string& name) {
    if (named_.emplace(number, name).second) events_.name_track(process_.pid, number, name);
  }

  void ended(const Json& json, std::uint64_t at, const std::string& reason) {
    const auto launch = launched_.find({number_of(json, "queue"), number_of(json, "index")});
    if (launch == launched_.end()) return;
    Json about = Json::object();
    if (!reason.empty()) about["failed"] = reason;
    packet(*launch->second.json, launch->second.at, at, std::move(about));
    launched_.erase(launch);
  }
  void packet(const Json& json, std::uint64_t from, std::uint64_t until, Json about) {
    about["index"] = number_of(json, "index");
    if (json.contains("fields")) about["fields"] = json["fields"];
    const std::string kernel = json.value("kernel", "");
    events_.slice(process_.pid, queue(json), from, until - std::min(from, until),
                  kernel.empty() ? json.value("name", "packet") : kernel, std::move(about));
  }

  Events& events_;
  const Process& process_;
  std::uint64_t start_;
  std::map<int, std::string> named_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Launch> launched_;
};

Json fields_of(const EventView& event) {
  Json about{{"id", event.id}, {"severity", name(event.severity)}};
  for (const Field& field : event.fields)
    std::visit([&](const auto& value) { about[std::string(field.key)] = value; }, field.value);
  return about;
}

}  // namespace

std::string perfetto(const Trace& trace) {
  Events events;
  const std::uint64_t start = start_of(trace);
  for (const Process& process : trace.processes) {
    Tracks tracks(events, process, start);
    std::uint64_t end = 0;
    for (const Record& record : process.records) {
      tracks.add(record);
      end = std::max(end, time_of(record) - start);
    }
    tracks.finish(end);
  }
  return events.text();
}

std::string perfetto(const Timeline& timeline, std::string_view node) {
  constexpr int process = 1;
  constexpr std::uint64_t drawn_ns = 1000;
  Events events;
  events.name_process(process, node);
  events.name_track(process, static_cast<int>(Layer::host), title(Layer::host));
  for (const Layer layer : all_layers)
    events.name_track(process, static_cast<int>(layer), title(layer));
  for (EventId id = 1; id <= timeline.size(); ++id) {
    const EventView event = timeline.at(id);
    const auto track = [](Layer layer) { return static_cast<int>(layer); };
    events.slice(process, track(event.layer), event.time_ns, drawn_ns,
                 fmt::format("{} {}", event.kind, event.subject), fields_of(event));
    if (event.cause == no_event) continue;
    const EventView cause = timeline.head(event.cause);
    events.arrow(true, process, track(cause.layer), cause.time_ns, id);
    events.arrow(false, process, track(event.layer), event.time_ns, id);
  }
  return events.text();
}

}  // namespace rocdrill::trace
