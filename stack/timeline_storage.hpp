// How a timeline lies in memory; only timeline.cpp includes this.
//
// Everything is appended to blocks that never move, so that views into it stay valid while the
// timeline grows, and the capacity in excess is at most one block, not a doubled vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stack/event.hpp"

namespace rocdrill::detail {

/// Where bytes lie in an Arena. Not a pointer: a copied arena keeps its places.
struct Place {
  std::uint32_t block = 0;
  std::uint32_t offset = 0;
};

/// Bytes in blocks that grow from 1 KiB to 64 KiB; what is larger than 4 KiB gets a block of its
/// own, so that at most that much is lost at the end of a block.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena& other);

  /// Room for `bytes` in one piece. Throws std::length_error above 4 GiB.
  Place reserve(std::size_t bytes);
  /// Keeps the first `bytes` of the latest reserve().
  void commit(Place place, std::size_t bytes);
  /// reserve, copy, commit.
  Place append(std::string_view text);

  char* at(Place place) { return blocks_[place.block].bytes.get() + place.offset; }
  const char* at(Place place) const { return blocks_[place.block].bytes.get() + place.offset; }
  std::string_view text(Place place, std::uint32_t length) const {
    return length == 0 ? std::string_view() : std::string_view(at(place), length);
  }
  std::size_t memory_bytes() const;

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    std::size_t used = 0;
  };
  Place open_block(std::size_t size);

  std::vector<Block> blocks_;
  std::optional<std::uint32_t> open_;  ///< the block that short text goes to
  std::size_t next_size_ = 1024;
};

/// Each text once, numbered 0, 1, 2, ... by first use.
class Interner {
 public:
  std::uint32_t intern(Arena& arena, std::string_view text);
  std::optional<std::uint32_t> find(const Arena& arena, std::string_view text) const;
  std::string_view text(const Arena& arena, std::uint32_t id) const {
    return arena.text(entries_[id].place, entries_[id].length);
  }
  std::size_t size() const { return entries_.size(); }
  std::size_t memory_bytes() const;

 private:
  struct Entry {
    Place place;
    std::uint32_t length;
    std::uint32_t hash;
  };
  /// The slot that holds the text or, if it is new, the free one where it belongs.
  std::size_t slot_of(const Arena& arena, std::string_view text, std::uint32_t hash) const;
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  ///< entry + 1, 0 = free; a power of two, at most half full
};

/// The fields of events, packed: a varint count, then for each field a varint key << 2 | Form and
/// the value: an integer (zigzag varint), a text (varint length, bytes), or a text that was
/// written shortly before (varint block, offset, length).
class FieldStore {
 public:
  enum class Form : std::uint8_t { integer = 0, text = 1, repeated = 2 };

  /// Appends the fields of one event. Do not call it without fields.
  Place append(Arena& arena, std::span<const Field> fields);
  std::vector<Field> read(const Arena& arena, Place place) const;
  /// Without the arena.
  std::size_t memory_bytes() const;

 private:
  struct Recent {
    Place place;
    std::uint32_t length = 0;
    std::uint32_t hash = 0;
  };
  char* put_text(const Arena& arena, Place place, char* at, std::uint32_t key,
                 std::string_view text);

  Arena key_text_;  ///< of its own, so that a new key does not disturb a reserve() under way
  Interner keys_;
  std::vector<Recent> recent_;  ///< by hash; a newer text replaces an older one
};

/// One event without its texts.
struct Record {
  std::uint64_t time_ns = 0;
  Place fields;  ///< meaningless if !has_fields
  EventId cause = no_event;
  std::uint32_t kind = 0;          ///< of the names
  std::uint32_t subject = 0;       ///< of the names
  EventId last_effect = no_event;  ///< no_event: none
  EventId next_effect = no_event;  ///< of the same cause; the last one points to the first
  Layer layer = Layer::host;
  Severity severity = Severity::info;
  bool has_fields = false;
};
static_assert(sizeof(Record) == 40);

/// Records in chunks of 256.
class Records {
 public:
  Records() = default;
  Records(const Records& other);

  void push_back(const Record& record);
  Record& operator[](std::size_t index) { return chunks_[index / chunk][index % chunk]; }
  const Record& operator[](std::size_t index) const {
    return chunks_[index / chunk][index % chunk];
  }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t chunk = 256;
  std::vector<std::unique_ptr<Record[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace rocdrill::detail
