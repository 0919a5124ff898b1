// Ring-buffer lines: drivers/pci/setup-bus.c and setup-res.c, whose wording changed with 6.8.
#include "sim/kernel/resources.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::kernel {
namespace {

constexpr std::uint32_t register_bar = 5;

bool reallocates(const sim::Os& os) {
  // The parser of pci= takes a list; realloc=off is one of its words.
  std::string options = sim::cmdline_value(os.cmdline, "pci").value_or("");
  std::ranges::replace(options, ',', ' ');
  const auto words = sim::words_of(options);
  return std::ranges::any_of(
      words, [](const std::string& word) { return word == "realloc" || word == "realloc=on"; });
}

/// AMD's data centre boards have virtual functions.
bool has_virtual_functions(const sim::PciDevice& device) {
  const std::uint32_t kind = device.class_code >> 8;
  return device.vendor == 0x1002 && (kind == 0x0380 || kind == 0x1200);
}

}  // namespace

bool iommu_translates(std::string_view cmdline) {
  const auto is = [&](std::string_view name, std::string_view value) {
    return sim::cmdline_value(cmdline, name) == value;
  };
  return !is("iommu", "pt") && !is("iommu", "off") && !is("iommu.passthrough", "1") &&
         !is("amd_iommu", "off");
}

bool has_registers(const sim::PciDevice& device) {
  const auto bar = std::ranges::find(device.bars, register_bar, &sim::PciBar::index);
  return bar != device.bars.end() && bar->address != 0;
}

void assign_resources(sim::Os& os) {
  if (!os.uefi.sriov || !reallocates(os)) return;
  const bool new_words = sim::compare_versions(os.kernel_release, "6.8") >= 0;
  for (const auto& [bdf, listed] : os.pci.devices()) {
    if (!has_virtual_functions(listed)) continue;
    sim::PciDevice& device = *os.pci.find(bdf);
    const auto bar = std::ranges::find(device.bars, register_bar, &sim::PciBar::index);
    if (bar == device.bars.end()) continue;
    const std::string range = fmt::format("[mem size {:#010x}]", bar->size);
    const std::string shows =
        new_words ? fmt::format("pci {}: BAR 5 {}: can't assign; no space", bdf.text(), range)
                  : fmt::format("pci {}: BAR 5: no space for {}", bdf.text(), range);
    const EventId event = os.journal.record(
        Layer::kernel, Severity::error, "pci.bar_unassigned", bdf.text(),
        {{field::asked, "room for BAR 5 (registers) beside those of the virtual functions"},
         {field::got, "no space"},
         {field::did, "the device has no registers to talk to"},
         {field::shows, std::string_view(shows)},
         {field::see, "dmesg"}},
        os.cmdline_event != no_event ? os.cmdline_event : os.boot_event);
    os.log(4, shows, event);
    os.log(4,
           new_words ? fmt::format("pci {}: BAR 5 {}: failed to assign", bdf.text(), range)
                     : fmt::format("pci {}: BAR 5: failed to assign {}", bdf.text(), range),
           event);
    bar->address = 0;
    device.event = event;
  }
}

}  // namespace rocdrill::kernel
