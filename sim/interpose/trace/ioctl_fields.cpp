#include "sim/interpose/trace/ioctl_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rocdrill::trace {
namespace {

using kfd::Ioctl;

// The structures are kfd_uapi.hpp's; only what is neither padding nor an array of its own is here.
#define FIELD(type, member, kind, way)                                                    \
  FieldInfo {                                                                             \
    #member, offsetof(kfd::type, member), sizeof(kfd::type::member), Kind::kind, Way::way \
  }

constexpr FieldInfo get_version[] = {FIELD(GetVersionArgs, major_version, number, out),
                                     FIELD(GetVersionArgs, minor_version, number, out)};
constexpr FieldInfo create_queue[] = {FIELD(CreateQueueArgs, gpu_id, gpu, in),
                                      FIELD(CreateQueueArgs, queue_type, number, in),
                                      FIELD(CreateQueueArgs, ring_base_address, address, in),
                                      FIELD(CreateQueueArgs, ring_size, number, in),
                                      FIELD(CreateQueueArgs, write_pointer_address, address, in),
                                      FIELD(CreateQueueArgs, read_pointer_address, address, in),
                                      FIELD(CreateQueueArgs, queue_percentage, number, in),
                                      FIELD(CreateQueueArgs, queue_priority, number, in),
                                      FIELD(CreateQueueArgs, eop_buffer_address, address, in),
                                      FIELD(CreateQueueArgs, eop_buffer_size, number, in),
                                      FIELD(CreateQueueArgs, ctx_save_restore_address, address, in),
                                      FIELD(CreateQueueArgs, ctx_save_restore_size, number, in),
                                      FIELD(CreateQueueArgs, ctl_stack_size, number, in),
                                      FIELD(CreateQueueArgs, sdma_engine_id, number, in),
                                      FIELD(CreateQueueArgs, queue_id, number, out),
                                      FIELD(CreateQueueArgs, doorbell_offset, offset, out)};
constexpr FieldInfo destroy_queue[] = {FIELD(DestroyQueueArgs, queue_id, number, in)};
constexpr FieldInfo set_memory_policy[] = {
    FIELD(SetMemoryPolicyArgs, gpu_id, gpu, in),
    FIELD(SetMemoryPolicyArgs, default_policy, number, in),
    FIELD(SetMemoryPolicyArgs, alternate_policy, number, in),
    FIELD(SetMemoryPolicyArgs, alternate_aperture_base, address, in),
    FIELD(SetMemoryPolicyArgs, alternate_aperture_size, number, in),
    FIELD(SetMemoryPolicyArgs, misc_process_flag, mask, in)};
constexpr FieldInfo get_clock_counters[] = {
    FIELD(GetClockCountersArgs, gpu_id, gpu, in),
    FIELD(GetClockCountersArgs, gpu_clock_counter, time, out),
    FIELD(GetClockCountersArgs, cpu_clock_counter, time, out),
    FIELD(GetClockCountersArgs, system_clock_counter, time, out),
    FIELD(GetClockCountersArgs, system_clock_freq, number, out)};
constexpr FieldInfo get_process_apertures[] = {
    FIELD(GetProcessAperturesArgs, num_of_nodes, number, out)};
constexpr FieldInfo update_queue[] = {FIELD(UpdateQueueArgs, queue_id, number, in),
                                      FIELD(UpdateQueueArgs, ring_base_address, address, in),
                                      FIELD(UpdateQueueArgs, ring_size, number, in),
                                      FIELD(UpdateQueueArgs, queue_percentage, number, in),
                                      FIELD(UpdateQueueArgs, queue_priority, number, in)};
constexpr FieldInfo create_event[] = {FIELD(CreateEventArgs, event_page_offset, handle, in),
                                      FIELD(CreateEventArgs, event_type, number, in),
                                      FIELD(CreateEventArgs, auto_reset, number, in),
                                      FIELD(CreateEventArgs, node_id, number, in),
                                      FIELD(CreateEventArgs, event_id, number, out),
                                      FIELD(CreateEventArgs, event_trigger_data, number, out),
                                      FIELD(CreateEventArgs, event_slot_index, number, out)};
constexpr FieldInfo one_event[] = {FIELD(DestroyEventArgs, event_id, number, in)};
constexpr FieldInfo wait_events[] = {
    FIELD(WaitEventsArgs, events_ptr, pointer, in), FIELD(WaitEventsArgs, num_events, number, in),
    FIELD(WaitEventsArgs, wait_for_all, number, in), FIELD(WaitEventsArgs, timeout, number, in),
    FIELD(WaitEventsArgs, wait_result, number, out)};
constexpr FieldInfo set_scratch[] = {FIELD(SetScratchBackingVaArgs, gpu_id, gpu, in),
                                     FIELD(SetScratchBackingVaArgs, va_addr, address, in)};
constexpr FieldInfo get_tile_config[] = {
    FIELD(GetTileConfigArgs, gpu_id, gpu, in),
    FIELD(GetTileConfigArgs, tile_config_ptr, pointer, in),
    FIELD(GetTileConfigArgs, macro_tile_config_ptr, pointer, in),
    FIELD(GetTileConfigArgs, num_tile_configs, number, both),
    FIELD(GetTileConfigArgs, num_macro_tile_configs, number, both),
    FIELD(GetTileConfigArgs, gb_addr_config, mask, out),
    FIELD(GetTileConfigArgs, num_banks, number, out),
    FIELD(GetTileConfigArgs, num_ranks, number, out)};
constexpr FieldInfo set_trap_handler[] = {FIELD(SetTrapHandlerArgs, gpu_id, gpu, in),
                                          FIELD(SetTrapHandlerArgs, tba_addr, address, in),
                                          FIELD(SetTrapHandlerArgs, tma_addr, address, in)};
constexpr FieldInfo get_apertures_new[] = {
    FIELD(GetProcessAperturesNewArgs, kfd_process_device_apertures_ptr, pointer, in),
    FIELD(GetProcessAperturesNewArgs, num_of_nodes, number, both)};
constexpr FieldInfo acquire_vm[] = {FIELD(AcquireVmArgs, gpu_id, gpu, in),
                                    FIELD(AcquireVmArgs, drm_fd, file, in)};
constexpr FieldInfo alloc_memory[] = {FIELD(AllocMemoryOfGpuArgs, gpu_id, gpu, in),
                                      FIELD(AllocMemoryOfGpuArgs, va_addr, address, in),
                                      FIELD(AllocMemoryOfGpuArgs, size, number, in),
                                      FIELD(AllocMemoryOfGpuArgs, flags, alloc_flags, in),
                                      FIELD(AllocMemoryOfGpuArgs, mmap_offset, buffer_offset, both),
                                      FIELD(AllocMemoryOfGpuArgs, handle, handle, out)};
constexpr FieldInfo free_memory[] = {FIELD(FreeMemoryOfGpuArgs, handle, handle, in)};
constexpr FieldInfo map_memory[] = {FIELD(MapMemoryToGpuArgs, handle, handle, in),
                                    FIELD(MapMemoryToGpuArgs, device_ids_array_ptr, pointer, in),
                                    FIELD(MapMemoryToGpuArgs, n_devices, number, in),
                                    FIELD(MapMemoryToGpuArgs, n_success, number, both)};
constexpr FieldInfo set_cu_mask[] = {FIELD(SetCuMaskArgs, queue_id, number, in),
                                     FIELD(SetCuMaskArgs, num_cu_mask, number, both),
                                     FIELD(SetCuMaskArgs, cu_mask_ptr, pointer, in)};
constexpr FieldInfo wave_state[] = {FIELD(GetQueueWaveStateArgs, queue_id, number, in),
                                    FIELD(GetQueueWaveStateArgs, ctl_stack_address, address, in),
                                    FIELD(GetQueueWaveStateArgs, ctl_stack_used_size, number, out),
                                    FIELD(GetQueueWaveStateArgs, save_area_used_size, number, out)};
constexpr FieldInfo dmabuf_info[] = {FIELD(GetDmabufInfoArgs, dmabuf_fd, file, in),
                                     FIELD(GetDmabufInfoArgs, metadata_ptr, pointer, in),
                                     FIELD(GetDmabufInfoArgs, metadata_size, number, both),
                                     FIELD(GetDmabufInfoArgs, size, number, out),
                                     FIELD(GetDmabufInfoArgs, gpu_id, gpu, out),
                                     FIELD(GetDmabufInfoArgs, flags, alloc_flags, out)};
constexpr FieldInfo import_dmabuf[] = {
    FIELD(ImportDmabufArgs, gpu_id, gpu, in), FIELD(ImportDmabufArgs, va_addr, address, in),
    FIELD(ImportDmabufArgs, dmabuf_fd, file, in), FIELD(ImportDmabufArgs, handle, handle, out)};
constexpr FieldInfo queue_gws[] = {FIELD(AllocQueueGwsArgs, queue_id, number, in),
                                   FIELD(AllocQueueGwsArgs, num_gws, number, in),
                                   FIELD(AllocQueueGwsArgs, first_gws, number, out)};
constexpr FieldInfo smi_events[] = {FIELD(SmiEventsArgs, gpuid, gpu, in),
                                    FIELD(SmiEventsArgs, anon_fd, file, out)};
constexpr FieldInfo svm[] = {FIELD(SvmArgs, start_addr, address, in),
                             FIELD(SvmArgs, size, number, in), FIELD(SvmArgs, op, number, in),
                             FIELD(SvmArgs, nattr, number, in)};
constexpr FieldInfo set_xnack_mode[] = {
    FIELD(SetXnackModeArgs, xnack_enabled, signed_number, both)};
constexpr FieldInfo available_memory[] = {FIELD(AvailableMemoryArgs, gpu_id, gpu, in),
                                          FIELD(AvailableMemoryArgs, available, number, out)};
constexpr FieldInfo export_dmabuf[] = {FIELD(ExportDmabufArgs, handle, handle, in),
                                       FIELD(ExportDmabufArgs, flags, mask, in),
                                       FIELD(ExportDmabufArgs, dmabuf_fd, file, out)};
constexpr FieldInfo runtime_enable[] = {FIELD(RuntimeEnableArgs, mode_mask, mask, in),
                                        FIELD(RuntimeEnableArgs, r_debug, address, in),
                                        FIELD(RuntimeEnableArgs, capabilities_mask, mask, out)};
#undef FIELD

bool goes(Way field, Way way) {
  return (static_cast<unsigned>(field) & static_cast<unsigned>(way)) != 0;
}

template <class T>
T argument_as(std::span<const std::byte> argument) {
  T value{};
  std::memcpy(&value, argument.data(), std::min(sizeof value, argument.size()));
  return value;
}

/// A number that a program made up must not make a trace of any length.
constexpr std::uint32_t most_elements = 4096;

template <class T>
std::vector<T> array_of(std::uint64_t from, std::uint32_t count, const ReadMemory& read) {
  std::vector<T> list(std::min(count, most_elements));
  if (list.empty() || !read(list.data(), from, list.size() * sizeof list[0])) list.clear();
  return list;
}

Json aperture(const kfd::ProcessDeviceApertures& one) {
  return {{"gpu_id", one.gpu_id},
          {"lds", {hex(one.lds_base), hex(one.lds_limit)}},
          {"scratch", {hex(one.scratch_base), hex(one.scratch_limit)}},
          {"gpuvm", {hex(one.gpuvm_base), hex(one.gpuvm_limit)}}};
}

Json event(const kfd::EventData& one, Way way) {
  Json json = {{"event_id", one.event_id}};
  // Which member of the union holds depends on the event's type, which the argument does not say.
  if (way == Way::in) json["last_event_age"] = one.signal_event_data.last_event_age;
  if (way == Way::out)
    json["data"] = bytes_text(std::as_bytes(std::span(&one.memory_exception_data, 1)));
  return json;
}

}  // namespace

