// VGPR indexing: between s_set_gpr_idx_on and s_set_gpr_idx_off, M0 is added to the numbers of
// VGPRs.
//
// Compilers put v_mov_b32 between the two, and scalar instructions and waits that happen to fall
// there. That is what is executed here, all of it as one with the instruction that begins it.
//
// Source: AMD Instinct MI200 instruction set architecture reference guide, "GPR indexing".
#include "sim/silicon/isa/control.hpp"

namespace rocdrill::isa {
namespace {

// What M0 15:12 lets be indexed.
enum : std::uint32_t { index_src0 = 1 << 12, index_dst = 1 << 15 };

void set_index(Wave& w, std::uint32_t index) {
  w.s[reg::m0] = (w.s[reg::m0] & ~0xFFu) | (index & 0xFF);
}
void set_mode(Wave& w, std::int32_t what) {
  w.s[reg::m0] = (w.s[reg::m0] & ~0xF000u) | (static_cast<std::uint32_t>(what) & 15) << 12;
}
const Instruction* turn_off(Wave&, const Instruction* i) { return i + 1; }

// Outside an indexed stretch, these only set M0.
const Instruction* change_index(Wave& w, const Instruction* i) {
  set_index(w, read32(w, *i, src0));
  return i + 1;
}
const Instruction* change_mode(Wave& w, const Instruction* i) {
  set_mode(w, i->immediate);
  return i + 1;
}

bool is_move(const Instruction& i) {
  for (const Level level : {Level::baseline, Level::avx2, Level::avx512}) {
    static constexpr std::string_view mnemonic = "v_mov_b32";
    if (i.run == find_entry(mnemonic, level)->run) return true;
  }
  return false;
}

/// A VGPR beyond those allocated: as a source it is v0, as a result nothing is written.
void move_indexed(Wave& w, const Instruction& original) {
  Instruction move = original;
  const std::uint32_t index = w.s[reg::m0] & 0xFF;
  const auto indexed = [&](unsigned n) {
    const std::uint32_t number = move.offset[n] / vgpr_bytes + index;
    move.offset[n] = (number < w.vgprs ? number : 0) * vgpr_bytes;
    return number < w.vgprs;
  };
  if ((w.s[reg::m0] & index_src0) != 0 && move.kind[src0] == Kind::vgpr) indexed(src0);
  if ((w.s[reg::m0] & index_dst) != 0 && !indexed(dst)) return;
  move.run(w, &move);
}

const Instruction* turn_on(Wave& w, const Instruction* i) {
  set_index(w, read32(w, *i, src0));
  set_mode(w, i->immediate);
  for (++i; i->run != turn_off; ++i) {
    if (is_move(*i)) {
      move_indexed(w, *i);
    } else if (i->run ==
               turn_on) {  // on already: as often as a program likes, so without recursion
      set_index(w, read32(w, *i, src0));
      set_mode(w, i->immediate);
    } else if ((i->counted_as != Class::salu && i->counted_as != Class::waitcnt) ||
               i->run(w, i) != i + 1) {
      return w.refuse(i, "VGPR indexing of anything but v_mov_b32");
    }
    ++w.executed[static_cast<unsigned>(i->counted_as)];
  }
  return i;
}

const Entry table[] = {
    {"s_set_gpr_idx_on", turn_on, nullptr, Class::salu},
    {"s_set_gpr_idx_idx", change_index, nullptr, Class::salu},
    {"s_set_gpr_idx_mode", change_mode, nullptr, Class::salu},
    {"s_set_gpr_idx_off", turn_off, nullptr, Class::salu},
};

}  // namespace

std::span<const Entry> gpr_index_entries() { return table; }

}  // namespace rocdrill::isa
