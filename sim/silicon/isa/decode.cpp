#include "sim/silicon/isa/decode.hpp"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "sim/silicon/isa/control.hpp"
#include "sim/silicon/isa/operands.hpp"
#include "sim/silicon/isa/wave.hpp"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace rocdrill::isa {
namespace {

constexpr char triple[] = "amdgcn-amd-amdhsa";
constexpr std::string_view executed_processors[] = {"gfx900", "gfx906", "gfx908", "gfx90a",
                                                    "gfx940", "gfx941", "gfx942"};

/// "v_add_f32_e64" -> "v_add_f32"
std::string_view without_suffix(std::string_view mnemonic, Encoding& encoding) {
  struct Suffix {
    std::string_view text;
    Encoding encoding;
  };
  constexpr Suffix suffixes[] = {{"_e32", Encoding::plain},
                                 {"_e64", Encoding::vop3},
                                 {"_sdwa", Encoding::sdwa},
                                 {"_dpp", Encoding::dpp}};
  encoding = Encoding::plain;
  for (const Suffix& suffix : suffixes) {
    if (!mnemonic.ends_with(suffix.text)) continue;
    encoding = suffix.encoding;
    return mnemonic.substr(0, mnemonic.size() - suffix.text.size());
  }
  return mnemonic;
}

/// SDWA with a select of 7 or an unused of 3: LLVM 19 decodes it, but printing it crashes.
bool has_reserved_select(std::span<const std::byte> bytes) {
  std::uint32_t words[2];
  if (bytes.size() < sizeof words) return false;
  std::memcpy(words, bytes.data(), sizeof words);
  const std::uint32_t vop = words[0];
  const std::uint32_t sdwa = words[1];
  constexpr std::uint32_t src0_is_sdwa = 0xF9;
  if (vop >> 31 != 0 || (vop & 0x1FF) != src0_is_sdwa) return false;
  const bool vopc = vop >> 25 == 0x3E;
  const bool vop1 = vop >> 25 == 0x3F;
  const auto reserved = [sdwa](unsigned at) { return (sdwa >> at & 7) == 7; };
  return (!vopc && (reserved(8) || (sdwa >> 11 & 3) == 3)) || reserved(16) ||
         (!vop1 && reserved(24));
}

const Instruction* illegal(Wave& wave, const Instruction* at) {
  return wave.raise(at, cp::KfdException::wave_illegal_instruction);
}

const Instruction* unmodelled(Wave& wave, const Instruction* at) {
  return wave.refuse(at,
                     wave.fragment->unmodelled[static_cast<std::size_t>(at->immediate)].c_str());
}

/// Behind a fragment's last instruction.
const Instruction* leave(Wave& wave, const Instruction* at) {
  return jump(wave, at, wave.fragment->end);
}

}  // namespace

bool executes(std::string_view processor) {
  return std::ranges::find(executed_processors, processor) != std::end(executed_processors);
}

struct Decoder::Llvm {
  std::string processor;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  /// The operand type of srcN_modifiers, which no public header of LLVM names.
  unsigned modifiers_type = 0;
  /// By opcode: what does not depend on the operands.
  struct Known {
    std::string mnemonic;
    Encoding encoding = Encoding::plain;
    const Entry* entry = nullptr;
  };
  std::map<unsigned, Known> known;

  const Known& lookup(const llvm::MCInst& inst, Level level);
  bool parse(llvm::MCInst& inst, std::uint64_t& size, std::span<const std::byte> bytes,
             std::uint64_t va) const {
    const llvm::ArrayRef<std::uint8_t> code(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            bytes.size());
    return disassembler->getInstruction(inst, size, code, va, llvm::nulls()) ==
               llvm::MCDisassembler::Success &&
           !has_reserved_select(bytes);
  }
};

const Decoder::Llvm::Known& Decoder::Llvm::lookup(const llvm::MCInst& inst, Level level) {
  const auto [at, fresh] = known.try_emplace(inst.getOpcode());
  if (!fresh) return at->second;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer->printInst(&inst, 0, "", *subtarget, stream);
  const std::string_view all(text);
  const std::size_t begin = all.find_first_not_of(" \t");
  const std::string_view mnemonic =
      begin == std::string_view::npos ? std::string_view()
                                      : all.substr(begin, all.find_first_of(" \t", begin) - begin);
  Known& one = at->second;
  one.mnemonic = without_suffix(mnemonic, one.encoding);
  const llvm::StringRef name = instructions->getName(inst.getOpcode());
  std::string wanted = one.mnemonic;
  // Before gfx940 the mnemonic does not say so.
  if (name.contains("_LDS_") && name.contains("_LOAD_") && !one.mnemonic.contains("_lds_"))
    wanted.insert(wanted.find("_load_") + 5, "_lds");
  // One register more, which says whether the access failed: not modelled.
  if (!name.contains("_TFE_")) one.entry = find_entry(wanted, level);
  return one;
}

