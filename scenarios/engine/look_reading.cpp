// Messages of look_message.hpp as they come from elsewhere: what is not as it has to be is refused.
#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "scenarios/engine/look_message.hpp"

namespace rocdrill::scenarios {
namespace {

using Json = nlohmann::json;

/// What is refused: caught by question_of() and answer_of().
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const Json& member(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (at == object.end()) throw Refused(fmt::format("'{}' is missing", key));
  return *at;
}

std::string text(const Json& object, const char* key, std::size_t most = limits::line_bytes) {
  const Json& value = member(object, key);
  if (!value.is_string()) throw Refused(fmt::format("'{}' is no text", key));
  const auto& read = value.get_ref<const std::string&>();
  if (read.size() > most) throw Refused(fmt::format("'{}' is longer than {} bytes", key, most));
  return read;
}

template <class Number>
Number number(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_number_integer()) throw Refused(fmt::format("'{}' is no number", key));
  const bool negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
  if (negative && std::is_unsigned_v<Number>) throw Refused(fmt::format("'{}' is negative", key));
  const bool fits = negative ? std::in_range<Number>(value.get<std::int64_t>())
                             : std::in_range<Number>(value.get<std::uint64_t>());
  if (!fits) throw Refused(fmt::format("'{}' is too large", key));
  return static_cast<Number>(value.get<std::uint64_t>());
}

bool flag(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_boolean()) throw Refused(fmt::format("'{}' is neither true nor false", key));
  return value.get<bool>();
}

const Json& list(const Json& object, const char* key, std::size_t most) {
  const Json& value = member(object, key);
  if (!value.is_array()) throw Refused(fmt::format("'{}' is no list", key));
  if (value.size() > most) throw Refused(fmt::format("'{}' has more than {} entries", key, most));
  return value;
}

/// One of the values whose names a type has.
template <class Value, std::size_t count, class Name>
Value named(const Json& object, const char* key, const std::array<Value, count>& all, Name name) {
  const std::string wanted = text(object, key);
  for (const Value value : all) {
    if (name(value) == wanted) return value;
  }
  throw Refused(fmt::format("'{}' cannot be '{}'", key, wanted.substr(0, 40)));
}

TopologyNode node_of(const Json& json) {
  TopologyNode node{.id = number<std::uint32_t>(json, "id"),
                    .gpu_id = number<std::uint32_t>(json, "gpu_id"),
                    .name = text(json, "name"),
                    .bdf = text(json, "bdf"),
                    .target = text(json, "target"),
                    .properties = {},
                    .banks = {},
                    .links = {}};
  const Json& properties = member(json, "properties");
  for (const kfd::NodeKey& key : kfd::node_keys()) {
    const std::string name(key.name);
    const bool there = properties.is_object() && properties.contains(name);
    if (key.has) node.properties.*key.has = there;
    if (there || !key.has)
      node.properties.*key.value = number<std::uint64_t>(properties, name.c_str());
  }
  for (const Json& one : list(json, "banks", limits::nodes)) {
    kfd::MemBank bank;
    bank.heap_type = static_cast<decltype(bank.heap_type)>(number<std::uint32_t>(one, "heap"));
    bank.size_in_bytes = number<decltype(bank.size_in_bytes)>(one, "bytes");
    bank.width = number<decltype(bank.width)>(one, "width");
    bank.mem_clk_max = number<decltype(bank.mem_clk_max)>(one, "mhz");
    node.banks.push_back(bank);
  }
  for (const Json& one : list(json, "links", limits::nodes)) {
    kfd::IoLink link;
    link.type = static_cast<kfd::LinkType>(number<std::uint32_t>(one, "type"));
    link.node_from = number<decltype(link.node_from)>(one, "from");
    link.node_to = number<decltype(link.node_to)>(one, "to");
    link.weight = number<decltype(link.weight)>(one, "weight");
    link.min_bandwidth = number<decltype(link.min_bandwidth)>(one, "min");
    link.max_bandwidth = number<decltype(link.max_bandwidth)>(one, "max");
    link.flags = number<decltype(link.flags)>(one, "flags");
    node.links.push_back(link);
  }
  return node;
}

std::vector<std::uint32_t> numbers(const Json& json, const char* what) {
  std::vector<std::uint32_t> all;
  if (!json.is_array() || json.size() > limits::nodes)
    throw Refused(fmt::format("'{}' is no list, or too long", what));
  for (const Json& one : json) all.push_back(number<std::uint32_t>(Json{{what, one}}, what));
  return all;
}

