// Addresses of the FLAT family and of DS.
//
// Alignment: KFD sets SH_MEM_CONFIG.ALIGNMENT_MODE to unaligned (kernel source), which vector
// memory and LDS obey; atomics have to be naturally aligned all the same (ISA guides). Beyond LDS
// or a lane's scratch, an aperture's address is a memory violation of the address unit (ISA
// guides), which ROCr reports as an aperture violation (its trap handler); that SCRATCH behaves as
// FLAT does is assumed. DS beyond LDS reads 0 and writes nothing (ISA guides).
#include "sim/silicon/isa/lanes/places.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

ROCDRILL_INLINE cp::Access access_of(Want want) {
  return want.write ? cp::Access::write : cp::Access::read;
}

/// From the first byte of a lane's data to behind the last one.
ROCDRILL_INLINE u32 extent_of(Want want, u32 step) {
  return want.bytes <= 4 ? want.bytes : (want.bytes / 4 - 1) * step + 4;
}

ROCDRILL_INLINE void begin(Places& p, u64 lanes, u32 step) {
  p.form = Places::Form::each;
  p.step = step;
  p.lanes = lanes;
  p.zero = 0;
  p.spared = 0;
}

ROCDRILL_INLINE bool fault(Wave& w, const Instruction* i, u64 address, Want want) {
  w.fault(i, address, access_of(want), cp::Unit::vector_cache);
  return false;
}

/// Lane by lane; va[l] of other lanes does not matter.
bool place_each(Wave& w, const Instruction* i, const u64* va, u64 lanes, Want want, u32 step,
                Places& p) {
  const bool dispersed = step != 4 && want.bytes > 4;
  begin(p, lanes, 4);
  for (unsigned l = 0; l < wave_lanes; ++l) {
    p.at[l] = p.spare[l];
    if ((lanes >> l & 1) == 0) continue;
    const Memory::Range* range = dispersed ? nullptr : w.memory->find(va[l], access_of(want));
    if (range != nullptr && range->holds(va[l], want.bytes)) {
      p.at[l] = range->host(va[l]);
      continue;
    }
    u64 bytes[most_bytes];
    for (unsigned n = 0; n < want.bytes; ++n) bytes[n] = va[l] + n / 4 * step + n % 4;
    if (!place_pieces(w, i, l, bytes, want, p)) return false;
  }
  return true;
}

/// Addresses that differ in their high dwords.
bool place_wide(Wave& w, const Instruction* i, u64* va, u64 lanes, Want want, Places& p) {
  const u64 any = va[first_of(lanes)];
  u64 misaligned = 0;
  for (unsigned l = 0; l < wave_lanes; ++l) {
    if ((lanes >> l & 1) == 0) va[l] = any;
    misaligned |= va[l];
  }
  if (want.atomic && (misaligned & (want.bytes - 1)) != 0) return violation(w, i, any, true);
  const Memory::Range* range = w.memory->find(any, access_of(want));
  if (range == nullptr) return fault(w, i, any, want);
  if (range->bytes >= want.bytes) {
    const u64 begins = range->begin;
    const u64 room = range->bytes - want.bytes;
    u64 outside = 0;
    for (unsigned l = 0; l < wave_lanes; ++l) outside |= va[l] - begins > room ? 1 : 0;
    if (outside == 0) {
      begin(p, lanes, 4);
      for (unsigned l = 0; l < wave_lanes; ++l) p.at[l] = range->host(va[l]);
      return true;
    }
  }
  return place_each(w, i, va, lanes, want, 4, p);
}

