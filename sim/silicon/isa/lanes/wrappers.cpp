// SDWA and op_sel: bytes and halves of the sources go to where `body` looks for them, and its
// result to the byte or half that it belongs to.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, "SDWA" and
// "VOP3".
#include "sim/silicon/isa/lanes/picked.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// A byte or word within a dword.
struct Field {
  unsigned first = 0;
  unsigned count = 32;

  ROCDRILL_INLINE explicit Field(Select select) {
    if (select >= Select::dword) return;
    const bool word = select >= Select::word_0;
    count = word ? 16 : 8;
    first = count * (static_cast<unsigned>(select) -
                     static_cast<unsigned>(word ? Select::word_0 : Select::byte_0));
  }
  ROCDRILL_INLINE bool all() const { return count == 32; }
  ROCDRILL_INLINE std::uint32_t mask() const { return (count == 32 ? 0 : 1u << count) - 1u; }
  ROCDRILL_INLINE U32 of(U32 value) const { return value >> first & mask(); }
  ROCDRILL_INLINE U32 of_signed(U32 value) const {
    return as<U32>(as<I32>(value << (32 - first - count)) >> (32 - count));
  }
};

ROCDRILL_INLINE void copy(std::byte* to, const Source& from) {
  for (unsigned n = 0; n < blocks; ++n)
    *reinterpret_cast<U32*>(to + n * 4 * width) = from.low_of(n);
}

// --- SDWA --------------------------------------------------------------------------------------

ROCDRILL_INLINE Select selected(const Instruction& i, unsigned shift) {
  return static_cast<Select>(i.immediate >> shift & 15);
}
ROCDRILL_INLINE void pick_field(Wave& w, const Instruction& i, Picked& picked, unsigned n) {
  const Field field(selected(i, n == src0 ? 8 : 12));
  if (field.all() || i.kind[n] == Kind::none) return;
  const bool is_signed = (i.flags & (n == src0 ? sext0 : sext1)) != 0;
  const Source from = source(w, i, n);
  std::byte* const to = picked.replace(n);
  for (unsigned k = 0; k < blocks; ++k) {
    const U32 value = from.low_of(k);
    *reinterpret_cast<U32*>(to + k * 4 * width) =
        is_signed ? field.of_signed(value) : field.of(value);
  }
}

const Instruction* sdwa_compare(Wave& w, const Instruction* i) {
  Picked picked(w, i);
  pick_field(w, *i, picked, src0);
  pick_field(w, *i, picked, src1);
  return picked.run();
}

const Instruction* sdwa(Wave& w, const Instruction* i) {
  const Field field(selected(*i, 0));
  Picked picked(w, i);
  pick_field(w, *i, picked, src0);
  pick_field(w, *i, picked, src1);
  if (field.all()) return picked.run();
  std::byte* const to = operand(w, *i, dst);
  std::byte* const result = picked.replace(dst);
  copy(result, {to, 4 * width, vgpr_bytes});  // for operations that read it
  const Instruction* const next = picked.run();
  if (next == nullptr) return nullptr;
  const auto unused = static_cast<Unused>(i->immediate >> 4 & 15);
  for (unsigned n = 0; n < blocks; ++n) {
    const U32 value = load(result + n * 4 * width);
    std::byte* const at = to + n * 4 * width;
    U32 out = (value & field.mask()) << field.first;
    if (unused == Unused::sext)
      out = as<U32>(as<I32>(value << (32 - field.count)) >> (32 - field.count)) << field.first;
    else if (unused == Unused::preserve)
      out |= load(at) & ~(field.mask() << field.first);
    store(at, out, mask_of(w.exec(), n));
  }
  return next;
}

// --- op_sel ------------------------------------------------------------------------------------

/// Operations that have op_sel keep the half that they do not write, or have a result of 32 bits.
const Instruction* pick_halves(Wave& w, const Instruction* i) {
  Picked picked(w, i);
  for (unsigned n = src0; n <= src2; ++n) {
    if ((i->modifiers[n - src0] & op_sel) == 0 || i->kind[n] == Kind::none) continue;
    const Source from = source(w, *i, n);
    std::byte* const to = picked.replace(n);
    for (unsigned k = 0; k < blocks; ++k)
      *reinterpret_cast<U32*>(to + k * 4 * width) = from.low_of(k) >> 16;
  }
  const bool to_high = (i->modifiers[0] & op_sel_hi) != 0;
  if (!to_high) return picked.run();
  std::byte* const to = operand(w, *i, dst);
  std::byte* const result = picked.replace(dst);
  copy(result, {to, 4 * width, vgpr_bytes});
  const Instruction* const next = picked.run();
  if (next == nullptr) return nullptr;
  for (unsigned n = 0; n < blocks; ++n) {
    std::byte* const at = to + n * 4 * width;
    store(at, load(result + n * 4 * width) << 16 | (load(at) & 0xFFFFu), mask_of(w.exec(), n));
  }
  return next;
}

// Comparisons have no DPP before gfx11.
const Instruction* dpp_compare(Wave& w, const Instruction* i) {
  return w.refuse(i, "a comparison with DPP");
}

}  // namespace

extern const Wrappers lane_wrappers;
const Wrappers lane_wrappers{sdwa, sdwa_compare, run_dpp, dpp_compare, pick_halves};

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
