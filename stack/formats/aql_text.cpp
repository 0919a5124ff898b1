#include "stack/formats/aql_text.hpp"

#include <charconv>

namespace rocdrill::aql {

std::string to_hex(const Packet& packet) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * packet.bytes.size());
  for (const std::byte byte : packet.bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::optional<Packet> packet_from_hex(std::string_view text) {
  Packet packet;
  if (text.size() != 2 * packet.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < packet.bytes.size(); ++i) {
    unsigned value = 0;
    const char* const begin = text.data() + 2 * i;
    const auto read = std::from_chars(begin, begin + 2, value, 16);
    if (read.ec != std::errc() || read.ptr != begin + 2) return std::nullopt;
    packet.bytes[i] = static_cast<std::byte>(value);
  }
  return packet;
}

}  // namespace rocdrill::aql
