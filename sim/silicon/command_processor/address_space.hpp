// What a GPU may reach: the only way from an address in a packet, queue or signal to memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

namespace rocdrill::cp {

/// `write` is read-modify-write (atomics on signals, headers, indices).
enum class Access : std::uint8_t { read, write, execute };

/// What of a GPU asks for translations; vector_cache, scalar_cache and instruction_cache do so for
/// waves.
enum class Unit : std::uint8_t {
  command_processor,
  copy_engine,
  vector_cache,
  scalar_cache,
  instruction_cache,
};
struct Requester {
  Unit unit = Unit::command_processor;
  std::uint32_t xcc = 0;  ///< of the KFD node's
};

class AddressSpace {
 public:
  virtual ~AddressSpace() = default;
  /// Host memory behind [va, va + bytes), or nullptr if any byte of it is not mapped with this
  /// access: the GPU's page tables decide, not the host's. The result has the alignment of `va`
  /// (up to a page) and stays valid until the mapping changes; callers do not keep it across
  /// calls of Queue::run().
  virtual void* translate(std::uint64_t va, std::size_t bytes, Access access) = 0;
  /// How many bytes from `va`, up to `bytes`, one translate() gives; 0 if not even the first. What
  /// follows may be unmapped, or mapped to host memory elsewhere: then ask again from there.
  virtual std::size_t mapped(std::uint64_t va, std::size_t bytes, Access access);

  /// A stretch of addresses whose host memory lies in one piece: host address = va + to_host.
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t to_host = 0;
  };
  /// The one around `va`, for callers that look at many addresses; nothing if `va` is not mapped
  /// with this access. Holds until generation() changes. May be called while another thread changes
  /// the mapping, unlike translate().
  virtual std::optional<Extent> extent(std::uint64_t va, Access access);
  /// Changes whenever the mapping does; 0 for spaces that cannot tell.
  virtual std::uint64_t generation() const { return 0; }
  /// Which memory behind a way that carries nothing (RangeAddressSpace::add_unreachable) was asked
  /// for since the last call; 0: none.
  virtual std::uint32_t take_lost() { return 0; }
  /// Whether the address lies in such memory.
  virtual bool is_unreachable(std::uint64_t /*va*/) const { return false; }
};

struct Permissions {
  bool read = true;
  bool write = true;
  bool execute = false;

  constexpr bool allow(Access access) const {
    switch (access) {
      case Access::read:
        return read;
      case Access::write:
        return read && write;
      case Access::execute:
        return execute;
    }
    return false;
  }
};

/// Registered ranges. GPU VA = host VA unless the range names other host memory (apertures,
/// imported buffers, memory of another process that is mapped here). Not thread-safe but for
/// extent() and generation(): ranges change between two calls of Queue::run(), under whatever lock
/// its owner holds for that.
class RangeAddressSpace final : public AddressSpace {
 public:
  RangeAddressSpace() = default;
  RangeAddressSpace(const RangeAddressSpace&) = delete;
  RangeAddressSpace& operator=(const RangeAddressSpace&) = delete;

  /// Throws std::invalid_argument on an empty range, one that holds address 0 or wraps around, or
  /// one that overlaps another.
  void add(std::uint64_t va, std::size_t bytes, Permissions permissions = {}) {
    add(va, bytes, permissions, reinterpret_cast<void*>(va));
  }
  /// `host`: what lies behind `va`. Also throws if the two differ in their offset within a 4 KiB
  /// page, or if `host` is null or its end wraps around. The same host memory may lie behind
  /// several ranges.
  void add(std::uint64_t va, std::size_t bytes, Permissions permissions, void* host);
  /// Memory of another device that a dead link or a bridge does not let through: what is written
  /// goes to `host` and not to its owner, and whoever waits for it waits for ever. `owner` (not 0)
  /// is what take_lost() then says.
  void add_unreachable(std::uint64_t va, std::size_t bytes, Permissions permissions, void* host,
                       std::uint32_t owner);
  bool is_unreachable(std::uint64_t va) const override;
  std::uint32_t take_lost() override { return lost_.exchange(0, std::memory_order_acq_rel); }
  void add(const void* memory, std::size_t bytes, Permissions permissions = {}) {
    add(reinterpret_cast<std::uintptr_t>(memory), bytes, permissions);
  }
  /// Removes the range that begins at `va`; false if there is none.
  bool remove(std::uint64_t va);
  bool remove(const void* memory) { return remove(reinterpret_cast<std::uintptr_t>(memory)); }
  std::size_t size() const { return ranges_.size(); }

  void* translate(std::uint64_t va, std::size_t bytes, Access access) override {
    // Unsigned wrap-around makes an address below the range fail the first comparison.
    const std::uint64_t offset = va - last_->begin;
    if (offset < last_->bytes && bytes <= last_->bytes - offset && bytes != 0 &&
        last_->permissions.allow(access)) {
      return reinterpret_cast<void*>(va + last_->to_host);
    }
    return translate_slow(va, bytes, access);
  }
  std::size_t mapped(std::uint64_t va, std::size_t bytes, Access access) override;
  std::optional<Extent> extent(std::uint64_t va, Access access) override;
  std::uint64_t generation() const override { return generation_.load(std::memory_order_acquire); }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t bytes;
    std::uint64_t to_host;  // host address - VA, modulo 2^64; 0 is identity
    Permissions permissions;
    std::uint32_t unreachable;  // its owner; 0: it is reached
  };

  void insert(std::uint64_t va, std::size_t bytes, Permissions permissions, void* host,
              std::uint32_t unreachable);
  void* translate_slow(std::uint64_t va, std::size_t bytes, Access access);
  const Range* find(std::uint64_t va) const;

  std::map<std::uint64_t, Range> ranges_;  // by first address
  std::shared_mutex changing_;             // held while ranges_ changes, and by extent()
  std::atomic<std::uint64_t> generation_{1};
  std::atomic<std::uint32_t> lost_{0};
  static constexpr Range none_{};
  const Range* last_ = &none_;  // the last hit, in ranges_; never null
};

}  // namespace rocdrill::cp
