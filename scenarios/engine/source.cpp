#include "scenarios/engine/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <tuple>

namespace rocdrill::scenarios {
namespace {

/// Length of the well-formed UTF-8 sequence at `at`, 0 if it is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = continues(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = continues(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

Diagnostics cannot_read(const std::filesystem::path& path, int error) {
  return {{path.string(), 0, 0, fmt::format("cannot read the file: {}", std::strerror(error)), {}}};
}

}  // namespace

Source::Source(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Mark Source::mark(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::ranges::upper_bound(line_starts_, offset);
  const std::size_t start = *std::prev(next);
  const std::string_view before = std::string_view(text_).substr(start, offset - start);
  const auto characters = std::ranges::count_if(
      before, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) != 0x80u; });
  return {static_cast<int>(next - line_starts_.begin()), static_cast<int>(characters) + 1};
}

Loaded<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return std::unexpected(cannot_read(path, EISDIR));
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::unexpected(cannot_read(path, errno != 0 ? errno : ENOENT));
  // One byte more than allowed is enough for the guard to say so.
  std::string text(max_file_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return std::unexpected(cannot_read(path, EIO));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

void Problems::add(std::size_t offset, std::string message, std::string hint) {
  if (full()) {
    ++unreported_;
    return;
  }
  const Mark mark = source_.mark(offset);
  found_.push_back({source_.file(), mark.line, mark.column, std::move(message), std::move(hint)});
}

Diagnostics Problems::take() {
  std::ranges::stable_sort(found_, {}, [](const Diagnostic& diagnostic) {
    return std::pair{diagnostic.line, diagnostic.column};
  });
  if (unreported_ > 0) {
    found_.push_back({source_.file(), 0, 0, fmt::format("{} more problems", unreported_),
                      "mend the first ones, then look again"});
  }
  return std::move(found_);
}

std::optional<std::size_t> find_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool line_end =
        byte == '\n' || (byte == '\r' && at + 1 < text.size() && text[at + 1] == '\n');
    if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7f) return at;
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace rocdrill::scenarios
