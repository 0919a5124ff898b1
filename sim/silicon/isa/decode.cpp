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

enum class Encoding { plain, vop3, sdwa, dpp };

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

std::int32_t sign_extend(std::int64_t value, unsigned bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << (32 - bits)) >> (32 - bits);
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

bool starts_with(llvm::StringRef name, const char* prefix) { return name.starts_with(prefix); }

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

/// Spreads one MCInst over an Instruction.
class Filler {
 public:
  Filler(const llvm::MCRegisterInfo& registers, const llvm::MCInstrInfo& instructions,
         const llvm::MCInst& inst, unsigned modifiers_type, Fragment& fragment, Instruction& out)
      : registers_(registers),
        inst_(inst),
        desc_(instructions.get(inst.getOpcode())),
        name_(instructions.getName(inst.getOpcode())),
        modifiers_type_(modifiers_type),
        fragment_(fragment),
        out_(out) {}

  void scalar();
  void scalar_memory();
  void vector(Encoding encoding);
  void flat();
  void buffer();
  void ds();

 private:
  unsigned count() const { return inst_.getNumOperands(); }
  unsigned type(unsigned k) const {
    return k < desc_.getNumOperands() ? desc_.operands()[k].OperandType
                                      : unsigned{llvm::MCOI::OPERAND_IMMEDIATE};
  }
  bool tied(unsigned k) const {
    return k < desc_.getNumOperands() && desc_.getOperandConstraint(k, llvm::MCOI::TIED_TO) >= 0;
  }
  bool is_register(unsigned k) const { return inst_.getOperand(k).isReg(); }
  std::int64_t imm(unsigned k) const { return inst_.getOperand(k).getImm(); }
  /// A field of the encoding, not a source.
  bool is_field(unsigned k) const {
    return inst_.getOperand(k).isImm() &&
           (type(k) == llvm::MCOI::OPERAND_IMMEDIATE || type(k) == llvm::MCOI::OPERAND_UNKNOWN ||
            type(k) == llvm::MCOI::OPERAND_PCREL);
  }
  Kind kind_of(unsigned k) const {
    const llvm::StringRef name = registers_.getName(inst_.getOperand(k).getReg());
    if (name.starts_with("VGPR")) return Kind::vgpr;
    if (name.starts_with("AGPR")) return Kind::agpr;
    return number(k) < 128 ? Kind::sgpr : Kind::special;
  }
  unsigned number(unsigned k) const {
    return registers_.getEncodingValue(inst_.getOperand(k).getReg()) & 0xFFu;
  }
  void set(unsigned slot, unsigned k);
  void set_register(unsigned slot, Kind kind, unsigned number) {
    out_.kind[slot] = kind;
    out_.offset[slot] = number * (kind == Kind::sgpr ? 4 : kind == Kind::special ? 1 : vgpr_bytes);
  }
  void set_constant(unsigned slot, std::uint64_t value);
  bool is_float(unsigned source) const;
  void flag(std::uint16_t bit) { out_.flags = static_cast<std::uint16_t>(out_.flags | bit); }
  void result_modifiers(std::span<const std::int64_t> fields, Encoding encoding);

  const llvm::MCRegisterInfo& registers_;
  const llvm::MCInst& inst_;
  const llvm::MCInstrDesc& desc_;
  llvm::StringRef name_;
  unsigned modifiers_type_;
  Fragment& fragment_;
  Instruction& out_;
};

void Filler::set(unsigned slot, unsigned k) {
  if (is_register(k)) {
    const Kind kind = kind_of(k);
    set_register(slot, kind, number(k));
    if (kind != Kind::vgpr && kind != Kind::agpr) return;
    // A tuple's name lists its registers: "VGPR2_VGPR3".
    const auto dwords = static_cast<std::uint32_t>(
        1 + llvm::StringRef(registers_.getName(inst_.getOperand(k).getReg())).count('_'));
    std::uint32_t& named = kind == Kind::vgpr ? fragment_.vgprs : fragment_.agprs;
    named = std::max(named, number(k) + dwords);
  } else {
    set_constant(slot, static_cast<std::uint64_t>(imm(k)));
  }
}