/// `flat`: through the aperture, which checks; DS reads 0 and writes nothing.
bool place_shared(Wave& w, const Instruction* i, Lanes32& offsets, u64 lanes, Want want, bool flat,
                  Places& p) {
  fill(offsets, lanes);
  begin(p, lanes, 4);
  const u32 room = w.group->lds_bytes;
  u64 out = room < want.bytes ? lanes : outside(offsets, 0, room - want.bytes);
  if (out != 0) [[unlikely]] {
    out &= lanes;
    const u32 offset = lane_of(offsets, first_of(out));
    if (flat) return violation(w, i, w.environment->shared_base + offset, want.write);
    if (out == lanes) {
      place_nowhere(p);
      p.zero = out;
      return true;
    }
    lanes &= ~out;
    p.lanes = lanes;
    p.zero = out;
    fill(offsets, lanes);
  }
  if (want.atomic) {
    U32 low = {};
    for (unsigned b = 0; b < blocks; ++b) low |= offsets.v[b] & splat(want.bytes - 1);
    if (any(low)) return violation(w, i, w.environment->shared_base, true);
  } else {
    const unsigned lane = first_of(lanes);
    const u32 start = lane_of(offsets, lane) - lane * want.bytes;
    if (is_ramp(offsets, start, want.bytes, lanes) && start < room &&
        room - start >= wave_lanes * want.bytes) {
      p.form = Places::Form::unit;
      p.first = w.group->lds + start;
      return true;
    }
  }
  point(p, w.group->lds, offsets);
  return true;
}

/// A byte of a lane's scratch: lanes are interleaved dword by dword.
ROCDRILL_INLINE u64 scratch_byte(const Wave& w, u32 offset, unsigned lane) {
  return w.scratch_base() + (offset / 4) * u64{vgpr_bytes} + lane * 4 + offset % 4;
}

bool place_private(Wave& w, const Instruction* i, Lanes32& offsets, u64 lanes, Want want,
                   Places& p) {
  constexpr u32 most = 1u << 26;  // 4 GiB of all lanes
  fill(offsets, lanes);
  const u32 room = w.scratch_bytes < most ? w.scratch_bytes : most;
  const u64 out = room < want.bytes ? lanes : outside(offsets, 0, room - want.bytes) & lanes;
  if (out != 0) {
    const u32 offset = lane_of(offsets, first_of(out));
    return violation(w, i, w.environment->private_base + offset, want.write);
  }
  if (want.atomic && want.bytes > 4) {
    w.refuse(i, "a 64-bit atomic in the private aperture");
    return false;
  }
  Lanes32 low;
  for (unsigned b = 0; b < blocks; ++b) low.v[b] = offsets.v[b] & splat(3);
  if (outside(low, 0, want.bytes >= 4 ? 0 : 4 - want.bytes) == 0) [[likely]] {
    for (unsigned b = 0; b < blocks; ++b)
      offsets.v[b] = (offsets.v[b] & splat(~3u)) * splat(wave_lanes) + low.v[b] + ramp(b, 4);
    return place_at(w, i, w.scratch_base(), offsets, lanes, want, vgpr_bytes, p);
  }
  if (want.atomic) return violation(w, i, w.environment->private_base, true);
  begin(p, lanes, 4);
  for (unsigned l = 0; l < wave_lanes; ++l) {
    p.at[l] = p.spare[l];
    if ((lanes >> l & 1) == 0) continue;
    u64 bytes[most_bytes];
    for (unsigned n = 0; n < want.bytes; ++n)
      bytes[n] = scratch_byte(w, lane_of(offsets, l) + n, l);
    if (!place_pieces(w, i, l, bytes, want, p)) return false;
  }
  return true;
}

/// Generic addresses that lie in several apertures.
bool place_mixed(Wave& w, const Instruction* i, const u64* va, u64 lanes, Want want, Places& p) {
  begin(p, lanes, 4);
  for (unsigned l = 0; l < wave_lanes; ++l) {
    p.at[l] = p.spare[l];
    if ((lanes >> l & 1) == 0) continue;
    if (want.atomic && (va[l] & (want.bytes - 1)) != 0) return violation(w, i, va[l], true);
    const auto high = static_cast<u32>(va[l] >> 32);
    const auto low = static_cast<u32>(va[l]);
    u64 bytes[most_bytes];
    if (high == w.environment->shared_base >> 32) {
      if (u64{low} + want.bytes > w.group->lds_bytes) return violation(w, i, va[l], want.write);
      p.at[l] = w.group->lds + low;
      continue;
    }
    if (high == w.environment->private_base >> 32) {
      if (u64{low} + want.bytes > w.scratch_bytes) return violation(w, i, va[l], want.write);
      if (want.atomic && want.bytes > 4) {
        w.refuse(i, "a 64-bit atomic in the private aperture");
        return false;
      }
      for (unsigned n = 0; n < want.bytes; ++n) bytes[n] = scratch_byte(w, low + n, l);
    } else {
      for (unsigned n = 0; n < want.bytes; ++n) bytes[n] = va[l] + n;
    }
    if (!place_pieces(w, i, l, bytes, want, p)) return false;
  }
  return true;
}

