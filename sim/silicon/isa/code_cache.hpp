// Decoded code, found by its address.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/isa/decode.hpp"

namespace rocdrill::isa {

/// Thread-safe. Fragments live as long as the cache: waves may still run code that was replaced.
class CodeCache {
 public:
  explicit CodeCache(std::string_view processor, Level level = best_level())
      : processor_(processor), level_(level) {}

  struct Place {
    const Instruction* instruction = nullptr;
    const Fragment* fragment = nullptr;
  };
  /// The instruction at `va`, decoded if it was not yet or its bytes have changed since it was
  /// last compared: after a change of the mapping or invalidate(). Nothing if no executable memory
  /// lies there.
  Place find(std::uint64_t va, cp::AddressSpace& space);

  /// The bytes of everything that is known are compared before it is used again.
  void invalidate();

  /// Not while waves run. Made at first use: LLVM takes a few milliseconds to get ready.
  Decoder& decoder() {
    if (!decoder_) decoder_.emplace(processor_, level_);
    return *decoder_;
  }

 private:
  struct Known {
    std::unique_ptr<Fragment> fragment;
    std::uint64_t generation = 0;  ///< of the address space when it was last compared
    std::uint64_t invalidations = 0;
  };
  bool current(Known& known, cp::AddressSpace& space);

  std::mutex mutex_;
  std::string processor_;
  Level level_;
  std::optional<Decoder> decoder_;
  std::multimap<std::uint64_t, Known> known_;  // by Fragment::begin
  std::vector<std::unique_ptr<Fragment>> replaced_;
  std::uint64_t invalidations_ = 0;
};

}  // namespace rocdrill::isa
