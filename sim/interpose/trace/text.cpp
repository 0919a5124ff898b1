#include "sim/interpose/trace/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "sim/interpose/trace/names.hpp"
#include "sim/interpose/trace/packet_fields.hpp"

namespace rocdrill::trace {
namespace {

constexpr std::string_view prefix = "AMDKFD_IOC_";

std::string errno_text(std::uint64_t error) {
  const char* name = ::strerrorname_np(static_cast<int>(error));
  return name ? name : fmt::format("errno {}", error);
}

/// FNV-1a
std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 0x811C9DC5;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x01000193;
  return sum;
}

class Describer {
 public:
  Describer(const Process& process, const TextOptions& options)
      : process_(process), options_(options), names_(process) {
    if (!process.records.empty()) start_ns_ = time_of(process.records.front());
  }

  ProcessText run() {
    ProcessText text{process_.command, {}};
    if (options_.times) text.title += fmt::format(" (pid {})", process_.pid);
    text.title += fmt::format(", KFD {}, {} GPU{}", process_.kfd, process_.gpus.size(),
                              process_.gpus.size() == 1 ? "" : "s");
    std::size_t number = 0;
    for (const std::uint64_t thread : names_.threads()) {
      Section section = calls(thread, number++);
      if (!section.lines.empty()) text.sections.push_back(std::move(section));
    }
    for (Section& section : queues()) text.sections.push_back(std::move(section));
    if (Section section = events(); !section.lines.empty())
      text.sections.push_back(std::move(section));
    return text;
  }

 private:
  static std::uint64_t time_of(const Record& record) {
    return record.json.contains("time_ns") ? number_of(record.json, "time_ns") : 0;
  }
  std::string lead(const Record& record) const {
    if (!options_.times) return {};
    return fmt::format("{:>12.6f} #{:<5} ", static_cast<double>(time_of(record) - start_ns_) / 1e9,
                       record.seq);
  }
  Section calls(std::uint64_t thread, std::size_t number);
  std::string call(const Record& record);
  std::string ioctl(const Json& json, std::uint64_t seq);
  std::string members(kfd::Ioctl nr, const Json& json, std::uint64_t seq);
  std::string lists(const Json& json);
  std::string drm(const Json& json) const;
  std::string mapping(const Json& json, std::uint64_t seq);
  std::vector<Section> queues();
  std::vector<std::string> queue_lines(const std::vector<const Record*>& records);
  std::string packet(const Record& record);
  Section events() const;

  const Process& process_;
  TextOptions options_;
  Names names_;
  std::uint64_t start_ns_ = 0;
};

bool is_call(const Record& record) {
  return record.type == RecordType::ioctl || record.type == RecordType::drm ||
         record.type == RecordType::mmap;
}

Section Describer::calls(std::uint64_t thread, std::size_t number) {
  Section section{fmt::format("thread {}", number), {}};
  for (const Record& record : process_.records) {
    if (!is_call(record) || number_of(record.json, "thread") != thread) continue;
    if (!options_.times && record.type == RecordType::ioctl &&
        is_wait(record.json.at("name").get_ref<const std::string&>()))
      continue;
    section.lines.push_back(lead(record) + call(record));
  }
  return section;
}

std::string Describer::call(const Record& record) {
  std::string text = record.type == RecordType::ioctl ? ioctl(record.json, record.seq)
                     : record.type == RecordType::drm ? drm(record.json)
                                                      : mapping(record.json, record.seq);
  if (const std::uint64_t error = number_of(record.json, "errno"); error != 0)
    text += " -> " + errno_text(error);
  return text;
}

std::string Describer::members(kfd::Ioctl nr, const Json& json, std::uint64_t seq) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    const FieldInfo* field = find_field(nr, key);
    if (!field) continue;
    if (!options_.times && !is_stable(field->kind) && field->kind != Kind::address) continue;
    text += fmt::format(" {}={}", key, names_.value(number_of(value), field->kind, seq));
  }
  return text;
}