bool place_64(Wave& w, const Instruction* i, Places& p, Want want, bool flat) {
  const u64 lanes = w.exec();
  const std::byte* registers = operand(w, *i, vaddr);
  const auto plus = static_cast<u64>(i64{i->immediate});
  Lanes32 low = lanes_at(registers);
  Lanes32 high = lanes_at(registers + vgpr_bytes);
  const u32 one = lane_of(high, first_of(lanes));
  if (is_ramp(high, one, 0, lanes)) [[likely]] {
    if (flat) {
      const bool shared = one == w.environment->shared_base >> 32;
      if (shared || one == w.environment->private_base >> 32) {
        low = lanes_at(registers, static_cast<u32>(plus));
        return shared ? place_shared(w, i, low, lanes, want, true, p)
                      : place_private(w, i, low, lanes, want, p);
      }
    }
    return place_at(w, i, (u64{one} << 32) + plus, low, lanes, want, 4, p);
  }
  alignas(64) u64 va[wave_lanes];
  const auto* lows = reinterpret_cast<const u32*>(&low);
  const auto* highs = reinterpret_cast<const u32*>(&high);
  for (unsigned l = 0; l < wave_lanes; ++l) va[l] = (u64{highs[l]} << 32 | lows[l]) + plus;
  if (flat) {
    for (unsigned l = 0; l < wave_lanes; ++l)
      if ((lanes >> l & 1) != 0 && (va[l] >> 32 == w.environment->shared_base >> 32 ||
                                    va[l] >> 32 == w.environment->private_base >> 32))
        return place_mixed(w, i, va, lanes, want, p);
  }
  return place_wide(w, i, va, lanes, want, p);
}

}  // namespace

bool place_rows(Wave& w, u64 va, u64 lanes, Want want, Places& p) {
  const Memory::Range* range = w.memory->find(va, access_of(want));
  if (want.atomic || range == nullptr || !range->holds(va, want.bytes / 4 * vgpr_bytes))
    return false;
  begin(p, lanes, vgpr_bytes);
  p.form = Places::Form::rows;
  p.first = range->host(va);
  return true;
}

void place_nowhere(Places& p) {
  begin(p, 0, 4);
  for (unsigned l = 0; l < wave_lanes; ++l) p.at[l] = p.spare[l];
}

bool place_pieces(Wave& w, const Instruction* i, unsigned lane, const u64* va, Want want,
                  Places& p) {
  std::byte* whole = nullptr;
  bool in_one = true;
  for (unsigned n = 0; n < want.bytes; ++n) {
    std::byte* host = nullptr;
    if (va[n] != nowhere) {
      const Memory::Range* range = w.memory->find(va[n], access_of(want));
      if (range == nullptr) return fault(w, i, va[n], want);
      host = range->host(va[n]);
    }
    if (n == 0) whole = host;
    in_one = in_one && host != nullptr && host == whole + n;
    p.piece[lane][n] = host;
    if (!want.write) p.spare[lane][n] = host != nullptr ? *host : std::byte{0};
  }
  if (in_one) {
    p.at[lane] = whole;
    return true;
  }
  p.at[lane] = p.spare[lane];
  p.spared |= u64{1} << lane;
  return true;
}

void write_pieces(Places& p, unsigned bytes) {
  for (u64 left = p.spared; left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    for (unsigned n = 0; n < bytes; ++n)
      if (p.piece[l][n] != nullptr) *p.piece[l][n] = p.spare[l][n];
  }
}

