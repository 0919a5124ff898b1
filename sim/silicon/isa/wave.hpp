// The state of a wave, and of the workgroup that it belongs to.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/command_processor/queue_error.hpp"
#include "sim/silicon/isa/instruction.hpp"

namespace rocdrill::isa {

/// Numbers of registers that have names, as encoded.
namespace reg {
inline constexpr unsigned flat_scratch = 102;
inline constexpr unsigned xnack_mask = 104;
inline constexpr unsigned vcc = 106;
inline constexpr unsigned ttmp0 = 108;
inline constexpr unsigned m0 = 124;
inline constexpr unsigned exec = 126;
inline constexpr unsigned shared_base = 235;
inline constexpr unsigned shared_limit = 236;
inline constexpr unsigned private_base = 237;
inline constexpr unsigned private_limit = 238;
inline constexpr unsigned vccz = 251;
inline constexpr unsigned execz = 252;
inline constexpr unsigned scc = 253;
}  // namespace reg

enum class Stop : std::uint8_t {
  none,        ///< runs
  ended,       ///< s_endpgm
  barrier,     ///< waits for the rest of its workgroup; Wave::next goes on behind it
  yielded,     ///< its slice is used up, or it sleeps
  exception,   ///< Wave::exception
  unmodelled,  ///< Wave::unmodelled names it
};

/// What a wave raised, as the trap handler or the memory system reports it.
struct Exception {
  cp::KfdException code = cp::KfdException::none;
  std::uint64_t address = 0;  ///< of a memory violation
  cp::Access access = cp::Access::read;
  cp::Requester by;
};

/// Apertures and limits that a wave sees; the same for all waves of a dispatch.
struct Environment {
  std::uint64_t shared_base = 0;   ///< LDS aperture, 4 GiB; the high dword is SRC_SHARED_BASE
  std::uint64_t private_base = 0;  ///< scratch aperture
  std::uint64_t (*clock)(void*) = nullptr;            ///< s_memtime, s_memrealtime
  void (*interrupt)(void*, std::uint32_t) = nullptr;  ///< s_sendmsg; null: nobody takes it
  void* context = nullptr;                            ///< what both are called with
};

class Memory;
class CodeCache;
struct Fragment;
struct Dispatch;
struct Traffic;

/// Waves that share LDS and meet at barriers.
struct Workgroup {
  std::byte* lds = nullptr;  ///< 64-byte aligned
  std::uint32_t lds_bytes = 0;
  std::uint32_t id[3] = {};
  Dispatch* dispatch = nullptr;
};

/// A wave's registers. Vector registers lie register by register: lane l of v[r] is the dword at
/// bases[vgpr] + r * 256 + l * 4.
struct alignas(64) Wave {
  std::uint32_t s[128] = {};  ///< SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TTMPs, M0, EXEC: as encoded
  /// Room for the scalar operands of a vector instruction: per source a line of low and one of high
  /// dwords, all 16 the same.
  alignas(64) std::uint32_t splat[3][2][16] = {};
  std::byte* bases[kind_count] = {};

  std::uint32_t vgprs = 256;  ///< allocated
  std::uint32_t agprs = 256;
  std::uint32_t scc = 0;
  std::uint32_t mode = 0;     ///< hwreg MODE: rounding 3:0, denormals 7:4, DX10_CLAMP 8, IEEE 9
  std::uint32_t status = 0;   ///< hwreg STATUS
  std::uint32_t trapsts = 0;  ///< hwreg TRAPSTS
  std::uint32_t hw_id = 0;    ///< hwreg HW_ID: where it runs
  std::uint32_t xcc_id = 0;   ///< hwreg XCC_ID (gfx942)
  bool matrix_flushes_denormals = false;  ///< MI200: FP16 and BF16 MFMA and DOT2

  Stop stop = Stop::none;
  Exception exception;
  const char* unmodelled = nullptr;  ///< a text that outlives the wave
  /// Where it goes on, or the instruction that stopped it.
  const Instruction* next = nullptr;
  const Fragment* fragment = nullptr;  ///< that `next` lies in

  Workgroup* group = nullptr;
  Memory* memory = nullptr;
  CodeCache* code = nullptr;
  const Environment* environment = nullptr;
  /// gfx940 and later: the hardware holds this wave's scratch base. Before, FLAT_SCRATCH does.
  bool architected_scratch = false;
  std::uint64_t scratch_va = 0;
  std::uint32_t scratch_bytes = 0;  ///< of a lane; lanes are interleaved dword by dword
  /// Counts down at backward branches; the wave yields at 0.
  std::int32_t slice = 0;
  std::uint64_t executed[class_count] = {};  ///< instructions, by Class
  Traffic* traffic = nullptr;                ///< where to count it; nullptr: nobody asked

  /// Where scratch begins: the dword at offset o of lane l lies at + o * 64 + l * 4.
  ROCDRILL_INLINE std::uint64_t scratch_base() const {
    return architected_scratch ? scratch_va : pair(reg::flat_scratch);
  }
  ROCDRILL_INLINE std::uint64_t exec() const { return pair(reg::exec); }
  ROCDRILL_INLINE std::uint64_t vcc() const { return pair(reg::vcc); }
  ROCDRILL_INLINE void set_exec(std::uint64_t mask) { set_pair(reg::exec, mask); }
  ROCDRILL_INLINE void set_vcc(std::uint64_t mask) { set_pair(reg::vcc, mask); }
  ROCDRILL_INLINE std::uint64_t pair(unsigned number) const {
    std::uint64_t value;
    std::memcpy(&value, s + number, sizeof value);
    return value;
  }
  ROCDRILL_INLINE void set_pair(unsigned number, std::uint64_t value) {
    std::memcpy(s + number, &value, sizeof value);
  }
  ROCDRILL_INLINE std::uint32_t* vgpr(unsigned number) {
    return reinterpret_cast<std::uint32_t*>(bases[static_cast<unsigned>(Kind::vgpr)] +
                                            number * std::size_t{vgpr_bytes});
  }

  /// Stops at `at`, which did not happen.
  ROCDRILL_INLINE const Instruction* raise(const Instruction* at, cp::KfdException code) {
    stop = Stop::exception;
    exception = {code, 0, cp::Access::read, {}};
    next = at;
    return nullptr;
  }
  ROCDRILL_INLINE const Instruction* fault(const Instruction* at, std::uint64_t address,
                                           cp::Access access, cp::Unit unit) {
    stop = Stop::exception;
    exception = {cp::KfdException::wave_memory_violation, address, access, {unit, xcc_id}};
    next = at;
    return nullptr;
  }
  ROCDRILL_INLINE const Instruction* refuse(const Instruction* at, const char* what) {
    stop = Stop::unmodelled;
    unmodelled = what;
    next = at;
    return nullptr;
  }
};

/// The address of an operand's first dword (of lane 0, for a vector register). Not for
/// Kind::special.
ROCDRILL_INLINE std::byte* operand(const Wave& wave, const Instruction& instruction, unsigned n) {
  return wave.bases[static_cast<unsigned>(instruction.kind[n])] + instruction.offset[n];
}

}  // namespace rocdrill::isa
