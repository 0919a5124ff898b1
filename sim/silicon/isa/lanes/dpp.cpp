// DPP: the first source comes from other lanes of the wave.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, "DPP"; LLVM's
// "User Guide for AMDGPU Backend" for row_newbcast.
#include "sim/silicon/isa/lanes/integer.hpp"
#include "sim/silicon/isa/lanes/picked.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

constexpr unsigned row_lanes = 16;
constexpr unsigned rows = wave_lanes / row_lanes;

// Values of dpp_ctrl.
enum : unsigned {
  row_shl = 0x100,
  row_shr = 0x110,
  row_ror = 0x120,
  wave_shl = 0x130,
  wave_rol = 0x134,
  wave_shr = 0x138,
  wave_ror = 0x13C,
  row_mirror = 0x140,
  row_half_mirror = 0x141,
  row_bcast15 = 0x142,
  row_bcast31 = 0x143,
  row_newbcast = 0x150,
  controls = 0x160
};

/// Where the lanes of a row come from, for controls that treat all rows alike.
struct RowMap {
  std::uint8_t from[row_lanes] = {};
  std::uint16_t valid = 0;
};
constexpr unsigned nowhere = 0xFF;

constexpr unsigned source_in_row(unsigned control, unsigned lane) {
  const unsigned count = control & 15;
  if (control < row_shl) return (lane & ~3u) | (control >> (2 * (lane & 3)) & 3);
  if (control == row_mirror) return 15 - lane;
  if (control == row_half_mirror) return (lane & 8) | (7 - (lane & 7));
  if (control >= row_newbcast) return count;
  if (count == 0 || control >= wave_shl) return nowhere;
  if (control < row_shr) return lane + count < row_lanes ? lane + count : nowhere;
  if (control < row_ror) return lane >= count ? lane - count : nowhere;
  return (lane - count) & 15;
}

struct RowMaps {
  RowMap of[controls];
};
constexpr RowMaps make_row_maps() {
  RowMaps maps;
  for (unsigned control = 0; control < controls; ++control) {
    RowMap& map = maps.of[control];
    for (unsigned lane = 0; lane < row_lanes; ++lane) {
      const unsigned from = source_in_row(control, lane);
      if (from == nowhere) continue;
      map.from[lane] = static_cast<std::uint8_t>(from);
      map.valid = static_cast<std::uint16_t>(map.valid | 1u << lane);
    }
  }
  return maps;
}
constexpr RowMaps row_maps = make_row_maps();

ROCDRILL_INLINE bool crosses_rows(unsigned control) {
  return (control >= wave_shl && control < row_mirror) || control == row_bcast15 ||
         control == row_bcast31;
}
ROCDRILL_INLINE bool known(unsigned control) {
  if (crosses_rows(control)) return control >= row_mirror || control % 4 == 0;
  return control < controls && row_maps.of[control].valid != 0;
}

#if defined(__AVX512F__)
ROCDRILL_INLINE void permute_row(std::byte* to, const std::byte* from, const RowMap& map) {
  const __m512i lanes =
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(map.from)));
  deposit(to, as<U32>(_mm512_permutexvar_epi32(lanes, as<__m512i>(load(from)))));
}
#elif defined(__AVX2__)
ROCDRILL_INLINE void permute_row(std::byte* to, const std::byte* from, const RowMap& map) {
  const __m256i low = as<__m256i>(load(from));
  const __m256i high = as<__m256i>(load(from + 32));
  for (unsigned half = 0; half < 2; ++half) {
    const __m256i lanes = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(map.from + 8 * half)));
    const __m256 upper = as<__m256>(_mm256_slli_epi32(lanes, 28));
    deposit(to + 32 * half,
            as<U32>(_mm256_blendv_ps(as<__m256>(_mm256_permutevar8x32_epi32(low, lanes)),
                                     as<__m256>(_mm256_permutevar8x32_epi32(high, lanes)), upper)));
  }
}
#else
ROCDRILL_INLINE void permute_row(std::byte* to, const std::byte* from, const RowMap& map) {
  for (unsigned lane = 0; lane < row_lanes; ++lane)
    __builtin_memcpy(to + lane * 4, from + map.from[lane] * 4, 4);
}
#endif

