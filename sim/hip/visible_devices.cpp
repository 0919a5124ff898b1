#include "sim/hip/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace rocdrill::hip {
namespace {

std::optional<std::size_t> device_of(std::string_view token,
                                     const std::vector<std::string>& uuids) {
  if (token.starts_with("GPU-")) {
    const auto match = std::ranges::find_if(
        uuids, [&](const std::string& uuid) { return uuid.find(token) != std::string::npos; });
    if (match == uuids.end()) return std::nullopt;
    return static_cast<std::size_t>(match - uuids.begin());
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  if (token != std::to_string(index) || index >= uuids.size()) return std::nullopt;
  return index;
}

}  // namespace

std::vector<std::size_t> visible_devices(std::string_view value,
                                         const std::vector<std::string>& uuids) {
  std::vector<std::size_t> visible;
  for (;;) {
    const std::size_t comma = value.find(',');
    const auto device = device_of(value.substr(0, comma), uuids);
    if (!device) return visible;
    if (std::ranges::find(visible, *device) == visible.end()) visible.push_back(*device);
    if (comma == std::string_view::npos) return visible;
    value.remove_prefix(comma + 1);
  }
}

}  // namespace rocdrill::hip
