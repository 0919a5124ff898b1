// The window's words in one language: a file with a line "key = text" each, UTF-8; '#' begins a
// comment.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rocdrill::gui {

class Strings {
 public:
  Strings() = default;
  /// The error: "en.txt:3: there is no '='".
  static std::expected<Strings, std::string> parse(std::string_view file, std::string_view text);
  static std::expected<Strings, std::string> read(const std::filesystem::path& file);

  /// The key itself, if it is missing.
  const char* operator[](std::string_view key) const;
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const { return texts_.contains(key); }
  /// What is missing here is taken from `other`.
  void fall_back_to(const Strings& other);
  const std::map<std::string, std::string, std::less<>>& all() const { return texts_; }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
  mutable std::map<std::string, std::string, std::less<>> missing_;
};

}  // namespace rocdrill::gui
