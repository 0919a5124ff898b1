// MUBUF: buffers, whose accesses are checked against the V#.
//
// Sources: MI200 and MI300 ISA reference guides, "Memory buffer instructions", for the addresses.
// Range checks: dword by dword, with saturating offsets (LLVM's AMDGPUUsage, "buffer fat
// pointers"); num_records counts records where IDXEN is set and the stride is not 0, else bytes,
// whatever SWIZZLE_ENABLE says (Mesa, ac_descriptors: how gfx9 behaves; the guides tie it to
// SWIZZLE_ENABLE). A record's end is checked in swizzled buffers (the guides). Elements have 4
// bytes: gfx9 has no ELEMENT_SIZE any more (LLVM, getScratchRsrcWords23).
#include "sim/silicon/isa/lanes/places.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// V# and the scalar operands.
struct Buffer {
  u64 base;
  u32 stride;
  u32 records;
  u32 soffset;
  u32 plus;          ///< the instruction's offset
  u32 index_stride;  ///< lanes that lie next to each other; 0: not swizzled
  bool add_tid;
  bool indexed;

  /// num_records counts records, not bytes.
  ROCDRILL_INLINE bool structured() const { return indexed && stride != 0; }
};

ROCDRILL_INLINE Buffer buffer_of(const Wave& w, const Instruction& i) {
  const auto* v = reinterpret_cast<const u32*>(operand(w, i, srsrc));
  Buffer out;
  out.base = v[0] | u64{v[1] & 0xFFFFu} << 32;
  out.stride = v[1] >> 16 & 0x3FFFu;
  out.records = v[2];
  out.soffset = scalar(w, i, soffset);
  out.plus = static_cast<u32>(i.immediate);
  out.index_stride = v[1] >> 31 != 0 ? 8u << (v[3] >> 21 & 3) : 0;
  out.add_tid = (v[3] >> 23 & 1) != 0;
  // DATA_FORMAT means nothing to MUBUF but for this.
  if (out.add_tid) out.stride |= (v[3] >> 15 & 15) << 14;
  out.indexed = (i.flags & idxen) != 0;
  return out;
}

/// Where `offset` of record `index` lies, from base + soffset on.
ROCDRILL_INLINE u64 offset_of(const Buffer& b, u64 index, u64 offset) {
  if (b.index_stride == 0) return index * b.stride + offset;
  return (index / b.index_stride * b.stride + offset / 4 * 4) * b.index_stride +
         index % b.index_stride * 4 + offset % 4;
}

ROCDRILL_INLINE bool in_range(const Buffer& b, u64 index, u64 offset, unsigned bytes) {
  if (b.structured())
    return index < b.records && (b.index_stride == 0 || offset + bytes <= b.stride);
  return offset_of(b, index, offset) + bytes + b.soffset <= b.records;
}

/// A lane that is partly out of range, or not one run of dwords. `zero` gets it if it is all out.
bool place_one(Wave& w, const Instruction* i, const Buffer& b, unsigned lane, u32 index, u32 offset,
               Want want, Places& p) {
  u64 va[most_bytes];
  bool some = false;
  bool all = true;
  const unsigned part = want.bytes < 4 ? want.bytes : 4;
  for (unsigned n = 0; n < want.bytes; n += part) {
    const u64 at = u64{offset} + b.plus + n;
    const bool inside = in_range(b, index, at, part);
    some = some || inside;
    all = all && inside;
    for (unsigned k = 0; k < part; ++k)
      va[n + k] = inside ? b.base + b.soffset + offset_of(b, index, at + k) : nowhere;
  }
  if (!some || (want.atomic && !all)) {
    p.zero |= u64{1} << lane;
    return true;
  }
  if (want.atomic && (va[0] & (want.bytes - 1)) != 0) return violation(w, i, va[0], true);
  p.lanes |= u64{1} << lane;
  return place_pieces(w, i, lane, va, want, p);
}

struct Operands {
  Lanes32 index;
  Lanes32 offset;
};

/// The lanes of `rest`, one after the other; the others are placed.
bool place_rest(Wave& w, const Instruction* i, const Buffer& b, const Operands& operands, u64 rest,
                Want want, Places& p) {
  if (p.form != Places::Form::each) {
    const bool near = p.form == Places::Form::near;
    const u32 stride = p.form == Places::Form::rows ? 4 : want.bytes;
    const auto first = reinterpret_cast<u64>(p.first);
    for (unsigned l = 0; l < wave_lanes; ++l)
      p.at[l] = (p.lanes >> l & 1) == 0
                    ? p.spare[l]
                    : reinterpret_cast<std::byte*>(first + (near ? p.offset[l] : l * stride));
    p.form = Places::Form::each;
  }
  for (; rest != 0; rest &= rest - 1) {
    const unsigned l = first_of(rest);
    if (!place_one(w, i, b, l, lane_of(operands.index, l), lane_of(operands.offset, l), want, p))
      return false;
  }
  return true;
}

