#include "sim/silicon/command_processor/pm4.hpp"

#include <fmt/format.h>

#include <cstring>

namespace rocdrill::cp::pm4 {
namespace {

// IT_* opcodes of type-3 packets.
constexpr std::uint32_t nop = 0x10;
constexpr std::uint32_t indirect_buffer = 0x3F;
constexpr std::uint32_t acquire_mem = 0x58;

struct Opcode {
  std::uint32_t number;
  const char* name;
};
constexpr Opcode names[] = {
    {0x15, "DISPATCH_DIRECT"}, {0x16, "DISPATCH_INDIRECT"}, {0x1E, "ATOMIC_MEM"},
    {0x37, "WRITE_DATA"},      {0x3C, "WAIT_REG_MEM"},      {0x40, "COPY_DATA"},
    {0x46, "EVENT_WRITE"},     {0x49, "RELEASE_MEM"},       {0x50, "DMA_DATA"},
    {0x68, "SET_CONFIG_REG"},  {0x76, "SET_SH_REG"},        {0x79, "SET_UCONFIG_REG"},
};

std::string name_of(std::uint32_t opcode) {
  for (const Opcode& one : names)
    if (one.number == opcode) return fmt::format("PM4 {}", one.name);
  return fmt::format("PM4 opcode {:#x}", opcode);
}

constexpr bool is_type3(std::uint32_t header) { return header >> 30 == 3; }
constexpr std::uint32_t opcode_of(std::uint32_t header) { return header >> 8 & 0xFF; }
/// Dwords of the packet, the header among them.
constexpr std::uint32_t dwords_of(std::uint32_t header) { return (header >> 16 & 0x3FFF) + 2; }

}  // namespace

std::expected<Effects, Refusal> execute(const aql::Pm4IndirectBuffer& packet,
                                        AddressSpace& memory) {
  const std::uint32_t header = packet.ib_jump_cmd[0];
  if (!is_type3(header) || opcode_of(header) != indirect_buffer)
    return std::unexpected(Refusal{0, name_of(opcode_of(header)) + " for an indirect buffer"});
  const std::uint64_t base =
      (packet.ib_jump_cmd[1] & ~3u) | std::uint64_t{packet.ib_jump_cmd[2] & 0xFFFF} << 32;
  const std::uint32_t dwords = packet.ib_jump_cmd[3] & 0xFFFFF;
  Effects effects;
  for (std::uint32_t at = 0; at < dwords;) {
    const std::uint64_t va = base + std::uint64_t{at} * 4;
    const void* word = memory.translate(va, 4, Access::read);
    if (word == nullptr) return std::unexpected(Refusal{va, {}});
    std::uint32_t command;
    std::memcpy(&command, word, sizeof command);
    if (!is_type3(command))
      return std::unexpected(Refusal{0, fmt::format("PM4 packet of type {}", command >> 30)});
    switch (opcode_of(command)) {
      case nop:
        break;
      case acquire_mem:
        effects.invalidates_code = true;
        break;
      default:
        return std::unexpected(Refusal{0, name_of(opcode_of(command))});
    }
    at += dwords_of(command);
  }
  return effects;
}

}  // namespace rocdrill::cp::pm4