Decoder::Decoder(std::string_view processor, Level level)
    : llvm_(std::make_unique<Llvm>()), level_(level) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  Llvm& l = *llvm_;
  l.processor = processor;
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) throw std::invalid_argument("LLVM has no AMDGPU target: " + error);
  l.registers.reset(target->createMCRegInfo(triple));
  l.assembly.reset(target->createMCAsmInfo(*l.registers, triple, llvm::MCTargetOptions()));
  l.instructions.reset(target->createMCInstrInfo());
  l.subtarget.reset(target->createMCSubtargetInfo(triple, l.processor, ""));
  if (!l.subtarget->isCPUStringValid(l.processor))
    throw std::invalid_argument("LLVM does not know the processor '" + l.processor + "'");
  l.context = std::make_unique<llvm::MCContext>(llvm::Triple(triple), l.assembly.get(),
                                                l.registers.get(), l.subtarget.get());
  l.disassembler.reset(target->createMCDisassembler(*l.subtarget, *l.context));
  l.printer.reset(target->createMCInstPrinter(llvm::Triple(triple), 0, *l.assembly, *l.instructions,
                                              *l.registers));
  for (unsigned opcode = 0; opcode < l.instructions->getNumOpcodes(); ++opcode) {
    if (l.instructions->getName(opcode) != "V_ADD_F32_e64_vi") continue;
    l.modifiers_type = l.instructions->get(opcode).operands()[1].OperandType;
  }
  if (l.modifiers_type == 0) throw std::invalid_argument("LLVM's operand types have changed");
}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
const std::string& Decoder::processor() const { return llvm_->processor; }

namespace {

bool ends_flow(std::string_view mnemonic) {
  return mnemonic == "s_endpgm" || mnemonic == "s_branch" || mnemonic == "s_setpc_b64" ||
         mnemonic == "s_endpgm_saved" || mnemonic == "s_rfe_b64";
}

bool is_direct_branch(std::string_view mnemonic) {
  return mnemonic == "s_branch" || mnemonic.starts_with("s_cbranch_") || mnemonic == "s_call_b64";
}

}  // namespace

std::unique_ptr<Fragment> Decoder::decode(std::span<const std::byte> bytes, std::uint64_t va) {
  constexpr std::size_t most_bytes = std::size_t{1} << 22;
  bytes = bytes.first(std::min(bytes.size(), most_bytes) & ~std::size_t{3});
  Llvm& l = *llvm_;
  auto fragment = std::make_unique<Fragment>();
  fragment->begin = va;
  std::size_t at = 0;
  std::size_t furthest = 0;  // to which an earlier branch jumps
  bool over = false;
  std::vector<std::size_t> branches;
  while (at < bytes.size() && !over) {
    Instruction& out = fragment->code.emplace_back();
    out.code_offset = static_cast<std::uint32_t>(at);
    fragment->index_of.resize(at / 4, Fragment::none);
    fragment->index_of.push_back(static_cast<std::uint32_t>(fragment->code.size() - 1));
    llvm::MCInst inst;
    std::uint64_t size = 4;
    if (!l.parse(inst, size, bytes.subspan(at), va + at)) {
      out.run = illegal;
      out.bytes = 4;
      at += 4;
      over = at > furthest;
      continue;
    }
    out.bytes = static_cast<std::uint8_t>(size);
    const Llvm::Known& known = l.lookup(inst, level_);
    // One that is not executed is refused as a whole, whatever its operands are.
    if (known.entry != nullptr) {
      fill_operands({*l.registers, *l.instructions, l.modifiers_type}, inst, known.encoding,
                    *fragment, out);
    }
    choose_handler(out, known.entry, known.encoding == Encoding::sdwa,
                   known.encoding == Encoding::dpp, wrappers(level_));
    if (out.run == nullptr) {
      out.run = unmodelled;
      out.immediate = static_cast<std::int32_t>(fragment->unmodelled.size());
      fragment->unmodelled.push_back(disassemble(bytes.subspan(at), va + at).text);
    }
    at += size;
    if (out.run != unmodelled && is_direct_branch(known.mnemonic)) {
      branches.push_back(fragment->code.size() - 1);
      const std::int64_t target = static_cast<std::int64_t>(at) + out.immediate * 4;
      if (target > 0 && known.mnemonic != "s_call_b64")
        furthest = std::max(furthest, static_cast<std::size_t>(target));
    }
    over = ends_flow(known.mnemonic) && at > furthest;
  }
  fragment->end = va + at;
  fragment->index_of.resize(at / 4, Fragment::none);
  for (const std::size_t index : branches) {
    Instruction& branch = fragment->code[index];
    const std::uint64_t target = va + branch.code_offset + branch.bytes +
                                 static_cast<std::uint64_t>(branch.immediate * std::int64_t{4});
    if (const Instruction* to = fragment->at(target); to != nullptr) {
      branch.immediate = static_cast<std::int32_t>(to - &branch);
    } else {
      branch.flags = static_cast<std::uint16_t>(branch.flags | far);
    }
  }
  Instruction& last = fragment->code.emplace_back();
  last.run = leave;
  last.code_offset = static_cast<std::uint32_t>(at);
  fragment->bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return fragment;
}

Decoder::Text Decoder::disassemble(std::span<const std::byte> bytes, std::uint64_t va) {
  Llvm& l = *llvm_;
  llvm::MCInst inst;
  std::uint64_t size = 4;
  Text out;
  if (!l.parse(inst, size, bytes, va)) {
    out.legal = out.executed = false;
    out.text = "illegal encoding";
    return out;
  }
  out.bytes = static_cast<unsigned>(size);
  llvm::raw_string_ostream stream(out.text);
  l.printer->printInst(&inst, va, "", *l.subtarget, stream);
  out.text.erase(0, out.text.find_first_not_of(" \t"));
  std::ranges::replace(out.text, '\t', ' ');
  const Llvm::Known& known = l.lookup(inst, level_);
  out.mnemonic = known.mnemonic;
  out.executed = known.entry != nullptr;
  return out;
}

}  // namespace rocdrill::isa
