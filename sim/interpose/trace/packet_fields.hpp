// AQL and SDMA packets by name and member.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/interpose/trace/ioctl_fields.hpp"

namespace rocdrill::trace {

struct PacketField {
  std::string name;
  std::uint64_t value = 0;
  Kind kind = Kind::number;
};

struct DecodedPacket {
  std::string name;  ///< "BARRIER_AND", "COPY_LINEAR"
  std::vector<PacketField> fields;
};

/// `bytes`: 64. An unknown type is "RESERVED" with its number.
DecodedPacket decode_aql(std::span<const std::byte> bytes);
/// `bytes`: the whole packet; what is missing reads as 0. The names are those of
/// vega10_sdma_pkt_open.h.
DecodedPacket decode_sdma(std::span<const std::byte> bytes);

Json to_json(const std::vector<PacketField>& fields);

}  // namespace rocdrill::trace
