// The text of one file, and the problems found in it so far.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/engine/diagnostic.hpp"

namespace rocdrill::scenarios {

class Source {
 public:
  Source(std::string file, std::string text);

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  /// Line and column of a byte; beyond the end: of the end.
  Mark mark(std::size_t offset) const;

 private:
  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

/// Reads a whole file. Refuses what is larger than `max_file_bytes` without reading it all.
Loaded<std::string> read_file(const std::filesystem::path& path);
inline constexpr std::size_t max_file_bytes = 1 << 20;

/// Collects the problems of one file. A file that is wrong throughout yields the first 50.
class Problems {
 public:
  explicit Problems(const Source& source) : source_(source) {}

  const Source& source() const { return source_; }
  void add(std::size_t offset, std::string message, std::string hint = {});
  bool empty() const { return found_.empty(); }
  bool full() const { return found_.size() == most; }  ///< more are only counted
  /// In file order.
  Diagnostics take();

 private:
  static constexpr std::size_t most = 50;

  const Source& source_;
  Diagnostics found_;
  std::size_t unreported_ = 0;
};

/// First byte that is no UTF-8 or a character that YAML forbids (controls other than tab and line
/// ends), or nullopt.
std::optional<std::size_t> find_bad_byte(std::string_view text);

}  // namespace rocdrill::scenarios
