#include "sim/interpose/trace/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace rocdrill::trace {
namespace {

std::uint64_t parse(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw std::invalid_argument(fmt::format("'{}' is no number", text));
  return value;
}

}  // namespace

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

std::uint64_t number_of(const Json& value) {
  constexpr int sixteen = 16;
  if (value.is_number_integer()) return value.get<std::uint64_t>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with("0x")) return parse(std::string_view(text).substr(2), sixteen);
  }
  throw std::invalid_argument(fmt::format("{} is no number and no \"0x...\"", value.dump()));
}

std::uint64_t number_of(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || at == object.end())
    throw std::invalid_argument(fmt::format("'{}' is missing", key));
  try {
    return number_of(*at);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("'{}': {}", key, error.what()));
  }
}

std::string bytes_text(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  constexpr unsigned low = 15;
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & low];
  }
  return text;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  if (text.size() % 2 != 0) throw std::invalid_argument("an odd number of hex digits");
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  constexpr int sixteen = 16;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(parse(std::string_view(text).substr(i, 2), sixteen)));
  return bytes;
}

}  // namespace rocdrill::trace
