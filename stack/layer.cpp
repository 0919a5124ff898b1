#include "stack/layer.hpp"

namespace rocdrill {
namespace {

struct Entry {
  std::string_view name;
  std::string_view title;
};

constexpr std::array<Entry, 10> entries{{
    {"host", "operating system"},
    {"silicon", "silicon"},
    {"firmware", "firmware"},
    {"kernel", "kernel driver"},
    {"access", "device access"},
    {"runtime", "runtime (ROCr)"},
    {"hip", "HIP"},
    {"code-objects", "code objects"},
    {"libraries", "libraries"},
    {"framework", "framework"},
}};

}  // namespace

std::string_view name(Layer layer) { return entries[static_cast<std::size_t>(layer)].name; }
std::string_view title(Layer layer) { return entries[static_cast<std::size_t>(layer)].title; }

std::optional<Layer> layer_from_name(std::string_view text) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const char digit = static_cast<char>('0' + i);
    if (text == entries[i].name || text == std::string_view(&digit, 1)) {
      return static_cast<Layer>(i);
    }
  }
  return std::nullopt;
}

}  // namespace rocdrill
