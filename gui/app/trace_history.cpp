#include "gui/app/trace_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/interpose/trace/reader.hpp"
#include "stack/errors.hpp"

namespace rocdrill::gui {
namespace {

using trace::Json;
using trace::Record;
using trace::RecordType;

constexpr std::size_t longest_argument = 200;

/// A record and whose it is.
struct Entry {
  const trace::Process* process = nullptr;
  const Record* record = nullptr;
  std::uint64_t time = 0;
};

std::uint64_t time_of(const Json& json) { return json.value("time_ns", std::uint64_t{0}); }

std::vector<Entry> in_order(const trace::Trace& trace) {
  std::vector<Entry> all;
  for (const trace::Process& process : trace.processes)
    for (const Record& record : process.records)
      all.push_back({&process, &record, time_of(record.json)});
  std::ranges::stable_sort(all, {}, &Entry::time);
  return all;
}

std::string short_text(const Json& object, const char* key) {
  if (!object.contains(key) || object[key].empty()) return {};
  std::string text = object[key].dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > longest_argument) text = text.substr(0, longest_argument) + " ...";
  return text;
}

class History {
 public:
  explicit History(std::uint64_t start) : start_(start) {}

  void add(const Entry& entry) {
    process_ = entry.process;
    time_ = std::max(time_, entry.time - std::min(entry.time, start_));
    began();
    const Json& json = entry.record->json;
    switch (entry.record->type) {
      case RecordType::ioctl:
        return call(json, "kfd.ioctl", Layer::kernel);
      case RecordType::drm:
        return call(json, "drm.ioctl", Layer::kernel);
      case RecordType::mmap:
        return mapped(json);
      case RecordType::doorbell:
        return doorbell(json);
      case RecordType::packet:
        return packet(json);
      case RecordType::completion:
        return completion(json);
      case RecordType::failure:
        return failure(json);
      case RecordType::signalled: {
        const std::string subject =
            fmt::format("pid {} event {}", process_->pid, json.value("event_id", std::uint64_t{0}));
        record(Layer::kernel, Severity::info, "kfd.signalled", subject, {}, no_event);
        return;
      }
    }
  }
  Timeline take() { return std::move(timeline_); }

 private:
  EventId record(Layer layer, Severity severity, std::string_view kind, std::string_view subject,
                 const std::vector<Field>& fields, EventId cause) {
    return timeline_.record({.time_ns = time_,
                             .layer = layer,
                             .severity = severity,
                             .kind = kind,
                             .subject = subject,
                             .fields = fields,
                             .cause = cause});
  }
  void began() {
    EventId& event = processes_[process_];
    if (event != no_event) return;
    event = record(Layer::host, Severity::info, "process.started",
                   fmt::format("{} pid {}", process_->command, process_->pid), {}, no_event);
  }
  EventId of_process() { return processes_[process_]; }
  std::string queue(std::uint64_t id) const {
    return fmt::format("pid {} queue {}", process_->pid, id);
  }

  void call(const Json& json, std::string_view kind, Layer layer) {
    const int error = json.value("errno", 0);
    const std::string name = json.value("name", "");
    const std::string in = short_text(json, "in");
    const std::string out = error == 0 ? short_text(json, "out") : errno_text(error);
    std::vector<Field> fields;
    if (!in.empty()) fields.push_back({field::asked, std::string_view(in)});
    if (!out.empty()) fields.push_back({field::got, std::string_view(out)});
    const EventId event = record(layer, error == 0 ? Severity::info : Severity::warning, kind, name,
                                 fields, of_process());
    if (error == 0 && name == "AMDKFD_IOC_CREATE_QUEUE") created(json, event);
  }
  void created(const Json& json, EventId event) {
    const Json in = json.value("in", Json::object());
    const Json out = json.value("out", Json::object());
    if (!out.contains("queue_id")) return;
    const auto number = [&](const char* key) {
      return in.contains(key) ? static_cast<std::int64_t>(trace::number_of(in, key)) : 0;
    };
    constexpr std::int64_t packet_bytes = 64;
    record(Layer::kernel, Severity::debug, "queue.created",
           queue(trace::number_of(out, "queue_id")),
           {{"gpu_id", number("gpu_id")}, {"slots", number("ring_size") / packet_bytes}}, event);
  }
  void mapped(const Json& json) {
    const int error = json.value("errno", 0);
    const std::string got = error == 0 ? json.value("address", "") : errno_text(error);
    record(Layer::access, error == 0 ? Severity::info : Severity::warning, "device.mmap",
           json.value("device", ""), {{field::got, std::string_view(got)}}, of_process());
  }