void Filler::set_constant(unsigned slot, std::uint64_t value) {
  const auto low = static_cast<std::uint32_t>(value);
  const auto high = static_cast<std::uint32_t>(value >> 32);
  std::size_t index = 0;
  while (index < fragment_.constants.size() &&
         (fragment_.constants[index].low[0] != low || fragment_.constants[index].high[0] != high))
    ++index;
  if (index == fragment_.constants.size()) {
    ConstantLines& lines = fragment_.constants.emplace_back();
    std::ranges::fill(lines.low, low);
    std::ranges::fill(lines.high, high);
  }
  out_.kind[slot] = Kind::constant;
  out_.offset[slot] = static_cast<std::uint32_t>(index * sizeof(ConstantLines));
}

/// SOP1, SOP2, SOPC, SOPK, SOPP.
void Filler::scalar() {
  unsigned slot = src0;
  for (unsigned k = 0; k < count(); ++k) {
    if (k < desc_.getNumDefs()) {
      set(dst, k);
    } else if (is_field(k)) {
      out_.immediate = sign_extend(imm(k), 16);
      if (name_.starts_with("S_SETREG_IMM32") && slot == src0) {
        set_constant(src0, static_cast<std::uint32_t>(imm(k)));
        ++slot;
      }
    } else if (slot <= src2) {
      set(slot++, k);
    }
  }
}

void Filler::scalar_memory() {
  unsigned k = 0;
  if (count() > 0 && is_register(0) &&
      (desc_.getNumDefs() > 0 || name_.contains("STORE") || name_.contains("ATOMIC")))
    set(sm_dst, k++);
  if (k < count() && is_register(k)) set(sm_base, k++);
  if (k < count() && is_register(k)) {
    set(sm_offset, k++);
    flag(has_soffset);
  }
  const bool has_immediate = !name_.contains("_SGPR_vi") && !name_.contains("_SGPR_gfx");
  if (k < count() && has_immediate) out_.immediate = sign_extend(imm(k), 21);
}

void Filler::result_modifiers(std::span<const std::int64_t> fields, Encoding encoding) {
  std::size_t own = fields.size();  // how many of them are clamp and omod
  if (encoding == Encoding::dpp && own >= 4) {
    own -= 4;
    out_.immediate =
        static_cast<std::int32_t>(fields[own] | fields[own + 1] << 16 | fields[own + 2] << 20);
    if (fields[own + 3] != 0) flag(bound_ctrl);
  } else if (encoding == Encoding::sdwa) {
    const bool compare = starts_with(name_, "V_CMP");
    const bool unary = out_.kind[src1] == Kind::none;
    // Comparisons, and conversions from 8-bit floats, always write all of the result.
    const bool whole = compare || name_.contains("_FP8_sdwa") || name_.contains("_BF8_sdwa");
    const std::size_t selects = (whole ? 0u : 2u) + (unary ? 1u : 2u);
    if (own < selects) return;
    own -= selects;
    std::size_t at = own;
    std::int64_t packed = static_cast<std::int64_t>(Select::dword);
    if (!whole) {
      packed = fields[at] | fields[at + 1] << 4;
      at += 2;
    }
    packed |= fields[at] << 8;
    packed |= (unary ? static_cast<std::int64_t>(Select::dword) : fields[at + 1]) << 12;
    out_.immediate = static_cast<std::int32_t>(packed);
  } else if (starts_with(name_, "V_MFMA") || starts_with(name_, "V_SMFMAC")) {
    for (std::size_t n = 0; n < own; ++n)
      out_.immediate |= static_cast<std::int32_t>(fields[n] << (4 * n));
    own = 0;
  }
  if (own > 0 && fields[0] != 0) flag(clamp);
  if (own > 1) out_.omod = static_cast<std::uint8_t>(fields[1]);
}

