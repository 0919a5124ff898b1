// ras_ctrl of debugfs: what root injects, enables and retires. Wording: amdgpu_ras.c.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "sim/kernel/amdgpu.hpp"

namespace rocdrill::kernel {

using silicon::RasBlock;

namespace {

/// What is written to ras_ctrl. The driver reads it with sscanf, and so does this.
struct RasCommand {
  enum class Operation : std::uint8_t { disable, enable, inject, retire };
  Operation operation = Operation::disable;
  std::string block;
  std::string error = "ue";
  unsigned sub_block = 0;
  unsigned long long address = 0, value = 0;
  unsigned mask = 0;
};

std::optional<RasCommand> parse_command(std::string_view given) {
  constexpr std::size_t most = 64;
  const std::string text(given.substr(0, most));
  const char* str = text.c_str();
  char block[33] = {}, error[9] = "ue";
  RasCommand command;
  using Operation = RasCommand::Operation;
  if (std::sscanf(str, "disable %32s", block) == 1) {
    command.operation = Operation::disable;
  } else if (std::sscanf(str, "enable %32s %8s", block, error) == 2) {
    command.operation = Operation::enable;
  } else if (std::sscanf(str, "inject %32s %8s", block, error) == 2) {
    command.operation = Operation::inject;
  } else if (text.find("retire_page") != std::string::npos) {
    command.operation = Operation::retire;
    if (std::sscanf(str, "%*s 0x%llx", &command.address) != 1 &&
        std::sscanf(str, "%*s %llu", &command.address) != 1)
      return std::nullopt;
    return command;
  } else {
    return std::nullopt;
  }
  command.block = block;
  command.error = error;
  if (command.operation != Operation::inject) return command;
  // The mask of instances came later and may be left out.
  const int hexadecimal =
      std::sscanf(str, "%*s %*s %*s 0x%x 0x%llx 0x%llx 0x%x", &command.sub_block, &command.address,
                  &command.value, &command.mask);
  if (hexadecimal >= 3) return command;
  const int decimal = std::sscanf(str, "%*s %*s %*s %u %llu %llu %u", &command.sub_block,
                                  &command.address, &command.value, &command.mask);
  return decimal >= 3 ? std::optional(command) : std::nullopt;
}

}  // namespace

SysResult<void> Amdgpu::ras_control(std::size_t index, std::string_view text, EventId cause) {
  GpuDevice& device = devices_.at(index);
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  if (resetting()) {
    log_device(gpu, 4, "RAS WARN: error injection currently inaccessible", cause);
    return {};
  }
  const auto command = parse_command(text);
  if (!command) return fail(EINVAL, cause);
  using Operation = RasCommand::Operation;
  const auto invalid_address = [&] {
    if (command->address < gpu.product->vram_bytes) return false;
    log_device(gpu, 4, fmt::format("RAS WARN: input address {:#x} is invalid.", command->address),
               cause);
    return true;
  };
  const std::uint64_t page = command->address / silicon::vram_page * silicon::vram_page;
  const bool known_bad = std::ranges::find(gpu.ras.eeprom, page) != gpu.ras.eeprom.end();
  if (command->operation == Operation::retire) {
    if (invalid_address()) return fail(EINVAL, cause);
    if (known_bad) {
      log_device(
          gpu, 4,
          fmt::format("RAS WARN: {:#x} has already been marked as bad page!", command->address),
          cause);
      return {};
    }
    retire_row(device.gpu, page, cause);
    log_device(gpu, 4, "WARNING: THIS IS ONLY FOR TEST PURPOSES AND WILL CORRUPT RAS EEPROM",
               cause);
    return {};
  }
  const auto block = silicon::parse_ras_block(command->block);
  const bool poison = command->error.starts_with("poison");
  const bool correctable = command->error.starts_with("ce");
  if (!block || (!correctable && !poison && !command->error.starts_with("ue")))
    return fail(EINVAL, cause);
  const std::uint32_t supported = silicon::ras_blocks(*gpu.product);
  if ((supported & bit(*block)) == 0) return fail(EINVAL, cause);
  if (command->operation != Operation::inject) {
    if (command->operation == Operation::enable)
      device.ras_enabled |= bit(*block);
    else
      device.ras_enabled &= ~bit(*block);
    return {};
  }
  if (invalid_address()) return fail(EINVAL, cause);
  if (*block == RasBlock::umc && known_bad) {
    log_device(
        gpu, 4,
        fmt::format("RAS WARN: inject: {:#x} has already been marked as bad!", command->address),
        cause);
    return {};
  }
  if (poison && *block != RasBlock::umc) {
    return fail(EINVAL, os_.journal.unmodelled(Layer::kernel, "poison in a block other than umc",
                                               "EINVAL", cause));
  }
  if (correctable) {
    count_error(device.gpu, *block, true, 0, cause);
  } else if (*block == RasBlock::umc) {
    memory_error(device.gpu, page, cause);
  } else {
    fatal_error(device.gpu, *block, cause);
  }
  return {};
}

}  // namespace rocdrill::kernel
