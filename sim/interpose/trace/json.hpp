// Values as a trace writes them: addresses, handles, offsets and masks are "0x..." texts, bytes are
// hex texts, all other numbers are numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace rocdrill::trace {

/// Keys in the order in which they are written.
using Json = nlohmann::ordered_json;

/// Of the format. A reader refuses another major version, and skips records that it does not know,
/// with a warning, where the minor version is newer than its own.
inline constexpr int schema_version = 1;
inline constexpr int schema_minor = 0;

std::string hex(std::uint64_t value);
/// Of a number or of a "0x..." text. Throws std::invalid_argument.
std::uint64_t number_of(const Json& value);
std::uint64_t number_of(const Json& object, const char* key);

std::string bytes_text(std::span<const std::byte> bytes);
/// Throws std::invalid_argument.
std::vector<std::byte> bytes_of(const std::string& text);

}  // namespace rocdrill::trace
