// From LLVM's list of operands to the slots that handlers read (instruction.hpp says which).
#pragma once

#include "sim/silicon/isa/decode.hpp"

namespace llvm {
class MCInst;
class MCInstrInfo;
class MCRegisterInfo;
}  // namespace llvm

namespace rocdrill::isa {

/// The encodings that one mnemonic of a vector instruction can have.
enum class Encoding { plain, vop3, sdwa, dpp };

struct LlvmTables {
  const llvm::MCRegisterInfo& registers;
  const llvm::MCInstrInfo& instructions;
  unsigned modifiers_type;  ///< the operand type of srcN_modifiers
};

/// Operands, modifiers, flags and the immediate of `out`. New constants and how many VGPRs are
/// named go into `fragment`.
void fill_operands(const LlvmTables& llvm, const llvm::MCInst& inst, Encoding encoding,
                   Fragment& fragment, Instruction& out);

}  // namespace rocdrill::isa
