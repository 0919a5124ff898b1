// What the decoder and the handlers of control flow share.
#pragma once

#include "sim/silicon/isa/semantics.hpp"
#include "sim/silicon/isa/wave.hpp"

namespace rocdrill::isa {

/// Goes on at `va`, in this fragment or another; a fault if nothing executable is mapped there.
const Instruction* jump(Wave& wave, const Instruction* from, std::uint64_t va);

/// Has the wave all vector registers that the code names? Hardware would give it other ones.
bool fits(const Wave& wave, const Fragment& fragment);

/// The wave's `next` lies in `fragment` from now on.
void enter(Wave& wave, const Fragment& fragment);

/// MODE has changed: the wave stops for a moment, so that whoever runs it sees to it.
const Instruction* yield_for_mode(Wave& wave, const Instruction* next);

/// Sets run, body and what the entry says; `run` stays nullptr if the instruction with just these
/// operands and modifiers is not executed.
void choose_handler(Instruction& out, const Entry* entry, bool sdwa, bool dpp,
                    const Wrappers& wrappers);

/// What SRC_SCC, SRC_SHARED_BASE, EXECZ and the like read.
std::uint64_t special_value(const Wave& wave, std::uint32_t number);

// --- scalar operands -----------------------------------------------------------------------------

inline std::uint32_t read32(const Wave& wave, const Instruction& i, unsigned n) {
  if (i.kind[n] == Kind::special)
    return static_cast<std::uint32_t>(special_value(wave, i.offset[n]));
  std::uint32_t value;
  std::memcpy(&value, operand(wave, i, n), sizeof value);
  return value;
}
inline std::uint64_t read64(const Wave& wave, const Instruction& i, unsigned n) {
  if (i.kind[n] == Kind::special) return special_value(wave, i.offset[n]);
  const std::byte* at = operand(wave, i, n);
  std::uint32_t low;
  std::uint32_t high;
  std::memcpy(&low, at, sizeof low);
  std::memcpy(&high, at + (i.kind[n] == Kind::constant ? 64 : 4), sizeof high);
  return low | std::uint64_t{high} << 32;
}
inline void write32(Wave& wave, const Instruction& i, unsigned n, std::uint32_t value) {
  std::memcpy(operand(wave, i, n), &value, sizeof value);
}
inline void write64(Wave& wave, const Instruction& i, unsigned n, std::uint64_t value) {
  std::memcpy(operand(wave, i, n), &value, sizeof value);
}

}  // namespace rocdrill::isa
