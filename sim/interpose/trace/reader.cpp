#include "sim/interpose/trace/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>

#include "sim/interpose/trace/ioctl_fields.hpp"

namespace rocdrill::trace {
namespace {

struct TypeInfo {
  std::string_view name;
  RecordType type;
  std::initializer_list<const char*> numbers;
  std::initializer_list<const char*> texts;
};

constexpr std::array record_types{
    TypeInfo{"ioctl", RecordType::ioctl, {"thread", "errno"}, {"name"}},
    TypeInfo{"drm", RecordType::drm, {"thread", "errno"}, {"name", "device"}},
    TypeInfo{"mmap",
             RecordType::mmap,
             {"thread", "length", "prot", "flags", "offset", "address", "errno"},
             {"device"}},
    TypeInfo{"doorbell", RecordType::doorbell, {"queue", "value"}, {}},
    TypeInfo{"packet", RecordType::packet, {"queue", "index"}, {"kind"}},
    TypeInfo{"completion", RecordType::completion, {"queue", "index"}, {}},
    TypeInfo{"failure", RecordType::failure, {"queue", "index"}, {"kind", "reason"}},
    TypeInfo{"signalled", RecordType::signalled, {"event_id"}, {}},
};

constexpr std::string_view cut_short =
    "the file was cut or changed: record it again, or delete the lines from there on";

void need_text(const Json& json, const char* key) {
  if (!json.contains(key) || !json.at(key).is_string())
    throw std::invalid_argument(fmt::format("'{}' is missing or no text", key));
}

/// Members by which other records are understood: however short the argument was.
void check_named(const Json& json, kfd::Ioctl nr) {
  const Json& in = json.at("in");
  const Json& out = json.at("out");
  if (nr == kfd::Ioctl::alloc_memory_of_gpu) {
    for (const char* key : {"va_addr", "size", "flags"}) number_of(in, key);
    for (const char* key : {"handle", "mmap_offset"}) number_of(out, key);
  }
  if (nr == kfd::Ioctl::free_memory_of_gpu) number_of(in, "handle");
  if (nr == kfd::Ioctl::create_queue) {
    for (const char* key : {"gpu_id", "queue_type"}) number_of(in, key);
    number_of(out, "queue_id");
  }
}

void check_ioctl(const Json& json) {
  const auto& name = json.at("name").get_ref<const std::string&>();
  if (name == "unknown") {
    number_of(json, "request");
    return;
  }
  const auto known = kfd::ioctls();
  const auto info = std::ranges::find(known, name, &kfd::IoctlInfo::name);
  if (info == known.end()) throw std::invalid_argument(fmt::format("there is no ioctl '{}'", name));
  constexpr std::uint64_t longest = 0x3FFF;  // _IOC_SIZE has 14 bits
  if (number_of(json, "size") > longest) throw std::invalid_argument("'size' is too large");
  for (const char* part : {"in", "out"}) {
    if (!json.contains(part) || !json.at(part).is_object())
      throw std::invalid_argument(fmt::format("'{}' is missing or no object", part));
  }
  const std::uint64_t size = number_of(json, "size");
  for (const FieldInfo& field : fields_of(info->nr)) {
    const bool here = field.offset + field.size <= size;
    if (here && field.way != Way::out) number_of(json.at("in"), field.name);
    if (here && field.way != Way::in) number_of(json.at("out"), field.name);
  }
  if (number_of(json, "errno") == 0) check_named(json, info->nr);
  for (const char* list : {"device_ids", "cu_mask"}) {
    if (!json.at("in").contains(list)) continue;
    if (!json.at("in").at(list).is_array())
      throw std::invalid_argument(fmt::format("'{}' is no list", list));
    for (const Json& one : json.at("in").at(list)) number_of(one);
  }
  if (!json.at("in").contains("events")) return;
  for (const Json& one : json.at("in").at("events")) {
    number_of(one, "event_id");
    number_of(one, "last_event_age");
  }
}

void check_packet(const Json& json) {
  const auto& kind = json.at("kind").get_ref<const std::string&>();
  if (kind != "aql" && kind != "sdma")
    throw std::invalid_argument(fmt::format("'kind' is '{}', not aql or sdma", kind));
  if (kind == "sdma") number_of(json, "dwords");
  if (json.contains("inactive_signal")) {
    for (const char* key : {"address", "mailbox", "event_id"})
      number_of(json.at("inactive_signal"), key);
  }
  if (json.contains("error_reason")) {
    for (const char* key : {"address", "event_id"}) number_of(json.at("error_reason"), key);
  }
  if (!json.contains("bytes")) return;
  need_text(json, "bytes");
  const auto bytes = bytes_of(json.at("bytes").get<std::string>());
  constexpr std::size_t slot = 64;
  if (kind == "aql" && bytes.size() != slot)
    throw std::invalid_argument("an AQL packet has 64 bytes");
  if (kind == "sdma" && bytes.size() < 4)
    throw std::invalid_argument("an SDMA packet has four bytes at least");
  if (!json.contains("signal")) return;
  for (const char* key : {"value", "mailbox", "event_id"}) number_of(json.at("signal"), key);
  number_of(json.at("fields"), "completion");
}

std::optional<RecordType> check(const Json& json) {
  need_text(json, "type");
  const auto& type = json.at("type").get_ref<const std::string&>();
  const auto info = std::ranges::find(record_types, type, &TypeInfo::name);
  if (info == record_types.end()) return std::nullopt;
  for (const char* key : info->numbers) number_of(json, key);
  for (const char* key : info->texts) need_text(json, key);
  if (json.contains("read_index")) number_of(json, "read_index");
  if (json.contains("kernel")) need_text(json, "kernel");
  if (info->type == RecordType::ioctl) check_ioctl(json);
  if (info->type == RecordType::packet || info->type == RecordType::failure) check_packet(json);
  return info->type;
}

Process process_of(const Json& json, std::size_t line) {
  const std::uint64_t version = number_of(json, "schema_version");
  if (version != schema_version) {
    throw std::invalid_argument(
        fmt::format("format version {}; this rocdrill reads version {}", version, schema_version));
  }
  need_text(json, "command");
  Process process{.pid = static_cast<int>(number_of(json, "pid")),
                  .command = json.at("command").get<std::string>(),
                  .line = line,
                  .kfd = {},
                  .gpus = {},
                  .records = {}};
  if (!json.contains("node") || !json.at("node").contains("gpus"))
    throw std::invalid_argument("'node' is missing");
  need_text(json.at("node"), "kfd");
  process.kfd = json.at("node").at("kfd").get<std::string>();
  for (const Json& gpu : json.at("node").at("gpus"))
    process.gpus.push_back(static_cast<std::uint32_t>(number_of(gpu, "gpu_id")));
  return process;
}

class Parser {
 public:
  void line(std::string_view text, std::size_t number) {
    const Json json = Json::parse(text);
    if (json.is_object() && json.contains("schema_version")) {
      trace_.processes.push_back(process_of(json, number));
      const int pid = trace_.processes.back().pid;
      newer_[pid] = json.contains("minor_version") &&
                    number_of(json, "minor_version") > static_cast<std::uint64_t>(schema_minor);
      current_[pid] = trace_.processes.size() - 1;
      return;
    }
    const int pid = static_cast<int>(number_of(json, "pid"));
    const auto owner = current_.find(pid);
    if (owner == current_.end())
      throw std::invalid_argument(fmt::format("process {} has no first record", pid));
    const auto type = check(json);
    if (!type) {
      const std::string name = json.at("type").get<std::string>();
      if (!newer_[pid]) throw std::invalid_argument(fmt::format("unknown record '{}'", name));
      trace_.warnings.push_back(
          fmt::format("line {}: a newer rocdrill wrote this record '{}': skipped", number, name));
      return;
    }
    Process& process = trace_.processes[owner->second];
    const std::uint64_t seq = number_of(json, "seq");
    const std::uint64_t last = process.records.empty() ? 0 : process.records.back().seq;
    if (seq <= last || (!newer_[pid] && seq != last + 1)) {
      throw std::invalid_argument(
          fmt::format("record {} of process {} follows record {}", seq, pid, last));
    }
    process.records.push_back({*type, seq, number, json});
  }
  Trace take() { return std::move(trace_); }