bool is_stable(Kind kind) {
  switch (kind) {
    case Kind::buffer_offset:
    case Kind::address:
    case Kind::signal:
    case Kind::pointer:
    case Kind::file:
    case Kind::time:
      return false;
    default:
      return true;
  }
}

std::span<const FieldInfo> fields_of(kfd::Ioctl nr) {
  switch (nr) {
    case Ioctl::get_version:
      return get_version;
    case Ioctl::create_queue:
      return create_queue;
    case Ioctl::destroy_queue:
      return destroy_queue;
    case Ioctl::set_memory_policy:
      return set_memory_policy;
    case Ioctl::get_clock_counters:
      return get_clock_counters;
    case Ioctl::get_process_apertures:
      return get_process_apertures;
    case Ioctl::update_queue:
      return update_queue;
    case Ioctl::create_event:
      return create_event;
    case Ioctl::destroy_event:
    case Ioctl::set_event:
    case Ioctl::reset_event:
      return one_event;
    case Ioctl::wait_events:
      return wait_events;
    case Ioctl::set_scratch_backing_va:
      return set_scratch;
    case Ioctl::get_tile_config:
      return get_tile_config;
    case Ioctl::set_trap_handler:
      return set_trap_handler;
    case Ioctl::get_process_apertures_new:
      return get_apertures_new;
    case Ioctl::acquire_vm:
      return acquire_vm;
    case Ioctl::alloc_memory_of_gpu:
      return alloc_memory;
    case Ioctl::free_memory_of_gpu:
      return free_memory;
    case Ioctl::map_memory_to_gpu:
    case Ioctl::unmap_memory_from_gpu:
      return map_memory;
    case Ioctl::set_cu_mask:
      return set_cu_mask;
    case Ioctl::get_queue_wave_state:
      return wave_state;
    case Ioctl::get_dmabuf_info:
      return dmabuf_info;
    case Ioctl::import_dmabuf:
      return import_dmabuf;
    case Ioctl::alloc_queue_gws:
      return queue_gws;
    case Ioctl::smi_events:
      return smi_events;
    case Ioctl::svm:
      return svm;
    case Ioctl::set_xnack_mode:
      return set_xnack_mode;
    case Ioctl::available_memory:
      return available_memory;
    case Ioctl::export_dmabuf:
      return export_dmabuf;
    case Ioctl::runtime_enable:
      return runtime_enable;
    default:
      return {};
  }
}