TopologySlot slot_of(const Json& json) {
  TopologySlot slot{.product = text(json, "product"),
                    .bdf = text(json, "bdf"),
                    .numa_node = number<std::uint32_t>(json, "numa_node"),
                    .on_bus = flag(json, "on_bus"),
                    .driver = text(json, "driver"),
                    .speed = text(json, "speed"),
                    .lanes = text(json, "lanes"),
                    .node = {},
                    .devices = numbers(member(json, "devices"), "devices"),
                    .compute_mode = text(json, "compute_mode"),
                    .memory_mode = text(json, "memory_mode"),
                    .compute_modes = text(json, "compute_modes"),
                    .memory_modes = text(json, "memory_modes"),
                    .errors = {}};
  if (!member(json, "node").is_null()) slot.node = number<std::uint32_t>(json, "node");
  for (const Json& one : list(json, "errors", limits::nodes))
    slot.errors.push_back({text(one, "name"), number<std::uint64_t>(one, "count")});
  return slot;
}

Topology topology_from(const Json& json) {
  Topology topology;
  for (const Json& one : list(json, "nodes", limits::nodes)) topology.nodes.push_back(node_of(one));
  for (const Json& one : list(json, "slots", limits::nodes)) topology.slots.push_back(slot_of(one));
  const Json& rows = list(json, "distances", limits::nodes);
  for (const Json& row : rows) {
    topology.distances.push_back(numbers(row, "distances"));
    if (topology.distances.back().size() != rows.size()) throw Refused("'distances' is no square");
  }
  topology.missing = text(json, "missing");
  topology.because = number<EventId>(json, "because");
  return topology;
}

constexpr std::array all_support{compat::Support::supported, compat::Support::unsupported,
                                 compat::Support::unknown};
constexpr std::array all_status{checks::Status::pass, checks::Status::fail,
                                checks::Status::not_reached, checks::Status::not_modelled};

Layer layer_in(const Json& json) {
  const auto layer = layer_from_name(text(json, "layer"));
  if (!layer) throw Refused("'layer' is none");
  return *layer;
}

Versions versions_from(const Json& json) {
  Versions versions;
  for (const Json& one : list(json, "rows", limits::checks)) {
    versions.rows.push_back(
        {layer_in(one), text(one, "what"), text(one, "version"), text(one, "reported")});
  }
  versions.verdict.support = named(json, "support", all_support, compat::name);
  versions.verdict.reason = text(json, "reason");
  return versions;
}

checks::Result check_from(const Json& json) {
  return {.id = text(json, "id"),
          .step = number<int>(json, "step"),
          .layer = layer_in(json),
          .title = text(json, "title"),
          .status = named(json, "status", all_status, checks::name),
          .evidence = text(json, "evidence"),
          .next = text(json, "next"),
          .event = number<EventId>(json, "event")};
}

std::optional<Evidence> evidence_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  Evidence evidence{
      .command = text(json, "command"), .exit_code = number<int>(json, "exit"), .lines = {}};
  for (const Json& one : list(json, "lines", limits::lines))
    evidence.lines.push_back({text(one, "text"), flag(one, "telling")});
  if (flag(json, "cut")) evidence.lines.push_back({"[...]", false});
  return evidence;
}

std::string from_hex(const std::string& hex) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw Refused("'file' is not hexadecimal");
  };
  if (hex.size() % 2 != 0) throw Refused("'file' is not hexadecimal");
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

}  // namespace

std::expected<LookQuestion, std::string> question_of(const Json& message) {
  try {
    LookQuestion question{.topology = flag(message, "topology"),
                          .versions = flag(message, "versions"),
                          .checks = flag(message, "checks"),
                          .commands = {},
                          .file = text(message, "file", limits::command_bytes)};
    for (const Json& one : list(message, "commands", limits::commands)) {
      question.commands.push_back(
          {text(one, "line", limits::command_bytes), number<EventId>(one, "about")});
    }
    return question;
  } catch (const Refused& refused) {
    return std::unexpected(std::string("the question is refused: ") + refused.what());
  }
}

std::expected<LookAnswer, std::string> answer_of(const Json& message) {
  try {
    LookAnswer told{.events = number<std::size_t>(message, "events"),
                    .topology = {},
                    .versions = {},
                    .checks = {},
                    .evidence = {},
                    .file = {}};
    if (message.contains("topology")) told.topology = topology_from(message["topology"]);
    if (message.contains("versions")) told.versions = versions_from(message["versions"]);
    if (message.contains("checks")) {
      told.checks.emplace();
      for (const Json& one : list(message, "checks", limits::checks))
        told.checks->push_back(check_from(one));
    }
    for (const Json& one : list(message, "evidence", limits::commands))
      told.evidence.push_back(evidence_from(one));
    if (message.contains("file"))
      told.file = from_hex(text(message, "file", limits::file_bytes * 2));
    return told;
  } catch (const Refused& refused) {
    return std::unexpected(std::string("the node's answer is malformed: ") + refused.what());
  }
}

}  // namespace rocdrill::scenarios
