// Between one lane and an SGPR: v_readlane_b32, v_readfirstlane_b32, v_writelane_b32. EXEC does not
// matter to the first and the last.
#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

ROCDRILL_INLINE std::uint32_t dword(const std::byte* at) {
  return *reinterpret_cast<const std::uint32_t*>(at);
}
/// A source that is the same in all lanes.
ROCDRILL_INLINE std::uint32_t scalar(const Wave& w, const Instruction& i, unsigned n) {
  if (i.kind[n] == Kind::special) return static_cast<std::uint32_t>(special_value(w, i.offset[n]));
  return dword(operand(w, i, n));
}
ROCDRILL_INLINE const Instruction* read(Wave& w, const Instruction* i, unsigned lane) {
  const bool vector = i->kind[src0] == Kind::vgpr || i->kind[src0] == Kind::agpr;
  const std::uint32_t value = vector ? dword(operand(w, *i, src0) + lane * 4) : scalar(w, *i, src0);
  *reinterpret_cast<std::uint32_t*>(operand(w, *i, dst)) = value;
  return i + 1;
}

const Instruction* read_lane(Wave& w, const Instruction* i) {
  return read(w, i, scalar(w, *i, src1) & 63);
}
/// Of lane 0 if EXEC is empty.
const Instruction* read_first_lane(Wave& w, const Instruction* i) {
  const std::uint64_t exec = w.exec();
  return read(w, i, exec == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(exec)));
}
const Instruction* write_lane(Wave& w, const Instruction* i) {
  const std::uint32_t value = scalar(w, *i, src0);
  const std::uint32_t lane = scalar(w, *i, src1) & 63;
  *reinterpret_cast<std::uint32_t*>(operand(w, *i, dst) + lane * 4) = value;
  return i + 1;
}

const Entry table[] = {
    {"v_readlane_b32", read_lane},
    {"v_readfirstlane_b32", read_first_lane},
    {"v_writelane_b32", write_lane},
};

}  // namespace

std::span<const Entry> cross_lane_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
