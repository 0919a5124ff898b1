// YAML, the small and safe part of it: maps with unique text keys, lists and scalars.
//
// yaml-cpp 0.7 silently accepts duplicate keys, cyclic aliases and alias bombs, ends a file at
// byte 0x04 and ignores all documents but the first. Everything of that kind is refused here,
// while its events build a tree of our own; nothing else includes yaml-cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/engine/source.hpp"

namespace rocdrill::scenarios {

struct YamlKey {
  std::string text;
  std::size_t offset = 0;
};

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;             ///< of a scalar, as YAML reads it
  bool plain = false;           ///< a scalar without quotes, not a block
  std::size_t offset = 0;       ///< of its first byte in the file; of the key for an empty value
  std::vector<YamlNode> items;  ///< of a list; values of a map
  std::vector<YamlKey> keys;    ///< of a map, in file order; keys[i] belongs to items[i]
};

inline constexpr std::size_t max_yaml_depth = 32;
inline constexpr std::size_t max_yaml_nodes = 100'000;

/// The document, or nullopt; adds to `problems` in either case. A tree that comes with problems
/// may be read on (to find more), but must not be used.
std::optional<YamlNode> parse_yaml(const Source& source, Problems& problems);

/// Where byte `index` of a scalar's value stands in the file: exact for plain, quoted and block
/// scalars, the scalar's start if it cannot be found.
std::size_t offset_inside(const Source& source, const YamlNode& scalar, std::size_t index);

}  // namespace rocdrill::scenarios