/// What the argument points at.
std::string Describer::lists(const Json& json) {
  std::string text;
  if (json.contains("render_minor"))
    text += fmt::format(" drm=renderD{}", number_of(json, "render_minor"));
  if (json.contains("device_ids")) {
    std::vector<std::string> ids;
    for (const Json& id : json.at("device_ids")) ids.push_back(names_.gpu(number_of(id)));
    text += fmt::format(" devices={}", fmt::join(ids, ","));
  }
  if (json.contains("cu_mask")) text += " cu_mask=" + json.at("cu_mask").dump();
  if (json.contains("apertures")) {
    for (const Json& one : json.at("apertures")) {
      text += fmt::format(" {}:[lds {} scratch {} gpuvm {}]", names_.gpu(number_of(one, "gpu_id")),
                          one.at("lds").dump(), one.at("scratch").dump(), one.at("gpuvm").dump());
    }
    std::erase(text, '"');
  }
  if (json.contains("events")) {
    std::vector<std::uint64_t> ids;
    for (const Json& one : json.at("events")) ids.push_back(number_of(one, "event_id"));
    text += fmt::format(" events={}", fmt::join(ids, ","));
  }
  return text;
}

std::string Describer::ioctl(const Json& json, std::uint64_t seq) {
  const auto name = json.at("name").get<std::string>();
  if (name == "unknown") return "ioctl " + json.at("request").get<std::string>();
  const auto known = kfd::ioctls();
  const auto nr = std::ranges::find(known, name, &kfd::IoctlInfo::name)->nr;
  std::string text = name.substr(name.starts_with(prefix) ? prefix.size() : 0);
  text += members(nr, json.at("in"), seq) + lists(json.at("in"));
  if (options_.times && json.at("in").contains("bytes"))
    text += " bytes=" + json.at("in").at("bytes").get<std::string>();
  if (number_of(json, "errno") != 0) return text;
  const std::string out = members(nr, json.at("out"), seq) + lists(json.at("out"));
  return out.empty() ? text : text + " ->" + out;
}

std::string Describer::drm(const Json& json) const {
  std::string text = json.at("name").get<std::string>();
  if (text == "unknown") text = "DRM ioctl " + json.value("request", std::string());
  text += " " + json.at("device").get<std::string>();
  if (json.contains("query")) {
    text += " " + json.at("query").get<std::string>();
    if (json.contains("argument")) text += json.at("argument").dump();
    if (json.contains("reply") && (options_.times || json.at("query") != "TIMESTAMP")) {
      const auto reply = json.at("reply").get<std::string>();
      constexpr std::size_t shown = 32;
      text += " -> " + (reply.size() <= shown || options_.times
                            ? reply
                            : fmt::format("{}... ({} bytes, hash {:08x})", reply.substr(0, shown),
                                          reply.size() / 2, checksum(reply)));
    }
  }
  return text;
}

std::string Describer::mapping(const Json& json, std::uint64_t seq) {
  std::string text =
      fmt::format("mmap {} {}", json.at("device").get<std::string>(), number_of(json, "length"));
  if (number_of(json, "errno") != 0) return text;
  return text + " at " + names_.address(number_of(json, "address"), seq);
}

std::string Describer::packet(const Record& record) {
  const Json& json = record.json;
  const bool sdma = json.at("kind").get_ref<const std::string&>() == "sdma";
  std::string text = fmt::format("{:>6} ", number_of(json, "index"));
  if (!json.contains("bytes")) return text + "unreadable";
  const auto bytes = bytes_of(json.at("bytes").get<std::string>());
  const DecodedPacket decoded = sdma ? decode_sdma(bytes) : decode_aql(bytes);
  text += decoded.name;
  for (const PacketField& field : decoded.fields)
    text += fmt::format(" {}={}", field.name, names_.value(field.value, field.kind, record.seq));
  if (json.contains("signal") && number_of(json.at("signal"), "event_id") != 0)
    text += fmt::format(" event={}", number_of(json.at("signal"), "event_id"));
  return text;
}

/// One queue after another: how their packets mix is of one run only, and names are given in this
/// order.
std::vector<Section> Describer::queues() {
  std::map<std::uint64_t, std::string> titles;
  std::map<std::uint64_t, std::vector<const Record*>> records;
  for (const Record& record : process_.records) {
    const Json& json = record.json;
    if (record.type == RecordType::ioctl && number_of(json, "errno") == 0 &&
        json.at("name").get_ref<const std::string&>() == "AMDKFD_IOC_CREATE_QUEUE") {
      const bool aql = number_of(json.at("in"), "queue_type") ==
                       static_cast<std::uint32_t>(kfd::QueueType::compute_aql);
      titles[number_of(json.at("out"), "queue_id")] = fmt::format(
          "{}, {}", aql ? "AQL" : "SDMA", names_.gpu(number_of(json.at("in"), "gpu_id")));
    }
    if (record.type == RecordType::doorbell || record.type == RecordType::packet ||
        record.type == RecordType::completion || record.type == RecordType::failure)
      records[number_of(json, "queue")].push_back(&record);
  }
  for (const auto& [id, list] : records) titles.try_emplace(id, "not created here");
  std::vector<Section> sections;
  for (const auto& [id, title] : titles)
    sections.push_back({fmt::format("queue {}: {}", id, title), queue_lines(records[id])});
  return sections;
}

