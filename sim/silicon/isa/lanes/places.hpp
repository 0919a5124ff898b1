// Where the data of a memory instruction's lanes lie on the host, and what moves them.
//
// A handler asks a place_...() for the lanes' places and hands them to a move. Nothing has been
// read or written when place_...() finds a lane that may not access its address: then the wave
// stops.
#pragma once

#include "sim/silicon/isa/lanes/lanes.hpp"
#include "sim/silicon/isa/memory.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr unsigned most_bytes = 16;  ///< of a lane

struct Places {
  enum class Form : u8 {
    unit,  ///< `first` is lane 0's; the next lane's data follow
    rows,  ///< dword d of lane l lies at first + d * step + l * 4
    near,  ///< dword d of lane l lies at first + offset[l] + d * step
    each,  ///< dword d of lane l lies at at[l] + d * step
  };
  Form form;
  u32 step;    ///< bytes from a lane's dword to its next one
  u64 lanes;   ///< that have a place
  u64 zero;    ///< out of range: they read 0 and write nothing
  u64 spared;  ///< their at[l] is spare[l]: the data lie in pieces, or partly nowhere
  std::byte* first;
  alignas(64) u32 offset[wave_lanes];  ///< may be read in the other lanes, too
  std::byte* at[wave_lanes];           ///< likewise
  std::byte spare[wave_lanes][most_bytes];
  std::byte* piece[wave_lanes][most_bytes];  ///< of `spared`: where each byte lies; or nullptr
};

/// `near` or `each`.
ROCDRILL_INLINE std::byte* place_of(const Places& p, unsigned lane) {
  if (p.form != Places::Form::near) return p.at[lane];
  return reinterpret_cast<std::byte*>(reinterpret_cast<u64>(p.first) + p.offset[lane]);
}

struct Want {
  unsigned bytes = 4;   ///< of a lane: 1, 2, 4, 8, 12, 16
  bool write = false;   ///< else read
  bool atomic = false;  ///< as `each`, and naturally aligned
};

/// 64 lanes of one dword.
struct alignas(64) Lanes32 {
  U32 v[blocks];
};
ROCDRILL_INLINE u32 lane_of(const Lanes32& values, unsigned lane) {
  return reinterpret_cast<const u32*>(&values)[lane];
}

// False: the wave has stopped at `i`. EXEC must not be 0.
bool place_global(Wave& w, const Instruction* i, Places& p, Want want);
bool place_flat(Wave& w, const Instruction* i, Places& p, Want want);
bool place_scratch(Wave& w, const Instruction* i, Places& p, Want want);
bool place_buffer(Wave& w, const Instruction* i, Places& p, Want want);
/// DS: the address operand + `offset`, modulo 2^32.
bool place_lds(Wave& w, const Instruction* i, Places& p, Want want, u32 offset);

/// At base + offsets[l] in memory; dwords are `step` apart. Changes the offsets of other lanes.
bool place_at(Wave& w, const Instruction* i, u64 base, Lanes32& offsets, u64 lanes, Want want,
              u32 step, Places& p);
/// Dword d of lane l at va + d * 256 + l * 4, all of it in one range; false: it is not, or an
/// atomic.
bool place_rows(Wave& w, u64 va, u64 lanes, Want want, Places& p);
/// No lane has a place.
void place_nowhere(Places& p);
/// A lane whose data may lie in pieces: byte n at va[n], unless that is `nowhere`. p.step is 4.
inline constexpr u64 nowhere = ~u64{0};
bool place_pieces(Wave& w, const Instruction* i, unsigned lane, const u64* va, Want want,
                  Places& p);

/// Vectors at any address.
typedef U32 U32b __attribute__((aligned(1)));
ROCDRILL_INLINE U32 load_bytes(const std::byte* from) {
  return *reinterpret_cast<const U32b*>(from);
}
ROCDRILL_INLINE void keep_bytes(std::byte* to, U32 value) { *reinterpret_cast<U32b*>(to) = value; }

/// The scalar operand `n`.
ROCDRILL_INLINE u32 scalar(const Wave& w, const Instruction& i, unsigned n) {
  if (i.kind[n] == Kind::none) return 0;
  if (i.kind[n] == Kind::special) return static_cast<u32>(special_value(w, i.offset[n]));
  return *reinterpret_cast<const u32*>(operand(w, i, n));
}

// --- 64 offsets at once --------------------------------------------------------------------------

ROCDRILL_INLINE unsigned first_of(u64 lanes) {
  return static_cast<unsigned>(__builtin_ctzll(lanes));
}
ROCDRILL_INLINE Lanes32 lanes_at(const std::byte* registers, u32 plus = 0) {
  Lanes32 out;
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b)
    out.v[b] = load(registers + std::size_t{b} * 4 * width) + splat(plus);
  return out;
}
ROCDRILL_INLINE bool any(U32 value) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(as<__m512i>(value), as<__m512i>(value)) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256(as<__m256i>(value), as<__m256i>(value)) == 0;
#else
  return _mm_movemask_epi8(_mm_cmpeq_epi32(as<__m128i>(value), __m128i{})) != 0xFFFF;
