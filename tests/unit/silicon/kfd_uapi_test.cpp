#include "stack/formats/kfd_uapi.hpp"

#include <gtest/gtest.h>

#include <set>

// The header of this machine, where its packages allow it to be included.
#if __has_include(<drm/drm.h>)
#include <linux/kfd_ioctl.h>
#define ROCDRILL_HAS_KFD_HEADER 1
#endif

namespace rocdrill::kfd {
namespace {

TEST(Ioctls, EachNumberAndNameAppearsOnceAndInOrder) {
  std::set<std::string_view> names;
  int previous = 0;
  for (const IoctlInfo& info : ioctls()) {
    EXPECT_GT(static_cast<int>(info.nr), previous) << info.name;
    previous = static_cast<int>(info.nr);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.name.starts_with("AMDKFD_IOC_")) << info.name;
    EXPECT_GT(info.size, 0u) << info.name;
    EXPECT_LE(info.since, interface_minor) << info.name;
  }
}

TEST(Ioctls, MainlineNumbersHaveNoGap) {
  for (std::uint32_t nr = 0x01; nr <= 0x26; ++nr) EXPECT_TRUE(ioctl_info(nr)) << nr;
  for (std::uint32_t nr = 0x80; nr <= 0x85; ++nr) EXPECT_TRUE(ioctl_info(nr)) << nr;
  EXPECT_FALSE(ioctl_info(0x00));
  EXPECT_FALSE(ioctl_info(0x27));
  EXPECT_FALSE(ioctl_info(0x86));
  EXPECT_FALSE(ioctl_info(0x102));
}

TEST(Ioctls, Names) {
  EXPECT_EQ(ioctl_name(0x02), "AMDKFD_IOC_CREATE_QUEUE");
  EXPECT_EQ(ioctl_name(0x25), "AMDKFD_IOC_RUNTIME_ENABLE");
  EXPECT_EQ(ioctl_name(0x26), "AMDKFD_IOC_DBG_TRAP");
  EXPECT_EQ(ioctl_name(0x7F), "");
}

TEST(Ioctls, SizesOfTheNewestInterface) {
  EXPECT_EQ(ioctl_info(0x02)->size, 96u);
  EXPECT_EQ(ioctl_info(0x06)->size, 400u);
  EXPECT_EQ(ioctl_info(0x20)->size, 24u);
  EXPECT_EQ(ioctl_info(0x82)->size, 40u);
}

TEST(Ioctls, RequestsAreDecodedByNumberWhateverTheirSize) {
  const auto svm = decode_request(make_request(Ioctl::svm, 6 * sizeof(SvmAttribute)));
  ASSERT_TRUE(svm);
  EXPECT_EQ(svm->nr, 0x20u);
  EXPECT_EQ(svm->size, 24u + 48u);
  EXPECT_EQ(decode_request(0xC0584B02)->nr, 0x02u) << "CREATE_QUEUE of libhsakmt 5.x";
  EXPECT_EQ(decode_request(0xC0584B02)->size, create_queue_args_size_1_11);
  EXPECT_FALSE(decode_request(0xC0406400)) << "a DRM request";
}

TEST(Mmap, OffsetsAreThoseOfARealTrace) {
  // The second queue of a process on a GPU with id 0x433D.
  const MmapOffset offset = MmapOffset::decode(0xD0CF'4000'0000'0008);
  EXPECT_EQ(offset, (MmapOffset{MmapType::doorbell, 0x433D, 8}));
  EXPECT_EQ(offset.encode(), 0xD0CF'4000'0000'0008u);
  EXPECT_EQ((MmapOffset{MmapType::events, 0, 0}.encode()), 0x8000'0000'0000'0000u);
  EXPECT_EQ((MmapOffset{MmapType::mmio, 0xFFFF, 0}.encode()), 0x3FFF'C000'0000'0000u);
}

TEST(Exceptions, HaveNamesAndBits) {
  EXPECT_EQ(name(Exception::queue_wave_abort), "EC_QUEUE_WAVE_ABORT");
  EXPECT_EQ(name(Exception::device_memory_violation), "EC_DEVICE_MEMORY_VIOLATION");
  EXPECT_EQ(name(Exception::none), "EC_NONE");
  EXPECT_EQ(name(static_cast<Exception>(40)), "EC_?");
  EXPECT_EQ(exception_mask(Exception::queue_wave_abort), 1u);
  EXPECT_EQ(exception_mask(Exception::process_runtime), std::uint64_t{1} << 47);
  EXPECT_EQ(exception_mask(Exception::none), 0u);
  int previous = 0;
  for (const Exception code : all_exceptions()) {
    EXPECT_GT(static_cast<int>(code), previous);
    previous = static_cast<int>(code);
    EXPECT_NE(name(code), "EC_?");
  }
}

#ifdef ROCDRILL_HAS_KFD_HEADER
template <class Ours, class Theirs>
void same_size() {
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
}

TEST(Header, LayoutsAreThoseOfThisMachinesHeader) {
  same_size<GetVersionArgs, kfd_ioctl_get_version_args>();
  same_size<DestroyQueueArgs, kfd_ioctl_destroy_queue_args>();
  same_size<SetMemoryPolicyArgs, kfd_ioctl_set_memory_policy_args>();
  same_size<GetClockCountersArgs, kfd_ioctl_get_clock_counters_args>();
  same_size<ProcessDeviceApertures, kfd_process_device_apertures>();
  same_size<GetProcessAperturesArgs, kfd_ioctl_get_process_apertures_args>();
  same_size<UpdateQueueArgs, kfd_ioctl_update_queue_args>();
  same_size<CreateEventArgs, kfd_ioctl_create_event_args>();
  same_size<SetEventArgs, kfd_ioctl_set_event_args>();
  same_size<WaitEventsArgs, kfd_ioctl_wait_events_args>();
  same_size<EventData, kfd_event_data>();
  same_size<GetTileConfigArgs, kfd_ioctl_get_tile_config_args>();
  same_size<SetTrapHandlerArgs, kfd_ioctl_set_trap_handler_args>();
  same_size<AllocMemoryOfGpuArgs, kfd_ioctl_alloc_memory_of_gpu_args>();
  same_size<MapMemoryToGpuArgs, kfd_ioctl_map_memory_to_gpu_args>();
  same_size<SetCuMaskArgs, kfd_ioctl_set_cu_mask_args>();
  same_size<GetQueueWaveStateArgs, kfd_ioctl_get_queue_wave_state_args>();
  same_size<GetDmabufInfoArgs, kfd_ioctl_get_dmabuf_info_args>();
  same_size<ImportDmabufArgs, kfd_ioctl_import_dmabuf_args>();
  same_size<AllocQueueGwsArgs, kfd_ioctl_alloc_queue_gws_args>();
  same_size<SmiEventsArgs, kfd_ioctl_smi_events_args>();
  same_size<SvmArgs, kfd_ioctl_svm_args>();
  same_size<SetXnackModeArgs, kfd_ioctl_set_xnack_mode_args>();
  same_size<CriuArgs, kfd_ioctl_criu_args>();
  same_size<AvailableMemoryArgs, kfd_ioctl_get_available_memory_args>();
  EXPECT_EQ(offsetof(CreateEventArgs, event_id), offsetof(kfd_ioctl_create_event_args, event_id));
  EXPECT_EQ(offsetof(MemoryExceptionData, va), offsetof(kfd_hsa_memory_exception_data, va));
  EXPECT_EQ(offsetof(MapMemoryToGpuArgs, n_success),
            offsetof(kfd_ioctl_map_memory_to_gpu_args, n_success));
  EXPECT_EQ(offsetof(AllocMemoryOfGpuArgs, flags),
            offsetof(kfd_ioctl_alloc_memory_of_gpu_args, flags));
  EXPECT_EQ(offsetof(CreateQueueArgs, ctl_stack_size),
            offsetof(kfd_ioctl_create_queue_args, ctl_stack_size));
  EXPECT_EQ(alloc_flag::vram, static_cast<std::uint32_t>(KFD_IOC_ALLOC_MEM_FLAGS_VRAM));
  EXPECT_EQ(alloc_flag::writable, static_cast<std::uint32_t>(KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE));
  EXPECT_EQ(alloc_flag::uncached, static_cast<std::uint32_t>(KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED));
  EXPECT_EQ(decode_request(AMDKFD_IOC_AVAILABLE_MEMORY)->nr, 0x23u);
  EXPECT_EQ(decode_request(AMDKFD_IOC_GET_QUEUE_WAVE_STATE)->nr, 0x1Bu);
}
#endif

}  // namespace
}  // namespace rocdrill::kfd
