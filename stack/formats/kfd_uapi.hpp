// The ioctls of /dev/kfd, interface version 1.17.
//
// Declared here in full: Debian 12's <linux/kfd_ioctl.h> stops at 1.11 and needs a <drm/drm.h> that
// its linux-libc-dev does not have. A unit test compares the layouts where the header can be used.
// Dispatch on the number (_IOC_NR), never on the whole request: the size in it is the caller's, and
// SVM enlarges it per call.
//
// Sources: the layouts of linux/kfd_ioctl.h 1.17 and of libhsakmt's copy, kfd_chardev.c,
// kfd_priv.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rocdrill::kfd {

inline constexpr std::uint32_t interface_major = 1;
inline constexpr std::uint32_t interface_minor = 17;

/// _IOC_TYPE of every request.
inline constexpr char ioctl_type = 'K';

/// _IOC_NR.
enum class Ioctl : std::uint8_t {
  get_version = 0x01,
  create_queue = 0x02,
  destroy_queue = 0x03,
  set_memory_policy = 0x04,
  get_clock_counters = 0x05,
  get_process_apertures = 0x06,
  update_queue = 0x07,
  create_event = 0x08,
  destroy_event = 0x09,
  set_event = 0x0A,
  reset_event = 0x0B,
  wait_events = 0x0C,
  dbg_register = 0x0D,  // 0x0D to 0x10: numbers without a handler, EINVAL
  dbg_unregister = 0x0E,
  dbg_address_watch = 0x0F,
  dbg_wave_control = 0x10,
  set_scratch_backing_va = 0x11,
  get_tile_config = 0x12,
  set_trap_handler = 0x13,
  get_process_apertures_new = 0x14,
  acquire_vm = 0x15,
  alloc_memory_of_gpu = 0x16,
  free_memory_of_gpu = 0x17,
  map_memory_to_gpu = 0x18,
  unmap_memory_from_gpu = 0x19,
  set_cu_mask = 0x1A,
  get_queue_wave_state = 0x1B,
  get_dmabuf_info = 0x1C,
  import_dmabuf = 0x1D,
  alloc_queue_gws = 0x1E,
  smi_events = 0x1F,
  svm = 0x20,
  set_xnack_mode = 0x21,
  criu_op = 0x22,
  available_memory = 0x23,
  export_dmabuf = 0x24,   // since 1.12
  runtime_enable = 0x25,  // since 1.13
  dbg_trap = 0x26,        // since 1.13
  // out of tree, in AMD's DKMS driver
  ipc_import_handle = 0x80,
  ipc_export_handle = 0x81,
  dbg_trap_old = 0x82,  // before 1.13; libhsakmt 5.x asks for its version
  cross_memory_copy = 0x83,
  rlc_spm = 0x84,
  pc_sample = 0x85,
};

// -- arguments, in the order of the numbers; "reply" marks what the kernel writes --

struct GetVersionArgs {
  std::uint32_t major_version;  ///< reply
  std::uint32_t minor_version;  ///< reply
};

enum class QueueType : std::uint32_t {
  compute = 0,  ///< PM4
  sdma = 1,
  compute_aql = 2,
  sdma_xgmi = 3,
  sdma_by_engine_id = 4,  ///< since 1.17
};

/// 96 bytes since 1.17; libhsakmt of ROCm 5.x passes the first 88.
struct CreateQueueArgs {
  std::uint64_t ring_base_address;
  std::uint64_t write_pointer_address;
  std::uint64_t read_pointer_address;
  std::uint64_t doorbell_offset;  ///< reply; see MmapOffset
  std::uint32_t ring_size;        ///< bytes
  std::uint32_t gpu_id;
  std::uint32_t queue_type;        ///< QueueType
  std::uint32_t queue_percentage;  ///< bits 7:0; bits 15:8 the XCC of a PM4 queue
  std::uint32_t queue_priority;    ///< 0 to 15
  std::uint32_t queue_id;          ///< reply
  std::uint64_t eop_buffer_address;
  std::uint64_t eop_buffer_size;
  std::uint64_t ctx_save_restore_address;
  std::uint32_t ctx_save_restore_size;
  std::uint32_t ctl_stack_size;
  std::uint32_t sdma_engine_id;  ///< QueueType::sdma_by_engine_id
  std::uint32_t pad;
};
inline constexpr std::size_t create_queue_args_size_1_11 = 88;

