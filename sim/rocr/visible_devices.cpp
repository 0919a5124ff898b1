#include "sim/rocr/visible_devices.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

namespace rocdrill::rocr {
namespace {

std::string upper_trimmed(std::string_view token) {
  const std::size_t first = token.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  token = token.substr(first, token.find_last_not_of(" \t") - first + 1);
  std::string out(token);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> tokens_of(std::string_view value) {
  std::vector<std::string> tokens;
  for (;;) {
    const std::size_t comma = value.find(',');
    tokens.push_back(upper_trimmed(value.substr(0, comma)));
    if (comma == std::string_view::npos) return tokens;
    value.remove_prefix(comma + 1);
  }
}

std::optional<std::size_t> by_uuid(const std::string& token,
                                   const std::vector<std::string>& uuids) {
  if (token.size() < 5 || token.size() > 20) return std::nullopt;
  std::optional<std::size_t> match;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (!upper_trimmed(uuids[i]).starts_with(token)) continue;
    if (match) return std::nullopt;  // ambiguous
    match = i;
  }
  return match;
}

std::optional<std::size_t> by_index(const std::string& token, std::size_t count) {
  char* end = nullptr;
  const long index = std::strtol(token.c_str(), &end, 0);
  if (end == token.c_str() || *end != '\0') return std::nullopt;
  if (index < 0 || static_cast<std::size_t>(index) >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

}  // namespace

std::vector<std::size_t> visible_gpus(std::string_view value,
                                      const std::vector<std::string>& uuids) {
  std::vector<std::size_t> visible;
  if (value.empty()) return visible;
  auto tokens = tokens_of(value);
  tokens.resize(std::min(tokens.size(), uuids.size()));
  for (const std::string& token : tokens) {
    const auto gpu = token.starts_with('G') ? by_uuid(token, uuids) : by_index(token, uuids.size());
    if (!gpu || std::ranges::find(visible, *gpu) != visible.end()) break;
    visible.push_back(*gpu);
  }
  return visible;
}

}  // namespace rocdrill::rocr
