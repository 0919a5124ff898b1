#include "stack/formats/offload_bundle.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>

namespace rocdrill::offload_bundle {
namespace {

using Kind = FormatError::Kind;

constexpr std::uint64_t fixed_entry_bytes = 3 * sizeof(std::uint64_t);

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::optional<std::string> id_problem(std::string_view id) {
  if (id.empty()) return "entry ID is empty";
  if (id.size() > max_id_length) return "entry ID is longer than " + std::to_string(max_id_length);
  if (!printable(id)) return "entry ID has bytes that are not printable ASCII";
  return std::nullopt;
}

std::unexpected<FormatError> fail(Kind kind, std::uint64_t offset, std::string what) {
  return std::unexpected(FormatError{kind, offset, std::move(what)});
}

/// Reads the header front to back; never past the end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return bytes_.size() - position_; }

  std::optional<std::uint64_t> u64() {
    if (left() < sizeof(std::uint64_t)) return std::nullopt;
    std::uint64_t value = 0;
    for (unsigned byte = 0; byte < sizeof value; ++byte)
      value |= std::to_integer<std::uint64_t>(bytes_[position_ + byte]) << (8 * byte);
    position_ += sizeof value;
    return value;
  }
  std::optional<std::string> text(std::uint64_t length) {
    if (left() < length) return std::nullopt;
    std::string text(reinterpret_cast<const char*>(bytes_.data()) + position_, length);
    position_ += length;
    return text;
  }
  void skip(std::uint64_t count) { position_ += count; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
};

std::expected<Entry, FormatError> read_entry(Cursor& cursor) {
  const std::uint64_t start = cursor.position();
  if (cursor.left() < fixed_entry_bytes)
    return fail(Kind::truncated, start, "the file ends inside an entry of the bundle header");
  Entry entry;
  entry.offset = *cursor.u64();
  entry.size = *cursor.u64();
  const std::uint64_t length = *cursor.u64();
  if (length > max_id_length)
    return fail(Kind::bad_id, start + 16,
                "entry ID is longer than " + std::to_string(max_id_length));
  auto id = cursor.text(length);
  if (!id) return fail(Kind::truncated, start + 16, "the file ends inside an entry ID");
  if (auto problem = id_problem(*id)) return fail(Kind::bad_id, start + 24, std::move(*problem));
  entry.id = std::move(*id);
  return entry;
}

/// Where the header has the entry's offset field, for messages.
std::uint64_t field_of(const Bundle& bundle, std::size_t index) {
  std::uint64_t at = magic.size() + sizeof(std::uint64_t);
  for (std::size_t i = 0; i < index; ++i) at += fixed_entry_bytes + bundle.entries[i].id.size();
  return at;
}

std::optional<FormatError> check_ranges(const Bundle& bundle, std::uint64_t file_size) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < bundle.entries.size(); ++i) {
    const Entry& entry = bundle.entries[i];
    if (entry.size == 0) continue;
    if (entry.offset < bundle.header_size || entry.offset > file_size ||
        entry.size > file_size - entry.offset)
      return FormatError{Kind::out_of_range, field_of(bundle, i),
                         "code object '" + entry.id + "' at " + std::to_string(entry.offset) +
                             " with " + std::to_string(entry.size) +
                             " bytes lies outside the file's " + std::to_string(file_size) +
                             " bytes or inside the header"};
    order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return bundle.entries[i].offset; });
  for (std::size_t n = 1; n < order.size(); ++n) {
    const Entry& before = bundle.entries[order[n - 1]];
    const Entry& entry = bundle.entries[order[n]];
    if (before.offset + before.size > entry.offset)
      return FormatError{Kind::overlap, field_of(bundle, order[n]),
                         "code objects '" + before.id + "' and '" + entry.id + "' overlap"};
  }
  return std::nullopt;
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

void check_inputs(std::span<const Input> inputs, std::uint64_t alignment) {
  if (!std::has_single_bit(alignment))
    throw std::invalid_argument("offload bundle: alignment is no power of two");
  if (inputs.size() > max_entries) throw std::invalid_argument("offload bundle: too many entries");
  std::set<std::string_view> seen;
  for (const Input& input : inputs) {
    if (auto problem = id_problem(input.id))
      throw std::invalid_argument("offload bundle: " + *problem);
    if (!seen.insert(input.id).second)
      throw std::invalid_argument("offload bundle: duplicate entry ID " + input.id);
  }
}