struct DestroyQueueArgs {
  std::uint32_t queue_id;
  std::uint32_t pad;
};

/// The last member was padding before 1.18.
struct SetMemoryPolicyArgs {
  std::uint64_t alternate_aperture_base;
  std::uint64_t alternate_aperture_size;
  std::uint32_t gpu_id;
  std::uint32_t default_policy;  ///< 0 coherent, 1 non-coherent
  std::uint32_t alternate_policy;
  std::uint32_t misc_process_flag;  ///< bit 0: precision of MFMA on gfx950
};

struct GetClockCountersArgs {
  std::uint64_t gpu_clock_counter;     ///< reply; 100 MHz on gfx9, 0 for an unknown gpu_id
  std::uint64_t cpu_clock_counter;     ///< reply; ns, CLOCK_MONOTONIC_RAW
  std::uint64_t system_clock_counter;  ///< reply; ns, CLOCK_BOOTTIME
  std::uint64_t system_clock_freq;     ///< reply; Hz
  std::uint32_t gpu_id;
  std::uint32_t pad;
};

/// Where a process finds the apertures of one GPU; limits are inclusive.
struct ProcessDeviceApertures {
  std::uint64_t lds_base;
  std::uint64_t lds_limit;
  std::uint64_t scratch_base;
  std::uint64_t scratch_limit;
  std::uint64_t gpuvm_base;
  std::uint64_t gpuvm_limit;
  std::uint32_t gpu_id;
  std::uint32_t pad;
};

inline constexpr std::size_t legacy_max_gpus = 7;

/// Superseded by GetProcessAperturesNewArgs, which knows no limit.
struct GetProcessAperturesArgs {
  ProcessDeviceApertures process_apertures[legacy_max_gpus];  ///< reply
  std::uint32_t num_of_nodes;                                 ///< reply
  std::uint32_t pad;
};

struct UpdateQueueArgs {
  std::uint64_t ring_base_address;
  std::uint32_t queue_id;
  std::uint32_t ring_size;  ///< bytes
  std::uint32_t queue_percentage;
  std::uint32_t queue_priority;
};

enum class EventType : std::uint32_t {
  signal = 0,
  node_change = 1,
  device_state_change = 2,
  hw_exception = 3,
  system = 4,
  debug = 5,
  profile = 6,
  queue = 7,
  memory = 8,
};

struct CreateEventArgs {
  /// Request: handle of the event page, with the first event of a dGPU process. Reply: where to
  /// mmap the page, non-zero for every signal event.
  std::uint64_t event_page_offset;
  std::uint32_t event_trigger_data;  ///< reply
  std::uint32_t event_type;          ///< EventType
  std::uint32_t auto_reset;
  std::uint32_t node_id;
  std::uint32_t event_id;          ///< reply
  std::uint32_t event_slot_index;  ///< reply
};

struct DestroyEventArgs {
  std::uint32_t event_id;
  std::uint32_t pad;
};
using SetEventArgs = DestroyEventArgs;
using ResetEventArgs = DestroyEventArgs;

/// Why an access failed; each is 0 or 1.
struct MemoryExceptionFailure {
  std::uint32_t not_present;  ///< or supervisor privilege
  std::uint32_t read_only;
  std::uint32_t no_execute;
  std::uint32_t imprecise;  ///< the address is a guess
};

enum class MemoryError : std::uint32_t {
  no_ras = 0,
  sram_ecc = 1,
  poison_consumed = 2,
  gpu_hang = 3,
};

struct MemoryExceptionData {
  MemoryExceptionFailure failure;
  std::uint64_t va;
  std::uint32_t gpu_id;
  std::uint32_t error_type;  ///< MemoryError
};

struct HwExceptionData {
  std::uint32_t reset_type;   ///< 0 whole GPU, 1 one engine
  std::uint32_t reset_cause;  ///< 0 hang, 1 ECC
  std::uint32_t memory_lost;
  std::uint32_t gpu_id;
};

