#include "sim/silicon/isa/traffic.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/silicon/isa/semantics.hpp"
#include "sim/silicon/isa/wave.hpp"

namespace rocdrill::isa {
namespace {

constexpr unsigned banks = 32;

/// How a mnemonic reaches memory.
struct Move {
  std::uint8_t bytes = 0;  ///< of a lane, or of the wave (SMEM); of each value of DS with two
  std::uint8_t values = 1;
  std::uint16_t stride = 1;  ///< DS with two values: what their offsets count, in values
  bool reads = false;
  bool writes = false;
  bool atomic = false;
};

std::uint8_t bytes_of(std::string_view name) {
  struct Suffix {
    std::string_view text;
    std::uint8_t bytes;
  };
  // Longer ones first: "_b128" before "_b8".
  constexpr Suffix suffixes[] = {
      {"dwordx16", 64}, {"dwordx8", 32}, {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8},
      {"dword", 4},     {"ubyte", 1},    {"sbyte", 1},    {"_byte", 1},    {"short", 2},
      {"_b128", 16},    {"_b96", 12},    {"_b64", 8},     {"_u64", 8},     {"_i64", 8},
      {"_f64", 8},      {"_x2", 8},      {"_b32", 4},     {"_u32", 4},     {"_i32", 4},
      {"_f32", 4},      {"_f16", 4},     {"_bf16", 4},    {"_u16", 2},     {"_i16", 2},
      {"_b16", 2},      {"_u8", 1},      {"_i8", 1},      {"_b8", 1}};
  for (const Suffix& one : suffixes)
    if (name.find(one.text) != std::string_view::npos) return one.bytes;
  return name.find("atomic") != std::string_view::npos ? 4 : 0;
}

bool passes_through(std::string_view name) {  // LDS hardware without LDS memory
  return name.find("permute") != std::string_view::npos ||
         name.find("swizzle") != std::string_view::npos || name == "ds_nop";
}

Move move_of(std::string_view name, Class counted_as) {
  Move move{.bytes = bytes_of(name)};
  switch (counted_as) {
    case Class::smem:
    case Class::vmem_load:
      move.reads = true;
      break;
    case Class::vmem_store:
      move.writes = true;
      break;
    case Class::vmem_atomic:
      move.reads = move.writes = move.atomic = true;
      break;
    case Class::scratch:
      move.writes = name.find("store") != std::string_view::npos;
      move.reads = !move.writes;
      break;
    case Class::lds:
      if (passes_through(name)) return {};
      move.reads = name.starts_with("ds_read");
      move.writes = name.starts_with("ds_write");
      if (!move.reads && !move.writes) move.reads = move.writes = move.atomic = true;
      if (name.find("read2") != std::string_view::npos ||
          name.find("write2") != std::string_view::npos || name.starts_with("ds_wrxchg2"))
        move.values = 2;
      if (name.find("st64") != std::string_view::npos) move.stride = 64;
      break;
    default:
      return {};
  }
  return move;
}

const Move* find(Handler run) {
  static const std::unordered_map<Handler, Move> known = [] {
    std::unordered_map<Handler, Move> list;
    for (const Level level : {Level::baseline, Level::avx2, Level::avx512}) {
      for (const std::string_view name : executed_mnemonics()) {
        const Entry* entry = find_entry(name, level);
        if (entry == nullptr) continue;
        const Move move = move_of(name, entry->counted_as);
        if (move.bytes != 0) list.emplace(entry->run, move);
      }
    }
    return list;
  }();
  const auto at = known.find(run);
  return at == known.end() ? nullptr : &at->second;
}

/// The cycles of one value of each lane; `add`: the offset of all.
std::uint64_t lds_cycles(const Wave& w, const Instruction& i, const Move& move, std::uint32_t add,
                         std::uint64_t& conflicts) {
  const unsigned dwords = (move.bytes + 3u) / 4;
  const unsigned together = std::max(1u, banks / std::bit_ceil(dwords));
  const std::byte* addresses = operand(w, i, ds_addr);
  const std::uint64_t exec = w.exec();
  std::uint64_t cycles = 0;
  for (unsigned first = 0; first < wave_lanes; first += together) {
    std::vector<std::uint32_t> at_bank[banks];
    std::size_t most = 0;
    for (unsigned l = first; l < first + together; ++l) {
      if ((exec >> l & 1) == 0) continue;
      std::uint32_t address;
      std::memcpy(&address, addresses + std::size_t{l} * 4, sizeof address);
      for (unsigned d = 0; d < dwords; ++d) {
        const std::uint32_t dword = (address + add) / 4 + d;
        auto& bank = at_bank[dword % banks];
        if (move.atomic || std::ranges::find(bank, dword) == bank.end()) bank.push_back(dword);
        most = std::max(most, bank.size());
      }
    }
    if (most == 0) continue;
    cycles += most;
    conflicts += most - 1;
  }
  return cycles;
}

void count_lds(const Wave& w, const Instruction& i, const Move& move, Traffic& traffic) {
  const auto lanes = static_cast<unsigned>(std::popcount(w.exec()));
  const std::uint64_t bytes = std::uint64_t{lanes} * move.bytes * move.values;
  if (move.reads) traffic.lds_read += bytes;
  if (move.writes) traffic.lds_written += bytes;
  for (unsigned value = 0; value < move.values; ++value) {
    const auto offset = static_cast<std::uint32_t>(i.immediate);
    const std::uint32_t add = move.values == 1
                                  ? offset & 0xFFFF
                                  : (offset >> (8 * value) & 0xFF) * move.bytes * move.stride;
    traffic.lds_cycles += lds_cycles(w, i, move, add, traffic.lds_conflict_cycles);
  }
}

/// FLAT whose lanes address LDS: those of one instruction do, or do not.
bool through_shared_aperture(const Wave& w, const Instruction& i) {
  if (w.exec() == 0 || i.kind[vaddr] != Kind::vgpr || (i.flags & has_saddr) != 0) return false;
  const auto lane = static_cast<std::size_t>(std::countr_zero(w.exec()));
  std::uint32_t high;
  std::memcpy(&high, operand(w, i, vaddr) + vgpr_bytes + lane * 4, sizeof high);
  return high == w.environment->shared_base >> 32;
}

}  // namespace

void Traffic::add(const Traffic& other) {
  read += other.read;
  written += other.written;
  scalar_read += other.scalar_read;
  lds_read += other.lds_read;
  lds_written += other.lds_written;
  lds_cycles += other.lds_cycles;
  lds_conflict_cycles += other.lds_conflict_cycles;
}

void count_traffic(const Wave& wave, const Instruction& instruction, Traffic& traffic) {
  switch (instruction.counted_as) {
    case Class::smem:
    case Class::vmem_load:
    case Class::vmem_store:
    case Class::vmem_atomic:
    case Class::scratch:
    case Class::lds:
      break;
    default:
      return;
  }
  const Move* move = find(instruction.run);
  if (move == nullptr) return;
  if (instruction.counted_as == Class::smem) {
    traffic.scalar_read += move->bytes;
    return;
  }
  if (instruction.counted_as == Class::lds) {
    count_lds(wave, instruction, *move, traffic);
    return;
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::popcount(wave.exec())) * move->bytes;
  const bool shared =
      instruction.counted_as != Class::scratch && through_shared_aperture(wave, instruction);
  if (move->reads) (shared ? traffic.lds_read : traffic.read) += bytes;
  if (move->writes) (shared ? traffic.lds_written : traffic.written) += bytes;
}

}  // namespace rocdrill::isa
