#include "sim/silicon/isa/code_cache.hpp"

#include <cstring>
#include <span>

namespace rocdrill::isa {

bool CodeCache::current(Known& known, cp::AddressSpace& space) {
  const std::uint64_t generation = space.generation();
  if (known.generation == generation) return true;
  const Fragment& fragment = *known.fragment;
  const void* now = space.translate(fragment.begin, fragment.bytes.size(), cp::Access::execute);
  if (now == nullptr || std::memcmp(now, fragment.bytes.data(), fragment.bytes.size()) != 0)
    return false;
  known.generation = generation;
  return true;
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
  constexpr std::size_t most = std::size_t{1} << 22;
  const std::size_t bytes = va % 4 == 0 ? space.mapped(va, most, cp::Access::execute) : 0;
  const void* code = bytes >= 4 ? space.translate(va, bytes, cp::Access::execute) : nullptr;
  if (code == nullptr) return {};
  Known known{decoder_.decode({static_cast<const std::byte*>(code), bytes}, va),
              space.generation()};
  const Fragment* fragment = known.fragment.get();
  known_.emplace(va, std::move(known));
  return {&fragment->code.front(), fragment};
}

}  // namespace rocdrill::isa
