#include "sim/code_objects/compressed.hpp"

#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>

#include <cstring>

#include "stack/formats/offload_bundle.hpp"

namespace rocdrill::code_objects {
namespace {

using Kind = LoadError::Kind;

struct Header {
  std::uint16_t version = 0;
  std::uint16_t method = 0;  // llvm::compression::Format
  std::uint64_t plain_bytes = 0;
  std::size_t bytes = 0;  // of the header
};

LoadResult<Header> read_header(std::span<const std::byte> bytes) {
  std::size_t at = offload_bundle::compressed_magic.size();
  bool short_of = false;
  const auto take = [&](std::size_t count) {
    std::uint64_t value = 0;
    if (count > bytes.size() || at > bytes.size() - count) {
      short_of = true;
    } else {
      std::memcpy(&value, bytes.data() + at, count);
      at += count;
    }
    return value;
  };
  Header header;
  header.version = static_cast<std::uint16_t>(take(2));
  header.method = static_cast<std::uint16_t>(take(2));
  if (header.version == 0 || header.version > 3)
    return fail(Kind::unmodelled, "compressed bundle of version " + std::to_string(header.version),
                4);
  const std::size_t size_bytes = header.version == 3 ? 8 : 4;
  if (header.version > 1) take(size_bytes);  // of the file
  header.plain_bytes = take(size_bytes);
  take(8);  // a hash that the bundler itself does not check
  if (short_of) return fail(Kind::malformed_bundle, "compressed bundle: truncated header", at);
  header.bytes = at;
  return header;
}

}  // namespace

LoadResult<std::vector<std::byte>> expand(std::span<const std::byte> compressed) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
  const auto header = read_header(compressed);
  if (!header) return std::unexpected(header.error());
  if (header->plain_bytes > most_bytes)
    return fail(Kind::malformed_bundle, "compressed bundle: more than 4 GiB", 4);
  const auto format = static_cast<llvm::compression::Format>(header->method);
  const bool zstd = format == llvm::compression::Format::Zstd;
  if (!zstd && format != llvm::compression::Format::Zlib)
    return fail(Kind::unmodelled, "compressed bundle: method " + std::to_string(header->method), 6);
  llvm::SmallVector<std::uint8_t, 0> plain;
  const llvm::ArrayRef<std::uint8_t> data(
      reinterpret_cast<const std::uint8_t*>(compressed.data()) + header->bytes,
      compressed.size() - header->bytes);
  llvm::Error error = llvm::compression::decompress(
      zstd ? llvm::DebugCompressionType::Zstd : llvm::DebugCompressionType::Zlib, data, plain,
      header->plain_bytes);
  if (error)
    return fail(Kind::malformed_bundle, "compressed bundle: " + llvm::toString(std::move(error)),
                header->bytes);
  const auto* begin = reinterpret_cast<const std::byte*>(plain.data());
  return std::vector<std::byte>(begin, begin + plain.size());
}

}  // namespace rocdrill::code_objects