std::vector<std::string> Describer::queue_lines(const std::vector<const Record*>& records) {
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::size_t> places;  // packet -> its line
  for (const Record* record : records) {
    const Json& json = record->json;
    if (record->type == RecordType::doorbell) {
      if (options_.times)
        lines.push_back(fmt::format("{}doorbell {}", lead(*record), number_of(json, "value")));
      continue;
    }
    const std::uint64_t index = number_of(json, "index");
    auto place = places.find(index);
    if (record->type != RecordType::completion && place == places.end()) {
      std::string line = packet(*record);
      // How many NOPs are taken together depends on when the queue looks.
      if (!options_.times && line.ends_with(" NOP")) continue;
      place = places.emplace(index, lines.size()).first;
      lines.push_back(lead(*record) + std::move(line));
    }
    if (place == places.end()) continue;
    if (record->type == RecordType::completion) lines[place->second] += "; completed";
    if (record->type == RecordType::failure)
      lines[place->second] += "; failed: " + json.at("reason").get<std::string>();
  }
  return lines;
}

Section Describer::events() const {
  std::map<std::uint64_t, std::size_t> counts;
  for (const Record& record : process_.records) {
    if (record.type == RecordType::signalled) ++counts[number_of(record.json, "event_id")];
  }
  Section section{"events that devices signalled", {}};
  for (const auto& [id, count] : counts)
    section.lines.push_back(fmt::format("event {}: {} time{}", id, count, count == 1 ? "" : "s"));
  return section;
}

std::string join(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    text += "\n  " + section.title + "\n";
    for (const std::string& line : section.lines) text += "    " + line + "\n";
  }
  return text;
}

std::optional<Difference> compare(const std::string& where, const Section& left,
                                  const Section& right) {
  constexpr std::size_t context = 3;
  const std::size_t count = std::max(left.lines.size(), right.lines.size());
  const auto line = [](const Section& section, std::size_t i) {
    return i < section.lines.size() ? section.lines[i] : std::string();
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (line(left, i) == line(right, i)) continue;
    Difference found{fmt::format("{}, {}, line {}", where, left.title, i + 1),
                     {},
                     line(left, i),
                     line(right, i)};
    for (std::size_t k = i - std::min(i, context); k < i; ++k)
      found.before.push_back(left.lines[k]);
    return found;
  }
  return std::nullopt;
}

}  // namespace

ProcessText describe(const Process& process, const TextOptions& options) {
  return Describer(process, options).run();
}

std::string text_of(const std::vector<ProcessText>& processes) {
  std::string text;
  for (const ProcessText& process : processes)
    text += (text.empty() ? "" : "\n") + process.title + "\n" + join(process.sections);
  return text;
}

/// The command is no difference: the same calls may come from a program of another name.
std::optional<Difference> first_difference(const Trace& left, const Trace& right) {
  const std::size_t count = std::min(left.processes.size(), right.processes.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ProcessText a = describe(left.processes[i]);
    const ProcessText b = describe(right.processes[i]);
    const std::string where = fmt::format("process {}", i + 1);
    const auto node_of = [](const Process& process) {
      return fmt::format("KFD {}, {} GPUs", process.kfd, process.gpus.size());
    };
    if (node_of(left.processes[i]) != node_of(right.processes[i]))
      return Difference{
          where + ", node", {}, node_of(left.processes[i]), node_of(right.processes[i])};
    for (std::size_t k = 0; k < std::max(a.sections.size(), b.sections.size()); ++k) {
      const std::string left_title = k < a.sections.size() ? a.sections[k].title : "";
      const std::string right_title = k < b.sections.size() ? b.sections[k].title : "";
      if (left_title != right_title)
        return Difference{where + ", sections", {}, left_title, right_title};
      if (auto found = compare(where, a.sections[k], b.sections[k])) return found;
    }
  }
  if (left.processes.size() != right.processes.size()) {
    return Difference{"processes",
                      {},
                      fmt::format("{} processes", left.processes.size()),
                      fmt::format("{} processes", right.processes.size())};
  }
  return std::nullopt;
}

}  // namespace rocdrill::trace
