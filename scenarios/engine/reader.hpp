// Typed reading of a YAML tree: each value knows its path and place, complains by itself and
// then gives a harmless default, so that a loader reads as a table of keys and one run finds
// every problem of a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/engine/yaml_guard.hpp"

namespace rocdrill::scenarios {

class Value {
 public:
  /// `node` nullptr: absent. Then every reader returns its default and says nothing.
  Value(const YamlNode* node, std::size_t offset, std::string path, Problems& problems)
      : node_(node), offset_(offset), path_(std::move(path)), problems_(&problems) {}

  explicit operator bool() const { return node_ != nullptr; }
  const YamlNode* node() const { return node_; }
  std::size_t offset() const { return offset_; }
  const std::string& path() const { return path_; }  ///< "gpus[0].bdf"
  Mark mark() const { return problems_->source().mark(offset_); }
  Problems& problems() const { return *problems_; }

  bool is_scalar() const { return node_ != nullptr && node_->kind == YamlNode::Kind::scalar; }
  bool is_list() const { return node_ != nullptr && node_->kind == YamlNode::Kind::list; }
  bool is_map() const { return node_ != nullptr && node_->kind == YamlNode::Kind::map; }

  /// A scalar as it is written ("24.04" stays "24.04"), not empty.
  std::string text() const;
  std::string text_or_empty() const;
  /// Decimal, without quotes.
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  bool flag(bool fallback) const;
  /// One of the words.
  std::string choice(std::span<const std::string> words) const;
  std::vector<Value> list() const;
  std::vector<std::string> texts() const;  ///< a list of text(), without repetitions
  /// A map whose keys are free.
  std::vector<std::pair<YamlKey, Value>> entries() const;

  /// "'<path>' <message>" at this place.
  void complain(std::string_view message, std::string hint = {}) const;

 private:
  void complain_type(std::string_view wanted) const;

  const YamlNode* node_;
  std::size_t offset_;
  std::string path_;
  Problems* problems_;
};

/// A map with known keys. What was not asked for until the reader dies is an unknown key.
class MapReader {
 public:
  explicit MapReader(const Value& value);
  ~MapReader();
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  Value required(std::string_view key);
  /// Absent, if the key is missing or its value empty.
  Value optional(std::string_view key);
  /// Of the given keys, the ones that are there.
  std::vector<std::string> present(std::span<const std::string> keys) const;

 private:
  Value find(std::string_view key);

  Value value_;
  std::vector<std::string> asked_;
};

/// "text 'abc'", "the number 5", "a list", ...
std::string describe(const YamlNode& node);
/// A plain scalar that YAML's core schema reads as a decimal integer that fits 64 bits.
std::optional<std::int64_t> as_integer(const YamlNode& node);
std::optional<bool> as_flag(const YamlNode& node);  ///< plain true or false

}  // namespace rocdrill::scenarios
