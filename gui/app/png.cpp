#include "gui/app/png.hpp"

#include <zlib.h>

#include <fstream>
#include <system_error>

namespace rocdrill::gui {
namespace {

constexpr std::string_view signature{"\x89PNG\r\n\x1a\n", 8};

void append_u32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFF);
}

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

void append_chunk(std::string& out, std::string_view type, std::string_view data) {
  append_u32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t from = out.size();
  out += type;
  out += data;
  const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + from);
  append_u32(out,
             static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(out.size() - from))));
}

}  // namespace

std::string encode_png(const Picture& picture) {
  std::string header;
  append_u32(header, static_cast<std::uint32_t>(picture.width));
  append_u32(header, static_cast<std::uint32_t>(picture.height));
  header += std::string_view("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, no interlace
  std::string rows;
  const auto stride = static_cast<std::size_t>(picture.width) * 3;
  for (std::size_t y = 0; y < static_cast<std::size_t>(picture.height); ++y) {
    rows += '\x02';  // the filter "up": differences from the row above
    for (std::size_t i = y * stride; i < (y + 1) * stride; ++i)
      rows += static_cast<char>(picture.rgb[i] - (y > 0 ? picture.rgb[i - stride] : 0));
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()), 9);
  packed.resize(size);
  std::string out(signature);
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", {});
  return out;
}

std::expected<Picture, std::string> decode_png(std::string_view bytes) {
  if (!bytes.starts_with(signature)) return std::unexpected("this is no PNG file");
  Picture picture;
  std::string packed;
  for (std::size_t at = signature.size(); at + 12 <= bytes.size();) {
    const std::size_t size = read_u32(bytes.substr(at));
    const std::string_view type = bytes.substr(at + 4, 4);
    if (at + 12 + size > bytes.size()) return std::unexpected("the PNG file is cut off");
    const std::string_view data = bytes.substr(at + 8, size);
    if (type == "IHDR") {
      if (size != 13 || data.substr(8) != std::string_view("\x08\x02\x00\x00\x00", 5))
        return std::unexpected("only PNG files with 8-bit RGB are read");
      picture.width = static_cast<int>(read_u32(data));
      picture.height = static_cast<int>(read_u32(data.substr(4)));
    }
    if (type == "IDAT") packed += data;
    at += 12 + size;
  }
  const auto stride = static_cast<std::size_t>(picture.width) * 3;
  const auto height = static_cast<std::size_t>(picture.height);
  std::string rows((stride + 1) * height, '\0');
  uLongf size = static_cast<uLong>(rows.size());
  if (uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                 reinterpret_cast<const Bytef*>(packed.data()),
                 static_cast<uLong>(packed.size())) != Z_OK ||
      size != rows.size())
    return std::unexpected("the PNG file's pixels are damaged");
  picture.rgb.resize(stride * height);
  for (std::size_t y = 0; y < height; ++y) {
    const char* row = rows.data() + y * (stride + 1);
    if (*row != 2) return std::unexpected("only PNG files with the filter \"up\" are read");
    for (std::size_t i = 0; i < stride; ++i) {
      const int above = y > 0 ? picture.rgb[(y - 1) * stride + i] : 0;
      picture.rgb[y * stride + i] =
          static_cast<std::uint8_t>(above + static_cast<unsigned char>(row[1 + i]));
    }
  }
  return picture;
}

std::expected<void, std::string> write_png(const std::filesystem::path& file,
                                           const Picture& picture) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const std::string bytes = encode_png(picture);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return std::unexpected(file.string() + ": " + std::generic_category().message(errno));
  return {};
}

}  // namespace rocdrill::gui
