#include "stack/formats/kfd_uapi.hpp"

#include <linux/ioctl.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rocdrill::kfd {
namespace {

constexpr std::uint8_t out_of_tree = 0;

/// Old structures that have no type of ours: nobody reads them.
constexpr std::uint16_t dbg_register_size = 8;
constexpr std::uint16_t dbg_content_size = 16;
constexpr std::uint16_t dbg_trap_old_size = 40;
constexpr std::uint16_t cross_memory_copy_size = 48;
constexpr std::uint16_t rlc_spm_size = 32;
constexpr std::uint16_t pc_sample_size = 32;

constexpr std::array table{
    IoctlInfo{Ioctl::get_version, "AMDKFD_IOC_GET_VERSION", sizeof(GetVersionArgs)},
    IoctlInfo{Ioctl::create_queue, "AMDKFD_IOC_CREATE_QUEUE", sizeof(CreateQueueArgs)},
    IoctlInfo{Ioctl::destroy_queue, "AMDKFD_IOC_DESTROY_QUEUE", sizeof(DestroyQueueArgs)},
    IoctlInfo{Ioctl::set_memory_policy, "AMDKFD_IOC_SET_MEMORY_POLICY",
              sizeof(SetMemoryPolicyArgs)},
    IoctlInfo{Ioctl::get_clock_counters, "AMDKFD_IOC_GET_CLOCK_COUNTERS",
              sizeof(GetClockCountersArgs)},
    IoctlInfo{Ioctl::get_process_apertures, "AMDKFD_IOC_GET_PROCESS_APERTURES",
              sizeof(GetProcessAperturesArgs)},
    IoctlInfo{Ioctl::update_queue, "AMDKFD_IOC_UPDATE_QUEUE", sizeof(UpdateQueueArgs)},
    IoctlInfo{Ioctl::create_event, "AMDKFD_IOC_CREATE_EVENT", sizeof(CreateEventArgs)},
    IoctlInfo{Ioctl::destroy_event, "AMDKFD_IOC_DESTROY_EVENT", sizeof(DestroyEventArgs)},
    IoctlInfo{Ioctl::set_event, "AMDKFD_IOC_SET_EVENT", sizeof(SetEventArgs)},
    IoctlInfo{Ioctl::reset_event, "AMDKFD_IOC_RESET_EVENT", sizeof(ResetEventArgs)},
    IoctlInfo{Ioctl::wait_events, "AMDKFD_IOC_WAIT_EVENTS", sizeof(WaitEventsArgs)},
    IoctlInfo{Ioctl::dbg_register, "AMDKFD_IOC_DBG_REGISTER_DEPRECATED", dbg_register_size},
    IoctlInfo{Ioctl::dbg_unregister, "AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED", dbg_register_size},
    IoctlInfo{Ioctl::dbg_address_watch, "AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED",
              dbg_content_size},
    IoctlInfo{Ioctl::dbg_wave_control, "AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED", dbg_content_size},
    IoctlInfo{Ioctl::set_scratch_backing_va, "AMDKFD_IOC_SET_SCRATCH_BACKING_VA",
              sizeof(SetScratchBackingVaArgs)},
    IoctlInfo{Ioctl::get_tile_config, "AMDKFD_IOC_GET_TILE_CONFIG", sizeof(GetTileConfigArgs)},
    IoctlInfo{Ioctl::set_trap_handler, "AMDKFD_IOC_SET_TRAP_HANDLER", sizeof(SetTrapHandlerArgs)},
    IoctlInfo{Ioctl::get_process_apertures_new, "AMDKFD_IOC_GET_PROCESS_APERTURES_NEW",
              sizeof(GetProcessAperturesNewArgs)},
    IoctlInfo{Ioctl::acquire_vm, "AMDKFD_IOC_ACQUIRE_VM", sizeof(AcquireVmArgs)},
    IoctlInfo{Ioctl::alloc_memory_of_gpu, "AMDKFD_IOC_ALLOC_MEMORY_OF_GPU",
              sizeof(AllocMemoryOfGpuArgs)},
    IoctlInfo{Ioctl::free_memory_of_gpu, "AMDKFD_IOC_FREE_MEMORY_OF_GPU",
              sizeof(FreeMemoryOfGpuArgs)},
    IoctlInfo{Ioctl::map_memory_to_gpu, "AMDKFD_IOC_MAP_MEMORY_TO_GPU", sizeof(MapMemoryToGpuArgs)},
    IoctlInfo{Ioctl::unmap_memory_from_gpu, "AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU",
              sizeof(UnmapMemoryFromGpuArgs)},
    IoctlInfo{Ioctl::set_cu_mask, "AMDKFD_IOC_SET_CU_MASK", sizeof(SetCuMaskArgs)},
    IoctlInfo{Ioctl::get_queue_wave_state, "AMDKFD_IOC_GET_QUEUE_WAVE_STATE",
              sizeof(GetQueueWaveStateArgs)},
    IoctlInfo{Ioctl::get_dmabuf_info, "AMDKFD_IOC_GET_DMABUF_INFO", sizeof(GetDmabufInfoArgs)},
    IoctlInfo{Ioctl::import_dmabuf, "AMDKFD_IOC_IMPORT_DMABUF", sizeof(ImportDmabufArgs)},
    IoctlInfo{Ioctl::alloc_queue_gws, "AMDKFD_IOC_ALLOC_QUEUE_GWS", sizeof(AllocQueueGwsArgs)},
    IoctlInfo{Ioctl::smi_events, "AMDKFD_IOC_SMI_EVENTS", sizeof(SmiEventsArgs), 3},
    IoctlInfo{Ioctl::svm, "AMDKFD_IOC_SVM", sizeof(SvmArgs), 5},
    IoctlInfo{Ioctl::set_xnack_mode, "AMDKFD_IOC_SET_XNACK_MODE", sizeof(SetXnackModeArgs), 5},
    IoctlInfo{Ioctl::criu_op, "AMDKFD_IOC_CRIU_OP", sizeof(CriuArgs), 7},
    IoctlInfo{Ioctl::available_memory, "AMDKFD_IOC_AVAILABLE_MEMORY", sizeof(AvailableMemoryArgs),
              9},
    IoctlInfo{Ioctl::export_dmabuf, "AMDKFD_IOC_EXPORT_DMABUF", sizeof(ExportDmabufArgs), 12},
    IoctlInfo{Ioctl::runtime_enable, "AMDKFD_IOC_RUNTIME_ENABLE", sizeof(RuntimeEnableArgs), 13},
    IoctlInfo{Ioctl::dbg_trap, "AMDKFD_IOC_DBG_TRAP", sizeof(DbgTrapArgs), 13},
    IoctlInfo{Ioctl::ipc_import_handle, "AMDKFD_IOC_IPC_IMPORT_HANDLE", sizeof(IpcImportHandleArgs),
              out_of_tree},
    IoctlInfo{Ioctl::ipc_export_handle, "AMDKFD_IOC_IPC_EXPORT_HANDLE", sizeof(IpcExportHandleArgs),
              out_of_tree},
    IoctlInfo{Ioctl::dbg_trap_old, "AMDKFD_IOC_DBG_TRAP_DEPRECATED", dbg_trap_old_size,
              out_of_tree},
    IoctlInfo{Ioctl::cross_memory_copy, "AMDKFD_IOC_CROSS_MEMORY_COPY", cross_memory_copy_size,
              out_of_tree},
    IoctlInfo{Ioctl::rlc_spm, "AMDKFD_IOC_RLC_SPM", rlc_spm_size, out_of_tree},
    IoctlInfo{Ioctl::pc_sample, "AMDKFD_IOC_PC_SAMPLE", pc_sample_size, out_of_tree},
};

using enum Exception;

constexpr std::array<std::pair<Exception, std::string_view>, 23> exceptions{
    {{queue_wave_abort, "EC_QUEUE_WAVE_ABORT"},
     {queue_wave_trap, "EC_QUEUE_WAVE_TRAP"},
     {queue_wave_math_error, "EC_QUEUE_WAVE_MATH_ERROR"},
     {queue_wave_illegal_instruction, "EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION"},
     {queue_wave_memory_violation, "EC_QUEUE_WAVE_MEMORY_VIOLATION"},
     {queue_wave_aperture_violation, "EC_QUEUE_WAVE_APERTURE_VIOLATION"},
     {queue_packet_dispatch_dim_invalid, "EC_QUEUE_PACKET_DISPATCH_DIM_INVALID"},
     {queue_packet_dispatch_group_segment_size_invalid,
      "EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID"},
     {queue_packet_dispatch_code_invalid, "EC_QUEUE_PACKET_DISPATCH_CODE_INVALID"},
     {queue_packet_reserved, "EC_QUEUE_PACKET_RESERVED"},
     {queue_packet_unsupported, "EC_QUEUE_PACKET_UNSUPPORTED"},
     {queue_packet_dispatch_work_group_size_invalid,
      "EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID"},
     {queue_packet_dispatch_register_invalid, "EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID"},
     {queue_packet_vendor_unsupported, "EC_QUEUE_PACKET_VENDOR_UNSUPPORTED"},
     {queue_preemption_error, "EC_QUEUE_PREEMPTION_ERROR"},
     {queue_new, "EC_QUEUE_NEW"},
     {device_queue_delete, "EC_DEVICE_QUEUE_DELETE"},
     {device_memory_violation, "EC_DEVICE_MEMORY_VIOLATION"},
     {device_ras_error, "EC_DEVICE_RAS_ERROR"},
     {device_fatal_halt, "EC_DEVICE_FATAL_HALT"},
     {device_new, "EC_DEVICE_NEW"},
     {process_runtime, "EC_PROCESS_RUNTIME"},
     {process_device_remove, "EC_PROCESS_DEVICE_REMOVE"}}};

constexpr auto exception_codes = [] {
  std::array<Exception, exceptions.size()> codes{};
  std::ranges::transform(exceptions, codes.begin(), [](const auto& entry) { return entry.first; });
  return codes;
}();

}  // namespace