const FieldInfo* find_field(kfd::Ioctl nr, std::string_view name) {
  const auto fields = fields_of(nr);
  const auto at = std::ranges::find(fields, name, &FieldInfo::name);
  return at == fields.end() ? nullptr : &*at;
}

bool is_wait(std::string_view ioctl) {
  return ioctl == "AMDKFD_IOC_WAIT_EVENTS" || ioctl == "AMDKFD_IOC_SET_EVENT" ||
         ioctl == "AMDKFD_IOC_RESET_EVENT";
}

Json decode(kfd::Ioctl nr, std::span<const std::byte> argument, Way way) {
  Json json = Json::object();
  const auto fields = fields_of(nr);
  if (fields.empty()) return {{"bytes", bytes_text(argument)}};
  for (const FieldInfo& field : fields) {
    if (!goes(field.way, way) || field.offset + field.size > argument.size()) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, argument.data() + field.offset, field.size);
    switch (field.kind) {
      case Kind::number:
      case Kind::gpu:
      case Kind::file:
      case Kind::time:
        json[field.name] = value;
        break;
      case Kind::signed_number:
        json[field.name] = static_cast<std::int32_t>(value);
        break;
      default:
        json[field.name] = hex(value);
    }
  }
  return json;
}

std::vector<std::byte> encode(kfd::Ioctl nr, const Json& in, std::size_t size) {
  const auto fields = fields_of(nr);
  if (fields.empty()) {
    auto bytes = in.contains("bytes") ? bytes_of(in.at("bytes").get<std::string>())
                                      : std::vector<std::byte>();
    bytes.resize(size);
    return bytes;
  }
  std::vector<std::byte> argument(size);
  for (const FieldInfo& field : fields) {
    if (!goes(field.way, Way::in) || field.offset + field.size > size) continue;
    const std::uint64_t value = number_of(in, field.name);
    std::memcpy(argument.data() + field.offset, &value, field.size);
  }
  return argument;
}