#endif
}
/// The lane's number times `stride`.
ROCDRILL_INLINE U32 ramp(unsigned block, u32 stride) {
  U32 lane;
  for (unsigned n = 0; n < width; ++n) lane[n] = block * width + n;
  return lane * splat(stride);
}
/// Is x[l] = start + l * stride in all lanes?
ROCDRILL_INLINE bool is_ramp(const Lanes32& x, u32 start, u32 stride, u64 lanes) {
  U32 differs = {};
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b)
    differs |= (x.v[b] ^ (splat(start) + ramp(b, stride))) & expand(mask_of(lanes, b));
  return !any(differs);
}
/// The lanes, of all 64, with (x - from) > most.
ROCDRILL_INLINE u64 outside(const Lanes32& x, u32 from, u32 most) {
  u64 lanes = 0;
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b) {
    const U32 over = as<U32>((x.v[b] - splat(from)) > splat(most));
    lanes |= u64{bits(over)} << (b * width);
  }
  return lanes;
}
/// Lanes outside `lanes` get the value of the first one in it.
ROCDRILL_INLINE void fill(Lanes32& x, u64 lanes) {
  if (lanes == ~u64{0}) return;
  const U32 value = splat(lane_of(x, first_of(lanes)));
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b) {
    const U32 keep = expand(mask_of(lanes, b));
    x.v[b] = (x.v[b] & keep) | (value & ~keep);
  }
}
ROCDRILL_INLINE void point(Places& p, std::byte* base, const Lanes32& offsets) {
  p.form = Places::Form::near;
  p.first = base;
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b)
    *reinterpret_cast<U32u*>(p.offset + std::size_t{b} * width) = offsets.v[b];
}

/// What is not the memory system's word but the address unit's: out of an aperture, misaligned.
/// (MEM_VIOL without XNACK_ERROR, of which ROCr's trap handler makes an aperture violation.)
ROCDRILL_INLINE bool violation(Wave& w, const Instruction* i, u64 address, bool write) {
  w.raise(i, cp::KfdException::wave_aperture_violation);
  w.exception.address = address;
  w.exception.access = write ? cp::Access::write : cp::Access::read;
  return false;
}

/// For the lanes that are `spared`, after a store.
void write_pieces(Places& p, unsigned bytes);

/// Between the places and registers of 256 bytes each.
using Move = void (*)(std::byte* registers, Places& p);
void load_u8(std::byte*, Places&);
void load_i8(std::byte*, Places&);
void load_u16(std::byte*, Places&);
void load_i16(std::byte*, Places&);
// Half of the register stays.
void load_u8_d16(std::byte*, Places&);
void load_i8_d16(std::byte*, Places&);
void load_b16_d16(std::byte*, Places&);
void load_u8_d16_hi(std::byte*, Places&);
void load_i8_d16_hi(std::byte*, Places&);
void load_b16_d16_hi(std::byte*, Places&);
void load_b32(std::byte*, Places&);
void load_b64(std::byte*, Places&);
void load_b96(std::byte*, Places&);
void load_b128(std::byte*, Places&);
void store_b8(std::byte*, Places&);
void store_b16(std::byte*, Places&);
void store_b8_d16_hi(std::byte*, Places&);
void store_b16_d16_hi(std::byte*, Places&);
void store_b32(std::byte*, Places&);
void store_b64(std::byte*, Places&);
void store_b96(std::byte*, Places&);
void store_b128(std::byte*, Places&);

using Place = bool (*)(Wave&, const Instruction*, Places&, Want);
/// As ==, which is no constant where the compiler looks for undefined behaviour.
template <auto a, auto b>
inline constexpr bool same = false;
template <auto a>
inline constexpr bool same<a, a> = true;

// --- what most accesses are ----------------------------------------------------------------------

/// How the places of a block of lanes lie, of those in `mask`: tiles and rows of matrices make
/// blocks that follow each other, or are one, though the wave's 64 lanes do not.
enum class Lie : u8 { apart, one, run };
template <unsigned bytes>
ROCDRILL_INLINE Lie lie_of(U32 offset, u32 mask) {
  const U32 from_first = offset - splat(offset[0]);
  const U32 counts = expand(mask);
  if (!any(from_first & counts)) return Lie::one;
  return any((from_first ^ ramp(0, bytes)) & counts) ? Lie::apart : Lie::run;
}

