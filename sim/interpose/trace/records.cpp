#include "sim/interpose/trace/records.hpp"

#include <algorithm>
#include <cstring>

#include "sim/interpose/trace/packet_fields.hpp"
#include "stack/formats/drm_uapi.hpp"

namespace rocdrill::trace {
namespace {

std::string info_name(std::uint32_t query) {
  switch (static_cast<drm::Info>(query)) {
    case drm::Info::accel_working:
      return "ACCEL_WORKING";
    case drm::Info::hw_ip_info:
      return "HW_IP_INFO";
    case drm::Info::hw_ip_count:
      return "HW_IP_COUNT";
    case drm::Info::timestamp:
      return "TIMESTAMP";
    case drm::Info::fw_version:
      return "FW_VERSION";
    case drm::Info::num_bytes_moved:
      return "NUM_BYTES_MOVED";
    case drm::Info::vram_usage:
      return "VRAM_USAGE";
    case drm::Info::gtt_usage:
      return "GTT_USAGE";
    case drm::Info::gds_config:
      return "GDS_CONFIG";
    case drm::Info::vram_gtt:
      return "VRAM_GTT";
    case drm::Info::read_mmr_reg:
      return "READ_MMR_REG";
    case drm::Info::dev_info:
      return "DEV_INFO";
    case drm::Info::vis_vram_usage:
      return "VIS_VRAM_USAGE";
    case drm::Info::num_evictions:
      return "NUM_EVICTIONS";
    case drm::Info::memory:
      return "MEMORY";
    case drm::Info::sensor:
      return "SENSOR";
    case drm::Info::num_vram_cpu_page_faults:
      return "NUM_VRAM_CPU_PAGE_FAULTS";
    case drm::Info::vram_lost_counter:
      return "VRAM_LOST_COUNTER";
    case drm::Info::ras_enabled_features:
      return "RAS_ENABLED_FEATURES";
  }
  return hex(query);
}

}  // namespace

IoctlRecord::IoctlRecord(unsigned long request, std::span<const std::byte> before, int thread,
                         const ReadMemory& read) {
  const auto asked = kfd::decode_request(request);
  const auto info = asked ? kfd::ioctl_info(asked->nr) : std::nullopt;
  json_ = {
      {"type", "ioctl"}, {"thread", thread}, {"name", info ? std::string(info->name) : "unknown"}};
  if (info) {
    nr_ = info->nr;
    json_["size"] = asked->size;
  } else {
    json_["request"] = hex(request);
  }
  if (!nr_) return;
  json_["in"] = decode(*nr_, before, Way::in);
  json_["in"].update(pointed_at(*nr_, before, Way::in, read));
}

Json IoctlRecord::finish(int error, std::span<const std::byte> after, const ReadMemory& read) {
  if (nr_) {
    json_["out"] = decode(*nr_, after, Way::out);
    if (error == 0) json_["out"].update(pointed_at(*nr_, after, Way::out, read));
  }
  json_["errno"] = error;
  return std::move(json_);
}

Json drm_record(std::string_view device, std::uint64_t request, std::span<const std::byte> argument,
                int error, std::span<const std::byte> reply, int thread) {
  const auto command = static_cast<std::uint32_t>(request & 0xFF);
  Json json = {{"type", "drm"}, {"thread", thread}, {"device", device}};
  if (command == drm::version_command) {
    json["name"] = "DRM_IOCTL_VERSION";
  } else if (command == drm::info_command) {
    drm::InfoRequest info{};
    std::memcpy(&info, argument.data(), std::min(argument.size(), sizeof info));
    json["name"] = "DRM_AMDGPU_INFO";
    json["query"] = info_name(info.query);
    json["argument"] =
        std::vector<std::uint32_t>(std::begin(info.argument), std::end(info.argument));
    json["size"] = info.return_size;
    if (error == 0) json["reply"] = bytes_text(reply);
  } else {
    json["name"] = "unknown";
    json["request"] = hex(request);
  }
  json["errno"] = error;
  return json;
}

Json mapping_record(const Mapping& mapping, int thread) {
  return {{"type", "mmap"},
          {"thread", thread},
          {"device", mapping.device},
          {"wanted", hex(mapping.wanted)},
          {"length", mapping.length},
          {"prot", mapping.prot},
          {"flags", mapping.flags},
          {"offset", hex(mapping.offset)},
          {"address", hex(mapping.address)},
          {"errno", mapping.error}};
}

Json doorbell_record(std::uint32_t queue, std::uint64_t value) {
  return {{"type", "doorbell"}, {"queue", queue}, {"value", value}};
}

Json signalled_record(std::uint32_t event_id) {
  return {{"type", "signalled"}, {"event_id", event_id}};
}

namespace {

Json to_json(const SignalState& state) {
  return {{"value", state.value}, {"mailbox", hex(state.mailbox)}, {"event_id", state.event_id}};
}

}  // namespace

Json packet_record(const PacketNote& note) {
  Json json = {{"type", note.type}, {"queue", note.queue}, {"index", note.index}};
  if (!note.reason.empty()) json["reason"] = note.reason;
  if (note.read_index) json["read_index"] = *note.read_index;
  if (!note.kernel.empty()) json["kernel"] = note.kernel;
  if (note.type == "completion") return json;
  json["kind"] = note.sdma ? "sdma" : "aql";
  if (note.sdma) json["dwords"] = note.dwords;
  if (note.inactive) {
    json["inactive_signal"] = to_json(*note.inactive);
    json["inactive_signal"]["address"] = hex(note.inactive_signal);
  }
  if (note.reason_address != 0)
    json["error_reason"] = {{"address", hex(note.reason_address)}, {"event_id", note.reason_event}};
  if (note.bytes.empty()) return json;
  const DecodedPacket decoded = note.sdma ? decode_sdma(note.bytes) : decode_aql(note.bytes);
  json["name"] = decoded.name;
  if (!note.sdma) {
    std::uint16_t header = 0;
    std::memcpy(&header, note.bytes.data(), sizeof header);
    json["header"] = hex(header);
  }
  json["fields"] = trace::to_json(decoded.fields);
  if (note.signal) {
    json["signal"] = to_json(*note.signal);
  }
  json["bytes"] = bytes_text(note.bytes);
  return json;
}

}  // namespace rocdrill::trace
