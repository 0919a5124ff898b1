#include "sim/interpose/trace/packet_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/silicon/command_processor/sdma_packets.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::trace {
namespace {

namespace sdma = cp::sdma;
using Fields = std::vector<PacketField>;

void add_header(aql::Header header, Fields& to) {
  if (header.barrier()) to.push_back({"barrier", 1, Kind::number});
  to.push_back({"acquire", header.acquire(), Kind::number});
  to.push_back({"release", header.release(), Kind::number});
}

void add_dispatch(const aql::KernelDispatch& packet, Fields& to) {
  to.push_back({"setup", packet.setup, Kind::number});
  to.push_back({"workgroup_x", packet.workgroup_size_x, Kind::number});
  to.push_back({"workgroup_y", packet.workgroup_size_y, Kind::number});
  to.push_back({"workgroup_z", packet.workgroup_size_z, Kind::number});
  to.push_back({"grid_x", packet.grid_size_x, Kind::number});
  to.push_back({"grid_y", packet.grid_size_y, Kind::number});
  to.push_back({"grid_z", packet.grid_size_z, Kind::number});
  to.push_back({"private_segment", packet.private_segment_size, Kind::number});
  to.push_back({"group_segment", packet.group_segment_size, Kind::number});
  to.push_back({"kernel_object", packet.kernel_object, Kind::address});
  to.push_back({"kernarg", packet.kernarg_address, Kind::address});
}

void add_agent_dispatch(const aql::AgentDispatch& packet, Fields& to) {
  to.push_back({"type", packet.type, Kind::number});
  to.push_back({"return_address", packet.return_address, Kind::address});
  for (std::size_t i = 0; i < std::size(packet.arg); ++i)
    to.push_back({fmt::format("arg{}", i), packet.arg[i], Kind::mask});
}

void add_barrier_value(const aql::BarrierValue& packet, Fields& to) {
  to.push_back({"signal", packet.signal, Kind::signal});
  to.push_back({"condition", packet.condition, Kind::number});
  to.push_back({"value", static_cast<std::uint64_t>(packet.value), Kind::mask});
  to.push_back({"mask", static_cast<std::uint64_t>(packet.mask), Kind::mask});
}

void add_copy(const sdma::Head& head, Fields& to) {
  to.push_back({"bytes", std::uint64_t{head[1]} + 1, Kind::number});
  to.push_back({"from", sdma::address(head, 3), Kind::address});
  to.push_back({"to", sdma::address(head, 5), Kind::address});
  constexpr unsigned broadcast = 27;
  if (sdma::field(head[0], broadcast, broadcast) != 0)
    to.push_back({"and_to", sdma::address(head, 7), Kind::address});
}

void add_window(const sdma::Head& head, Fields& to) {
  to.push_back({"element_log2", sdma::field(head[0], 31, 29), Kind::number});
  to.push_back({"width", sdma::field(head[11], 13, 0) + 1ull, Kind::number});
  to.push_back({"height", sdma::field(head[11], 29, 16) + 1ull, Kind::number});
  to.push_back({"depth", sdma::field(head[12], 10, 0) + 1ull, Kind::number});
  to.push_back({"from", sdma::address(head, 1), Kind::address});
  to.push_back({"to", sdma::address(head, 6), Kind::address});
}

void add_poll(const sdma::Head& head, Fields& to) {
  if (sdma::field(head[0], 26, 26) != 0) {
    to.push_back({"hdp_flush", 1, Kind::number});
    return;
  }
  const bool memory = sdma::field(head[0], 31, 31) != 0;
  to.push_back({memory ? "address" : "register", sdma::address(head, 1),
                memory ? Kind::address : Kind::mask});
  to.push_back({"function", sdma::field(head[0], 30, 28), Kind::number});
  to.push_back({"reference", head[3], Kind::mask});
  to.push_back({"mask", head[4], Kind::mask});
}

}  // namespace