/// Offsets alone: addresses that follow from 32-bit offsets, whatever they are.
bool place_raw(Wave& w, const Instruction* i, const Buffer& b, Operands& operands, Want want,
               Places& p) {
  const u64 lanes = w.exec();
  // Of the last offset at which all, or the first dword, is in range.
  const i64 room = i64{b.records} - b.soffset - b.plus;
  const i64 most = room - want.bytes;
  const i64 most_first = room - (want.bytes < 4 ? want.bytes : 4);
  const u64 out = most < 0 ? lanes : outside(operands.offset, 0, static_cast<u32>(most)) & lanes;
  if (out == 0) [[likely]]
    return place_at(w, i, b.base + b.soffset + b.plus, operands.offset, lanes, want, 4, p);
  u64 all_out = out;
  if (most_first >= 0 && !want.atomic)
    all_out = outside(operands.offset, 0, static_cast<u32>(most_first)) & lanes;
  if (out != lanes) {
    Lanes32 offset = operands.offset;
    if (!place_at(w, i, b.base + b.soffset + b.plus, offset, lanes & ~out, want, 4, p))
      return false;
  } else {
    place_nowhere(p);
  }
  p.zero = all_out;
  return out == all_out || place_rest(w, i, b, operands, out & ~all_out, want, p);
}

/// Records, or swizzled: as 32-bit offsets where they fit.
bool place_indexed(Wave& w, const Instruction* i, const Buffer& b, Operands& operands, Want want,
                   Places& p) {
  constexpr u32 most = 1u << 30;
  const u64 lanes = w.exec();
  fill(operands.index, lanes);
  fill(operands.offset, lanes);
  // A lane's data within an element: one run of dwords.
  const u32 alignment = b.index_stride == 0 ? 1 : want.bytes < 4 ? want.bytes : 4;
  U32 low = {};
  for (unsigned n = 0; n < blocks; ++n) low |= operands.offset.v[n] + splat(b.plus);
  const u32 most_offset = most / (b.index_stride == 0 ? 1 : b.index_stride) - 1 - b.plus;
  const u32 most_index = b.stride == 0 ? ~0u : (most - 1) / b.stride;
  if (outside(operands.offset, 0, most_offset) != 0 ||
      outside(operands.index, 0, most_index) != 0 || any(low & splat(alignment - 1))) {
    place_nowhere(p);
    return place_rest(w, i, b, operands, lanes, want, p);
  }
  const u32 step = b.index_stride == 0 ? 4 : b.index_stride * 4;
  const u32 behind = want.bytes <= 4 ? want.bytes : (want.bytes / 4 - 1) * step + 4;
  Lanes32 offset;
  for (unsigned n = 0; n < blocks; ++n) {
    const U32 index = operands.index.v[n];
    const U32 at = operands.offset.v[n] + splat(b.plus);
    if (b.index_stride == 0) {
      offset.v[n] = index * splat(b.stride) + at;
    } else {
      const U32 within = index & splat(b.index_stride - 1);
      offset.v[n] = (index - within) * splat(b.stride) + (at & splat(~3u)) * splat(b.index_stride) +
                    within * splat(4) + (at & splat(3));
    }
  }
  u64 rest;
  if (b.structured()) {
    rest = b.records == 0 ? lanes : outside(operands.index, 0, b.records - 1);
    if (b.index_stride != 0)
      rest |= b.stride < b.plus + want.bytes
                  ? lanes
                  : outside(operands.offset, 0, b.stride - b.plus - want.bytes);
  } else {
    const i64 last = i64{b.records} - b.soffset - behind;
    rest = last < 0 ? lanes : outside(offset, 0, static_cast<u32>(last));
  }
  rest &= lanes;
  if (rest == lanes) {
    place_nowhere(p);
  } else if (!place_at(w, i, b.base + b.soffset, offset, lanes & ~rest, want, step, p)) {
    return false;
  }
  if (rest == 0) return true;
  if (p.step != 4 && want.bytes > 4) {
    place_nowhere(p);
    rest = lanes;
  }
  return place_rest(w, i, b, operands, rest, want, p);
}

/// Caches: the host's are coherent. What the fences of the memory model lack is that a load does
/// not pass an earlier store.
const Instruction* fence(Wave&, const Instruction* i) {
  _mm_mfence();
  return i + 1;
}

const Entry table[] = {
    ROCDRILL_ACCESSES("buffer", place_buffer, Class::vmem_load, Class::vmem_store),
    ROCDRILL_LDS_LOADS("buffer", place_buffer, Class::vmem_load),
    {"buffer_wbinvl1", fence, nullptr, Class::other},
    {"buffer_wbinvl1_vol", fence, nullptr, Class::other},
    {"buffer_wbl2", fence, nullptr, Class::other},
    {"buffer_invl2", fence, nullptr, Class::other},
    {"buffer_inv", fence, nullptr, Class::other},
};

}  // namespace

bool place_buffer(Wave& w, const Instruction* i, Places& p, Want want) {
  const Buffer b = buffer_of(w, *i);
  if (b.index_stride == wave_lanes && b.add_tid && (i->flags & (idxen | offen)) == 0 &&
      want.bytes >= 4 && b.plus % 4 == 0) {
    // Private memory at one offset.
    const u32 behind = want.bytes / 4 * vgpr_bytes;
    const u64 offset = u64{b.plus} * wave_lanes;
    if (offset + behind + b.soffset <= b.records &&
        place_rows(w, b.base + b.soffset + offset, w.exec(), want, p))
      return true;
  }
  Operands operands = {};
  const std::byte* registers = operand(w, *i, vaddr);
  if (b.indexed) {
    operands.index = lanes_at(registers);
    registers += vgpr_bytes;
  }
  if ((i->flags & offen) != 0) operands.offset = lanes_at(registers);
  if (b.add_tid)
    for (unsigned n = 0; n < blocks; ++n) operands.index.v[n] += ramp(n, 1);
  if (b.index_stride == 0 && ((!b.indexed && !b.add_tid) || b.stride == 0))
    return place_raw(w, i, b, operands, want, p);
  return place_indexed(w, i, b, operands, want, p);
}

std::span<const Entry> buffer_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