Json pointed_at(kfd::Ioctl nr, std::span<const std::byte> argument, Way way,
                const ReadMemory& read) {
  Json json = Json::object();
  if (way == Way::in && (nr == Ioctl::map_memory_to_gpu || nr == Ioctl::unmap_memory_from_gpu)) {
    const auto args = argument_as<kfd::MapMemoryToGpuArgs>(argument);
    json["device_ids"] = array_of<std::uint32_t>(args.device_ids_array_ptr, args.n_devices, read);
  }
  if (way == Way::in && nr == Ioctl::set_cu_mask) {
    const auto args = argument_as<kfd::SetCuMaskArgs>(argument);
    json["cu_mask"] = array_of<std::uint32_t>(args.cu_mask_ptr, args.num_cu_mask / 32, read);
  }
  if (nr == Ioctl::wait_events) {
    const auto args = argument_as<kfd::WaitEventsArgs>(argument);
    Json list = Json::array();
    for (const auto& one : array_of<kfd::EventData>(args.events_ptr, args.num_events, read))
      list.push_back(event(one, way));
    json["events"] = std::move(list);
  }
  if (way == Way::out && nr == Ioctl::get_process_apertures_new) {
    const auto args = argument_as<kfd::GetProcessAperturesNewArgs>(argument);
    Json list = Json::array();
    if (args.kfd_process_device_apertures_ptr != 0) {
      for (const auto& one : array_of<kfd::ProcessDeviceApertures>(
               args.kfd_process_device_apertures_ptr, args.num_of_nodes, read))
        list.push_back(aperture(one));
    }
    json["apertures"] = std::move(list);
  }
  if (way == Way::out && nr == Ioctl::get_process_apertures) {
    const auto args = argument_as<kfd::GetProcessAperturesArgs>(argument);
    Json list = Json::array();
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(args.num_of_nodes, kfd::legacy_max_gpus);
         ++i)
      list.push_back(aperture(args.process_apertures[i]));
    json["apertures"] = std::move(list);
  }
  return json;
}

}  // namespace rocdrill::trace