std::string_view name(Exception code) {
  if (code == none) return "EC_NONE";
  const auto found =
      std::ranges::find(exceptions, code, &std::pair<Exception, std::string_view>::first);
  return found == exceptions.end() ? "EC_?" : found->second;
}

std::span<const Exception> all_exceptions() { return exception_codes; }

std::span<const IoctlInfo> ioctls() { return table; }

std::optional<IoctlInfo> ioctl_info(std::uint32_t nr) {
  const auto found = std::ranges::find_if(
      table, [nr](const IoctlInfo& info) { return static_cast<std::uint32_t>(info.nr) == nr; });
  return found == table.end() ? std::nullopt : std::optional(*found);
}

std::string_view ioctl_name(std::uint32_t nr) {
  const auto info = ioctl_info(nr);
  return info ? info->name : std::string_view{};
}

std::optional<Request> decode_request(unsigned long request) {
  if (_IOC_TYPE(request) != static_cast<unsigned>(ioctl_type)) return std::nullopt;
  return Request{static_cast<std::uint32_t>(_IOC_NR(request)), _IOC_SIZE(request)};
}

unsigned long make_request(Ioctl nr, std::size_t extra_bytes) {
  const auto info = ioctl_info(static_cast<std::uint32_t>(nr));
  const std::size_t size = (info ? info->size : 0) + extra_bytes;
  return _IOC(_IOC_READ | _IOC_WRITE, static_cast<unsigned>(ioctl_type), static_cast<unsigned>(nr),
              size);
}

}  // namespace rocdrill::kfd
