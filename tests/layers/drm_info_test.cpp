// What a render node answers to DRM_AMDGPU_INFO.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "sim/kernel/drm_info.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

class DrmInfo : public testing::Test {
 protected:
  std::unique_ptr<sim::Node> node = booted("mi210");

  kernel::DrmDeviceInfo info() {
    const kernel::GpuDevice& device = node->kernel.amdgpu.devices().front();
    return kernel::drm_device_info(node->board.gpus()[device.gpu], device,
                                   {.vram_bytes = 1u << 20,
                                    .gtt_bytes = 4096,
                                    .gtt_size = 128ull << 30,
                                    .driver_time_ns = 1'000'000'000});
  }
  /// The errno; the bytes are in `reply`.
  int ask(drm::Info query, std::uint32_t size, std::uint32_t first = 0, std::uint32_t second = 0) {
    const drm::InfoRequest request{
        0, size, static_cast<std::uint32_t>(query), {first, second, 0, 0}};
    return kernel::answer_info(info(), request, reply, modelled);
  }
  template <class Value>
  Value value() const {
    Value out = {};
    EXPECT_LE(reply.size(), sizeof out);
    std::memcpy(&out, reply.data(), reply.size());
    return out;
  }
  std::string reply;
  bool modelled = false;
};

TEST_F(DrmInfo, DeviceIsTheCataloguesRow) {
  // 368 bytes is what ROCr's libdrm asks for: the first part of the table.
  ASSERT_EQ(ask(drm::Info::dev_info, 368), 0);
  ASSERT_EQ(reply.size(), 368u);
  const auto device = value<drm::DeviceInfo>();
  EXPECT_EQ(device.device_id, 0x740Fu);
  EXPECT_EQ(device.pci_rev, 2u);
  EXPECT_EQ(device.family, 141u);
  EXPECT_EQ(device.num_shader_engines, 8u);
  EXPECT_EQ(device.cu_active_number, 104u);
  EXPECT_EQ(device.gpu_counter_freq, 100'000u);
  EXPECT_EQ(device.max_engine_clock, 1'700'000u);
  EXPECT_EQ(device.vram_type, drm::vram_hbm);
  EXPECT_EQ(device.vram_bit_width, 4096u);
  EXPECT_EQ(device.ids_flags, 0u);
  std::uint32_t cus = 0;
  for (const auto& engine : device.cu_bitmap) {
    for (const std::uint32_t array : engine)
      cus += static_cast<std::uint32_t>(__builtin_popcount(array));
  }
  EXPECT_EQ(cus, 104u);
}

TEST_F(DrmInfo, MemoryUsageFirmwareAndSensors) {
  ASSERT_EQ(ask(drm::Info::memory, sizeof(drm::MemoryInfo)), 0);
  EXPECT_EQ(value<drm::MemoryInfo>().vram.total, 68702699520u);
  EXPECT_EQ(value<drm::MemoryInfo>().vram.usage, 1u << 20);
  EXPECT_EQ(value<drm::MemoryInfo>().gtt.total, 128ull << 30);
  ASSERT_EQ(ask(drm::Info::vram_gtt, 24), 0);
  EXPECT_EQ(value<drm::VramGtt>().vram, 68702699520u);
  ASSERT_EQ(ask(drm::Info::fw_version, 8, static_cast<std::uint32_t>(drm::Firmware::gfx_mec)), 0);
  EXPECT_EQ(value<drm::FirmwareVersion>().version, 78u);
  EXPECT_EQ(ask(drm::Info::fw_version, 8, 99), EINVAL);
  ASSERT_EQ(ask(drm::Info::sensor, 4, static_cast<std::uint32_t>(drm::Sensor::gfx_sclk)), 0);
  EXPECT_EQ(value<std::uint32_t>(), 800u);
  node->kernel.amdgpu.device(0).performance_level = "high";
  ASSERT_EQ(ask(drm::Info::sensor, 4, static_cast<std::uint32_t>(drm::Sensor::gfx_sclk)), 0);
  EXPECT_EQ(value<std::uint32_t>(), 1700u);
  EXPECT_EQ(ask(drm::Info::sensor, 4, 77), EINVAL);
  ASSERT_EQ(ask(drm::Info::timestamp, 8), 0);
  EXPECT_EQ(value<std::uint64_t>(), 100'000'000u);
}

TEST_F(DrmInfo, RegistersAndWhatIsUnknown) {
  ASSERT_EQ(ask(drm::Info::read_mmr_reg, 4, drm::gb_addr_config_register, 1), 0);
  EXPECT_EQ(value<std::uint32_t>(), 0x22014042u);
  EXPECT_EQ(ask(drm::Info::read_mmr_reg, 4, 0x1234, 1), EFAULT);
  EXPECT_EQ(ask(drm::Info::accel_working, 4), 0);
  EXPECT_EQ(value<std::uint32_t>(), 1u);
  EXPECT_EQ(ask(drm::Info::accel_working, 0), EINVAL);
  EXPECT_EQ(ask(drm::Info::gds_config, 32), EINVAL);
  EXPECT_FALSE(modelled);
  EXPECT_EQ(ask(static_cast<drm::Info>(0x7777), 4), EINVAL);
  EXPECT_TRUE(modelled) << "the driver refuses it as well";
}

TEST(DrmVersion, FollowsTheDriver) {
  EXPECT_EQ(kernel::drm_version("6.1.0-37-amd64", "").minor, 49u);
  EXPECT_EQ(kernel::drm_version("6.8.0-55-generic", "").minor, 57u);
  EXPECT_EQ(kernel::drm_version("6.8.0-55-generic", "6.10.5-2125197.24.04").minor, 61u);
  EXPECT_EQ(kernel::drm_version("6.1.0-37-amd64", "").name, "amdgpu");
}

}  // namespace
}  // namespace rocdrill::test
