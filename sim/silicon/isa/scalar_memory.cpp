// SMEM: scalar loads and stores, clocks. An address that is not mapped ends the wave as any wild
// access does; a buffer load beyond num_records reads 0.
#include <atomic>

#include "sim/silicon/isa/control.hpp"
#include "sim/silicon/isa/memory.hpp"

namespace rocdrill::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 address(const Wave& w, const Instruction* i) {
  u64 va = read64(w, *i, sm_base) + static_cast<u64>(std::int64_t{i->immediate});
  if ((i->flags & has_soffset) != 0) va += read32(w, *i, sm_offset);
  return va & ~u64{3};
}

template <unsigned dwords>
const Instruction* load(Wave& w, const Instruction* i) {
  const u64 va = address(w, i);
  const std::byte* from = w.memory->at(va, 4 * dwords, cp::Access::read);
  if (from == nullptr) return w.fault(i, va, cp::Access::read, cp::Unit::scalar_cache);
  std::memcpy(operand(w, *i, sm_dst), from, 4 * dwords);
  return i + 1;
}

template <unsigned dwords>
const Instruction* store(Wave& w, const Instruction* i) {
  const u64 va = address(w, i);
  std::byte* to = w.memory->at(va, 4 * dwords, cp::Access::write);
  if (to == nullptr) return w.fault(i, va, cp::Access::write, cp::Unit::scalar_cache);
  std::memcpy(to, operand(w, *i, sm_dst), 4 * dwords);
  return i + 1;
}

/// A V#: base 47:0, stride 61:48, num_records 95:64 (bytes, or records of `stride`).
template <unsigned dwords>
const Instruction* buffer_load(Wave& w, const Instruction* i) {
  u32 v[4];
  std::memcpy(v, operand(w, *i, sm_base), sizeof v);
  const u64 base = v[0] | u64{v[1] & 0xFFFFu} << 32;
  const u32 stride = v[1] >> 16 & 0x3FFFu;
  const u64 size = stride == 0 ? v[2] : u64{stride} * v[2];
  u64 offset = static_cast<u64>(std::int64_t{i->immediate});
  if ((i->flags & has_soffset) != 0) offset += read32(w, *i, sm_offset);
  offset &= ~u64{3};
  auto* to = operand(w, *i, sm_dst);
  for (unsigned n = 0; n < dwords; ++n, offset += 4) {
    u32 value = 0;
    if (offset + 4 <= size) {
      const std::byte* from = w.memory->at(base + offset, 4, cp::Access::read);
      if (from == nullptr)
        return w.fault(i, base + offset, cp::Access::read, cp::Unit::scalar_cache);
      std::memcpy(&value, from, 4);
    }
    std::memcpy(to + 4 * n, &value, 4);
  }
  return i + 1;
}

const Instruction* clock(Wave& w, const Instruction* i) {
  write64(w, *i, sm_dst, w.environment->clock(w.environment->context));
  return i + 1;
}

const Entry table[] = {
    {"s_load_dword", load<1>, nullptr, Class::smem},
    {"s_load_dwordx2", load<2>, nullptr, Class::smem},
    {"s_load_dwordx4", load<4>, nullptr, Class::smem},
    {"s_load_dwordx8", load<8>, nullptr, Class::smem},
    {"s_load_dwordx16", load<16>, nullptr, Class::smem},
    {"s_store_dword", store<1>, nullptr, Class::smem},
    {"s_store_dwordx2", store<2>, nullptr, Class::smem},
    {"s_store_dwordx4", store<4>, nullptr, Class::smem},
    {"s_buffer_load_dword", buffer_load<1>, nullptr, Class::smem},
    {"s_buffer_load_dwordx2", buffer_load<2>, nullptr, Class::smem},
    {"s_buffer_load_dwordx4", buffer_load<4>, nullptr, Class::smem},
    {"s_buffer_load_dwordx8", buffer_load<8>, nullptr, Class::smem},
    {"s_buffer_load_dwordx16", buffer_load<16>, nullptr, Class::smem},
    {"s_memtime", clock, nullptr, Class::smem},
    {"s_memrealtime", clock, nullptr, Class::smem},
};

}  // namespace

std::span<const Entry> scalar_memory_entries() { return table; }

}  // namespace rocdrill::isa