  void doorbell(const Json& json) {
    const std::uint64_t id = trace::number_of(json, "queue");
    rung_[{process_, id}] = record(
        Layer::silicon, Severity::debug, "packet.doorbell", queue(id),
        {{"index", static_cast<std::int64_t>(trace::number_of(json, "value"))}}, of_process());
  }
  void packet(const Json& json) {
    const std::uint64_t id = trace::number_of(json, "queue");
    const std::uint64_t index = trace::number_of(json, "index");
    const bool aql = json.value("kind", "") == "aql";
    const std::string name = json.value("name", "");
    const std::string bytes = json.value("bytes", "");
    std::vector<Field> fields{{aql ? "index" : "byte", static_cast<std::int64_t>(index)},
                              {"type", std::string_view(name)}};
    if (aql) fields.push_back({"packet", std::string_view(bytes)});
    if (json.contains("signal"))
      fields.push_back({"signal_value", json["signal"].value("value", std::int64_t{0})});
    const std::string kernel = json.value("kernel", "");
    if (!kernel.empty()) fields.push_back({"kernel", std::string_view(kernel)});
    const auto rung = rung_.find({process_, id});
    launched_[{process_, id, index}] =
        record(Layer::silicon, Severity::debug, aql ? "packet.launched" : "sdma.launched",
               queue(id), fields, rung == rung_.end() ? of_process() : rung->second);
    if (aql) taken(json, id, launched_[{process_, id, index}]);
  }
  /// The read index, where it has moved on.
  void taken(const Json& json, std::uint64_t id, EventId cause) {
    if (!json.contains("read_index")) return;
    const std::uint64_t read = trace::number_of(json, "read_index");
    std::uint64_t& before = read_[{process_, id}];
    if (read == before || read == 0) return;
    before = read;
    record(Layer::silicon, Severity::debug, "packet.taken", queue(id),
           {{"index", static_cast<std::int64_t>(read - 1)},
            {"read_index", static_cast<std::int64_t>(read)}},
           cause);
  }
  EventId launch_of(std::uint64_t id, std::uint64_t index) {
    const auto launched = launched_.find({process_, id, index});
    return launched == launched_.end() ? of_process() : launched->second;
  }
  void completion(const Json& json) {
    const std::uint64_t id = trace::number_of(json, "queue");
    const std::uint64_t index = trace::number_of(json, "index");
    const EventId cause = launch_of(id, index);
    const bool sdma = timeline_.head(cause).kind == "sdma.launched";
    record(Layer::silicon, Severity::debug, sdma ? "sdma.completed" : "packet.completed", queue(id),
           {{sdma ? "byte" : "index", static_cast<std::int64_t>(index)}}, cause);
    if (!sdma) taken(json, id, cause);
  }
  void failure(const Json& json) {
    const std::uint64_t id = trace::number_of(json, "queue");
    const std::uint64_t index = trace::number_of(json, "index");
    const std::string reason = json.value("reason", "");
    const bool aql = json.value("kind", "") == "aql";
    record(Layer::silicon, Severity::error, aql ? "queue.failed" : "sdma.failed", queue(id),
           {{aql ? "packet" : "byte", static_cast<std::int64_t>(index)},
            {"exception", std::string_view(reason)}},
           launch_of(id, index));
  }

  std::uint64_t start_;
  std::uint64_t time_ = 0;
  const trace::Process* process_ = nullptr;
  Timeline timeline_;
  std::map<const trace::Process*, EventId> processes_;
  std::map<std::pair<const trace::Process*, std::uint64_t>, EventId> rung_;
  std::map<std::pair<const trace::Process*, std::uint64_t>, std::uint64_t> read_;  ///< indices
  std::map<std::tuple<const trace::Process*, std::uint64_t, std::uint64_t>, EventId> launched_;
};

}  // namespace

bool is_trace(std::string_view text) {
  return text.substr(0, text.find('\n')).contains("\"schema_version\"");
}

std::expected<Timeline, std::string> history_of_trace(std::string_view text,
                                                      std::string_view file) {
  const auto trace = trace::parse(text);
  if (!trace) return std::unexpected(trace.error().text(file));
  const std::vector<Entry> entries = in_order(*trace);
  History history(entries.empty() ? 0 : entries.front().time);
  for (const Entry& entry : entries) history.add(entry);
  return history.take();
}

}  // namespace rocdrill::gui
