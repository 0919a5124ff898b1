// Configuration space. Offsets and fields: PCI Local Bus 3.0 (header, PM, MSI), PCI Express Base
// 5.0 section 7 (capabilities).
#include <algorithm>

#include "sim/host/pci.hpp"

namespace rocdrill::sim {
namespace {

class Config {
 public:
  Config() : bytes_(4096, '\0') {}
  void byte(std::size_t at, std::uint32_t value) { put(at, value, 1); }
  void word(std::size_t at, std::uint32_t value) { put(at, value, 2); }
  void dword(std::size_t at, std::uint32_t value) { put(at, value, 4); }
  std::string take() { return std::move(bytes_); }

 private:
  void put(std::size_t at, std::uint32_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes_.at(at + i) = static_cast<char>(value >> (8 * i) & 0xFF);
    }
  }
  std::string bytes_;
};

// Capability ids.
constexpr std::uint8_t power_management = 0x01, msi = 0x05, vendor_specific = 0x09,
                       subsystem_ids = 0x0D, express = 0x10;
constexpr std::uint16_t aer = 0x0001, extended_vendor = 0x000B, acs = 0x000D, ats = 0x000F,
                        resizable_bar = 0x0015, pasid = 0x001B;

void capability(Config& out, std::uint8_t at, std::uint8_t id, std::uint8_t next) {
  out.byte(at, id);
  out.byte(at + 1u, next);
}

void extended(Config& out, std::uint16_t at, std::uint16_t id, std::uint32_t version,
              std::uint16_t next) {
  out.dword(at, id | version << 16 | static_cast<std::uint32_t>(next) << 20);
}

void write_bars(Config& out, const PciDevice& device) {
  for (const PciBar& bar : device.bars) {
    const auto low = static_cast<std::uint32_t>(bar.address);
    const std::size_t at = 0x10 + 4 * bar.index;
    switch (bar.kind) {
      case PciBar::Kind::memory32:
        out.dword(at, low);
        break;
      case PciBar::Kind::prefetchable64:
        out.dword(at, low | 0xC);
        out.dword(at + 4, static_cast<std::uint32_t>(bar.address >> 32));
        break;
      case PciBar::Kind::io:
        out.dword(at, low | 0x1);
        break;
      case PciBar::Kind::rom:
        out.dword(0x30, low);  // its decoder is off
        break;
    }
  }
}

/// The windows of a bridge hold the BARs of the device below it.
void write_windows(Config& out, const PciDevice& child) {
  std::uint64_t low32 = UINT32_MAX, high32 = 0, low64 = UINT64_MAX, high64 = 0, io = 0;
  for (const PciBar& bar : child.bars) {
    if (bar.address == 0) continue;
    const std::uint64_t end = bar.address + bar.size - 1;
    if (bar.kind == PciBar::Kind::io) io = bar.address;
    if (bar.kind == PciBar::Kind::memory32 || bar.kind == PciBar::Kind::rom) {
      low32 = std::min(low32, bar.address);
      high32 = std::max(high32, end);
    }
    if (bar.kind == PciBar::Kind::prefetchable64) {
      low64 = std::min(low64, bar.address);
      high64 = std::max(high64, end);
    }
  }
  const bool has32 = high32 != 0, has64 = high64 != 0;
  out.byte(0x1C, io != 0 ? (io >> 8 & 0xF0) | 1 : 0xF1);
  out.byte(0x1D, io != 0 ? (io >> 8 & 0xF0) | 1 : 0x01);
  out.word(0x20, has32 ? low32 >> 16 & 0xFFF0 : 0xFFF0);
  out.word(0x22, has32 ? high32 >> 16 & 0xFFF0 : 0);
  out.word(0x24, (has64 ? low64 >> 16 & 0xFFF0 : 0xFFF0) | 1);
  out.word(0x26, (has64 ? high64 >> 16 & 0xFFF0 : 0) | 1);
  out.dword(0x28, has64 ? static_cast<std::uint32_t>(low64 >> 32) : 0);
  out.dword(0x2C, has64 ? static_cast<std::uint32_t>(high64 >> 32) : 0);
}

void write_header(Config& out, const PciDevice& device, const PciDevice* child) {
  out.word(0x00, device.vendor);
  out.word(0x02, device.device);
  const bool io = std::ranges::any_of(
      device.bars, [](const PciBar& bar) { return bar.kind == PciBar::Kind::io; });
  const std::uint32_t on = device.driver.empty() ? 0u : 0x406u;  // bus master, memory, no INTx
  out.word(0x04, on | (io && on != 0 ? 1u : 0u));
  out.word(0x06, 0x0010);  // has a capability list
  out.byte(0x08, device.revision);
  out.byte(0x09, device.class_code & 0xFF);
  out.word(0x0A, device.class_code >> 8);
  out.byte(0x0C, 0x10);  // 64-byte cache lines
  out.byte(0x3C, 0xFF);
  out.byte(0x3D, 1);
  if (!device.is_bridge()) {
    write_bars(out, device);
    out.word(0x2C, device.subsystem_vendor);
    out.word(0x2E, device.subsystem_device);
    out.byte(0x34, 0x48);
    return;
  }
  out.byte(0x0E, 1);
  out.byte(0x18, device.bdf.bus);
  out.byte(0x19, child ? child->bdf.bus : 0);
  out.byte(0x1A, child ? child->bdf.bus : 0);
  if (child) write_windows(out, *child);
  out.byte(0x34, 0x50);
}

void write_express(Config& out, const PciDevice& device, std::uint8_t at, std::uint8_t next) {
  const bool port = device.is_bridge();
  const bool display = device.class_code >> 16 == 0x03;
  capability(out, at, express, next);
  const std::uint32_t type = port ? 4 : display ? 1 : 0;  // root port, legacy endpoint, endpoint
  out.word(at + 2u, 2 | type << 4 | (port ? 0x100u : 0u));
  out.dword(at + 4u, port ? 0x8022 : 0x8FA1 | 1u << 28);  // 512 or 256 bytes, extended tags, FLR
  out.word(at + 8u, 0x2930);                              // relaxed ordering, extended tags
  const std::uint32_t width = device.link_lanes, speed = device.link_generation;
  out.dword(at + 0x0Cu, speed | width << 4 | 3u << 10 | (port ? 1u << 20 : 1u << 22));
  out.word(at + 0x10u, 0x40);  // common clock
  out.word(at + 0x12u, speed | width << 4 | 1u << 12 | (port ? 1u << 13 : 0u));
  if (port) out.word(at + 0x02u, 0x0142);
  // AtomicOps: bit 6 routing (ports), 7 and 8 the 32- and 64-bit completer; the driver turns the
  // requester on where every port up to the root routes them (pci_enable_atomic_ops_to_root).
  std::uint32_t capabilities = 0x1F | 1u << 11;
  if (port) {
    capabilities |= device.atomics ? 1u << 6 | 3u << 7 : 0u;
  } else {
    capabilities |= 3u << 7;
  }
  out.dword(at + 0x24u, capabilities);
  out.word(at + 0x28u, !port && device.atomics && !device.driver.empty() ? 1u << 6 : 0u);
  out.dword(at + 0x2Cu, ((1u << speed) - 1) << 1);
  out.word(at + 0x30u, speed);
  out.word(at + 0x32u, 0x1E);
}

void write_msi(Config& out, const PciDevice& device, std::uint8_t at, std::uint8_t next) {
  capability(out, at, msi, next);
  out.word(at + 2u, 0x80 | (device.driver.empty() ? 0u : 1u));
  if (!device.driver.empty()) out.dword(at + 4u, 0xFEE00000);
}

void write_endpoint(Config& out, const PciDevice& device) {
  capability(out, 0x48, vendor_specific, 0x50);
  out.byte(0x4A, 8);
  out.word(0x4C, device.subsystem_vendor);
  out.word(0x4E, device.subsystem_device);
  capability(out, 0x50, power_management, 0x64);
  out.word(0x52, 0x0003 | 0xF << 11 | 1 << 9 | 1 << 10);
  out.word(0x54, 1 << 3);
  write_express(out, device, 0x64, 0xA0);
  write_msi(out, device, 0xA0, 0);
  extended(out, 0x100, extended_vendor, 1, 0x150);
  out.dword(0x104, 1 | 1 << 16 | 0x10 << 20);
  extended(out, 0x150, aer, 2, 0x200);
  out.dword(0x15C, 0x462030);  // severities: the specification's defaults
  out.dword(0x164, 0x6000);
  extended(out, 0x200, resizable_bar, 1, 0x2A0);
  const auto frame = std::ranges::find(device.bars, 0u, &PciBar::index);
  if (frame != device.bars.end()) {
    std::uint32_t log2_mib = 0;
    while ((1ull << (20 + log2_mib)) < frame->size) ++log2_mib;
    out.dword(0x204, ((2u << std::min(log2_mib, 23u)) - (1u << 8)) << 4);
    out.dword(0x208, log2_mib << 8 | 1 << 5);
  }
  extended(out, 0x2A0, acs, 1, 0x2B0);
  extended(out, 0x2B0, ats, 1, 0x2D0);
  out.word(0x2B4, 0x20);
  extended(out, 0x2D0, pasid, 1, 0);
  out.word(0x2D4, 0x1006);
}

void write_port(Config& out, const PciDevice& device) {
  capability(out, 0x50, power_management, 0x58);
  out.word(0x52, 0x0003 | 0x19 << 11);
  write_express(out, device, 0x58, 0xA0);
  write_msi(out, device, 0xA0, 0xC0);
  capability(out, 0xC0, subsystem_ids, 0);
  out.word(0xC4, device.subsystem_vendor);
  out.word(0xC6, device.subsystem_device);
  extended(out, 0x100, extended_vendor, 1, 0x150);
  out.dword(0x104, 1 | 1 << 16 | 0x10 << 20);
  extended(out, 0x150, aer, 2, 0x2A0);
  out.dword(0x15C, 0x462030);
  out.dword(0x164, 0x6000);
  extended(out, 0x2A0, acs, 1, 0);
  out.word(0x2A4, 0x1F);
  out.word(0x2A6, device.acs_control);
}

}  // namespace

std::string config_space(const PciDevice& device, const PciDevice* child) {
  Config out;
  write_header(out, device, child);
  if (device.is_bridge()) {
    write_port(out, device);
  } else {
    write_endpoint(out, device);
  }
  return out.take();
}

}  // namespace rocdrill::sim
