#include "sim/silicon/ras.hpp"

#include <algorithm>

#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::silicon {
namespace {

constexpr std::array<std::string_view, ras_block_count> names = {
    "umc", "sdma", "gfx", "mmhub", "athub", "pcie_bif", "hdp", "xgmi_wafl", "df",
    "smn", "sem",  "mp0", "mp1",   "fuse",  "mca",      "vcn", "jpeg"};

}  // namespace

std::string_view name(RasBlock block) { return names[static_cast<std::size_t>(block)]; }

std::optional<RasBlock> parse_ras_block(std::string_view text) {
  const auto at = std::ranges::find(names, text);
  if (at == names.end()) return std::nullopt;
  return static_cast<RasBlock>(at - names.begin());
}

/// Which blocks a product has is assumed.
std::uint32_t ras_blocks(const GpuProduct& product) {
  if ((product.capability & kfd::capability::ras_event_notify) == 0) return 0;
  std::uint32_t mask = bit(RasBlock::umc) | bit(RasBlock::sdma) | bit(RasBlock::gfx) |
                       bit(RasBlock::mmhub) | bit(RasBlock::pcie_bif) | bit(RasBlock::hdp);
  if (product.xgmi_links != 0) mask |= bit(RasBlock::xgmi_wafl);
  return mask;
}

std::array<std::uint64_t, 8> row_of(std::uint64_t address) {
  constexpr unsigned first_column_bit = 15;
  const std::uint64_t page = address / vram_page * vram_page;
  const std::uint64_t base = page & ~(std::uint64_t{7} << first_column_bit);
  std::array<std::uint64_t, 8> pages{};
  for (std::uint64_t i = 0; i < pages.size(); ++i) pages[i] = base | i << first_column_bit;
  return pages;
}

std::string_view name(Throttler throttler) {
  constexpr std::array<std::string_view, 5> labels = {"Prochot", "PPT", "SOC", "VR", "HBM"};
  return labels[static_cast<std::size_t>(throttler)];
}

}  // namespace rocdrill::silicon
