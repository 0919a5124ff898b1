// The tables that say what each instruction does. The decoder looks an instruction up by the
// mnemonic that LLVM prints, without its encoding's suffix (_e32, _e64, _sdwa, _dpp).
//
// The vector files are compiled once per level of x86-64: level.hpp.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "sim/silicon/isa/instruction.hpp"

namespace rocdrill::isa {

/// What the wrappers for SDWA, DPP and op_sel have to know about a VALU operation's operands.
enum class Element : std::uint8_t { b32, b64, b16, packed };

struct Entry {
  std::string_view mnemonic;  ///< "v_add_f32", "s_and_b64", "global_load_dword"
  Handler run = nullptr;
  /// With neg, abs, omod or clamp; nullptr: the operation has none (then clamp is refused).
  Handler modified = nullptr;
  Class counted_as = Class::valu;
  Element element = Element::b32;  ///< of the sources
  Precision precision = Precision::none;
  std::uint8_t registers = 0;  ///< memory: dwords of data
};

/// x86-64 instruction set levels that the vector handlers exist for.
enum class Level : std::uint8_t { baseline, avx2, avx512 };
std::string_view name(Level level);
/// The best that this CPU has; ROCDRILL_ISA_LEVEL=baseline|avx2|avx512 lowers it.
Level best_level();

/// nullptr: not executed.
const Entry* find_entry(std::string_view mnemonic, Level level);
/// All, for the support table of the docs.
std::vector<std::string_view> executed_mnemonics();

/// Wrappers, by level: the `run` of an instruction whose `body` is the Entry's.
struct Wrappers {
  Handler sdwa;          ///< the result is a VGPR
  Handler sdwa_compare;  ///< the result is a mask (VOPC)
  Handler dpp;
  Handler dpp_compare;
  Handler op_sel;  ///< 16-bit VOP3 with op_sel
};
const Wrappers& wrappers(Level level);

// The tables. Those that use no vectors exist once.
std::span<const Entry> scalar_entries();
std::span<const Entry> flow_entries();
std::span<const Entry> gpr_index_entries();
std::span<const Entry> scalar_memory_entries();

}  // namespace rocdrill::isa