/// Since 1.14. 0 turns the feature off; else the call returns at once if the age has moved on.
struct SignalEventData {
  std::uint64_t last_event_age;
};

/// One element of WaitEventsArgs::events_ptr.
struct EventData {
  union {
    MemoryExceptionData memory_exception_data;  ///< reply; event type memory
    HwExceptionData hw_exception_data;          ///< reply; event type hw_exception
    SignalEventData signal_event_data;          ///< request and reply; event type signal
  };
  std::uint64_t kfd_event_data_ext;
  std::uint32_t event_id;
  std::uint32_t pad;
};

enum class WaitResult : std::uint32_t { complete = 0, timeout = 1, fail = 2 };

inline constexpr std::uint32_t wait_for_ever = 0xFFFF'FFFF;

struct WaitEventsArgs {
  std::uint64_t events_ptr;  ///< array of EventData
  std::uint32_t num_events;
  std::uint32_t wait_for_all;
  std::uint32_t timeout;      ///< ms, or wait_for_ever
  std::uint32_t wait_result;  ///< reply: WaitResult
};

struct SetScratchBackingVaArgs {
  std::uint64_t va_addr;  ///< in units of 64 KiB
  std::uint32_t gpu_id;
  std::uint32_t pad;
};

struct GetTileConfigArgs {
  std::uint64_t tile_config_ptr;
  std::uint64_t macro_tile_config_ptr;
  std::uint32_t num_tile_configs;        ///< request: room; reply: filled
  std::uint32_t num_macro_tile_configs;  ///< request: room; reply: filled
  std::uint32_t gpu_id;
  std::uint32_t gb_addr_config;  ///< reply
  std::uint32_t num_banks;       ///< reply
  std::uint32_t num_ranks;       ///< reply
};

struct SetTrapHandlerArgs {
  std::uint64_t tba_addr;
  std::uint64_t tma_addr;
  std::uint32_t gpu_id;
  std::uint32_t pad;
};

struct GetProcessAperturesNewArgs {
  std::uint64_t kfd_process_device_apertures_ptr;
  std::uint32_t num_of_nodes;  ///< request: room, 0 asks for the number; reply: GPUs
  std::uint32_t pad;
};

struct AcquireVmArgs {
  std::uint32_t drm_fd;
  std::uint32_t gpu_id;
};

struct AllocMemoryOfGpuArgs {
  std::uint64_t va_addr;
  std::uint64_t size;
  std::uint64_t handle;       ///< reply; never 0
  std::uint64_t mmap_offset;  ///< request: CPU address of a userptr; reply: for the render node
  std::uint32_t gpu_id;
  std::uint32_t flags;  ///< alloc_flag
};

struct FreeMemoryOfGpuArgs {
  std::uint64_t handle;
};

struct MapMemoryToGpuArgs {
  std::uint64_t handle;
  std::uint64_t device_ids_array_ptr;  ///< gpu_ids, 32 bits each
  std::uint32_t n_devices;
  std::uint32_t n_success;  ///< request: where to go on; reply: n_devices on success
};
using UnmapMemoryFromGpuArgs = MapMemoryToGpuArgs;

struct SetCuMaskArgs {
  std::uint32_t queue_id;
  std::uint32_t num_cu_mask;  ///< bits
  std::uint64_t cu_mask_ptr;
};

struct GetQueueWaveStateArgs {
  std::uint64_t ctl_stack_address;
  std::uint32_t ctl_stack_used_size;  ///< reply
  std::uint32_t save_area_used_size;  ///< reply
  std::uint32_t queue_id;
  std::uint32_t pad;
};

struct GetDmabufInfoArgs {
  std::uint64_t size;  ///< reply
  std::uint64_t metadata_ptr;
  std::uint32_t metadata_size;  ///< request: room; reply: actual
  std::uint32_t gpu_id;         ///< reply
  std::uint32_t flags;          ///< reply: alloc_flag
  std::uint32_t dmabuf_fd;
};

struct ImportDmabufArgs {
  std::uint64_t va_addr;
  std::uint64_t handle;  ///< reply
  std::uint32_t gpu_id;
  std::uint32_t dmabuf_fd;
};