DecodedPacket decode_aql(std::span<const std::byte> bytes) {
  aql::Packet packet;
  std::memcpy(packet.bytes.data(), bytes.data(), std::min(bytes.size(), packet.bytes.size()));
  const aql::Header header = packet.header();
  DecodedPacket decoded{std::string(aql::name(header.type())), {}};
  add_header(header, decoded.fields);
  const auto barrier = packet.as<aql::Barrier>();
  switch (header.type()) {
    case aql::PacketType::kernel_dispatch:
      add_dispatch(packet.as<aql::KernelDispatch>(), decoded.fields);
      break;
    case aql::PacketType::barrier_and:
    case aql::PacketType::barrier_or:
      for (std::size_t i = 0; i < std::size(barrier.dep_signal); ++i) {
        if (barrier.dep_signal[i] != 0)
          decoded.fields.push_back({fmt::format("dep{}", i), barrier.dep_signal[i], Kind::signal});
      }
      break;
    case aql::PacketType::agent_dispatch:
      add_agent_dispatch(packet.as<aql::AgentDispatch>(), decoded.fields);
      break;
    case aql::PacketType::vendor_specific: {
      const auto value = packet.as<aql::BarrierValue>();
      if (value.amd_format == static_cast<std::uint8_t>(aql::VendorFormat::barrier_value)) {
        decoded.name = "BARRIER_VALUE";
        add_barrier_value(value, decoded.fields);
      } else {
        decoded.fields.push_back({"amd_format", value.amd_format, Kind::number});
      }
      break;
    }
    default:
      decoded.fields.push_back({"type", header.raw_type(), Kind::number});
  }
  if (barrier.completion_signal != 0)
    decoded.fields.push_back({"completion", barrier.completion_signal, Kind::signal});
  return decoded;
}

DecodedPacket decode_sdma(std::span<const std::byte> bytes) {
  sdma::Head head{};
  std::memcpy(head.data(), bytes.data(), std::min(bytes.size(), sizeof head));
  const unsigned sub = sdma::field(head[0], 15, 8);
  DecodedPacket decoded;
  Fields& to = decoded.fields;
  switch (static_cast<sdma::Op>(sdma::field(head[0], 7, 0))) {
    case sdma::Op::nop:
      return {"NOP", {}};
    case sdma::Op::copy:
      if (sub == 0) {
        decoded.name = "COPY_LINEAR";
        add_copy(head, to);
        return decoded;
      }
      if (sub == 4) {
        decoded.name = "COPY_LINEAR_SUB_WIN";
        add_window(head, to);
        return decoded;
      }
      break;
    case sdma::Op::write:
      return {"WRITE",
              {{"to", sdma::address(head, 1), Kind::address},
               {"dwords", sdma::field(head[3], 19, 0) + 1ull, Kind::number},
               {"first", head[4], Kind::mask}}};
    case sdma::Op::fence:
      return {"FENCE",
              {{"address", sdma::address(head, 1), Kind::address}, {"data", head[3], Kind::mask}}};
    case sdma::Op::trap:
      return {"TRAP", {{"context", sdma::field(head[1], 27, 0), Kind::number}}};
    case sdma::Op::poll_regmem:
      decoded.name = "POLL_REGMEM";
      add_poll(head, to);
      return decoded;
    case sdma::Op::atomic:
      return {"ATOMIC",
              {{"operation", sdma::field(head[0], 31, 25), Kind::mask},
               {"address", sdma::address(head, 1), Kind::address},
               {"source", sdma::address(head, 3), Kind::mask},
               {"compare", sdma::address(head, 5), Kind::mask}}};
    case sdma::Op::const_fill:
      return {"CONST_FILL",
              {{"address", sdma::address(head, 1), Kind::address},
               {"data", head[3], Kind::mask},
               {"count", head[4], Kind::number}}};
    case sdma::Op::timestamp:
      return {sub == 0   ? "TIMESTAMP_SET"
              : sub == 1 ? "TIMESTAMP_GET"
                         : "TIMESTAMP_GET_GLOBAL",
              {{"address", sdma::address(head, 1), Kind::address}}};
    case sdma::Op::gcr:
      return {"GCR", {}};
    default:
      break;
  }
  return {"REFUSED", {{"header", head[0], Kind::mask}}};
}

Json to_json(const std::vector<PacketField>& fields) {
  Json json = Json::object();
  for (const PacketField& field : fields)
    json[field.name] = field.kind == Kind::number ? Json(field.value) : Json(hex(field.value));
  return json;
}

}  // namespace rocdrill::trace
