// The layers of a ROCm stack. Their numbers order the symptoms: a check that fails on
// a low layer explains everything above it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rocdrill {

/// `host` is the operating system (packages, users, boot): no layer of the stack, but
/// things happen in it and events need a place. It sorts below silicon.
enum class Layer : std::uint8_t {
  host = 0,
  silicon = 1,
  firmware = 2,
  kernel = 3,
  access = 4,
  runtime = 5,
  hip = 6,
  code_objects = 7,
  libraries = 8,
  framework = 9,
};

inline constexpr std::array all_layers{
    Layer::silicon, Layer::firmware,     Layer::kernel,    Layer::access,    Layer::runtime,
    Layer::hip,     Layer::code_objects, Layer::libraries, Layer::framework,
};

/// Short machine name ("kernel", "code-objects"); used in JSON, YAML and on the command line.
std::string_view name(Layer layer);
/// Name for people ("kernel driver").
std::string_view title(Layer layer);
/// Inverse of name(); also accepts the layer's number ("3").
std::optional<Layer> layer_from_name(std::string_view text);

}  // namespace rocdrill
