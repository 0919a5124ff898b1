#include "sim/silicon/command_processor/address_space.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace rocdrill::cp {

namespace {

constexpr std::uint64_t page = 4096;

}  // namespace

/// For address spaces that know no more than translate(): page by page, as the page tables are.
std::size_t AddressSpace::mapped(std::uint64_t va, std::size_t bytes, Access access) {
  if (bytes != 0 && translate(va, bytes, access) != nullptr) return bytes;
  std::size_t found = 0;
  while (found < bytes) {
    const std::uint64_t at = va + found;
    if (at < va) break;
    const std::size_t longer = found + std::min<std::size_t>(bytes - found, page - at % page);
    if (translate(va, longer, access) == nullptr) break;
    found = longer;
  }
  return found;
}

/// As far as translate() reaches in both directions within the page.
std::optional<AddressSpace::Extent> AddressSpace::extent(std::uint64_t va, Access access) {
  const std::uint64_t begin = va - va % page;
  const void* host = translate(begin, page, access);
  if (host == nullptr) return std::nullopt;
  return Extent{begin, page, reinterpret_cast<std::uintptr_t>(host) - begin};
}

std::optional<AddressSpace::Extent> RangeAddressSpace::extent(std::uint64_t va, Access access) {
  const std::shared_lock lock(changing_);
  const Range* range = find(va);
  if (range == nullptr || !range->permissions.allow(access)) return std::nullopt;
  if (range->unreachable != 0) lost_.store(range->unreachable, std::memory_order_release);
  return Extent{range->begin, range->bytes, range->to_host};
}

bool RangeAddressSpace::is_unreachable(std::uint64_t va) const {
  const Range* range = find(va);
  return range != nullptr && range->unreachable != 0;
}

void RangeAddressSpace::add(std::uint64_t va, std::size_t bytes, Permissions permissions,
                            void* host) {
  insert(va, bytes, permissions, host, 0);
}

void RangeAddressSpace::add_unreachable(std::uint64_t va, std::size_t bytes,
                                        Permissions permissions, void* host, std::uint32_t owner) {
  insert(va, bytes, permissions, host, owner);
}

void RangeAddressSpace::insert(std::uint64_t va, std::size_t bytes, Permissions permissions,
                               void* host, std::uint32_t unreachable) {
  const std::uint64_t to_host = reinterpret_cast<std::uintptr_t>(host) - va;
  if (va == 0 || bytes == 0 || va + (bytes - 1) < va) {
    throw std::invalid_argument("address space: range is empty, holds address 0 or wraps around");
  }
  const std::uint64_t host_end = va + to_host + (bytes - 1);
  if (host == nullptr || host_end < va + to_host || to_host % page != 0) {
    throw std::invalid_argument(
        "address space: host memory is null, wraps around or is not at the same offset in a page");
  }
  const auto next = ranges_.upper_bound(va);
  const bool overlaps_next = next != ranges_.end() && next->first - va < bytes;
  if (overlaps_next || find(va) != nullptr) {
    throw std::invalid_argument("address space: range overlaps one that is registered");
  }
  const std::unique_lock lock(changing_);
  ranges_.emplace(va, Range{va, bytes, to_host, permissions, unreachable});
  generation_.fetch_add(1, std::memory_order_release);
}

bool RangeAddressSpace::remove(std::uint64_t va) {
  last_ = &none_;
  const std::unique_lock lock(changing_);
  generation_.fetch_add(1, std::memory_order_release);
  return ranges_.erase(va) != 0;
}

const RangeAddressSpace::Range* RangeAddressSpace::find(std::uint64_t va) const {
  auto after = ranges_.upper_bound(va);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return va - range.begin < range.bytes ? &range : nullptr;
}

/// Neighbouring ranges count as one, as pages do, if their host memory is neighbouring too: an
/// object may lie across two of them.
std::size_t RangeAddressSpace::mapped(std::uint64_t va, std::size_t bytes, Access access) {
  const Range* range = find(va);
  if (range == nullptr) return 0;
  const std::uint64_t to_host = range->to_host;
  std::size_t found = 0;
  while (range != nullptr && range->permissions.allow(access) && range->to_host == to_host) {
    const std::uint64_t here = range->bytes - (va + found - range->begin);
    if (bytes - found <= here) return bytes;
    found += here;
    if (va + found < va) break;  // the top of the address space
    range = find(va + found);
  }
  return found;
}

void* RangeAddressSpace::translate_slow(std::uint64_t va, std::size_t bytes, Access access) {
  if (bytes == 0) return nullptr;
  const Range* range = find(va);
  if (range == nullptr || !range->permissions.allow(access)) return nullptr;
  if (bytes > range->bytes - (va - range->begin) && mapped(va, bytes, access) != bytes) {
    return nullptr;
  }
  if (range->unreachable != 0) {  // and not the last hit: each access is to be seen
    lost_.store(range->unreachable, std::memory_order_release);
  } else {
    last_ = range;
  }
  return reinterpret_cast<void*>(va + range->to_host);
}

}  // namespace rocdrill::cp