ROCDRILL_INLINE void fill_row(std::byte* to, const std::byte* lane) {
  std::uint32_t value;
  __builtin_memcpy(&value, lane, sizeof value);
  for (unsigned n = 0; n < row_lanes / width; ++n) deposit(to + n * 4 * width, splat(value));
}
/// Lanes that have no source keep any value.
ROCDRILL_INLINE void permute_wave(std::byte* to, const std::byte* from, unsigned control) {
  constexpr unsigned last = vgpr_bytes - 4;
  constexpr unsigned row_bytes = row_lanes * 4;
  switch (control) {
    case wave_shl:
    case wave_rol:
      __builtin_memcpy(to, from + 4, last);
      __builtin_memcpy(to + last, from, 4);
      return;
    case wave_shr:
    case wave_ror:
      __builtin_memcpy(to + 4, from, last);
      __builtin_memcpy(to, from + last, 4);
      return;
    default:
      for (unsigned row = 1; row < rows; ++row)
        fill_row(to + row * row_bytes, from + (control == row_bcast31 ? 2 : row) * row_bytes - 4);
      fill_row(to, from);
      return;
  }
}
ROCDRILL_INLINE void permute(std::byte* to, const std::byte* from, unsigned control) {
  if (crosses_rows(control)) return permute_wave(to, from, control);
  const RowMap& map = row_maps.of[control];
  for (unsigned row = 0; row < rows; ++row)
    permute_row(to + row * row_lanes * 4, from + row * row_lanes * 4, map);
}

/// Lanes whose source exists.
ROCDRILL_INLINE std::uint64_t sourced_lanes(unsigned control) {
  switch (control) {
    case wave_shl:
      return ~(1ull << 63);
    case wave_shr:
      return ~1ull;
    case wave_rol:
    case wave_ror:
      return ~0ull;
    case row_bcast15:
      return ~0xFFFFull;
    case row_bcast31:
      return ~0xFFFFFFFFull;
    default:
      return row_maps.of[control].valid * 0x0001000100010001ull;
  }
}
/// And is one that EXEC has.
ROCDRILL_INLINE std::uint64_t valid_lanes(unsigned control, std::uint64_t exec) {
  const std::uint64_t exists = sourced_lanes(control);
  if (exec == ~0ull) return exists;
  alignas(64) std::byte enabled[vgpr_bytes];
  alignas(64) std::byte moved[vgpr_bytes];
  for (unsigned n = 0; n < blocks; ++n) deposit(enabled + n * 4 * width, expand(mask_of(exec, n)));
  permute(moved, enabled, control);
  std::uint64_t active = 0;
  for (unsigned n = 0; n < blocks; ++n) active |= placed(bits(load(moved + n * 4 * width)), n);
  return exists & active;
}

/// Lanes whose row and bank, of 4 lanes, the instruction writes.
ROCDRILL_INLINE std::uint64_t masked_lanes(unsigned row_mask, unsigned bank_mask) {
  if ((row_mask & bank_mask) == 15) return ~0ull;
  std::uint64_t lanes = 0;
  for (unsigned n = 0; n < 4; ++n) {
    if ((row_mask >> n & 1) != 0) lanes |= 0xFFFFull << (16 * n);
  }
  for (unsigned n = 0; n < 4; ++n)
    if ((bank_mask >> n & 1) == 0) lanes &= ~(0x000F000F000F000Full << (4 * n));
  return lanes;
}

ROCDRILL_INLINE void clear_but(std::byte* registers, std::uint64_t lanes) {
  for (unsigned n = 0; n < blocks; ++n) store(registers + n * 4 * width, U32{}, mask_of(~lanes, n));
}

}  // namespace

const Instruction* run_dpp(Wave& w, const Instruction* i) {
  const unsigned control = static_cast<unsigned>(i->immediate) & 0xFFFF;
  if (!known(control) || i->kind[src0] != Kind::vgpr) return w.refuse(i, "a reserved dpp_ctrl");
  const std::uint64_t exec = w.exec();
  const std::uint64_t valid = valid_lanes(control, exec);
  std::uint64_t written = exec & masked_lanes(static_cast<unsigned>(i->immediate) >> 16 & 15,
                                              static_cast<unsigned>(i->immediate) >> 20 & 15);
  const bool zeroes = (i->flags & bound_ctrl) != 0;
  if (!zeroes) written &= valid;
  Picked picked(w, i);
  const std::byte* const from = operand(w, *i, src0);
  std::byte* const to = picked.replace(src0);
  for (unsigned n = 0; n < ((i->flags & is_64) != 0 ? 2u : 1u); ++n) {
    permute(to + n * vgpr_bytes, from + n * vgpr_bytes, control);
    if (zeroes && valid != ~0ull) clear_but(to + n * vgpr_bytes, valid);
  }
  w.set_exec(written);
  const Instruction* const next = picked.run();
  w.set_exec(exec);
  return next;
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