bool place_at(Wave& w, const Instruction* i, u64 base, Lanes32& offsets, u64 lanes, Want want,
              u32 step, Places& p) {
  const unsigned lane = first_of(lanes);
  const u32 offset = lane_of(offsets, lane);
  fill(offsets, lanes);
  begin(p, lanes, step);
  if (want.atomic) {
    U32 low = {};
    for (unsigned b = 0; b < blocks; ++b)
      low |= (offsets.v[b] + splat(static_cast<u32>(base))) & splat(want.bytes - 1);
    if (any(low)) return violation(w, i, base + offset, true);
  }
  const Memory::Range* range = w.memory->find(base + offset, access_of(want));
  if (range == nullptr) return fault(w, i, base + offset, want);
  if (!want.atomic && (step == 4 || want.bytes >= 4)) {
    const u32 stride = step == 4 ? want.bytes : 4;
    const u32 start = offset - lane * stride;
    const u32 span = step == 4 ? wave_lanes * want.bytes : extent_of(want, step) - 4 + vgpr_bytes;
    if (is_ramp(offsets, start, stride, lanes) &&
        start + u64{wave_lanes} * stride <= u64{1} << 32 && range->holds(base + start, span)) {
      p.form = step == 4 ? Places::Form::unit : Places::Form::rows;
      p.first = range->host(base + start);
      return true;
    }
  }
  // The range from `base` on, as 32-bit offsets; it holds at least the first lane's.
  const auto from = static_cast<i64>(range->begin - base);
  const i64 to = from + static_cast<i64>(range->bytes) - extent_of(want, step);
  const u32 least = from < 0 ? 0 : static_cast<u32>(from);
  const i64 most = to < 0xFFFFFFFF ? to : 0xFFFFFFFF;
  if (most >= least && outside(offsets, least, static_cast<u32>(most - least)) == 0) {
    point(p, range->host(base), offsets);
    return true;
  }
  alignas(64) u64 va[wave_lanes];
  for (unsigned l = 0; l < wave_lanes; ++l) va[l] = base + lane_of(offsets, l);
  return place_each(w, i, va, lanes, want, step, p);
}

bool place_global(Wave& w, const Instruction* i, Places& p, Want want) {
  if ((i->flags & has_saddr) == 0) return place_64(w, i, p, want, false);
  const auto* base = reinterpret_cast<const u32*>(operand(w, *i, saddr));
  Lanes32 offsets = lanes_at(operand(w, *i, vaddr));
  return place_at(w, i, (base[0] | u64{base[1]} << 32) + static_cast<u64>(i64{i->immediate}),
                  offsets, w.exec(), want, 4, p);
}

bool place_flat(Wave& w, const Instruction* i, Places& p, Want want) {
  return place_64(w, i, p, want, true);
}

bool place_scratch(Wave& w, const Instruction* i, Places& p, Want want) {
  u32 offset = static_cast<u32>(i->immediate);
  if ((i->flags & has_saddr) != 0) offset += scalar(w, *i, saddr);
  if ((i->flags & has_vaddr) == 0 && want.bytes >= 4 && offset % 4 == 0 &&
      u64{offset} + want.bytes <= w.scratch_bytes &&
      place_rows(w, w.scratch_base() + u64{offset} * wave_lanes, w.exec(), want, p))
    return true;
  Lanes32 offsets;
  if ((i->flags & has_vaddr) != 0) {
    offsets = lanes_at(operand(w, *i, vaddr), offset);
  } else {
    for (unsigned b = 0; b < blocks; ++b) offsets.v[b] = splat(offset);
  }
  return place_private(w, i, offsets, w.exec(), want, p);
}

bool place_lds(Wave& w, const Instruction* i, Places& p, Want want, u32 offset) {
  Lanes32 offsets = lanes_at(operand(w, *i, ds_addr), offset);
  return place_shared(w, i, offsets, w.exec(), want, false, p);
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