/// Do the data of 64 lanes follow each other?
template <unsigned bytes>
ROCDRILL_INLINE bool is_run(const std::byte* offsets) {
  const U32 start = splat(*reinterpret_cast<const u32*>(offsets));
  U32 differs = {};
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b)
    differs |= (load(offsets + std::size_t{b} * 4 * width) - ramp(b, bytes)) ^ start;
  return !any(differs);
}
ROCDRILL_INLINE bool all_same(const std::byte* values) {
  const U32 one = splat(*reinterpret_cast<const u32*>(values));
  U32 differs = {};
#pragma GCC unroll 4
  for (unsigned b = 0; b < blocks; ++b) differs |= load(values + std::size_t{b} * 4 * width) ^ one;
  return !any(differs);
}
/// Host memory of 64 lanes from base + offset on; the offsets do not pass 2^32.
template <unsigned bytes, bool write>
ROCDRILL_INLINE std::byte* run_at(Wave& w, u64 base, u32 offset) {
  constexpr u32 span = wave_lanes * bytes;
  if (offset > 0u - span) return nullptr;
  const u64 va = base + offset;
  const Memory::Range* range = w.memory->find(va, write ? cp::Access::write : cp::Access::read);
  return range != nullptr && range->holds(va, span) ? range->host(va) : nullptr;
}

/// Where lane 0's data lie, if all lanes are active and theirs follow. nullptr: ask the
/// place_...().
template <Place place, unsigned bytes, bool write>
ROCDRILL_INLINE std::byte* quick(Wave& w, const Instruction* i) {
  if (w.exec() != ~u64{0}) return nullptr;
  const std::byte* address = operand(w, *i, vaddr);
  if constexpr (same<place, place_global> || same<place, place_flat>) {
    if (!is_run<bytes>(address)) return nullptr;
    const u32 first = *reinterpret_cast<const u32*>(address);
    const auto plus = static_cast<u64>(i64{i->immediate});
    if (same<place, place_global> && (i->flags & has_saddr) != 0) {
      const auto* base = reinterpret_cast<const u32*>(operand(w, *i, saddr));
      return run_at<bytes, write>(w, (base[0] | u64{base[1]} << 32) + plus, first);
    }
    const std::byte* highs = address + vgpr_bytes;
    if (!all_same(highs)) return nullptr;
    const u32 high = *reinterpret_cast<const u32*>(highs);
    if (same<place, place_flat> &&
        (high == w.environment->shared_base >> 32 || high == w.environment->private_base >> 32))
      return nullptr;
    return run_at<bytes, write>(w, (u64{high} << 32) + plus, first);
  } else if constexpr (same<place, place_buffer>) {
    const auto* v = reinterpret_cast<const u32*>(operand(w, *i, srsrc));
    const bool plain =
        (i->flags & (idxen | offen)) == offen && v[1] >> 31 == 0 && (v[3] >> 23 & 1) == 0;
    if (!plain || !is_run<bytes>(address)) return nullptr;
    const u32 first = *reinterpret_cast<const u32*>(address);
    const u64 before = u64{scalar(w, *i, soffset)} + static_cast<u32>(i->immediate);
    if (before + first + wave_lanes * bytes > v[2]) return nullptr;
    return run_at<bytes, write>(w, (v[0] | u64{v[1] & 0xFFFFu} << 32) + before, first);
  } else {
    return nullptr;
  }
}

/// Between registers and a run of 64 lanes.
template <Move move, unsigned bytes>
ROCDRILL_INLINE void move_run(std::byte* registers, std::byte* first) {
  constexpr bool loads = same<move, load_b32>;
  if constexpr (loads || same<move, store_b32>) {
    std::byte* to = loads ? registers : first;
    const std::byte* from = loads ? first : registers;
#pragma GCC unroll 4
    for (unsigned b = 0; b < blocks; ++b)
      keep_bytes(to + std::size_t{b} * 4 * width, load_bytes(from + std::size_t{b} * 4 * width));
  } else {
    Places p;
    p.form = Places::Form::unit;
    p.step = 4;
    p.lanes = ~u64{0};
    p.zero = 0;
    p.spared = 0;
    p.first = first;
    move(registers, p);
  }
}

/// FLAT family and MUBUF.
template <Place place, Move move, unsigned bytes>
const Instruction* load_from(Wave& w, const Instruction* i) {
  if (std::byte* first = quick<place, bytes, false>(w, i)) {
    move_run<move, bytes>(operand(w, *i, vdst), first);
    return i + 1;
  }
  if (w.exec() == 0) return i + 1;
  Places p;
  if (!place(w, i, p, {.bytes = bytes})) return nullptr;
  move(operand(w, *i, vdst), p);
  return i + 1;
}
template <Place place, Move move, unsigned bytes>
const Instruction* store_to(Wave& w, const Instruction* i) {
  if (std::byte* first = quick<place, bytes, true>(w, i)) {
    move_run<move, bytes>(operand(w, *i, vdata), first);
    return i + 1;
  }
  if (w.exec() == 0) return i + 1;
  Places p;
  if (!place(w, i, p, {.bytes = bytes, .write = true})) return nullptr;
  move(operand(w, *i, vdata), p);
  if (p.spared != 0) write_pieces(p, bytes);
  return i + 1;
}

