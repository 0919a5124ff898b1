#include "sim/silicon/command_processor/sdma_packets.hpp"

#include <algorithm>
#include <type_traits>

namespace rocdrill::cp::sdma {
namespace {

constexpr std::uint32_t broadcast_bit = 1u << 27;
constexpr std::uint32_t encrypt_and_tmz_bits = 1u << 16 | 1u << 18;

Kind refuse(std::string_view what) { return {.head_dwords = 0, .refused = what}; }
Kind accept(std::size_t head_dwords) { return {.head_dwords = head_dwords, .refused = {}}; }

Kind classify_copy(std::uint32_t header) {
  if ((header & encrypt_and_tmz_bits) != 0) return refuse("SDMA COPY of encrypted memory");
  switch (field(header, 15, 8)) {
    case 0:
      return accept((header & broadcast_bit) != 0 ? 9 : 7);
    case 1:
      return refuse("SDMA COPY_TILED");
    case 3:
      return refuse("SDMA COPY_STRUCTURE");
    case 4:
      return accept(13);
    case 5:
      return refuse("SDMA COPY_TILED_SUB_WIN");
    case 6:
      return refuse("SDMA COPY_T2T_SUB_WIN");
    default:
      return refuse("SDMA COPY of an unlisted kind");
  }
}

}  // namespace

std::optional<Generation> generation(std::uint32_t gfx_target_version) {
  const std::uint32_t major = gfx_target_version / 10000;
  const std::uint32_t minor = gfx_target_version / 100 % 100;
  switch (major) {
    case 9:
      if (minor >= 4) return Generation::v4_4_2;
      return gfx_target_version == 90010 ? Generation::v4_4_0 : Generation::v4_0;
    case 10:
      return minor >= 3 ? Generation::v5_2 : Generation::v5_0;
    case 11:
      return Generation::v5_2;
    default:
      return std::nullopt;
  }
}

std::string_view name(Generation generation) {
  switch (generation) {
    case Generation::v4_0:
      return "4.0";
    case Generation::v4_4_0:
      return "4.4.0";
    case Generation::v4_4_2:
      return "4.4.2";
    case Generation::v5_0:
      return "5.0";
    case Generation::v5_2:
      return "5.2";
  }
  return "?";
}

bool holds(PollFunction function, std::uint32_t value, std::uint32_t reference) {
  switch (function) {
    case PollFunction::always:
      return true;
    case PollFunction::less:
      return value < reference;
    case PollFunction::less_equal:
      return value <= reference;
    case PollFunction::equal:
      return value == reference;
    case PollFunction::not_equal:
      return value != reference;
    case PollFunction::greater_equal:
      return value >= reference;
    case PollFunction::greater:
      return value > reference;
  }
  return false;
}

bool is_modelled_atomic(std::uint32_t operation) {
  const std::uint32_t base = operation & ~atomic_64_bits;
  return operation < 0x40 && (base == 0x07 || base == 0x08 || (base >= 0x0F && base <= 0x17));
}

template <class Value>
Value apply(AtomicOp operation, Value before, AtomicOperands<Value> operands) {
  using Signed = std::make_signed_t<Value>;
  const Value source = operands.source;
  const auto signed_before = static_cast<Signed>(before);
  const auto signed_source = static_cast<Signed>(source);
  switch (operation) {
    case AtomicOp::swap:
      return source;
    case AtomicOp::compare_swap:
      return before == operands.compare ? source : before;
    case AtomicOp::add:
      return before + source;
    case AtomicOp::sub:
      return before - source;
    case AtomicOp::smin:
      return static_cast<Value>(std::min(signed_before, signed_source));
    case AtomicOp::umin:
      return std::min(before, source);
    case AtomicOp::smax:
      return static_cast<Value>(std::max(signed_before, signed_source));
    case AtomicOp::umax:
      return std::max(before, source);
    case AtomicOp::bit_and:
      return before & source;
    case AtomicOp::bit_or:
      return before | source;
    case AtomicOp::bit_xor:
      return before ^ source;
  }
  return before;
}
template std::uint32_t apply(AtomicOp, std::uint32_t, AtomicOperands<std::uint32_t>);
template std::uint64_t apply(AtomicOp, std::uint64_t, AtomicOperands<std::uint64_t>);

Kind classify(std::uint32_t header, Generation generation) {
  const std::uint32_t sub = field(header, 15, 8);
  switch (static_cast<Op>(field(header, 7, 0))) {
    case Op::nop:
      return sub == 0 ? accept(1) : refuse("SDMA NOP of an unlisted kind");
    case Op::copy:
      return classify_copy(header);
    case Op::write:
      return sub == 0 ? accept(4) : refuse("SDMA WRITE_TILED");
    case Op::indirect:
      return refuse("SDMA INDIRECT");
    case Op::fence:
      return sub == 0 ? accept(4) : refuse("SDMA FENCE of an unlisted kind");
    case Op::trap:
      return accept(2);
    case Op::semaphore:
      return refuse("SDMA SEM");
    case Op::poll_regmem:
      return sub == 0 ? accept(6) : refuse("SDMA POLL_REGMEM that writes memory");
    case Op::cond_exe:
      return refuse("SDMA COND_EXE");
    case Op::atomic:
      return is_modelled_atomic(field(header, 31, 25)) ? accept(8)
                                                       : refuse("SDMA ATOMIC of this operation");
    case Op::const_fill:
      if (sub != 0) return refuse("SDMA DATA_FILL_MULTI");
      // 16 bits: no client known, and no public word on what happens to an odd count.
      return field(header, 31, 30) % 2 == 0 ? accept(5) : refuse("SDMA CONST_FILL of this size");
    case Op::pte_pde:
      return refuse("SDMA PTEPDE");
    case Op::timestamp:
      return sub <= 2 ? accept(3) : refuse("SDMA TIMESTAMP of an unlisted kind");
    case Op::srbm_write:
      return refuse("SDMA SRBM_WRITE");
    case Op::pre_exe:
      return refuse("SDMA PRE_EXE");
    case Op::dummy_trap:
      return refuse("SDMA DUMMY_TRAP");
    case Op::gcr:
      if (sub == 1 && has_gcr(generation)) return accept(5);
      return refuse("SDMA GCR on this engine");
  }
  return refuse("SDMA opcode that is not listed");
}

std::size_t length(const Head& head) {
  const Kind kind = classify(head[0], Generation::v5_2);
  switch (static_cast<Op>(field(head[0], 7, 0))) {
    case Op::nop:
      return 1 + field(head[0], 29, 16);
    case Op::write:
      return kind.head_dwords + field(head[3], 19, 0) + 1;
    default:
      return kind.head_dwords;
  }
}

}  // namespace rocdrill::cp::sdma
