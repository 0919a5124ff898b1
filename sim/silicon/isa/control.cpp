#include "sim/silicon/isa/control.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/silicon/isa/vector_tables.hpp"

namespace rocdrill::isa {
namespace {

using Table = std::unordered_map<std::string_view, const Entry*>;

Table make_table(Level level) {
  Table table;
  const auto add = [&table](std::span<const Entry> entries) {
    for (const Entry& entry : entries)
      if (!table.emplace(entry.mnemonic, &entry).second)
        throw std::logic_error(std::string(entry.mnemonic) + " is in two tables");
  };
  add(scalar_entries());
  add(flow_entries());
  add(gpr_index_entries());
  add(scalar_memory_entries());
  for (const std::span<const Entry> entries : vector_entries(level)) add(entries);
  return table;
}

const Table& table_of(Level level) {
  static const Table baseline = make_table(Level::baseline);
  static const Table avx2 = make_table(Level::avx2);
  static const Table avx512 = make_table(Level::avx512);
  switch (level) {
    case Level::baseline:
      return baseline;
    case Level::avx2:
      return avx2;
    case Level::avx512:
      return avx512;
  }
  return baseline;
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("f16c") != 0 && __builtin_cpu_supports("bmi2") != 0;
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}

Level detect_level() {
  const Level best = has_avx512() ? Level::avx512 : has_avx2() ? Level::avx2 : Level::baseline;
  const char* wanted = std::getenv("ROCDRILL_ISA_LEVEL");
  if (wanted == nullptr) return best;
  for (const Level level : {Level::baseline, Level::avx2, Level::avx512})
    if (name(level) == wanted && level <= best) return level;
  return best;
}

/// A and B, and the places of a sparse A, lie in registers of lanes; the addend there or it is a
/// constant. Other encodings mean nothing.
bool has_matrices(const Instruction& i, const Entry& entry) {
  const auto in_lanes = [&i](unsigned n) {
    return i.kind[n] == Kind::vgpr || i.kind[n] == Kind::agpr;
  };
  const bool sparse = entry.mnemonic.starts_with("v_smfmac");
  return in_lanes(src0) && in_lanes(src1) &&
         (in_lanes(src2) || (!sparse && i.kind[src2] == Kind::constant));
}

}  // namespace

std::string_view name(Level level) {
  switch (level) {
    case Level::baseline:
      return "baseline";
    case Level::avx2:
      return "avx2";
    case Level::avx512:
      return "avx512";
  }
  return "?";
}

Level best_level() {
  static const Level level = detect_level();
  return level;
}

const Entry* find_entry(std::string_view mnemonic, Level level) {
  const Table& table = table_of(level);
  const auto at = table.find(mnemonic);
  return at == table.end() ? nullptr : at->second;
}

std::vector<std::string_view> executed_mnemonics() {
  std::vector<std::string_view> names;
  for (const auto& [mnemonic, entry] : table_of(Level::baseline)) names.push_back(mnemonic);
  return names;
}

void choose_handler(Instruction& out, const Entry* entry, bool sdwa, bool dpp,
                    const Wrappers& wrappers) {
  if (entry == nullptr || (out.flags & gds) != 0) return;
  out.counted_as = entry->counted_as;
  out.precision = entry->precision;
  out.registers = entry->registers;
  const bool vector =
      entry->counted_as == Class::valu || entry->counted_as == Class::transcendental;
  if (!vector) {
    if (entry->counted_as == Class::mfma && !has_matrices(out, *entry)) return;
    out.run = entry->run;
    return;
  }
  std::uint8_t sources = 0;
  for (const std::uint8_t modifier : out.modifiers) sources |= modifier;
  const bool packed = entry->element == Element::packed;
  const bool picks = !packed && (sources & (op_sel | op_sel_hi)) != 0;
  const bool changes =
      !packed && ((sources & (neg | abs)) != 0 || out.omod != 0 || (out.flags & clamp) != 0);
  if (changes) {
    out.flags = static_cast<std::uint16_t>(out.flags | modified);
    if (entry->modified == nullptr) return;
  }
  // It writes both its operands.
  if (entry->mnemonic == "v_swap_b32" && out.kind[sdst] != Kind::vgpr) return;
  Handler compute = changes && entry->modified != nullptr ? entry->modified : entry->run;
  const bool compares = out.kind[dst] == Kind::sgpr;
  if (sdwa) {
    out.body = compute;
    compute = compares ? wrappers.sdwa_compare : wrappers.sdwa;
  } else if (dpp) {
    if (entry->element == Element::b64) out.flags = static_cast<std::uint16_t>(out.flags | is_64);
    out.body = compute;
    compute = compares ? wrappers.dpp_compare : wrappers.dpp;
  } else if (picks) {
    out.body = compute;
    compute = wrappers.op_sel;
  }
  out.run = compute;
}

std::uint64_t special_value(const Wave& wave, std::uint32_t number) {
  const Environment& environment = *wave.environment;
  // The apertures' registers hold the high dword; as 64-bit operands, the address.
  switch (number) {
    case reg::shared_base:
      return environment.shared_base;
    case reg::shared_limit:
      return environment.shared_base | 0xFFFFFFFFull;
    case reg::private_base:
      return environment.private_base;
    case reg::private_limit:
      return environment.private_base | 0xFFFFFFFFull;
    case reg::vccz:
      return wave.vcc() == 0 ? 1 : 0;
    case reg::execz:
      return wave.exec() == 0 ? 1 : 0;
    case reg::scc:
      return wave.scc;
    default:
      return 0;
  }
}

}  // namespace rocdrill::isa