struct AllocQueueGwsArgs {
  std::uint32_t queue_id;
  std::uint32_t num_gws;
  std::uint32_t first_gws;  ///< reply
  std::uint32_t pad;
};

/// KFD_SMI_EVENT_*: what a line of an SMI event file begins with; its bit in the mask is one lower.
enum class SmiEvent : std::uint32_t {
  vm_fault = 1,
  thermal_throttle = 2,
  gpu_pre_reset = 3,
  gpu_post_reset = 4,
};

struct SmiEventsArgs {
  std::uint32_t gpuid;
  std::uint32_t anon_fd;  ///< reply
};

enum class SvmOp : std::uint32_t { set_attributes = 0, get_attributes = 1 };

enum class SvmAttributeType : std::uint32_t {
  preferred_location = 0,
  prefetch_location = 1,
  access = 2,
  access_in_place = 3,
  no_access = 4,
  set_flags = 5,
  clear_flags = 6,
  granularity = 7,  ///< log2 of pages
};

/// Values of the location attributes that are no gpu_id.
inline constexpr std::uint32_t svm_location_sysmem = 0;
inline constexpr std::uint32_t svm_location_undefined = 0xFFFF'FFFF;

namespace svm_flag {
inline constexpr std::uint32_t host_access = 1u << 0;
inline constexpr std::uint32_t coherent = 1u << 1;
inline constexpr std::uint32_t hive_local = 1u << 2;
inline constexpr std::uint32_t gpu_read_only = 1u << 3;
inline constexpr std::uint32_t gpu_exec = 1u << 4;
inline constexpr std::uint32_t gpu_read_mostly = 1u << 5;
inline constexpr std::uint32_t gpu_always_mapped = 1u << 6;  ///< since 1.11
inline constexpr std::uint32_t ext_coherent = 1u << 7;
}  // namespace svm_flag

struct SvmAttribute {
  std::uint32_t type;  ///< SvmAttributeType
  std::uint32_t value;
};

/// `nattr` SvmAttribute follow in memory; the size in the request counts them.
struct SvmArgs {
  std::uint64_t start_addr;
  std::uint64_t size;
  std::uint32_t op;  ///< SvmOp
  std::uint32_t nattr;
};

struct SetXnackModeArgs {
  std::int32_t xnack_enabled;  ///< request: < 0 asks; reply: the mode, 0 or 1
};

struct CriuArgs {
  std::uint64_t devices;
  std::uint64_t bos;
  std::uint64_t priv_data;
  std::uint64_t priv_data_size;
  std::uint32_t num_devices;
  std::uint32_t num_bos;
  std::uint32_t num_objects;
  std::uint32_t pid;
  std::uint32_t op;
  std::uint32_t pad;
};

struct AvailableMemoryArgs {
  std::uint64_t available;  ///< reply; bytes
  std::uint32_t gpu_id;
  std::uint32_t pad;
};

struct ExportDmabufArgs {
  std::uint64_t handle;
  std::uint32_t flags;      ///< of open(2): O_CLOEXEC, O_RDWR
  std::uint32_t dmabuf_fd;  ///< reply
};

struct RuntimeEnableArgs {
  std::uint64_t r_debug;
  std::uint32_t mode_mask;          ///< runtime_mode
  std::uint32_t capabilities_mask;  ///< reply; bit 31 core dumps
};
namespace runtime_mode {
inline constexpr std::uint32_t enable = 1, ttmp_save = 2;
}  // namespace runtime_mode

/// The payload depends on `op`; every one fits into 24 bytes.
struct DbgTrapArgs {
  std::uint32_t pid;
  std::uint32_t op;
  std::uint64_t payload[3];
};

struct IpcExportHandleArgs {
  std::uint64_t handle;
  std::uint32_t share_handle[4];  ///< reply
  std::uint32_t gpu_id;
  std::uint32_t flags;
};

struct IpcImportHandleArgs {
  std::uint64_t handle;  ///< reply
  std::uint64_t va_addr;
  std::uint64_t mmap_offset;  ///< reply
  std::uint32_t share_handle[4];
  std::uint32_t gpu_id;
  std::uint32_t flags;  ///< reply
};