/// To LDS instead of a register: lane l's dword at M0[15:0] + offset + l * 4.
void store_in_lds(Wave& w, const Instruction* i, Places& p, Move move);
template <Place place, Move move, unsigned bytes>
const Instruction* load_to_lds(Wave& w, const Instruction* i) {
  if (w.exec() == 0) return i + 1;
  Places p;
  if (!place(w, i, p, {.bytes = bytes})) return nullptr;
  store_in_lds(w, i, p, move);
  return i + 1;
}

#define ROCDRILL_ACCESS(name, form, place, move, bytes, counted_as)    \
  {name,         form<place, move, bytes>, nullptr,        counted_as, \
   Element::b32, Precision::none,          (bytes + 3) / 4}
/// What FLAT, GLOBAL, SCRATCH and MUBUF have alike.
#define ROCDRILL_ACCESSES(prefix, place, loads, stores)                                            \
  ROCDRILL_ACCESS(prefix "_load_ubyte", load_from, place, load_u8, 1, loads),                      \
      ROCDRILL_ACCESS(prefix "_load_sbyte", load_from, place, load_i8, 1, loads),                  \
      ROCDRILL_ACCESS(prefix "_load_ushort", load_from, place, load_u16, 2, loads),                \
      ROCDRILL_ACCESS(prefix "_load_sshort", load_from, place, load_i16, 2, loads),                \
      ROCDRILL_ACCESS(prefix "_load_ubyte_d16", load_from, place, load_u8_d16, 1, loads),          \
      ROCDRILL_ACCESS(prefix "_load_sbyte_d16", load_from, place, load_i8_d16, 1, loads),          \
      ROCDRILL_ACCESS(prefix "_load_short_d16", load_from, place, load_b16_d16, 2, loads),         \
      ROCDRILL_ACCESS(prefix "_load_ubyte_d16_hi", load_from, place, load_u8_d16_hi, 1, loads),    \
      ROCDRILL_ACCESS(prefix "_load_sbyte_d16_hi", load_from, place, load_i8_d16_hi, 1, loads),    \
      ROCDRILL_ACCESS(prefix "_load_short_d16_hi", load_from, place, load_b16_d16_hi, 2, loads),   \
      ROCDRILL_ACCESS(prefix "_load_dword", load_from, place, load_b32, 4, loads),                 \
      ROCDRILL_ACCESS(prefix "_load_dwordx2", load_from, place, load_b64, 8, loads),               \
      ROCDRILL_ACCESS(prefix "_load_dwordx3", load_from, place, load_b96, 12, loads),              \
      ROCDRILL_ACCESS(prefix "_load_dwordx4", load_from, place, load_b128, 16, loads),             \
      ROCDRILL_ACCESS(prefix "_store_byte", store_to, place, store_b8, 1, stores),                 \
      ROCDRILL_ACCESS(prefix "_store_short", store_to, place, store_b16, 2, stores),               \
      ROCDRILL_ACCESS(prefix "_store_byte_d16_hi", store_to, place, store_b8_d16_hi, 1, stores),   \
      ROCDRILL_ACCESS(prefix "_store_short_d16_hi", store_to, place, store_b16_d16_hi, 2, stores), \
      ROCDRILL_ACCESS(prefix "_store_dword", store_to, place, store_b32, 4, stores),               \
      ROCDRILL_ACCESS(prefix "_store_dwordx2", store_to, place, store_b64, 8, stores),             \
      ROCDRILL_ACCESS(prefix "_store_dwordx3", store_to, place, store_b96, 12, stores),            \
      ROCDRILL_ACCESS(prefix "_store_dwordx4", store_to, place, store_b128, 16, stores)
/// Not FLAT. MC prints them as global_load_lds_dword from gfx940 on, with an operand "lds" before.
#define ROCDRILL_LDS_LOADS(prefix, place, loads)                                          \
  ROCDRILL_ACCESS(prefix "_load_lds_ubyte", load_to_lds, place, load_u8, 1, loads),       \
      ROCDRILL_ACCESS(prefix "_load_lds_sbyte", load_to_lds, place, load_i8, 1, loads),   \
      ROCDRILL_ACCESS(prefix "_load_lds_ushort", load_to_lds, place, load_u16, 2, loads), \
      ROCDRILL_ACCESS(prefix "_load_lds_sshort", load_to_lds, place, load_i16, 2, loads), \
      ROCDRILL_ACCESS(prefix "_load_lds_dword", load_to_lds, place, load_b32, 4, loads)

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
