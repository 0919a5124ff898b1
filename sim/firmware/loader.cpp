#include "sim/firmware/loader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>

namespace rocdrill::firmware {
namespace {

constexpr std::string_view magic = "amdgpu-firmware";

std::optional<std::uint32_t> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size()) return std::nullopt;
  return value;
}

BlobResult request(const sim::Os& os, const FirmwareBlob& blob, std::string_view file) {
  BlobResult result;
  result.blob = &blob;
  for (const std::string& directory : search_path(os.kernel_release)) {
    const std::string path = fmt::format("{}/amdgpu/{}", directory, file);
    auto text = os.files.read(path);
    if (!text) {
      if (result.path.empty()) result.path = path;
      if (result.why == no_event) result.why = text.error().event;
      continue;
    }
    result.path = path;
    const auto header = parse_blob(*text);
    result.error = header ? 0 : EINVAL;
    result.version = header ? header->version : 0;
    result.interface = header ? header->interface : 0;
    result.why = os.files.why(path);
    return result;
  }
  result.error = ENOENT;
  return result;
}

}  // namespace

std::string blob_text(const BlobHeader& header) {
  std::string text =
      fmt::format("{}\nname={}\nucode_version={}\n", magic, header.name, header.version);
  if (header.interface != 0) text += fmt::format("interface_version={}\n", header.interface);
  return text;
}

std::optional<BlobHeader> parse_blob(std::string_view text) {
  const auto lines = sim::lines_of(text);
  if (lines.size() < 3 || lines[0] != magic || !lines[1].starts_with("name=")) return std::nullopt;
  const auto version = value_of(lines[2], "ucode_version=");
  if (!version) return std::nullopt;
  BlobHeader header{lines[1].substr(5), *version, 0};
  if (lines.size() > 3) {
    const auto interface = value_of(lines[3], "interface_version=");
    if (!interface) return std::nullopt;
    header.interface = *interface;
  }
  return header;
}

bool is_required(const FirmwareBlob& blob, const std::string& kernel_release) {
  if (blob.need == FirmwareNeed::required_since_6_3) {
    return sim::compare_versions(kernel_release, "6.3") >= 0;
  }
  return blob.need == FirmwareNeed::required;
}

std::vector<std::string> search_path(const std::string& kernel_release) {
  return {"/lib/firmware/updates/" + kernel_release, "/lib/firmware/updates",
          "/lib/firmware/" + kernel_release, "/lib/firmware"};
}

std::vector<BlobResult> request_all(const sim::Os& os, const GpuProduct& product) {
  std::vector<BlobResult> results;
  std::string_view failed_block;
  for (const FirmwareBlob& blob : product.firmware) {
    if (blob.block == failed_block) continue;
    BlobResult result = request(os, blob, blob.file);
    if (result.error == ENOENT && !blob.fallback.empty()) {
      if (BlobResult other = request(os, blob, blob.fallback); other.error == 0) result = other;
    }
    if (result.error != 0 && is_required(blob, os.kernel_release)) failed_block = blob.block;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace rocdrill::firmware
