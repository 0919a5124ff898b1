#include "sim/kernel/process/svm_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace rocdrill::kernel {
namespace {

using kfd::SvmAttribute;
using Type = kfd::SvmAttributeType;

constexpr std::uint32_t most_granularity = 0x3F;
constexpr std::uint32_t no_granularity = 0xFF;

/// What two ranges have in common: undefined once they differ.
std::uint32_t common_location(std::span<const SvmRanges::Range> ranges,
                              std::uint32_t SvmState::* location) {
  const std::uint32_t first = ranges.front().state.*location;
  const bool same = std::ranges::all_of(
      ranges, [&](const SvmRanges::Range& range) { return range.state.*location == first; });
  return same ? first : kfd::svm_location_undefined;
}

bool in_all(std::span<const SvmRanges::Range> ranges, std::set<std::uint32_t> SvmState::* gpus,
            std::uint32_t gpu_id) {
  return std::ranges::all_of(
      ranges, [&](const SvmRanges::Range& range) { return (range.state.*gpus).contains(gpu_id); });
}

bool answer(std::span<const SvmRanges::Range> ranges, bool untold, SvmAttribute& attribute) {
  std::uint32_t all = ~0u;
  std::uint32_t some = 0;
  std::uint32_t granularity = untold ? ranges.front().state.granularity : no_granularity;
  for (const SvmRanges::Range& range : ranges) {
    all &= range.state.flags;
    some |= range.state.flags;
    granularity = std::min(granularity, range.state.granularity);
  }
  switch (static_cast<Type>(attribute.type)) {
    case Type::preferred_location:
      attribute.value = common_location(ranges, &SvmState::preferred);
      return true;
    case Type::prefetch_location:
      attribute.value = common_location(ranges, &SvmState::prefetch);
      return true;
    case Type::access: {
      const Type is = in_all(ranges, &SvmState::access, attribute.value)     ? Type::access
                      : in_all(ranges, &SvmState::in_place, attribute.value) ? Type::access_in_place
                                                                             : Type::no_access;
      attribute.type = static_cast<std::uint32_t>(is);
      return true;
    }
    case Type::set_flags:
      attribute.value = all;
      return true;
    case Type::clear_flags:
      attribute.value = ~some;
      return true;
    case Type::granularity:
      attribute.value = granularity;
      return true;
    case Type::access_in_place:
    case Type::no_access:
      break;
  }
  return false;
}

}  // namespace

void SvmState::apply(const SvmAttribute& attribute) {
  const std::uint32_t value = attribute.value;
  switch (static_cast<Type>(attribute.type)) {
    case Type::preferred_location:
      preferred = value;
      break;
    case Type::prefetch_location:
      prefetch = value;
      break;
    case Type::access:
      access.insert(value);
      in_place.erase(value);
      break;
    case Type::access_in_place:
      access.erase(value);
      in_place.insert(value);
      break;
    case Type::no_access:
      access.erase(value);
      in_place.erase(value);
      break;
    case Type::set_flags:
      flags |= value;
      break;
    case Type::clear_flags:
      flags &= ~value;
      break;
    case Type::granularity:
      granularity = std::min(value, most_granularity);
      break;
  }
}

std::set<std::uint32_t> SvmState::reached_by() const {
  std::set<std::uint32_t> gpus = access;
  gpus.insert(in_place.begin(), in_place.end());
  return gpus;
}

/// Afterwards no piece lies across `va`.
void SvmRanges::split_at(std::uint64_t va) {
  auto at = pieces_.upper_bound(va);
  if (at == pieces_.begin()) return;
  auto& [begin, piece] = *std::prev(at);
  if (begin == va || piece.end <= va) return;
  pieces_.emplace_hint(at, va, Piece{piece.end, piece.state});
  piece.end = va;
}

void SvmRanges::set(std::uint64_t begin, std::uint64_t end,
                    std::span<const SvmAttribute> attributes) {
  split_at(begin);
  split_at(end);
  for (std::uint64_t at = begin; at < end;) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.end() || piece->first != at) {  // a gap, up to the next piece
      const std::uint64_t until = piece == pieces_.end() ? end : std::min(end, piece->first);
      piece = pieces_.emplace_hint(piece, at, Piece{until, untold_});
    }
    for (const SvmAttribute& attribute : attributes) piece->second.state.apply(attribute);
    at = piece->second.end;
  }
}

bool SvmRanges::get(std::uint64_t begin, std::uint64_t end,
                    std::span<SvmAttribute> attributes) const {
  std::vector<Range> ranges = within(begin, end);
  const bool untold = ranges.empty();
  if (untold) ranges.push_back({begin, end, untold_});
  return std::ranges::all_of(
      attributes, [&](SvmAttribute& attribute) { return answer(ranges, untold, attribute); });
}

void SvmRanges::erase(std::uint64_t begin, std::uint64_t end) {
  split_at(begin);
  split_at(end);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
}

std::vector<SvmRanges::Range> SvmRanges::within(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Range> found;
  auto at = pieces_.upper_bound(begin);
  if (at != pieces_.begin() && std::prev(at)->second.end > begin) --at;
  for (; at != pieces_.end() && at->first < end; ++at)
    found.push_back({at->first, at->second.end, at->second.state});
  return found;
}

}  // namespace rocdrill::kernel
