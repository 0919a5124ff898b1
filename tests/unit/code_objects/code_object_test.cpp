#include "sim/code_objects/code_object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "stack/formats/elf_amdgpu.hpp"
#include "unit/code_objects/files.hpp"

namespace rocdrill::code_objects {
namespace {

using test::Bytes;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

CodeObject load(const std::filesystem::path& path) {
  auto code_object = read_code_object(test::read_file(path));
  if (!code_object) throw std::runtime_error(path.string() + ": " + code_object.error().what);
  return std::move(*code_object);
}

TEST(CodeObject, FlagsSayWhatTheCompilerWasAskedFor) {
  const auto paths = test::built_code_objects();
  ASSERT_THAT(paths, Not(IsEmpty()));
  for (const auto& path : paths) {
    const CodeObject code_object = load(path);
    const std::string asked = test::target_of(path);
    EXPECT_EQ(code_object.target, TargetId::parse(asked).value()) << path;
    EXPECT_EQ(code_object.metadata_target, "amdgcn-amd-amdhsa--" + asked) << path;
    const bool generic = asked.ends_with("-generic");
    const bool v4 = path.parent_path().filename() == "saxpy_v4";
    EXPECT_EQ(code_object.code_object_version, generic ? 6u : v4 ? 4u : 5u) << path;
    EXPECT_EQ(code_object.generic_version, generic ? 1u : 0u) << path;
  }
}

TEST(CodeObject, FindsKernelsAndTheirDescriptors) {
  const CodeObject code_object = load(test::device_code("matmul/gfx90a.co"));
  ASSERT_EQ(code_object.kernels.size(), 3u);
  const Kernel* tiled = code_object.find_kernel("matmul_tiled");
  ASSERT_NE(tiled, nullptr);
  EXPECT_EQ(tiled->symbol, "matmul_tiled.kd");
  EXPECT_EQ(tiled->group_segment_fixed_size, 2u * 16 * 16 * sizeof(float));
  EXPECT_EQ(tiled->wavefront_size, 64u);
  EXPECT_THAT(tiled->reqd_workgroup_size, ElementsAre(16, 16, 1));
  EXPECT_EQ(tiled->max_flat_workgroup_size, 256u);
  EXPECT_EQ(code_object.find_kernel("no_such_kernel"), nullptr);
}

TEST(CodeObject, DescriptorsAgreeWithMetadata) {
  for (const auto& path : test::built_code_objects()) {
    const CodeObject code_object = load(path);
    for (const Kernel& kernel : code_object.kernels) {
      SCOPED_TRACE(path.string() + " " + kernel.name);
      ASSERT_TRUE(kernel.descriptor);
      EXPECT_EQ(kernel.descriptor_address % KernelDescriptor::size, 0u);
      EXPECT_EQ(kernel.descriptor->kernarg_size, kernel.kernarg_segment_size);
      EXPECT_EQ(kernel.descriptor->group_segment_fixed_size, kernel.group_segment_fixed_size);
      EXPECT_EQ(kernel.descriptor->private_segment_fixed_size, kernel.private_segment_fixed_size);
      EXPECT_EQ(kernel.descriptor->wavefront_size32(), kernel.wavefront_size == 32);
      EXPECT_TRUE(kernel.descriptor->kernarg_segment_ptr());
      EXPECT_LE(user_sgprs(*kernel.descriptor).used, kernel.descriptor->user_sgpr_count());
      const std::uint64_t entry =
          kernel.descriptor_address +
          static_cast<std::uint64_t>(kernel.descriptor->kernel_code_entry_byte_offset);
      EXPECT_EQ(entry % KernelDescriptor::code_alignment, 0u);
      EXPECT_TRUE(std::ranges::any_of(code_object.segments, [&](const Segment& segment) {
        return segment.executable && entry >= segment.address &&
               entry < segment.address + segment.file_size;
      }));
    }
  }
}

TEST(CodeObject, ExplicitAndHiddenArguments) {
  const CodeObject code_object = load(test::device_code("saxpy/gfx1100.co"));
  const Kernel& saxpy = code_object.kernels.at(0);
  ASSERT_GT(saxpy.arguments.size(), 4u);
  EXPECT_EQ(saxpy.arguments[0].value_kind, "global_buffer");
  EXPECT_EQ(saxpy.arguments[0].type_name, "float*");
  EXPECT_EQ(saxpy.arguments[2].value_kind, "by_value");
  EXPECT_EQ(saxpy.arguments[2].offset, 16u);
  EXPECT_EQ(saxpy.arguments[2].size, 4u);
  EXPECT_FALSE(saxpy.arguments[3].hidden());
  EXPECT_TRUE(saxpy.arguments[4].hidden());
  EXPECT_EQ(saxpy.kernarg_segment_size, 24u + 256) << "explicit arguments and the v5 hidden block";
  // v4 has the workgroup size in the dispatch packet, so that saxpy needs no hidden block there.
  const Kernel v4 = load(test::device_code("saxpy_v4/gfx90a.co")).kernels.at(0);
  EXPECT_EQ(v4.kernarg_segment_size, 24u);
  EXPECT_TRUE(v4.descriptor->dispatch_ptr());
  EXPECT_FALSE(saxpy.descriptor->dispatch_ptr());
}

/// Values of one key in llvm-readobj's dump of the metadata, in order.
std::vector<std::string> dumped(const std::string& dump, const std::string& key) {
  std::vector<std::string> values;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(key + ":");
    if (at == std::string::npos) continue;
    std::string value = line.substr(at + key.size() + 1);
    value.erase(0, value.find_first_not_of(' '));
    values.push_back(value);
  }
  return values;
}

TEST(CodeObject, MetadataIsWhatReadobjShows) {
  for (const char* name :
       {"saxpy/gfx90a.co", "matmul/gfx942.co", "matmul/gfx11-generic.co", "saxpy_v4/gfx906.co"}) {
    SCOPED_TRACE(name);
    const auto path = test::device_code(name);
    const auto dump = test::run("llvm-readobj-19 --notes " + test::quoted(path.string()));
    ASSERT_EQ(dump.exit_code, 0) << dump.output;
    const CodeObject code_object = load(path);
    std::vector<std::string> symbols, kernargs, vgprs, sgprs, offsets, sizes, kinds;
    for (const Kernel& kernel : code_object.kernels) {
      symbols.push_back(kernel.symbol);
      kernargs.push_back(std::to_string(kernel.kernarg_segment_size));
      vgprs.push_back(std::to_string(kernel.vgpr_count));
      sgprs.push_back(std::to_string(kernel.sgpr_count));
      for (const KernelArgument& argument : kernel.arguments) {
        offsets.push_back(std::to_string(argument.offset));
        sizes.push_back(std::to_string(argument.size));
        kinds.push_back(argument.value_kind);
      }
    }
    EXPECT_EQ(symbols, dumped(dump.output, ".symbol"));
    EXPECT_EQ(kernargs, dumped(dump.output, ".kernarg_segment_size"));
    EXPECT_EQ(vgprs, dumped(dump.output, ".vgpr_count"));
    EXPECT_EQ(sgprs, dumped(dump.output, ".sgpr_count"));
    EXPECT_EQ(offsets, dumped(dump.output, ".offset"));
    EXPECT_EQ(sizes, dumped(dump.output, ".size"));
    EXPECT_EQ(kinds, dumped(dump.output, ".value_kind"));
  }
}

TEST(Loadable, XnackModeDecides) {
  const CodeObject on = load(test::device_code("saxpy/gfx90a@xnack+.co"));
  const CodeObject off = load(test::device_code("saxpy/gfx90a@xnack-.co"));
  const CodeObject any = load(test::device_code("saxpy/gfx90a.co"));
  constexpr std::string_view agent_off = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
  constexpr std::string_view agent_on = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+";
  EXPECT_EQ(loadable(on, agent_off).match, TargetMatch::xnack_mismatch);
  EXPECT_EQ(loadable(off, agent_on).match, TargetMatch::xnack_mismatch);
  EXPECT_TRUE(loadable(on, agent_on));
  EXPECT_TRUE(loadable(off, agent_off));
  EXPECT_TRUE(loadable(any, agent_off));
  EXPECT_TRUE(loadable(any, agent_on));
}

TEST(Loadable, GenericVersionIsChecked) {
  CodeObject generic = load(test::device_code("saxpy/gfx11-generic.co"));
  EXPECT_TRUE(loadable(generic, "amdgcn-amd-amdhsa--gfx1100"));
  EXPECT_EQ(loadable(generic, "amdgcn-amd-amdhsa--gfx1201").match, TargetMatch::other_processor);
  generic.generic_version = 0;
  EXPECT_EQ(loadable(generic, "amdgcn-amd-amdhsa--gfx1100").match, TargetMatch::generic_too_old);
}

class Patched : public testing::Test {
 protected:
  Bytes bytes_ = test::read_file(test::device_code("saxpy/gfx90a.co"));
  void put8(std::size_t at, std::uint8_t value) { bytes_[at] = std::byte{value}; }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  template <class T>
  T get(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  /// File offset of the first program header of this type (PT_LOAD 1, PT_NOTE 4).
  std::size_t program_header(std::uint32_t type) const {
    std::size_t at = get<std::uint64_t>(32);
    while (get<std::uint32_t>(at) != type) at += 56;
    return at;
  }
  LoadError::Kind kind() const {
    const auto code_object = read_code_object(bytes_);
    EXPECT_FALSE(code_object);
    return code_object ? LoadError::Kind{} : code_object.error().kind;
  }
};

TEST_F(Patched, Header) {
  put8(1, 'x');
  EXPECT_EQ(kind(), LoadError::Kind::not_elf);
}

TEST_F(Patched, Machine) {
  put<std::uint16_t>(18, 62);
  EXPECT_EQ(kind(), LoadError::Kind::not_amdgpu);
}

TEST_F(Patched, OsAbi) {
  put8(7, elf_amdgpu::osabi_pal);
  EXPECT_EQ(kind(), LoadError::Kind::not_amdgpu);
}

TEST_F(Patched, CodeObjectV2IsUnmodelled) {
  put8(8, 0);
  EXPECT_EQ(kind(), LoadError::Kind::unmodelled);
}

TEST_F(Patched, UnknownMachine) {
  put<std::uint32_t>(48, 0x5AA);
  EXPECT_EQ(kind(), LoadError::Kind::unknown_target);
}

TEST_F(Patched, FlagsAndMetadataMayDisagree) {
  put<std::uint32_t>(48, 0x54C);
  const auto code_object = read_code_object(bytes_);
  ASSERT_TRUE(code_object);
  EXPECT_EQ(code_object->target.text(), "gfx942") << "the loader believes e_flags";
  EXPECT_EQ(code_object->metadata_target, "amdgcn-amd-amdhsa--gfx90a");
}

TEST_F(Patched, LyingProgramHeaders) {
  const std::size_t note = program_header(4);
  // The offset and the size wrap around to a small sum: LLVM's iterator does not notice.
  put<std::uint64_t>(note + 8, ~0ull - 15);
  put<std::uint64_t>(note + 32, 32);
  EXPECT_EQ(kind(), LoadError::Kind::malformed_elf);
}

TEST_F(Patched, LyingSegment) {
  const std::size_t load = program_header(1);
  put<std::uint64_t>(load + 32, ~0ull);
  EXPECT_EQ(kind(), LoadError::Kind::malformed_elf);
}

TEST_F(Patched, NoNote) {
  put<std::uint32_t>(program_header(4), 0x60000000);
  EXPECT_EQ(kind(), LoadError::Kind::no_metadata);
}

TEST_F(Patched, LyingProgramHeaderCount) {
  put<std::uint16_t>(56, 0xFFFF);
  EXPECT_EQ(kind(), LoadError::Kind::malformed_elf);
}

TEST_F(Patched, LyingSectionTable) {
  put<std::uint64_t>(40, ~0ull - 100);
  EXPECT_EQ(kind(), LoadError::Kind::malformed_elf);
}

TEST_F(Patched, LyingMetadata) {
  // The note's first byte after its header and owner: the root map.
  const std::size_t root = get<std::uint64_t>(program_header(4) + 8) + 20;
  put8(root, 0xDF);  // map32 with a length of about 4 G
  put<std::uint32_t>(root + 1, 0xFFFFFFFF);
  EXPECT_EQ(kind(), LoadError::Kind::malformed_metadata);
  put8(root, 0xC0);  // nil
  EXPECT_EQ(kind(), LoadError::Kind::malformed_metadata);
  for (std::size_t i = 0; i < 200; ++i) put8(root + i, 0x81);  // maps as keys of maps
  EXPECT_EQ(kind(), LoadError::Kind::malformed_metadata);
}

TEST_F(Patched, NestingIsBounded) {
  // {"x": [[[...: unknown keys are skipped, but not for ever.
  const std::size_t root = get<std::uint64_t>(program_header(4) + 8) + 20;
  put8(root, 0x81);
  put8(root + 1, 0xA1);
  put8(root + 2, 'x');
  for (std::size_t i = 3; i < 500; ++i) put8(root + i, 0x91);
  const auto code_object = read_code_object(bytes_);
  ASSERT_FALSE(code_object);
  EXPECT_EQ(code_object.error().what, "the metadata is nested too deeply");
}

TEST(CodeObject, AlignmentOfTheBufferDoesNotMatter) {
  const Bytes bytes = test::read_file(test::device_code("matmul/gfx90a.co"));
  for (std::size_t shift = 1; shift < 8; ++shift) {
    Bytes shifted(shift);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    const auto code_object = read_code_object(std::span(shifted).subspan(shift));
    ASSERT_TRUE(code_object) << code_object.error().what;
    EXPECT_EQ(code_object->kernels.size(), 3u);
  }
}

}  // namespace
}  // namespace rocdrill::code_objects