/// Of SDWA: neg and abs are of floating-point sources; of integers the same bit means sext.
bool Filler::is_float(unsigned source) const {
  if (name_.contains("CNDMASK")) return true;
  if (source == 1 && (name_.contains("LDEXP") || name_.contains("CLASS"))) return false;
  const llvm::StringRef type = name_.substr(0, name_.find("_sdwa")).rsplit('_').second;
  return type == "F16" || type == "F32" || type == "F64";
}

/// VOP1, VOP2, VOPC, VOP3, VOP3P and their SDWA and DPP forms.
void Filler::vector(Encoding encoding) {
  const unsigned defs = desc_.getNumDefs();
  unsigned slot = src0;
  std::uint8_t pending = 0;
  std::int64_t fields[8];
  std::size_t field_count = 0;
  for (unsigned k = 0; k < count(); ++k) {
    if (k < defs) {
      set(k == 0 ? dst : sdst, k);
    } else if (type(k) == modifiers_type_) {
      pending = static_cast<std::uint8_t>(imm(k));
    } else if (is_field(k)) {
      if (field_count < std::size(fields)) fields[field_count++] = imm(k);
    } else if (encoding == Encoding::dpp && k == defs && tied(k)) {
      // `old`: what stays in the lanes that are not written
    } else if (slot <= src2) {
      out_.modifiers[slot - src0] = pending;
      pending = 0;
      set(slot++, k);
    }
  }
  for (unsigned n = 0; encoding == Encoding::sdwa && n < 2; ++n) {
    if ((out_.modifiers[n] & neg) == 0 || is_float(n)) continue;
    out_.modifiers[n] = 0;
    flag(n == 0 ? sext0 : sext1);
  }
  // op_sel of an operand that is not there says where the result goes.
  if (pending != 0 && slot <= src2) out_.modifiers[slot - src0] = pending;
  // What the shorter encodings leave unsaid.
  const bool compare = starts_with(name_, "V_CMP");
  if (compare && defs == 0) set_register(dst, Kind::sgpr, reg::vcc);
  const bool carry_in = starts_with(name_, "V_ADDC_CO") || starts_with(name_, "V_SUBB");
  const bool carry_out = carry_in || starts_with(name_, "V_ADD_CO") ||
                         starts_with(name_, "V_SUB_CO") || starts_with(name_, "V_SUBREV_CO");
  if (carry_out && out_.kind[sdst] == Kind::none) set_register(sdst, Kind::sgpr, reg::vcc);
  if ((carry_in || starts_with(name_, "V_CNDMASK")) && out_.kind[src2] == Kind::none)
    set_register(src2, Kind::sgpr, reg::vcc);
  result_modifiers({fields, field_count}, encoding);
}

void Filler::flat() {
  const bool scratch = starts_with(name_, "SCRATCH");
  const bool has_data = name_.contains("STORE") || name_.contains("ATOMIC");
  unsigned vectors = 0;
  unsigned fields = 0;
  for (unsigned k = 0; k < count(); ++k) {
    if (k < desc_.getNumDefs()) {
      set(vdst, k);
    } else if (is_register(k)) {
      if (tied(k)) continue;
      if (kind_of(k) == Kind::sgpr) {
        set(saddr, k);
        flag(has_saddr);
        continue;
      }
      // A scratch store names its data first, all others the address.
      const bool data_first = scratch && has_data;
      const bool is_data = has_data && vectors == (data_first ? 0u : 1u);
      set(is_data ? vdata : vaddr, k);
      if (!is_data) flag(has_vaddr);
      ++vectors;
    } else if (fields++ == 0) {
      out_.immediate =
          starts_with(name_, "FLAT") ? static_cast<std::int32_t>(imm(k)) : sign_extend(imm(k), 13);
    } else if ((imm(k) & 1) != 0) {
      flag(glc);
    }
  }
  if (name_.contains("_LDS_")) flag(lds);
}

