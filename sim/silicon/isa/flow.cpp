// SOPP and what else decides where a wave goes on.
#include "sim/silicon/isa/code_cache.hpp"
#include "sim/silicon/isa/control.hpp"
#include "sim/silicon/isa/memory.hpp"

namespace rocdrill::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

const Instruction* taken(Wave& w, const Instruction* i) {
  if ((i->flags & far) != 0) [[unlikely]]
    return jump(w, i, w.fragment->va(i) + i->bytes + static_cast<u64>(i->immediate * 4LL));
  if (i->immediate <= 0 && --w.slice <= 0) [[unlikely]] {
    w.stop = Stop::yielded;
    w.next = i + i->immediate;
    return nullptr;
  }
  return i + i->immediate;
}

template <bool (*condition)(const Wave&)>
const Instruction* branch_if(Wave& w, const Instruction* i) {
  return condition(w) ? taken(w, i) : i + 1;
}

const Instruction* s_call_b64(Wave& w, const Instruction* i) {
  write64(w, *i, dst, w.fragment->va(i) + 4);
  return taken(w, i);
}
const Instruction* s_getpc_b64(Wave& w, const Instruction* i) {
  write64(w, *i, dst, w.fragment->va(i) + 4);
  return i + 1;
}
const Instruction* s_setpc_b64(Wave& w, const Instruction* i) {
  return jump(w, i, read64(w, *i, src0));
}
const Instruction* s_swappc_b64(Wave& w, const Instruction* i) {
  const u64 target = read64(w, *i, src0);
  write64(w, *i, dst, w.fragment->va(i) + 4);
  return jump(w, i, target);
}

const Instruction* s_endpgm(Wave& w, const Instruction* i) {
  w.stop = Stop::ended;
  w.next = i;
  return nullptr;
}
const Instruction* s_barrier(Wave& w, const Instruction* i) {
  w.stop = Stop::barrier;
  w.next = i + 1;
  return nullptr;
}
/// A wave that sleeps lets the others go on; how long is no affair of the result.
const Instruction* s_sleep(Wave& w, const Instruction* i) {
  w.stop = Stop::yielded;
  w.next = i + 1;
  return nullptr;
}
const Instruction* nothing(Wave&, const Instruction* i) { return i + 1; }

/// 1 MSG_INTERRUPT: the driver is told 24 bits of M0, as a device library does to wake who waits
/// for a signal. The others belong to graphics and to trap handlers.
const Instruction* s_sendmsg(Wave& w, const Instruction* i) {
  constexpr u32 interrupt = 1;
  constexpr u32 payload = 0xFFFFFF;
  if ((i->immediate & 0xF) != interrupt) return w.refuse(i, "s_sendmsg of another message");
  if (w.environment->interrupt == nullptr) return w.refuse(i, "an interrupt without a driver");
  w.environment->interrupt(w.environment->context, w.s[reg::m0] & payload);
  return i + 1;
}
/// Without a trap handler of its own: 2 is abort (llvm.trap), 3 debugtrap, which goes on.
const Instruction* s_trap(Wave& w, const Instruction* i) {
  if ((i->immediate & 0xFF) == 3) return i + 1;
  return w.raise(i, cp::KfdException::wave_trap);
}
const Instruction* s_sethalt(Wave& w, const Instruction* i) {
  return (i->immediate & 1) == 0 ? i + 1 : w.refuse(i, "s_sethalt 1");
}

#define BRANCH(name, condition)                                                                \
  Entry {                                                                                      \
    name, branch_if<[](const Wave& w) -> bool { return (condition); }>, nullptr, Class::branch \
  }

const Entry table[] = {
    {"s_branch", taken, nullptr, Class::branch},
    BRANCH("s_cbranch_scc0", w.scc == 0),
    BRANCH("s_cbranch_scc1", w.scc != 0),
    BRANCH("s_cbranch_vccz", w.vcc() == 0),
    BRANCH("s_cbranch_vccnz", w.vcc() != 0),
    BRANCH("s_cbranch_execz", w.exec() == 0),
    BRANCH("s_cbranch_execnz", w.exec() != 0),
    {"s_call_b64", s_call_b64, nullptr, Class::branch},
    {"s_getpc_b64", s_getpc_b64, nullptr, Class::salu},
    {"s_setpc_b64", s_setpc_b64, nullptr, Class::branch},
    {"s_swappc_b64", s_swappc_b64, nullptr, Class::branch},
    {"s_endpgm", s_endpgm, nullptr, Class::other},
    {"s_barrier", s_barrier, nullptr, Class::barrier},
    {"s_sleep", s_sleep, nullptr, Class::other},
    {"s_trap", s_trap, nullptr, Class::message},
    {"s_sendmsg", s_sendmsg, nullptr, Class::message},
    {"s_sethalt", s_sethalt, nullptr, Class::other},
    {"s_waitcnt", nothing, nullptr, Class::waitcnt},
    {"s_nop", nothing, nullptr, Class::other},
    {"s_code_end", nothing, nullptr, Class::other},
    {"s_setprio", nothing, nullptr, Class::other},
    {"s_icache_inv", nothing, nullptr, Class::other},
    {"s_dcache_inv", nothing, nullptr, Class::other},
    {"s_dcache_inv_vol", nothing, nullptr, Class::other},
    {"s_dcache_wb", nothing, nullptr, Class::other},
    {"s_dcache_wb_vol", nothing, nullptr, Class::other},
    {"s_incperflevel", nothing, nullptr, Class::other},
    {"s_decperflevel", nothing, nullptr, Class::other},
    {"s_ttracedata", nothing, nullptr, Class::other},
    {"v_nop", nothing, nullptr, Class::other},
};

}  // namespace

const Instruction* jump(Wave& w, const Instruction* from, u64 va) {
  const Instruction* to = w.fragment->at(va);
  if (to == nullptr) {
    const CodeCache::Place place = w.code->find(va, w.memory->space());
    if (place.instruction == nullptr)
      return w.fault(from, va, cp::Access::execute, cp::Unit::instruction_cache);
    if (!fits(w, *place.fragment)) return w.refuse(from, "a VGPR that was not allocated");
    enter(w, *place.fragment);
    to = place.instruction;
  }
  if (--w.slice <= 0) {
    w.stop = Stop::yielded;
    w.next = to;
    return nullptr;
  }
  return to;
}

bool fits(const Wave& w, const Fragment& fragment) {
  return fragment.vgprs <= w.vgprs && fragment.agprs <= w.agprs;
}

void enter(Wave& w, const Fragment& fragment) {
  w.fragment = &fragment;
  w.bases[static_cast<unsigned>(Kind::constant)] =
      const_cast<std::byte*>(reinterpret_cast<const std::byte*>(fragment.constants.data()));
}

const Instruction* yield_for_mode(Wave& w, const Instruction* next) {
  w.stop = Stop::yielded;
  w.next = next;
  return nullptr;
}

std::span<const Entry> flow_entries() { return table; }

}  // namespace rocdrill::isa