static_assert(sizeof(GetVersionArgs) == 8 && sizeof(CreateQueueArgs) == 96);
static_assert(sizeof(DestroyQueueArgs) == 8 && sizeof(SetMemoryPolicyArgs) == 32);
static_assert(sizeof(GetClockCountersArgs) == 40 && sizeof(GetProcessAperturesArgs) == 400);
static_assert(sizeof(UpdateQueueArgs) == 24 && sizeof(CreateEventArgs) == 32);
static_assert(sizeof(DestroyEventArgs) == 8 && sizeof(SetEventArgs) == 8);
static_assert(sizeof(ResetEventArgs) == 8 && sizeof(WaitEventsArgs) == 24);
static_assert(sizeof(SetScratchBackingVaArgs) == 16 && sizeof(GetTileConfigArgs) == 40);
static_assert(sizeof(SetTrapHandlerArgs) == 24 && sizeof(GetProcessAperturesNewArgs) == 16);
static_assert(sizeof(AcquireVmArgs) == 8 && sizeof(AllocMemoryOfGpuArgs) == 40);
static_assert(sizeof(FreeMemoryOfGpuArgs) == 8 && sizeof(MapMemoryToGpuArgs) == 24);
static_assert(sizeof(UnmapMemoryFromGpuArgs) == 24 && sizeof(SetCuMaskArgs) == 16);
static_assert(sizeof(GetQueueWaveStateArgs) == 24 && sizeof(GetDmabufInfoArgs) == 32);
static_assert(sizeof(ImportDmabufArgs) == 24 && sizeof(AllocQueueGwsArgs) == 16);
static_assert(sizeof(SmiEventsArgs) == 8 && sizeof(SvmArgs) == 24 && sizeof(SvmAttribute) == 8);
static_assert(sizeof(SetXnackModeArgs) == 4 && sizeof(CriuArgs) == 56);
static_assert(sizeof(AvailableMemoryArgs) == 16 && sizeof(ExportDmabufArgs) == 16);
static_assert(sizeof(RuntimeEnableArgs) == 16 && sizeof(DbgTrapArgs) == 32);
static_assert(sizeof(IpcImportHandleArgs) == 48 && sizeof(IpcExportHandleArgs) == 32);
static_assert(sizeof(ProcessDeviceApertures) == 56 && sizeof(EventData) == 48);
static_assert(offsetof(CreateQueueArgs, doorbell_offset) == 24 &&
              offsetof(CreateQueueArgs, eop_buffer_address) == 56 &&
              offsetof(CreateQueueArgs, ctx_save_restore_address) == 72 &&
              offsetof(CreateQueueArgs, sdma_engine_id) == create_queue_args_size_1_11);
static_assert(offsetof(EventData, kfd_event_data_ext) == 32 && offsetof(EventData, event_id) == 40);

/// Bits of AllocMemoryOfGpuArgs::flags.
namespace alloc_flag {
inline constexpr std::uint32_t vram = 1u << 0;
inline constexpr std::uint32_t gtt = 1u << 1;
inline constexpr std::uint32_t userptr = 1u << 2;
inline constexpr std::uint32_t doorbell = 1u << 3;       ///< 8192 bytes, no other size
inline constexpr std::uint32_t mmio_remap = 1u << 4;     ///< 4096 bytes, no other size
inline constexpr std::uint32_t contiguous = 1u << 23;    ///< since 1.16
inline constexpr std::uint32_t ext_coherent = 1u << 24;  ///< since 1.14
inline constexpr std::uint32_t uncached = 1u << 25;
inline constexpr std::uint32_t coherent = 1u << 26;
inline constexpr std::uint32_t aql_queue_mem = 1u << 27;
inline constexpr std::uint32_t no_substitute = 1u << 28;
inline constexpr std::uint32_t host_access = 1u << 29;  ///< "PUBLIC"; EINVAL without a large BAR
inline constexpr std::uint32_t executable = 1u << 30;
inline constexpr std::uint32_t writable = 1u << 31;
}  // namespace alloc_flag

