#include "stack/event.hpp"

#include <array>

namespace rocdrill {
namespace {

constexpr std::array<std::string_view, 5> names{"debug", "info", "warning", "error", "unmodelled"};

}  // namespace

std::string_view name(Severity severity) { return names[static_cast<std::size_t>(severity)]; }

std::optional<Severity> severity_from_name(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<Severity>(i);
  }
  return std::nullopt;
}

}  // namespace rocdrill