void put_u64(std::vector<std::byte>& bytes, std::uint64_t value) {
  // One resize: g++ 12 sees an overflow that is none in repeated push_back (-Wstringop-overflow).
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  for (unsigned byte = 0; byte < sizeof value; ++byte)
    bytes[at + byte] = static_cast<std::byte>(value >> (8 * byte));
}

void put_text(std::vector<std::byte>& bytes, std::string_view text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

}  // namespace

std::string_view name(FormatError::Kind kind) {
  switch (kind) {
    case Kind::not_a_bundle:
      return "not a bundle";
    case Kind::compressed_unmodelled:
      return "compressed bundle (unmodelled)";
    case Kind::truncated:
      return "truncated";
    case Kind::too_many_entries:
      return "too many entries";
    case Kind::bad_id:
      return "bad entry ID";
    case Kind::duplicate_id:
      return "duplicate entry ID";
    case Kind::out_of_range:
      return "out of range";
    case Kind::overlap:
      return "overlap";
  }
  return "?";
}

EntryId split_id(std::string_view id) {
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return {id, {}};
  return {id.substr(0, dash), id.substr(dash + 1)};
}

bool is_bundle(std::span<const std::byte> bytes) { return starts_with(bytes, magic); }
bool is_compressed(std::span<const std::byte> bytes) {
  return starts_with(bytes, compressed_magic);
}

std::expected<Bundle, FormatError> read(std::span<const std::byte> bytes) {
  if (is_compressed(bytes))
    return fail(Kind::compressed_unmodelled, 0,
                "compressed offload bundles (CCOB) are not modelled");
  if (!is_bundle(bytes)) return fail(Kind::not_a_bundle, 0, "no __CLANG_OFFLOAD_BUNDLE__ magic");
  Cursor cursor(bytes);
  cursor.skip(magic.size());
  const auto count = cursor.u64();
  if (!count) return fail(Kind::truncated, magic.size(), "the file ends inside the bundle header");
  if (*count > max_entries)
    return fail(Kind::too_many_entries, magic.size(), std::to_string(*count) + " entries");

  Bundle bundle;
  std::set<std::string, std::less<>> seen;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::uint64_t start = cursor.position();
    auto entry = read_entry(cursor);
    if (!entry) return std::unexpected(std::move(entry.error()));
    if (!seen.insert(entry->id).second)
      return fail(Kind::duplicate_id, start + fixed_entry_bytes, "two entries '" + entry->id + "'");
    bundle.entries.push_back(std::move(*entry));
  }
  bundle.header_size = cursor.position();
  if (auto error = check_ranges(bundle, bytes.size())) return std::unexpected(std::move(*error));
  bundle.size = bundle.header_size;
  for (const Entry& entry : bundle.entries)
    if (entry.size != 0) bundle.size = std::max(bundle.size, entry.offset + entry.size);
  return bundle;
}

std::span<const std::byte> contents(std::span<const std::byte> bytes, const Entry& entry) {
  if (entry.size == 0) return {};
  return bytes.subspan(entry.offset, entry.size);
}

std::vector<std::byte> write(std::span<const Input> inputs, std::uint64_t alignment) {
  check_inputs(inputs, alignment);
  std::uint64_t end = magic.size() + sizeof(std::uint64_t);
  for (const Input& input : inputs) end += fixed_entry_bytes + input.id.size();

  std::vector<std::byte> bytes;
  put_text(bytes, magic);
  put_u64(bytes, inputs.size());
  for (const Input& input : inputs) {
    const std::uint64_t offset = align_up(end, alignment);
    put_u64(bytes, offset);
    put_u64(bytes, input.bytes.size());
    put_u64(bytes, input.id.size());
    put_text(bytes, input.id);
    end = offset + input.bytes.size();
  }
  for (const Input& input : inputs) {
    bytes.resize(align_up(bytes.size(), alignment));
    bytes.insert(bytes.end(), input.bytes.begin(), input.bytes.end());
  }
  return bytes;
}

}  // namespace rocdrill::offload_bundle
