// Pictures as PNG files: 8 bits per channel, RGB.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

namespace rocdrill::gui {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< rows from the top, width * height * 3

  bool operator==(const Picture&) const = default;
};

std::string encode_png(const Picture& picture);
/// Of what encode_png() writes; other kinds of PNG are refused. The error is a sentence.
std::expected<Picture, std::string> decode_png(std::string_view bytes);

/// The error names the file and the reason.
std::expected<void, std::string> write_png(const std::filesystem::path& file,
                                           const Picture& picture);

}  // namespace rocdrill::gui
