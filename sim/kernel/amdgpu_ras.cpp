// RAS: the EEPROM at probe, errors as they come, its files. Wording: amdgpu_ras.c,
// amdgpu_ras_eeprom.c, amdgpu_umc.c, amdgpu_aca.c and kfd_int_process_v9.c; from which release on a
// wording is used is assumed where no patch says so.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "sim/kernel/amdgpu.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::RasBlock;

/// One bad page per 100 MiB is usual (RAS_BAD_PAGE_COVER).
constexpr std::uint64_t bad_page_cover = 100ull << 20;

/// Memory that carries poison to who reads it, instead of an error that resets the GPU at once.
bool has_poison(const GpuProduct& product) {
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 2};
}
/// Each of four dies has a quarter of the memory; assumed.
std::uint64_t die_of(const silicon::Gpu& gpu, std::uint64_t page) {
  return page / (gpu.product->vram_bytes / 4 + 1);
}
/// UMC 12 retires a row when the poison is made; older ones when it is consumed.
bool retires_at_once(const GpuProduct& product) {
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3};
}

}  // namespace

bool Amdgpu::since(std::string_view dkms, std::string_view in_tree) const {
  return version_.empty() ? sim::compare_versions(os_.kernel_release, in_tree) >= 0
                          : sim::compare_versions(version_, dkms) >= 0;
}

const GpuDevice* Amdgpu::bound(std::uint32_t gpu) const {
  const auto at = std::ranges::find(devices_, gpu, &GpuDevice::gpu);
  return at == devices_.end() || at->state != GpuDevice::State::bound ? nullptr : &*at;
}

std::uint32_t Amdgpu::socket_of(std::uint32_t gpu) const {
  const auto group = board_.reset_group(gpu);
  return static_cast<std::uint32_t>(std::ranges::find(group, gpu) - group.begin());
}

std::string Amdgpu::ras_prefix() {
  return since("6.8", "6.11") ? fmt::format("{{{}}}", ++ras_events_) : std::string();
}

/// amdgpu_ras_validate_threshold()
std::uint32_t Amdgpu::bad_page_threshold(const GpuProduct& product) const {
  const std::uint64_t usual = product.vram_bytes / bad_page_cover;
  const std::uint64_t wanted =
      bad_page_threshold_ < 0 ? usual : static_cast<std::uint64_t>(bad_page_threshold_);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, silicon::eeprom_records));
}

// --- probe ---------------------------------------------------------------------------------

/// A GPU whose hive did not boot has no IP discovery table. Only the one whose PSP failed says why.
bool Amdgpu::boots(const silicon::Gpu& gpu, GpuDevice& device, EventId cause) {
  const silicon::Gpu* failed = board_.boot_failure(device.gpu);
  if (!failed) return true;
  const bool own = failed == &gpu;
  const EventId event = os_.journal.record(
      Layer::silicon, Severity::error, own ? "gpu.boot_failed" : "gpu.hive_not_booted",
      gpu.bdf.text(),
      {{field::asked, "the IP discovery table"},
       {field::got, own ? "a PSP that did not load its firmware" : "nothing: its hive waits"},
       {field::see, "dmesg"}},
      failed->defects.event != no_event ? failed->defects.event : cause);
  log_device(gpu, 3, "get invalid ip discovery binary signature", event);
  constexpr std::uint32_t dies = 4;
  for (std::uint32_t die = 0; own && die < dies; ++die) {
    log_device(gpu, 6,
               fmt::format("socket: {}, aid: {}, fw_status: {:#x}, firmware load failed at boot "
                           "time",
                           socket_of(device.gpu), die, die == 2 ? 0xe6985d2d : 0xe6985b2d),
               event);
  }
  log(3, "[drm:amdgpu_discovery_set_ip_blocks [amdgpu]] *ERROR* amdgpu_discovery_init failed",
      event);
  log_device(gpu, 3, "Fatal error during GPU init", event);
  log_device(gpu, 6, "finishing device.", event);
  device.state = GpuDevice::State::failed;
  device.error = EINVAL;
  device.event = probe_failed(gpu, "the IP discovery table", EINVAL, event);
  return false;
}

