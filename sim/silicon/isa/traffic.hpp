// What waves move: bytes of memory and LDS, and the cycles that LDS banks make them wait.
//
// Counted before each memory instruction of a dispatch that asks for it (Launch::counts_traffic),
// from its addresses and EXEC; how much a lane moves follows from the mnemonic.
#pragma once

#include <cstdint>

#include "sim/silicon/isa/instruction.hpp"

namespace rocdrill::isa {

/// Bytes that lanes ask for, before any cache.
struct Traffic {
  std::uint64_t read = 0;     ///< of global memory and scratch, by vector instructions; atomics too
  std::uint64_t written = 0;  ///< likewise
  std::uint64_t scalar_read = 0;
  std::uint64_t lds_read = 0;
  std::uint64_t lds_written = 0;
  /// Cycles of LDS accesses, and how many of them only because lanes met at a bank. 32 banks of a
  /// dword; 32 lanes a cycle, fewer where a lane has more than a dword (assumed for 64 bits and
  /// more). Lanes that read one dword share it; atomics do not.
  std::uint64_t lds_cycles = 0;
  std::uint64_t lds_conflict_cycles = 0;

  void add(const Traffic& other);
};

/// The instruction is about to run.
void count_traffic(const Wave& wave, const Instruction& instruction, Traffic& traffic);

}  // namespace rocdrill::isa
