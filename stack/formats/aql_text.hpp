// AQL packets as text, for events.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stack/formats/aql.hpp"

namespace rocdrill::aql {

/// 128 digits, two a byte in the order of memory; and back (nullopt for any other text).
std::string to_hex(const Packet& packet);
std::optional<Packet> packet_from_hex(std::string_view text);

}  // namespace rocdrill::aql
