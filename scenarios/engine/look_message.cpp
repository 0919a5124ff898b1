#include "scenarios/engine/look_message.hpp"

#include "scenarios/engine/run.hpp"
#include "sim/node.hpp"

namespace rocdrill::scenarios {
namespace {

using Json = nlohmann::json;

/// Bytes that are no UTF-8 become three on their way.
std::string cut(std::string line) {
  constexpr std::size_t most = limits::line_bytes / 3;
  if (line.size() > most) line = line.substr(0, most - 4) + " ...";
  return line;
}

Json to_json(const TopologyNode& node) {
  Json properties = Json::object();
  for (const kfd::NodeKey& key : kfd::node_keys()) {
    if (!key.has || node.properties.*key.has)
      properties[std::string(key.name)] = node.properties.*key.value;
  }
  Json banks = Json::array();
  for (const kfd::MemBank& bank : node.banks) {
    banks.push_back({{"heap", static_cast<std::uint32_t>(bank.heap_type)},
                     {"bytes", bank.size_in_bytes},
                     {"width", bank.width},
                     {"mhz", bank.mem_clk_max}});
  }
  Json links = Json::array();
  for (const kfd::IoLink& link : node.links) {
    links.push_back({{"type", static_cast<std::uint32_t>(link.type)},
                     {"from", link.node_from},
                     {"to", link.node_to},
                     {"weight", link.weight},
                     {"min", link.min_bandwidth},
                     {"max", link.max_bandwidth},
                     {"flags", link.flags}});
  }
  return {{"id", node.id},
          {"gpu_id", node.gpu_id},
          {"name", node.name},
          {"bdf", node.bdf},
          {"target", node.target},
          {"properties", std::move(properties)},
          {"banks", std::move(banks)},
          {"links", std::move(links)}};
}

Json to_json(const TopologySlot& slot) {
  Json errors = Json::array();
  for (const ErrorCounter& counter : slot.errors)
    errors.push_back({{"name", counter.name}, {"count", counter.count}});
  return {{"product", slot.product},
          {"bdf", slot.bdf},
          {"numa_node", slot.numa_node},
          {"on_bus", slot.on_bus},
          {"driver", slot.driver},
          {"speed", slot.speed},
          {"lanes", slot.lanes},
          {"node", slot.node ? Json(*slot.node) : Json()},
          {"devices", slot.devices},
          {"compute_mode", slot.compute_mode},
          {"memory_mode", slot.memory_mode},
          {"compute_modes", slot.compute_modes},
          {"memory_modes", slot.memory_modes},
          {"errors", std::move(errors)}};
}

Json to_json(const Topology& topology) {
  Json nodes = Json::array();
  for (const TopologyNode& node : topology.nodes) nodes.push_back(to_json(node));
  Json slots = Json::array();
  for (const TopologySlot& slot : topology.slots) slots.push_back(to_json(slot));
  return {{"nodes", std::move(nodes)},
          {"slots", std::move(slots)},
          {"distances", topology.distances},
          {"missing", topology.missing},
          {"because", topology.because}};
}

Json to_json(const Versions& versions) {
  Json rows = Json::array();
  for (const VersionRow& row : versions.rows) {
    rows.push_back({{"layer", name(row.layer)},
                    {"what", row.what},
                    {"version", row.version},
                    {"reported", row.reported}});
  }
  return {{"rows", std::move(rows)},
          {"support", compat::name(versions.verdict.support)},
          {"reason", versions.verdict.reason}};
}

Json to_json(const checks::Result& result) {
  return {{"id", result.id},
          {"step", result.step},
          {"layer", name(result.layer)},
          {"title", result.title},
          {"status", checks::name(result.status)},
          {"evidence", cut(result.evidence)},
          {"next", cut(result.next)},
          {"event", result.event}};
}

Json to_json(const std::optional<Evidence>& evidence) {
  if (!evidence) return {};
  Json lines = Json::array();
  for (const EvidenceLine& line : evidence->lines) {
    if (lines.size() == limits::lines) break;
    lines.push_back({{"text", cut(line.text)}, {"telling", line.telling}});
  }
  return {{"command", evidence->command},
          {"exit", evidence->exit_code},
          {"cut", evidence->lines.size() > limits::lines},
          {"lines", std::move(lines)}};
}

/// A file's bytes.
std::string to_hex(const std::string& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    hex += digits[static_cast<unsigned char>(byte) >> 4];
    hex += digits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

}  // namespace

LookAnswer answer(sim::Node& node, const LookQuestion& question) {
  LookAnswer told;
  told.events = node.os.timeline.size();
  if (question.topology) told.topology = topology_of(node);
  if (question.versions) told.versions = versions_of(node);
  for (const LookQuestion::Command& command : question.commands) {
    if (command.about == no_event || command.about > told.events) {
      told.evidence.push_back(look(node.host(), command.line, nullptr));
      continue;
    }
    const EventView about = node.os.timeline.at(command.about);
    told.evidence.push_back(look(node.host(), command.line, &about));
  }
  if (!question.file.empty()) {
    Host& host = node.host();
    auto bytes = host.spawn(host.session())->read_file(question.file);
    if (bytes && bytes->size() <= limits::file_bytes) told.file = std::move(*bytes);
  }
  if (question.checks) told.checks = checks::run(node, deployment_of(node.spec()));
  return told;
}

Json to_json(const LookQuestion& question) {
  Json commands = Json::array();
  for (const LookQuestion::Command& command : question.commands)
    commands.push_back({{"line", command.line}, {"about", command.about}});
  return {{"op", "look"},
          {"topology", question.topology},
          {"versions", question.versions},
          {"checks", question.checks},
          {"commands", std::move(commands)},
          {"file", question.file}};
}

Json to_json(const LookAnswer& told) {
  Json json{{"errno", 0}, {"events", told.events}};
  if (told.topology) json["topology"] = to_json(*told.topology);
  if (told.versions) json["versions"] = to_json(*told.versions);
  if (told.checks) {
    json["checks"] = Json::array();
    for (const checks::Result& result : *told.checks) json["checks"].push_back(to_json(result));
  }
  json["evidence"] = Json::array();
  for (const auto& one : told.evidence) json["evidence"].push_back(to_json(one));
  if (told.file) json["file"] = to_hex(*told.file);
  return json;
}

}  // namespace rocdrill::scenarios
