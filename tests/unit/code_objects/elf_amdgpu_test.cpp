#include "stack/formats/elf_amdgpu.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "stack/formats/kernel_descriptor.hpp"

namespace rocdrill {
namespace {

using elf_amdgpu::FlagsError;
using elf_amdgpu::Target;
using Feature = TargetId::Feature;

constexpr std::uint8_t v3 = 1, v4 = 2, v5 = 3, v6 = 4;

struct KnownFlags {
  std::uint32_t e_flags;
  std::uint8_t abi;
  const char* target;
};

// Measured: e_flags that clang 19 and llvm-mc 19 write.
constexpr std::array known_flags{
    KnownFlags{0x53F, v5, "gfx90a"},           KnownFlags{0x73F, v5, "gfx90a:xnack+"},
    KnownFlags{0x63F, v5, "gfx90a:xnack-"},    KnownFlags{0xE3F, v5, "gfx90a:sramecc+:xnack-"},
    KnownFlags{0x54C, v4, "gfx942"},           KnownFlags{0x52F, v4, "gfx906"},
    KnownFlags{0x045, v5, "gfx1036"},          KnownFlags{0x041, v5, "gfx1100"},
    KnownFlags{0x1000151, v6, "gfx9-generic"},
};

TEST(ElfFlags, DecodesWhatCompilersWrite) {
  for (const KnownFlags& known : known_flags) {
    const auto target = elf_amdgpu::decode(known.e_flags, known.abi);
    ASSERT_TRUE(target) << known.target;
    EXPECT_EQ(target->id, TargetId::parse(known.target).value()) << known.target;
    EXPECT_EQ(target->code_object_version, known.abi + 2u);
    EXPECT_EQ(target->generic_version, known.abi == v6 ? 1u : 0u);
    EXPECT_EQ(elf_amdgpu::encode(*target), known.e_flags) << known.target;
  }
}

TEST(ElfFlags, V3HasOneBitPerFeature) {
  EXPECT_EQ(elf_amdgpu::decode(0x3F | 0x100, v3)->id.text(), "gfx90a:sramecc-:xnack+");
  EXPECT_EQ(elf_amdgpu::decode(0x3F | 0x200, v3)->id.text(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(elf_amdgpu::decode(0x41, v3)->id.text(), "gfx1100");
  EXPECT_EQ(elf_amdgpu::encode({TargetId::parse("gfx90a:sramecc+:xnack-").value(), 3, 0}), 0x23Fu);
  EXPECT_THROW((void)elf_amdgpu::encode({TargetId::parse("gfx90a").value(), 3, 0}),
               std::invalid_argument);
}

TEST(ElfFlags, ClearFeatureBitsFitEveryAgent) {
  const auto target = elf_amdgpu::decode(0x3F, v5);
  EXPECT_EQ(target->id.xnack, Feature::unsupported);
  EXPECT_TRUE(compatible(target->id, TargetId::parse("gfx90a:sramecc+:xnack+").value()));
}

TEST(ElfFlags, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(elf_amdgpu::decode(0x3F, 0).error().kind, FlagsError::Kind::unmodelled_v2);
  EXPECT_EQ(elf_amdgpu::decode(0x3F, 5).error().kind, FlagsError::Kind::unknown_abi);
  EXPECT_EQ(elf_amdgpu::decode(0x500, v5).error().kind, FlagsError::Kind::unknown_mach);
  EXPECT_EQ(elf_amdgpu::decode(0x001, v5).error().kind, FlagsError::Kind::unknown_mach) << "r600";
  EXPECT_THROW((void)elf_amdgpu::encode({{"gfx9999"}, 5, 0}), std::invalid_argument);
  EXPECT_THROW((void)elf_amdgpu::abi_version(7), std::invalid_argument);
}

TEST(KernelDescriptor, ReadsFields) {
  std::array<std::byte, 64> bytes{};
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
  };
  put(0, 2048, 4);
  put(4, 16, 4);
  put(8, 280, 4);
  put(16, 0x1100, 8);
  put(44, 0x1000B, 4);     // accum_offset 48, tg_split
  put(48, 0x00AF0081, 4);  // clang 19 for a gfx90a kernel
  put(52, 0x00001393, 4);  // private segment, 9 user SGPRs, ids x y z, workitem x y z
  put(56, 0x041B, 2);      // V#, dispatch_ptr, kernarg, dispatch_id, wave32
  put(58, 2 << 7 | 4, 2);  // preload 4 dwords from dword 2

  EXPECT_FALSE(KernelDescriptor::read(std::span(bytes).first(63)));
  const auto descriptor = KernelDescriptor::read(bytes);
  ASSERT_TRUE(descriptor);
  EXPECT_EQ(descriptor->group_segment_fixed_size, 2048u);
  EXPECT_EQ(descriptor->kernel_code_entry_byte_offset, 0x1100);
  EXPECT_EQ(descriptor->granulated_vgprs(), 1u);
  EXPECT_EQ(descriptor->granulated_sgprs(), 2u);
  EXPECT_EQ(descriptor->float_mode(), 0xF0u);
  EXPECT_TRUE(descriptor->dx10_clamp());
  EXPECT_TRUE(descriptor->ieee_mode());
  EXPECT_FALSE(descriptor->wgp_mode());
  EXPECT_TRUE(descriptor->enable_private_segment());
  EXPECT_EQ(descriptor->user_sgpr_count(), 9u);
  EXPECT_TRUE(descriptor->workgroup_id_x() && descriptor->workgroup_id_y() &&
              descriptor->workgroup_id_z());
  EXPECT_EQ(descriptor->workitem_id_dimensions(), 2u);
  EXPECT_EQ(descriptor->accum_offset(), 48u);
  EXPECT_TRUE(descriptor->tg_split());
  EXPECT_TRUE(descriptor->wavefront_size32());
  EXPECT_EQ(descriptor->preload_length(), 4u);
  EXPECT_EQ(descriptor->preload_offset(), 2u);
}

TEST(KernelDescriptor, UserSgprsAreDense) {
  KernelDescriptor descriptor;
  descriptor.kernel_code_properties = 0x1B;  // V#, dispatch_ptr, kernarg, dispatch_id
  descriptor.kernarg_preload = 3;
  const UserSgprs sgprs = user_sgprs(descriptor);
  EXPECT_EQ(sgprs.private_segment_buffer, 0u);
  EXPECT_EQ(sgprs.dispatch_ptr, 4u);
  EXPECT_EQ(sgprs.queue_ptr, std::nullopt);
  EXPECT_EQ(sgprs.kernarg_segment_ptr, 6u);
  EXPECT_EQ(sgprs.dispatch_id, 8u);
  EXPECT_EQ(sgprs.flat_scratch_init, std::nullopt);
  EXPECT_EQ(sgprs.kernarg_preload, 10u);
  EXPECT_EQ(sgprs.used, 13u);
}

}  // namespace
}  // namespace rocdrill
