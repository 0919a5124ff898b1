// <pci device>/ras and /sys/kernel/debug/dri/N/ras (amdgpu_ras.c, amdgpu_ras_eeprom.c).
#include <fmt/format.h>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::RasBlock;

}  // namespace

void SysFs::ras(Directory& into, std::size_t index) const {
  const GpuDevice& device = kernel_.amdgpu.devices()[index];
  const std::uint32_t blocks = silicon::ras_blocks(*gpu_of(device).product);
  if (blocks == 0) return;
  into.directory("ras", [this, index, &device, blocks](Directory& inside) {
    if (const EventId event = gpu_of(device).ras.event; event != no_event) inside.explain(event);
    for (unsigned number = 0; number < silicon::ras_block_count; ++number) {
      const auto block = static_cast<RasBlock>(number);
      if ((blocks & bit(block)) == 0) continue;
      inside.file(fmt::format("{}_err_count", name(block)),
                  [this, index, block] { return kernel_.amdgpu.error_count(index, block); });
    }
    inside.file("features",
                [&device] { return fmt::format("feature mask: {:#x}\n", device.ras_enabled); });
    inside.file("gpu_vram_bad_pages", [this, index] { return kernel_.amdgpu.bad_pages(index); });
  });
}

/// Only root gets through /sys/kernel/debug.
void SysFs::debug(Directory& into) const {
  into.directory(
      "debug",
      [this](Directory& above) {
        above.directory("dri", [this](Directory& dri) {
          const auto& devices = kernel_.amdgpu.devices();
          for (std::size_t i = 0; i < devices.size(); ++i) {
            if (devices[i].state != GpuDevice::State::bound) continue;
            dri.directory(fmt::format("{}", devices[i].card_minor),
                          [this, i](Directory& inside) { debug_device(inside, i); });
          }
        });
      },
      0700);
}

void SysFs::debug_device(Directory& into, std::size_t index) const {
  const GpuDevice& device = kernel_.amdgpu.devices()[index];
  if (silicon::ras_blocks(*gpu_of(device).product) == 0) return;
  into.directory("ras", [this, index](Directory& inside) {
    Amdgpu& driver = kernel_.amdgpu;
    inside.write_only("ras_ctrl", [&driver, index](std::string_view text, EventId cause) {
      return driver.ras_control(index, text, cause);
    });
    inside.write_only("ras_eeprom_reset", [&driver, index](std::string_view, EventId cause) {
      return driver.reset_eeprom(index, cause);
    });
    inside.text("ras_eeprom_size",
                fmt::format("{} bytes or {} records\n", 256 << 10, silicon::eeprom_records));
    inside.file("ras_eeprom_table", [&driver, index] { return driver.eeprom_table(index); });
  });
}

}  // namespace rocdrill::kernel
