// The amdgpu driver: what happens when its module is inserted, device by device.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/firmware/loader.hpp"
#include "sim/kernel/kfd.hpp"
#include "sim/kernel/modules.hpp"
#include "sim/silicon/board.hpp"
#include "sim/silicon/partitions.hpp"

namespace rocdrill::kernel {

struct GpuDevice {
  enum class State : std::uint8_t { unbound, bound, failed };
  std::uint32_t gpu = 0;  ///< index on the board
  State state = State::unbound;
  int error = 0;  ///< of a failed probe
  std::uint32_t card_minor = 0;
  std::uint32_t render_minor = 0;
  std::map<std::string, std::uint32_t> firmware;  ///< file -> version that was loaded
  EventId event = no_event;
  /// DRM minors from card_minor and render_minor on: the GPU's own and, where it can be divided,
  /// one for each further device that it could have.
  std::uint32_t minors = 1;
  ComputeMode compute_mode = ComputeMode::spx;
  /// Asked for through sysfs, not done before the driver goes; nullopt: nothing is queued.
  std::optional<MemoryMode> requested_memory = {};
  EventId requested_by = no_event;
  // What root set through sysfs; a new probe starts with these values again.
  std::string performance_level = "auto";  ///< power_dpm_force_performance_level
  std::uint64_t power_cap_uw = 0;          ///< hwmon power1_cap; 0 = the board's default
  std::uint32_t ras_enabled = 0;           ///< ras/features: silicon::bit() of the blocks
  std::uint32_t resets = 0;                ///< since the driver's start

  template <class Archive>
  void serialize(Archive& archive) {
    archive("gpu", gpu);
    archive("state", state);
    archive("error", error);
    archive("card_minor", card_minor);
    archive("render_minor", render_minor);
    archive("firmware", firmware);
    archive("event", event);
    archive("minors", minors);
    archive("compute_mode", compute_mode);
    archive("requested_memory", requested_memory);
    archive("requested_by", requested_by);
    archive("performance_level", performance_level);
    archive("power_cap_uw", power_cap_uw);
    archive("ras_enabled", ras_enabled);
    archive("resets", resets);
  }
};

/// What the drivers of different years do differently with partitions.
struct PartitionEra {
  silicon::PartitionRules rules = silicon::PartitionRules::counts;
  bool available_depends = false;  ///< available_compute_partition heeds the memory mode
  bool memory_switch = false;      ///< current_memory_partition can be written
};

enum class ResetMethod : std::uint8_t { mode1, mode2 };

/// A reset that is under way: KFD is locked until it is over.
struct PendingReset {
  std::vector<std::uint32_t> gpus;  ///< on the board; the first is why
  ResetMethod method = ResetMethod::mode1;
  std::uint64_t until_ns = 0;
  EventId event = no_event;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("gpus", gpus);
    archive("method", method);
    archive("until_ns", until_ns);
    archive("event", event);
  }
};

class Amdgpu {
 public:
  Amdgpu(sim::Os& os, silicon::Board& board, Kfd& kfd) : os_(os), board_(board), kfd_(kfd) {}

  /// module_init: an errno if the driver refuses to register, 0 even if every probe fails.
  int init(const LoadedModule& module, EventId cause);
  int exit(EventId cause);
  /// The bus and the driver are gone (power off).
  void reset();

  /// The bus hands one device over, or takes it away: 0 or an errno. A device that a process holds
  /// cannot be taken away here (EBUSY, "not modelled"): the real driver kills what runs on it.
  int bind(const sim::Bdf& bdf, EventId cause);
  int unbind(const sim::Bdf& bdf, EventId cause);

  // Partitions (amdgpu_partitions.cpp). Writes answer as the sysfs attributes do.
  SysResult<void> set_compute_partition(std::size_t index, std::string_view text, EventId cause);
  SysResult<void> set_memory_partition(std::size_t index, std::string_view text, EventId cause);
  PartitionEra partition_era() const;
  /// The memory modes that driver and firmware offer.
  std::vector<MemoryMode> memory_modes(const GpuDevice& device) const;
  /// A device of this GPU that has the render node, or would have it in another mode: its index.
  std::optional<std::uint32_t> partition_of(const GpuDevice& device, std::uint32_t minor) const;
  /// open() of a render node: ENOENT for that of a device which the present mode has not.
  SysResult<void> may_open_render(std::uint32_t minor);

  /// The interrupt of a page that a process's queue could not reach: what the driver logs.
  void page_fault(std::uint32_t gpu, const VmFault& fault, EventId event);

  // RAS (amdgpu_ras.cpp). Words of the files below ras/ and debugfs, and what is written to them.
  SysResult<void> ras_control(std::size_t index, std::string_view text, EventId cause);
  SysResult<void> reset_eeprom(std::size_t index, EventId cause);
  std::string error_count(std::size_t index, silicon::RasBlock block) const;
  std::string bad_pages(std::size_t index) const;
  std::string eeprom_table(std::size_t index) const;
  /// Records from which on a GPU counts as bad; 0: pages are not retired.
  std::uint32_t bad_page_threshold(const GpuProduct& product) const;
  /// The interrupts. A process met it: KFD hands it over.
  EventId hardware_error(int pid, const HardwareError& error);
  /// An uncorrectable error in HBM: the page holds poison from now on. The error's event.
  EventId memory_error(std::uint32_t gpu, std::uint64_t address, EventId cause);
  /// The SMU limits the clocks: the driver warns.
  EventId throttled(std::uint32_t gpu, EventId cause);

