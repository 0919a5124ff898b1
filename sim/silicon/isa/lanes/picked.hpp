// The instruction that computes on operands which SDWA, DPP or op_sel have picked apart.
#pragma once

#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

/// A copy of an instruction, some of whose operands are replaced by room on the stack. The room
/// poses as AGPRs: no instruction that has one of the three encodings can name those.
class Picked {
 public:
  ROCDRILL_INLINE Picked(Wave& wave, const Instruction* original)
      : wave_(wave), original_(original), copy_(*original) {}
  Picked(const Picked&) = delete;
  Picked& operator=(const Picked&) = delete;

  /// The operand's room from now on: block by block, and the same again for the high dwords.
  ROCDRILL_INLINE std::byte* replace(unsigned n) {
    copy_.kind[n] = Kind::agpr;
    copy_.offset[n] = n * 2 * vgpr_bytes;
    return room_ + copy_.offset[n];
  }
  /// Computes, and goes on behind the original.
  ROCDRILL_INLINE const Instruction* run() {
    std::byte*& agprs = wave_.bases[static_cast<unsigned>(Kind::agpr)];
    std::byte* const kept = agprs;
    agprs = room_;
    const Instruction* next = copy_.body(wave_, &copy_);
    agprs = kept;
    if (next != nullptr) return original_ + 1;
    wave_.next = original_;
    return nullptr;
  }

 private:
  Wave& wave_;
  const Instruction* original_;
  Instruction copy_;
  alignas(64) std::byte room_[4 * 2 * vgpr_bytes];
};

// dpp.cpp
const Instruction* run_dpp(Wave& w, const Instruction* i);

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