 private:
  Trace trace_;
  std::map<int, std::size_t> current_;  ///< pid -> place in trace_.processes
  std::map<int, bool> newer_;
};

}  // namespace

std::string Damage::text(std::string_view file) const {
  return line == 0 ? fmt::format("{}: {}\n  {}\n", file, what, advice)
                   : fmt::format("{}:{}: {}\n  {}\n", file, line, what, advice);
}

std::expected<Trace, Damage> parse(std::string_view text) {
  if (text.empty()) {
    return std::unexpected(
        Damage{0, "an empty file is no trace",
               "the program used no device, or was not traced: rocdrill run --trace FILE ..."});
  }
  Parser parser;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return std::unexpected(
          Damage{number, "the last line is not complete", std::string(cut_short)});
    }
    try {
      parser.line(text.substr(0, end), number);
    } catch (const Json::parse_error&) {
      return std::unexpected(Damage{number, "not JSON", std::string(cut_short)});
    } catch (const std::exception& error) {  // of nlohmann's, or of the checks
      return std::unexpected(
          Damage{number, error.what(),
                 number == 1 ? "is this a file of rocdrill run --trace?" : std::string(cut_short)});
    }
    text.remove_prefix(end + 1);
  }
  return parser.take();
}

}  // namespace rocdrill::trace