  // Resets (amdgpu_reset.cpp): of the whole hive. `ecc`: processes hear of an ECC error, else of a
  // hang.
  void reset_gpu(std::uint32_t gpu, ResetMethod method, bool ecc, EventId cause);
  /// Ends a reset whose time is over.
  void finish_resets();
  /// Lets the time of a reset pass.
  void settle_resets();
  bool resetting() const { return !reset_.gpus.empty(); }

  const std::vector<GpuDevice>& devices() const { return devices_; }
  /// For what root sets through sysfs.
  GpuDevice& device(std::size_t index) { return devices_.at(index); }
  /// Of the GPU, or of one of the devices that it can be divided into.
  const GpuDevice* by_render_minor(std::uint32_t minor) const;
  /// amdgpu.noretry as the driver resolves -1: retry faults off by default on these GPUs.
  bool noretry(const GpuProduct& product) const;
  /// Threads that look at devices during init; the result does not depend on it.
  void set_threads(unsigned count) { threads_ = count; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("devices", devices_);
    archive("version", version_);
    archive("noretry", noretry_);
    archive("user_mode", user_mode_);
    archive("user_mode_event", user_mode_event_);
    archive("printk_limit", printk_limit_);
    archive("bad_page_threshold", bad_page_threshold_);
    archive("parameters_event", parameters_event_);
    archive("ras_events", ras_events_);
    archive("reset", reset_);
  }

 private:
  std::vector<std::vector<firmware::BlobResult>> load_firmware(
      const std::vector<std::uint32_t>& gpus) const;
  std::uint32_t free_minor(const GpuProduct& product) const;
  void announce(const LoadedModule& module);
  void start_kfd(const LoadedModule& module, EventId cause);
  EventId probe_failed(const silicon::Gpu& gpu, std::string_view asked, int error, EventId cause);
  void probe(GpuDevice& device, const std::vector<firmware::BlobResult>& blobs, EventId cause);
  EventId report_missing(const silicon::Gpu& gpu, const std::vector<firmware::BlobResult>& blobs,
                         EventId cause);
  bool packs_too_much(const firmware::BlobResult& result) const;
  EventId report_packed(const silicon::Gpu& gpu, const firmware::BlobResult& result, EventId cause);
  void start_smu(const silicon::Gpu& gpu, const std::vector<firmware::BlobResult>& blobs,
                 EventId event);
  /// False if KFD leaves the device out: it needs atomics that its platform does not route.
  bool atomics_suffice(const silicon::Gpu& gpu, std::uint32_t mec, EventId cause);
  void add_to_kfd(const GpuDevice& device, EventId event, bool first);
  void choose_mode(GpuDevice& device);
  void take_minors(GpuDevice& device);
  bool mode_fits(const GpuDevice& device, ComputeMode mode, EventId event);
  SysResult<void> refuse_partition(const GpuDevice& device, std::string_view asked,
                                   std::string_view why, int error, EventId cause);
  void apply_memory_requests(EventId cause);
  // amdgpu_ras.cpp
  /// Reads the EEPROM at probe: false if the driver wants nothing to do with this GPU.
  bool accept_bad_pages(GpuDevice& device, EventId cause);
  void retire_row(std::uint32_t gpu, std::uint64_t address, EventId event);
  void count_error(std::uint32_t gpu, silicon::RasBlock block, bool correctable, std::uint64_t die,
                   EventId event);
  void log_aca(std::uint32_t gpu, silicon::RasBlock block, EventId event);
  void announce_poison(std::uint32_t gpu, std::uint64_t page, EventId event);
  EventId fatal_error(std::uint32_t gpu, silicon::RasBlock block, EventId cause);
  EventId poison_consumed(const KfdNode& node, const HardwareError& error);
  EventId preemption_failed(const KfdNode& node, const HardwareError& error);
  /// "{3}", where the driver numbers its RAS events.
  std::string ras_prefix();
  bool boots(const silicon::Gpu& gpu, GpuDevice& device, EventId cause);
  const GpuDevice* bound(std::uint32_t gpu) const;
  /// Drivers from these releases on: AMD's, the kernel's.
  bool since(std::string_view dkms, std::string_view in_tree) const;
  /// The GPU's place in its hive.
  std::uint32_t socket_of(std::uint32_t gpu) const;

  void log(int level, std::string text, EventId event);
  void log_device(const silicon::Gpu& gpu, int level, std::string_view text, EventId event);

  sim::Os& os_;
  silicon::Board& board_;
  Kfd& kfd_;
  std::vector<GpuDevice> devices_;
  std::string version_;  ///< of the dkms module, "" in-tree
  int noretry_ = -1;
  int user_mode_ = -2;  ///< parameter user_partt_mode: -2 automatic, 0... as ComputeMode
  EventId user_mode_event_ = no_event;
  PrintkLimit printk_limit_;
  int bad_page_threshold_ = -1;  ///< the parameter
  EventId parameters_event_ = no_event;
  std::uint64_t ras_events_ = 0;  ///< numbers given to RAS events
  PendingReset reset_;            ///< no GPUs: none
  unsigned threads_ = 1;
};

}  // namespace rocdrill::kernel