bool Amdgpu::accept_bad_pages(GpuDevice& device, EventId cause) {
  silicon::Gpu& gpu = board_.gpus()[device.gpu];
  device.ras_enabled = silicon::ras_blocks(*gpu.product);
  if (device.ras_enabled == 0) return true;
  kfd_.forget_retired_pages(device.gpu);
  const std::uint32_t threshold = bad_page_threshold(*gpu.product);
  const std::size_t records = gpu.ras.eeprom.size();
  const EventId why = gpu.ras.event != no_event ? gpu.ras.event : cause;
  if (gpu.ras.bad && bad_page_threshold_ == 0) {  // nobody reads a BAD table then
    log(6, "[drm] Creating a new EEPROM table", why);
    gpu.ras.eeprom.clear();
    gpu.ras.bad = false;
  } else if (gpu.ras.bad && threshold > records) {
    log_device(gpu, 6,
               fmt::format("records:{} threshold:{}, resetting RAS table header signature", records,
                           threshold),
               why);
    gpu.ras.bad = false;
  } else if (gpu.ras.bad) {
    const std::string exceeds =
        fmt::format("RAS records:{} exceed threshold:{}", records, threshold);
    log_device(gpu, 3, exceeds, why);
    const bool refuses = !since("6.12", "6.14") && bad_page_threshold_ != -1;
    if (refuses) {
      const std::string shows = exceeds +
                                ", GPU will not be initialized. Replace this GPU or increase the "
                                "threshold";
      device.event =
          os_.journal.record(Layer::silicon, Severity::error, "ras.bad_pages", gpu.bdf.text(),
                             {{"records", static_cast<std::int64_t>(records)},
                              {"threshold", static_cast<std::int64_t>(threshold)},
                              {field::did, "the driver does not take the GPU"},
                              {field::shows, std::string_view(shows)},
                              {field::see, "dmesg"}},
                             why);
      log_device(gpu, 3, shows, device.event);
      return false;
    }
    os_.journal.record(Layer::silicon, Severity::warning, "ras.bad_pages", gpu.bdf.text(),
                       {{"records", static_cast<std::int64_t>(records)},
                        {"threshold", static_cast<std::int64_t>(threshold)},
                        {field::did, "the driver takes the GPU all the same"},
                        {field::shows, std::string_view(exceeds)},
                        {field::see, "dmesg"}},
                       why);
    log_device(gpu, 4,
               !since("6.12", "6.14") ? "GPU will be initialized due to bad_page_threshold = -1."
               : bad_page_threshold_ < 0
                   ? "Please consult AMD Service Action Guide (SAG) for appropriate service "
                     "procedures"
                   : "User defined threshold is set, runtime service will be halt when threshold "
                     "is reached",
               why);
  } else if (bad_page_threshold_ == 0) {
    return true;  // no page is retired
  } else if (records != 0 && 10 * records >= 9ull * threshold) {
    log_device(gpu, 4,
               fmt::format("RAS records:{} exceeds 90% of threshold:{}", records, threshold), why);
  }
  for (const std::uint64_t page : gpu.ras.eeprom) kfd_.retire_page(device.gpu, page);
  return true;
}

// --- errors --------------------------------------------------------------------------------

void Amdgpu::retire_row(std::uint32_t index, std::uint64_t address, EventId event) {
  silicon::Gpu& gpu = board_.gpus()[index];
  if (bad_page_threshold_ == 0) return;
  for (const std::uint64_t page : silicon::row_of(address)) {
    if (page >= gpu.product->vram_bytes ||
        std::ranges::find(gpu.ras.eeprom, page) != gpu.ras.eeprom.end())
      continue;
    if (gpu.ras.eeprom.size() >= silicon::eeprom_records) break;
    gpu.ras.eeprom.push_back(page);
    kfd_.retire_page(index, page);
  }
  const std::uint32_t threshold = bad_page_threshold(*gpu.product);
  if (gpu.ras.bad || gpu.ras.eeprom.size() < threshold) return;
  gpu.ras.bad = true;
  log_device(gpu, 3,
             fmt::format("Saved bad pages {} reaches threshold value {}", gpu.ras.eeprom.size(),
                         threshold),
             event);
}

