#include "sim/silicon/isa/operands.hpp"

#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>

#include <algorithm>
#include <span>

#include "sim/silicon/isa/wave.hpp"

namespace rocdrill::isa {
namespace {

std::int32_t sign_extend(std::int64_t value, unsigned bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << (32 - bits)) >> (32 - bits);
}

bool starts_with(llvm::StringRef name, const char* prefix) { return name.starts_with(prefix); }

/// Spreads one MCInst over an Instruction.
class Filler {
 public:
  Filler(const LlvmTables& llvm, const llvm::MCInst& inst, Fragment& fragment, Instruction& out)
      : registers_(llvm.registers),
        inst_(inst),
        desc_(llvm.instructions.get(inst.getOpcode())),
        name_(llvm.instructions.getName(inst.getOpcode())),
        modifiers_type_(llvm.modifiers_type),
        fragment_(fragment),
        out_(out) {}

  /// By the format that LLVM's name of the instruction begins with.
  void fill(Encoding encoding);

 private:
  void scalar();
  void scalar_memory();
  void vector(Encoding encoding);
  void flat();
  void buffer();
  void ds();

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

void Filler::fill(Encoding encoding) {
  const auto begins_with = [this](std::initializer_list<const char*> formats) {
    return std::ranges::any_of(formats,
                               [this](const char* format) { return starts_with(name_, format); });
  };
  if (begins_with({"S_LOAD", "S_BUFFER", "S_STORE", "S_SCRATCH", "S_ATOMIC", "S_MEM", "S_DCACHE"}))
    return scalar_memory();
  if (begins_with({"S_"})) return scalar();
  if (begins_with({"V_"})) return vector(encoding);
  if (begins_with({"DS_"})) return ds();
  if (begins_with({"BUFFER_", "TBUFFER_"})) return buffer();
  flat();
}

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

}  // namespace

void fill_operands(const LlvmTables& llvm, const llvm::MCInst& inst, Encoding encoding,
                   Fragment& fragment, Instruction& out) {
  Filler(llvm, inst, fragment, out).fill(encoding);
}

}  // namespace rocdrill::isa
