// Attributes of shared virtual memory, by address (kfd_svm.c): a range ends where one of them
// changes. What of it the GPUs have mapped is KfdProcess's business.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::kernel {

struct SvmState {
  std::uint32_t preferred = kfd::svm_location_undefined;
  std::uint32_t prefetch = kfd::svm_location_undefined;
  std::uint32_t flags = kfd::svm_flag::host_access | kfd::svm_flag::coherent;
  std::uint32_t granularity = 9;     ///< log2 of pages
  std::set<std::uint32_t> access;    ///< gpu_ids that may have it migrated
  std::set<std::uint32_t> in_place;  ///< gpu_ids that reach it where it is

  void apply(const kfd::SvmAttribute& attribute);
  /// GPUs that map it.
  std::set<std::uint32_t> reached_by() const;
  bool operator==(const SvmState&) const = default;
};

class SvmRanges {
 public:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    SvmState state;
  };

  /// What a range is that nobody has said anything of.
  void set_untold(SvmState state) { untold_ = std::move(state); }

  void set(std::uint64_t begin, std::uint64_t end, std::span<const kfd::SvmAttribute> attributes);
  /// What holds for all of [begin, end): locations that differ are undefined.
  /// Replaces values and, of `access`, the types; false for what cannot be asked.
  bool get(std::uint64_t begin, std::uint64_t end, std::span<kfd::SvmAttribute> attributes) const;
  /// Forgets it, where the memory has gone.
  void erase(std::uint64_t begin, std::uint64_t end);
  /// Those that have a byte of [begin, end), by address.
  std::vector<Range> within(std::uint64_t begin, std::uint64_t end) const;
  bool any(std::uint64_t begin, std::uint64_t end) const { return !within(begin, end).empty(); }

 private:
  struct Piece {
    std::uint64_t end = 0;
    SvmState state;
  };
  void split_at(std::uint64_t va);

  SvmState untold_;
  std::map<std::uint64_t, Piece> pieces_;  ///< by first address
};

}  // namespace rocdrill::kernel