void Amdgpu::count_error(std::uint32_t index, RasBlock block, bool correctable, std::uint64_t die,
                         EventId event) {
  silicon::Gpu& gpu = board_.gpus()[index];
  silicon::ErrorCount& count = gpu.ras.counts[block];
  const std::uint64_t total = correctable ? ++count.ce : ++count.ue;
  const std::string_view kind = correctable ? "correctable" : "uncorrectable";
  if (!since("6.8", "6.9")) {
    log_device(gpu, 6,
               fmt::format("{} {} hardware errors detected in {} block", total, kind, name(block)),
               event);
    return;
  }
  const std::string prefix = ras_prefix();
  const std::string place = fmt::format("socket: {}, die: {}", socket_of(index), die);
  log_device(gpu, 6,
             fmt::format("{}{}, 1 new {} hardware errors detected in {} block", prefix, place, kind,
                         name(block)),
             event);
  log_device(gpu, 6,
             fmt::format("{}{}, {} {} hardware errors detected in total in {} block", prefix, place,
                         total, kind, name(block)),
             event);
}

/// A bank of the Accelerator Check Architecture. Its bits are not documented: STATUS says "valid,
/// uncorrected", the other words are assumed.
void Amdgpu::log_aca(std::uint32_t index, RasBlock block, EventId event) {
  const silicon::Gpu& gpu = board_.gpus()[index];
  if (!retires_at_once(*gpu.product) || !since("6.8", "6.9")) return;
  const std::string prefix = ras_prefix() + "[Hardware Error]: ";
  log_device(gpu, 6, prefix + "Accelerator Check Architecture events logged", event);
  const bool numbered = since("6.10", "6.11");
  const std::pair<const char*, std::uint64_t> words[] = {
      {"STATUS", 0xbaa0000000000000ull | static_cast<unsigned>(block)},
      {"ADDR", 0},
      {numbered ? "MISC" : "MISC0", 0},
      {"IPID", 0x1813000000000000ull | std::uint64_t{socket_of(index)} << 44},
      {"SYND", 0}};
  for (const auto& [word, value] : words) {
    log_device(gpu, 6,
               numbered ? fmt::format("{}ACA[01/01].{}={:#018x}", prefix, word, value)
                        : fmt::format("{}aca entry[00].{}={:#018x}", prefix, word, value),
               event);
  }
}

EventId Amdgpu::memory_error(std::uint32_t index, std::uint64_t address, EventId cause) {
  silicon::Gpu& gpu = board_.gpus()[index];
  const std::uint64_t page = address / silicon::vram_page * silicon::vram_page;
  const std::string at = fmt::format("{:#x}", page);
  const bool poison = has_poison(*gpu.product);
  const EventId event =
      os_.journal.record(Layer::silicon, Severity::warning, "ras.memory_error", gpu.bdf.text(),
                         {{"page", std::string_view(at)},
                          {field::did, poison ? "the page holds poison" : "an uncorrectable error"},
                          {field::see, "dmesg"}},
                         cause);
  gpu.ras.event = event;
  if (poison) gpu.ras.poisoned.insert(page);
  kfd_.changed();
  const GpuDevice* device = bound(index);
  if (!device || (device->ras_enabled & bit(RasBlock::umc)) == 0) return event;
  if (!poison) {
    count_error(index, RasBlock::umc, false, die_of(gpu, page), event);
    retire_row(index, page, event);
    reset_gpu(index, ResetMethod::mode1, true, event);
    return event;
  }
  announce_poison(index, page, event);
  return event;
}

/// UMC's interrupt when an uncorrectable error becomes poison.
void Amdgpu::announce_poison(std::uint32_t index, std::uint64_t page, EventId event) {
  silicon::Gpu& gpu = board_.gpus()[index];
  log_device(gpu, 6,
             ras_prefix() + (since("6.7", "6.9") ? "Poison is created"
                                                 : "Poison is created, no user action is needed."),
             event);
  if (!retires_at_once(*gpu.product)) return;
  ++gpu.ras.counts[RasBlock::umc].de;
  log_device(gpu, 6,
             fmt::format("{}socket: {}, die: {}, 1 new deferred hardware errors detected in umc "
                         "block",
                         ras_prefix(), socket_of(index), die_of(gpu, page)),
             event);
  retire_row(index, page, event);
}

