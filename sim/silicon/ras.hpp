// What goes wrong in a GPU's own hardware: the blocks that count errors, poisoned memory, the
// EEPROM that keeps the retired pages, and parts that are broken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "stack/event.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::silicon {

/// In the driver's order (ras_block_string of amdgpu_ras.c): the number is a bit of its masks.
enum class RasBlock : std::uint8_t {
  umc,
  sdma,
  gfx,
  mmhub,
  athub,
  pcie_bif,
  hdp,
  xgmi_wafl,
  df,
  smn,
  sem,
  mp0,
  mp1,
  fuse,
  mca,
  vcn,
  jpeg,
};
inline constexpr std::size_t ras_block_count = 17;

std::string_view name(RasBlock block);  ///< "xgmi_wafl"
std::optional<RasBlock> parse_ras_block(std::string_view name);
/// Blocks of the product that count errors, as a mask; 0: it has no RAS.
std::uint32_t ras_blocks(const GpuProduct& product);
constexpr std::uint32_t bit(RasBlock block) { return 1u << static_cast<unsigned>(block); }

/// Uncorrectable, correctable and deferred (poison that nobody has consumed yet).
struct ErrorCount {
  std::uint64_t ue = 0, ce = 0, de = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("ue", ue);
    archive("ce", ce);
    archive("de", de);
  }
};

inline constexpr std::uint64_t vram_page = 4096;
/// Records that the EEPROM takes: RAS_TBL_SIZE_BYTES less the header, in records of 24 bytes.
inline constexpr std::uint32_t eeprom_records = 10921;

/// Addresses are those of VRAM, from 0, of whole pages.
struct Ras {
  std::map<RasBlock, ErrorCount> counts;  ///< until the power goes
  std::set<std::uint64_t> poisoned;       ///< pages that hold poison, until VRAM is lost
  std::vector<std::uint64_t> eeprom;      ///< retired pages; stay for the board's life
  bool bad = false;                       ///< the table's header says BAD: past the threshold
  EventId event = no_event;               ///< the last error

  template <class Archive>
  void serialize(Archive& archive) {
    archive("counts", counts);
    archive("poisoned", poisoned);
    archive("eeprom", eeprom);
    archive("bad", bad);
    archive("event", event);
  }
};

/// The pages of one HBM row, which share their fate: those whose addresses differ in three column
/// bits. Which bits is assumed.
std::array<std::uint64_t, 8> row_of(std::uint64_t address);

/// What limits the clocks; the names are the driver's (smu_v13_0_6_ppt.c).
enum class Throttler : std::uint8_t { prochot, ppt, soc, vr, hbm };
std::string_view name(Throttler throttler);  ///< "PPT", "SOC"

/// Parts that are broken. A board that is replaced has none.
struct Defects {
  bool boot = false;        ///< its PSP does not load its firmware: the hive does not come up
  bool under_load = false;  ///< waves make it raise a fatal error
  RasBlock block = RasBlock::gfx;     ///< which counts that error
  bool preemption = false;            ///< the MEC does not answer UNMAP_QUEUES; ends with the power
  std::optional<Throttler> hot = {};  ///< this limit is reached whatever it does
  std::set<std::uint64_t> weak = {};  ///< pages that read as poison whenever they are used
  EventId event = no_event;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("boot", boot);
    archive("under_load", under_load);
    archive("block", block);
    archive("preemption", preemption);
    archive("hot", hot);
    archive("weak", weak);
    archive("event", event);
  }
};

}  // namespace rocdrill::silicon