/// What an offset given to mmap(/dev/kfd) means: bits 63:62 type, 61:46 gpu_id, 45:0 value.
enum class MmapType : std::uint8_t { mmio = 0, reserved_memory = 1, events = 2, doorbell = 3 };

struct MmapOffset {
  MmapType type = MmapType::mmio;
  std::uint16_t gpu_id = 0;
  std::uint64_t value = 0;  ///< bytes

  static constexpr MmapOffset decode(std::uint64_t offset) {
    return {static_cast<MmapType>(offset >> 62), static_cast<std::uint16_t>(offset >> 46),
            offset & ((std::uint64_t{1} << 46) - 1)};
  }
  constexpr std::uint64_t encode() const {
    return static_cast<std::uint64_t>(type) << 62 | static_cast<std::uint64_t>(gpu_id) << 46 |
           (value & ((std::uint64_t{1} << 46) - 1));
  }
  friend constexpr bool operator==(const MmapOffset&, const MmapOffset&) = default;
};

inline constexpr std::size_t doorbell_page_size = 8192;  ///< 1024 doorbells of 64 bits
inline constexpr std::size_t mmio_page_size = 4096;
inline constexpr std::size_t event_slots = 4096;
inline constexpr std::size_t event_page_size = event_slots * 8;
inline constexpr std::uint64_t unsignaled_slot = ~std::uint64_t{0};
/// Ids from here on belong to events without a slot (all types but signal and debug).
inline constexpr std::uint32_t first_nonsignal_event_id = 0x4000'0000;

/// Codes of exceptions; in masks, code n is bit n - 1.
enum class Exception : std::uint8_t {
  none = 0,
  queue_wave_abort = 1,
  queue_wave_trap = 2,
  queue_wave_math_error = 3,
  queue_wave_illegal_instruction = 4,
  queue_wave_memory_violation = 5,
  queue_wave_aperture_violation = 6,
  queue_packet_dispatch_dim_invalid = 16,
  queue_packet_dispatch_group_segment_size_invalid = 17,
  queue_packet_dispatch_code_invalid = 18,
  queue_packet_reserved = 19,
  queue_packet_unsupported = 20,
  queue_packet_dispatch_work_group_size_invalid = 21,
  queue_packet_dispatch_register_invalid = 22,
  queue_packet_vendor_unsupported = 23,
  queue_preemption_error = 30,
  queue_new = 31,
  device_queue_delete = 32,
  device_memory_violation = 33,
  device_ras_error = 34,
  device_fatal_halt = 35,
  device_new = 36,
  process_runtime = 48,
  process_device_remove = 49,
};

constexpr std::uint64_t exception_mask(Exception code) {
  return code == Exception::none ? 0 : std::uint64_t{1} << (static_cast<unsigned>(code) - 1);
}
/// "EC_QUEUE_WAVE_ABORT"; "EC_NONE"; "EC_?" for a number without a name.
std::string_view name(Exception code);
/// Every named code but none, ascending.
std::span<const Exception> all_exceptions();

/// A number that the driver knows.
struct IoctlInfo {
  Ioctl nr;
  std::string_view name;   ///< "AMDKFD_IOC_CREATE_QUEUE"
  std::uint16_t size = 0;  ///< bytes of the newest argument structure, without attributes of SVM
  std::uint8_t since = 1;  ///< minor interface version; 0 = never in the mainline kernel
};

/// Every number, ascending.
std::span<const IoctlInfo> ioctls();
std::optional<IoctlInfo> ioctl_info(std::uint32_t nr);
/// "AMDKFD_IOC_CREATE_QUEUE"; "" for a number that the driver does not know (ENOTTY).
std::string_view ioctl_name(std::uint32_t nr);
/// _IOC_NR and _IOC_SIZE of a request that a program made; nullopt if it is not of KFD's type.
struct Request {
  std::uint32_t nr = 0;
  std::size_t size = 0;  ///< of the caller's structure
};
std::optional<Request> decode_request(unsigned long request);
/// The request for a number, with the newest size. Direction bits are both set, as KFD ignores
/// them.
unsigned long make_request(Ioctl nr, std::size_t extra_bytes = 0);

}  // namespace rocdrill::kfd