EventId Amdgpu::fatal_error(std::uint32_t index, RasBlock block, EventId cause) {
  silicon::Gpu& gpu = board_.gpus()[index];
  const EventId event =
      os_.journal.record(Layer::silicon, Severity::error, "gpu.fatal_error", gpu.bdf.text(),
                         {{"block", name(block)},
                          {field::did, "raises ERREVENT_ATHUB_INTERRUPT; the GPU stands still"},
                          {field::see, "dmesg"}},
                         cause);
  gpu.ras.event = event;
  log_device(gpu, 6,
             ras_prefix() + "uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!",
             event);
  log_aca(index, block, event);
  count_error(index, block, false, 0, event);
  reset_gpu(index, ResetMethod::mode1, false, event);
  return event;
}

EventId Amdgpu::poison_consumed(const KfdNode& node, const HardwareError& error) {
  // The memory's own controller counts and retires; the GPU whose queue it was is reset.
  const KfdNode* memory = kfd_.find(error.memory_of);
  const std::uint32_t owner = memory ? memory->gpu : node.gpu;
  silicon::Gpu& gpu = board_.gpus()[owner];
  const std::string page = fmt::format("{:#x}", error.page);
  const bool weak = gpu.defects.weak.contains(error.page);
  const EventId event =
      os_.journal.record(Layer::silicon, Severity::error, "gpu.poison_consumed", gpu.bdf.text(),
                         {{"page", std::string_view(page)},
                          {field::did, "the waves that read it stop"},
                          {field::see, "dmesg"}},
                         weak                        ? gpu.defects.event
                         : gpu.ras.event != no_event ? gpu.ras.event
                                                     : error.cause);
  gpu.ras.event = event;
  if (weak) announce_poison(owner, error.page, event);  // found when it was read
  // SOC15_IH_CLIENTID_UTCL2, _SDMA0
  const int client = error.by.unit == cp::Unit::copy_engine ? 8 : 27;
  const bool resets = since("6.8", "6.10");
  log_device(board_.gpus()[node.gpu], 4,
             resets ? fmt::format("{}poison is consumed by client {}, kick off gpu reset flow",
                                  ras_prefix(), client)
                    : fmt::format("RAS poison consumption, unmap queue flow succeeded: client id "
                                  "{}",
                                  client),
             event);
  count_error(owner, RasBlock::umc, false, die_of(gpu, error.page), event);
  retire_row(owner, error.page, event);
  if (resets) reset_gpu(node.gpu, ResetMethod::mode2, true, event);
  return event;
}

/// unmap_queues_cpsch(): the fence does not come within queue_preemption_timeout_ms.
EventId Amdgpu::preemption_failed(const KfdNode& node, const HardwareError& error) {
  silicon::Gpu& gpu = board_.gpus()[node.gpu];
  const EventId event = os_.journal.record(
      Layer::silicon, Severity::error, "queue.preemption_failed", gpu.bdf.text(),
      {{field::asked, "UNMAP_QUEUES"}, {field::got, "no answer of the MEC"}, {field::see, "dmesg"}},
      gpu.defects.event != no_event ? gpu.defects.event : error.cause);
  constexpr std::uint64_t preemption_timeout = 9 * sim::sec;
  os_.clock.advance(preemption_timeout);
  if (since("6.12", "6.13")) {
    log_device(gpu, 3,
               fmt::format("Queue preemption failed for queue with doorbell_id: {:x}",
                           0x80004000 | error.doorbell * 8),
               event);
  } else {
    log(3, "amdgpu: qcm fence wait loop timeout expired", event);
  }
  log(3,
      "amdgpu: The cp might be in an unrecoverable state due to an unsuccessful queues preemption",
      event);
  log(3, "amdgpu: Failed to evict process queues", event);
  log(3, "amdgpu: Failed to quiesce KFD", event);
  reset_gpu(node.gpu, ResetMethod::mode1, false, event);
  return event;
}

EventId Amdgpu::hardware_error(int, const HardwareError& error) {
  const KfdNode* found = kfd_.find(error.gpu_id);
  if (!found || resetting()) return reset_.event;
  const KfdNode node = *found;
  switch (error.kind) {
    case HardwareError::Kind::poison_consumed:
      return poison_consumed(node, error);
    case HardwareError::Kind::preemption_failed:
      return preemption_failed(node, error);
    case HardwareError::Kind::fatal:
      break;
  }
  const silicon::Defects& defects = board_.gpus()[node.gpu].defects;
  return fatal_error(node.gpu, defects.block, defects.event);
}

