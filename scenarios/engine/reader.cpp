#include "scenarios/engine/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace rocdrill::scenarios {
namespace {

std::string child_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

std::optional<std::int64_t> as_integer(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar || !node.plain) return std::nullopt;
  std::string_view digits = node.text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<bool> as_flag(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar || !node.plain) return std::nullopt;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  return std::nullopt;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    case YamlNode::Kind::scalar:
      break;
  }
  if (as_integer(node)) return "the number " + node.text;
  if (as_flag(node)) return "the flag " + node.text;
  return "text " + in_quotes(node.text);
}

void Value::complain(std::string_view message, std::string hint) const {
  const std::string subject = path_.empty() ? "the file" : in_quotes(path_);
  problems_->add(offset_, fmt::format("{} {}", subject, message), std::move(hint));
}

void Value::complain_type(std::string_view wanted) const {
  std::string hint;
  if (is_scalar() && !node_->plain && wanted != "text") {
    YamlNode bare = *node_;
    bare.plain = true;
    if (as_integer(bare) || as_flag(bare)) hint = "remove the quotes";
  }
  complain(fmt::format("must be {}, not {}", wanted, describe(*node_)), std::move(hint));
}

std::string Value::text() const {
  std::string value = text_or_empty();
  if (is_scalar() && value.empty()) complain("must not be empty");
  return value;
}

std::string Value::text_or_empty() const {
  if (node_ == nullptr) return {};
  if (is_scalar()) return node_->text;
  complain_type("text");
  return {};
}

std::int64_t Value::integer(std::int64_t low, std::int64_t high) const {
  if (node_ == nullptr) return low;
  const auto value = as_integer(*node_);
  if (!value) {
    complain_type("an integer");
  } else if (*value < low || *value > high) {
    complain(fmt::format("must be between {} and {}, not {}", low, high, *value));
  } else {
    return *value;
  }
  return low;
}

bool Value::flag(bool fallback) const {
  if (node_ == nullptr) return fallback;
  if (const auto value = as_flag(*node_)) return *value;
  complain_type("true or false");
  return fallback;
}

std::string Value::choice(std::span<const std::string> words) const {
  if (node_ == nullptr) return {};
  if (!is_scalar()) {
    complain_type("text");
    return {};
  }
  if (std::ranges::find(words, node_->text) != words.end()) return node_->text;
  std::string hint = did_you_mean(node_->text, words);
  complain(fmt::format("cannot be {}", in_quotes(node_->text)),
           fmt::format("{}{}one of: {}", hint, hint.empty() ? "" : " ", fmt::join(words, ", ")));
  return {};
}

std::vector<Value> Value::list() const {
  std::vector<Value> values;
  if (node_ == nullptr) return values;
  if (!is_list()) {
    complain_type("a list");
    return values;
  }
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    const YamlNode& item = node_->items[i];
    values.emplace_back(&item, item.offset, fmt::format("{}[{}]", path_, i), *problems_);
  }
  return values;
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> words;
  for (const Value& item : list()) {
    std::string word = item.text();
    if (!word.empty() && std::ranges::find(words, word) != words.end()) {
      item.complain(fmt::format("repeats {}", in_quotes(word)));
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::pair<YamlKey, Value>> Value::entries() const {
  std::vector<std::pair<YamlKey, Value>> found;
  if (node_ == nullptr) return found;
  if (!is_map()) {
    complain_type("a map");
    return found;
  }
  // A file with a broken map may end between a key and its value.
  for (std::size_t i = 0; i < std::min(node_->keys.size(), node_->items.size()); ++i) {
    const YamlNode& item = node_->items[i];
    found.emplace_back(node_->keys[i], Value(&item, item.offset,
                                             child_path(path_, node_->keys[i].text), *problems_));
  }
  return found;
}

MapReader::MapReader(const Value& value) : value_(value) {
  // Says so if it is no map.
  if (!value.is_map()) value.entries();
}

Value MapReader::find(std::string_view key) {
  asked_.emplace_back(key);
  std::string path = child_path(value_.path(), key);
  if (value_.is_map()) {
    const YamlNode& map = *value_.node();
    const auto at = std::ranges::find(map.keys, key, &YamlKey::text) - map.keys.begin();
    if (static_cast<std::size_t>(at) < map.items.size()) {
      const YamlNode& item = map.items[at];
      return {&item, item.offset, std::move(path), value_.problems()};
    }
  }
  return {nullptr, value_.offset(), std::move(path), value_.problems()};
}

Value MapReader::optional(std::string_view key) {
  Value value = find(key);
  if (!value || value.node()->kind != YamlNode::Kind::null) return value;
  return {nullptr, value.offset(), value.path(), value.problems()};
}

Value MapReader::required(std::string_view key) {
  Value value = find(key);
  if (value && value.node()->kind != YamlNode::Kind::null) return value;
  // A value that is no map has been complained about.
  if (value) {
    value.complain("is empty");
  } else if (value_.is_map()) {
    value.complain("is missing", fmt::format("add the key '{}' here", key));
  }
  return {nullptr, value.offset(), value.path(), value.problems()};
}

std::vector<std::string> MapReader::present(std::span<const std::string> keys) const {
  std::vector<std::string> found;
  if (!value_.is_map()) return found;
  for (const YamlKey& key : value_.node()->keys) {
    if (std::ranges::find(keys, key.text) != keys.end()) found.push_back(key.text);
  }
  return found;
}

MapReader::~MapReader() {
  if (!value_.is_map()) return;
  for (const YamlKey& key : value_.node()->keys) {
    if (key.text.empty() || std::ranges::find(asked_, key.text) != asked_.end()) continue;
    Problems& problems = value_.problems();
    const std::string path = in_quotes(child_path(value_.path(), key.text));
    problems.add(key.offset, fmt::format("unknown key {}", path),
                 problems.full() ? std::string() : suggest(key.text, asked_, "keys here"));
  }
}

}  // namespace rocdrill::scenarios
