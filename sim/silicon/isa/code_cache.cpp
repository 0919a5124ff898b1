#include "sim/silicon/isa/code_cache.hpp"

#include <cstring>
#include <span>

namespace rocdrill::isa {
namespace {

/// Executable memory from `va` to the end of its extent.
std::span<const std::byte> code_at(std::uint64_t va, cp::AddressSpace& space) {
  const auto extent = space.extent(va, cp::Access::execute);
  if (!extent) return {};
  return {reinterpret_cast<const std::byte*>(va + extent->to_host),
          extent->bytes - (va - extent->begin)};
}

}  // namespace

bool CodeCache::current(Known& known, cp::AddressSpace& space) {
  const std::uint64_t generation = space.generation();
  if (known.generation == generation && known.invalidations == invalidations_) return true;
  const Fragment& fragment = *known.fragment;
  const std::span<const std::byte> now = code_at(fragment.begin, space);
  if (now.size() < fragment.bytes.size() ||
      std::memcmp(now.data(), fragment.bytes.data(), fragment.bytes.size()) != 0)
    return false;
  known.generation = generation;
  known.invalidations = invalidations_;
  return true;
}

void CodeCache::invalidate() {
  const std::lock_guard lock(mutex_);
  ++invalidations_;
}

CodeCache::Place CodeCache::find(std::uint64_t va, cp::AddressSpace& space) {
  const std::lock_guard lock(mutex_);
  // The nearest fragment that begins at or below; they may overlap where one was entered in the
  // middle of an instruction of another.
  for (auto at = known_.upper_bound(va); at != known_.begin();) {
    --at;
    const Fragment& fragment = *at->second.fragment;
    const Instruction* found = fragment.at(va);
    if (found == nullptr) {
      if (fragment.end + (std::uint64_t{1} << 22) < va) break;
      continue;
    }
    if (current(at->second, space)) return {found, &fragment};
    replaced_.push_back(std::move(at->second.fragment));
    at = known_.erase(at);
  }
  const std::span<const std::byte> code = code_at(va, space);
  if (va % 4 != 0 || code.size() < 4) return {};
  Known known{decoder().decode(code, va), space.generation(), invalidations_};
  const Fragment* fragment = known.fragment.get();
  known_.emplace(va, std::move(known));
  return {&fragment->code.front(), fragment};
}

}  // namespace rocdrill::isa