EventId Amdgpu::throttled(std::uint32_t index, EventId cause) {
  const silicon::Gpu& gpu = board_.gpus()[index];
  kfd_.changed();
  const sim::PciDevice* on_bus = os_.pci.find(gpu.bdf);
  if (!gpu.defects.hot || !on_bus || on_bus->driver != "amdgpu") return cause;
  const std::string shows =
      fmt::format("WARN: GPU {}, expect performance decrease. {}.",
                  since("6.7", "6.9") ? "is throttled" : "thermal throttling temperature reached",
                  name(*gpu.defects.hot));
  const EventId event =
      os_.journal.record(Layer::kernel, Severity::info, "gpu.throttled", gpu.bdf.text(),
                         {{field::got, name(*gpu.defects.hot)},
                          {field::did, "the SMU lowers the clocks"},
                          {field::shows, std::string_view(shows)},
                          {field::see, "dmesg"}},
                         cause);
  log_device(gpu, 4, shows, event);
  for (const KfdNode& node : kfd_.nodes_of(index)) {
    kfd_.smi_event(node.gpu_id, kfd::SmiEvent::thermal_throttle,
                   fmt::format("2 {:x}:{:x}\n", 1u << static_cast<unsigned>(*gpu.defects.hot), 1));
  }
  return event;
}

// --- files ---------------------------------------------------------------------------------

std::string Amdgpu::error_count(std::size_t index, RasBlock block) const {
  if (resetting()) return "Query currently inaccessible\n";
  const silicon::Gpu& gpu = board_.gpus()[devices_[index].gpu];
  const auto at = gpu.ras.counts.find(block);
  const silicon::ErrorCount is = at == gpu.ras.counts.end() ? silicon::ErrorCount{} : at->second;
  std::string text = fmt::format("ue: {}\nce: {}\n", is.ue, is.ce);
  if (retires_at_once(*gpu.product) && since("6.8", "6.9")) text += fmt::format("de: {}\n", is.de);
  return text;
}

std::string Amdgpu::bad_pages(std::size_t index) const {
  const std::uint32_t gpu = devices_[index].gpu;
  std::string text;
  for (const std::uint64_t page : board_.gpus()[gpu].ras.eeprom) {
    text += fmt::format("0x{:08x} : 0x{:08x} : {}\n", page / silicon::vram_page, silicon::vram_page,
                        kfd_.page_in_use(gpu, page) ? 'P' : 'R');
  }
  return text;
}

std::string Amdgpu::eeprom_table(std::size_t index) const {
  const silicon::Ras& ras = board_.gpus()[devices_[index].gpu].ras;
  std::string text = fmt::format(
      " Signature    Version  FirstOffs       Size   Checksum\n"
      "0x{:08X} 0x{:08X} 0x{:08X} 0x{:08X} 0x{:08X}\n"
      "Index  Offset ErrType Bank/CU          TimeStamp      Offs/Addr MemChl MCUMCID"
      "    RetiredPage\n",
      ras.bad ? 0x44415242 : 0x414d4452, 0x00010000, 20, 20 + 24 * ras.eeprom.size(), 0);
  std::size_t record = 0;
  for (const std::uint64_t page : ras.eeprom) {
    text += fmt::format(
        "{:5} 0x{:05X}      ue    0x00 0x{:016X} 0x{:012X}   0x00    0x00 "
        "0x{:012X}\n",
        record, 20 + 24 * record, 0, page, page / silicon::vram_page);
    ++record;
  }
  return text;
}

SysResult<void> Amdgpu::reset_eeprom(std::size_t index, EventId cause) {
  silicon::Gpu& gpu = board_.gpus()[devices_.at(index).gpu];
  gpu.ras.eeprom.clear();
  gpu.ras.bad = false;
  os_.journal.record(Layer::kernel, Severity::info, "ras.eeprom_reset", gpu.bdf.text(),
                     {{field::did, "forgets the bad pages; they are used again after a reload"}},
                     cause);
  return {};
}

}  // namespace rocdrill::kernel
