#include "stack/timeline_storage.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

namespace rocdrill::detail {
namespace {

constexpr std::size_t largest_block = 64 * 1024;
constexpr std::size_t own_block_above = 4 * 1024;

constexpr std::size_t longest_varint = 10;
// A reference to a repeated text takes up to 15 bytes; shorter texts gain nothing.
constexpr std::size_t shortest_repeated = 8;
constexpr std::size_t recent_texts = 1024;

char* put_varint(char* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

std::uint64_t get_varint(const char*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
}

// Small numbers of either sign become small unsigned ones.
std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
}

std::uint32_t short_length(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("timeline: a text of more than 4 GiB");
  }
  return static_cast<std::uint32_t>(text.size());
}

constexpr unsigned form_bits = 2;

std::uint64_t head(std::uint32_t key, FieldStore::Form form) {
  return std::uint64_t{key} << form_bits | static_cast<unsigned>(form);
}

/// Upper bound of what FieldStore::append writes.
std::size_t packed_bound(std::span<const Field> fields) {
  std::size_t bytes = longest_varint;
  for (const Field& field : fields) {
    bytes += 2 * longest_varint;
    if (const auto* text = std::get_if<std::string_view>(&field.value)) bytes += text->size();
  }
  return bytes;
}

}  // namespace

Arena::Arena(const Arena& other) : open_(other.open_), next_size_(other.next_size_) {
  blocks_.reserve(other.blocks_.size());
  for (const Block& block : other.blocks_) {
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(block.size), block.size, block.used});
    std::copy_n(block.bytes.get(), block.used, blocks_.back().bytes.get());
  }
}

Place Arena::open_block(std::size_t size) {
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size, 0});
  return {static_cast<std::uint32_t>(blocks_.size() - 1), 0};
}

Place Arena::reserve(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("timeline: an event of more than 4 GiB");
  }
  if (bytes > own_block_above) return open_block(bytes);
  if (open_) {
    const Block& block = blocks_[*open_];
    if (block.size - block.used >= bytes) return {*open_, static_cast<std::uint32_t>(block.used)};
  }
  const Place place = open_block(std::max(next_size_, bytes));
  open_ = place.block;
  next_size_ = std::min(2 * next_size_, largest_block);
  return place;
}

void Arena::commit(Place place, std::size_t bytes) {
  blocks_[place.block].used = place.offset + bytes;
}

Place Arena::append(std::string_view text) {
  const Place place = reserve(text.size());
  text.copy(at(place), text.size());
  commit(place, text.size());
  return place;
}

std::size_t Arena::memory_bytes() const {
  std::size_t bytes = blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_) bytes += block.size;
  return bytes;
}

std::size_t Interner::slot_of(const Arena& arena, std::string_view wanted,
                              std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t id = slots_[slot] - 1;
    if (entries_[id].hash == hash && text(arena, id) == wanted) break;
  }
  return slot;
}

std::uint32_t Interner::intern(Arena& arena, std::string_view text) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  const std::size_t slot = slot_of(arena, text, hash);
  if (slots_[slot] == 0) {
    const std::uint32_t length = short_length(text);
    entries_.push_back({length == 0 ? Place{} : arena.append(text), length, hash});
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  }
  return slots_[slot] - 1;
}

std::optional<std::uint32_t> Interner::find(const Arena& arena, std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t held = slots_[slot_of(arena, text, hash_of(text))];
  return held == 0 ? std::nullopt : std::optional(held - 1);
}

void Interner::grow() {
  std::vector<std::uint32_t> slots(std::max<std::size_t>(64, 2 * slots_.size()));
  const std::size_t mask = slots.size() - 1;
  for (std::uint32_t id = 0; id < entries_.size(); ++id) {
    std::size_t slot = entries_[id].hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = id + 1;
  }
  slots_ = std::move(slots);
}

std::size_t Interner::memory_bytes() const {
  return entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(std::uint32_t);
}

Place FieldStore::append(Arena& arena, std::span<const Field> fields) {
  if (recent_.empty()) recent_.resize(recent_texts);
  const Place place = arena.reserve(packed_bound(fields));
  char* const start = arena.at(place);
  char* at = put_varint(start, fields.size());
  for (const Field& field : fields) {
    const std::uint32_t key = keys_.intern(key_text_, field.key);
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      at = put_varint(at, head(key, Form::integer));
      at = put_varint(at, zigzag(*number));
    } else {
      const Place here{place.block, place.offset + static_cast<std::uint32_t>(at - start)};
      at = put_text(arena, here, at, key, std::get<std::string_view>(field.value));
    }
  }
  arena.commit(place, static_cast<std::size_t>(at - start));
  return place;
}

char* FieldStore::put_text(const Arena& arena, Place place, char* at, std::uint32_t key,
                           std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  Recent& recent = recent_[hash % recent_texts];
  if (recent.hash == hash && recent.length == text.size() &&
      arena.text(recent.place, recent.length) == text) {
    at = put_varint(at, head(key, Form::repeated));
    at = put_varint(at, recent.place.block);
    at = put_varint(at, recent.place.offset);
    return put_varint(at, recent.length);
  }
  const char* const start = at;
  at = put_varint(at, head(key, Form::text));
  at = put_varint(at, text.size());
  if (text.size() >= shortest_repeated) {
    place.offset += static_cast<std::uint32_t>(at - start);
    recent = {place, static_cast<std::uint32_t>(text.size()), hash};
  }
  return at + text.copy(at, text.size());
}

std::vector<Field> FieldStore::read(const Arena& arena, Place place) const {
  const char* at = arena.at(place);
  std::vector<Field> fields(get_varint(at));
  for (Field& field : fields) {
    const std::uint64_t head = get_varint(at);
    field.key = keys_.text(key_text_, static_cast<std::uint32_t>(head >> form_bits));
    switch (static_cast<Form>(head & ((1u << form_bits) - 1))) {
      case Form::integer:
        field.value = unzigzag(get_varint(at));
        break;
      case Form::text: {
        const std::uint64_t length = get_varint(at);
        field.value = std::string_view(at, length);
        at += length;
        break;
      }
      case Form::repeated: {
        Place earlier;
        earlier.block = static_cast<std::uint32_t>(get_varint(at));
        earlier.offset = static_cast<std::uint32_t>(get_varint(at));
        field.value = arena.text(earlier, static_cast<std::uint32_t>(get_varint(at)));
        break;
      }
    }
  }
  return fields;
}

std::size_t FieldStore::memory_bytes() const {
  return key_text_.memory_bytes() + keys_.memory_bytes() + recent_.capacity() * sizeof(Recent);
}

Records::Records(const Records& other) : size_(other.size_) {
  chunks_.reserve(other.chunks_.size());
  for (std::size_t done = 0; done < size_; done += chunk) {
    chunks_.push_back(std::make_unique_for_overwrite<Record[]>(chunk));
    std::copy_n(other.chunks_[done / chunk].get(), std::min(chunk, size_ - done),
                chunks_.back().get());
  }
}

void Records::push_back(const Record& record) {
  if (size_ == chunks_.size() * chunk) {
    chunks_.push_back(std::make_unique_for_overwrite<Record[]>(chunk));
  }
  (*this)[size_++] = record;
}

std::size_t Records::memory_bytes() const {
  return chunks_.capacity() * sizeof(chunks_[0]) + chunks_.size() * chunk * sizeof(Record);
}

}  // namespace rocdrill::detail