void Filler::buffer() {
  const bool has_data = name_.contains("STORE") || name_.contains("ATOMIC");
  const bool addressed =
      name_.contains("OFFEN") || name_.contains("IDXEN") || name_.contains("BOTHEN");
  bool data_seen = false;
  unsigned fields = 0;
  for (unsigned k = 0; k < count(); ++k) {
    if (k < desc_.getNumDefs()) {
      set(vdst, k);
      if (has_data) {  // an atomic that returns: its data lie in the same register
        set(vdata, k);
        data_seen = true;
      }
    } else if (is_register(k)) {
      if (tied(k)) continue;
      const Kind kind = kind_of(k);
      if (kind == Kind::vgpr || kind == Kind::agpr) {
        const bool is_data = has_data && !data_seen;
        set(is_data ? vdata : vaddr, k);
        data_seen = data_seen || is_data;
      } else if (out_.kind[srsrc] == Kind::none) {
        set(srsrc, k);
      } else {
        set(soffset, k);
      }
    } else if (!is_field(k)) {
      set(soffset, k);
    } else if (fields == 0) {
      out_.immediate = static_cast<std::int32_t>(imm(k));
      ++fields;
    } else if (fields++ == 1 && (imm(k) & 1) != 0) {
      flag(glc);
    }
  }
  if (!addressed) out_.kind[vaddr] = Kind::none;
  if (name_.contains("OFFEN") || name_.contains("BOTHEN")) flag(offen);
  if (name_.contains("IDXEN") || name_.contains("BOTHEN")) flag(idxen);
  if (name_.contains("_LDS_")) flag(lds);
}

void Filler::ds() {
  const bool by_m0 =
      name_.contains("APPEND") || name_.contains("CONSUME") || name_.contains("ADDTID");
  unsigned slot = by_m0 ? ds_data0 : ds_addr;
  std::int64_t fields[3] = {};
  unsigned field_count = 0;
  for (unsigned k = 0; k < count(); ++k) {
    if (k < desc_.getNumDefs()) {
      set(ds_dst, k);
    } else if (is_register(k)) {
      if (!tied(k) && k < desc_.getNumOperands() && slot <= ds_data1 && kind_of(k) != Kind::sgpr)
        set(slot++, k);
    } else if (field_count < std::size(fields)) {
      fields[field_count++] = imm(k);
    }
  }
  const bool two = name_.contains("READ2") || name_.contains("WRITE2") || name_.contains("WRXCHG2");
  out_.immediate = static_cast<std::int32_t>(two ? fields[0] | fields[1] << 8 : fields[0]);
  if (fields[two ? 2 : 1] != 0) flag(gds);
}

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
    Filler filler(*l.registers, *l.instructions, inst, l.modifiers_type, *fragment, out);
    const llvm::StringRef name = l.instructions->getName(inst.getOpcode());
    const bool smem = starts_with(name, "S_LOAD") || starts_with(name, "S_BUFFER") ||
                      starts_with(name, "S_STORE") || starts_with(name, "S_SCRATCH") ||
                      starts_with(name, "S_ATOMIC") || starts_with(name, "S_MEM") ||
                      starts_with(name, "S_DCACHE");
    if (known.entry == nullptr) {
      // refused as a whole, whatever its operands are
    } else if (smem) {
      filler.scalar_memory();
    } else if (starts_with(name, "S_")) {
      filler.scalar();
    } else if (starts_with(name, "V_")) {
      filler.vector(known.encoding);
    } else if (starts_with(name, "DS_")) {
      filler.ds();
    } else if (starts_with(name, "BUFFER_") || starts_with(name, "TBUFFER_")) {
      filler.buffer();
    } else {
      filler.flat();
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
