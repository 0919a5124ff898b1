#include "sim/code_objects/fat_binary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <stdexcept>

#include "sim/code_objects/code_object.hpp"
#include "sim/code_objects/listing.hpp"
#include "stack/formats/offload_bundle.hpp"
#include "unit/code_objects/files.hpp"

namespace rocdrill::code_objects {
namespace {

using test::Bytes;
using testing::HasSubstr;
using Container = FatBinary::Container;
using Kind = LoadError::Kind;

constexpr std::string_view agent_off = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
constexpr std::string_view agent_on = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+";

/// A bundle with these IDs; the code of each is its own ID.
FatBinary bundle_of(const std::vector<std::string>& ids) {
  std::vector<offload_bundle::Input> inputs;
  inputs.reserve(ids.size());
  for (const std::string& id : ids) inputs.push_back({id, std::as_bytes(std::span(id))});
  return extract(offload_bundle::write(inputs)).value();
}

std::string selected(const FatBinary& fat_binary, std::string_view agent) {
  const Selection selection = select(fat_binary, agent);
  return selection.entry ? fat_binary.entries[*selection.entry].id : "";
}

std::string hipv4(const std::string& target) { return "hipv4-amdgcn-amd-amdhsa--" + target; }

TEST(FatBinary, SameEntriesBareAndInAHostBinary) {
  for (const char* name : {"saxpy", "saxpy_v4", "matmul"}) {
    const Bytes bundle = test::read_file(test::device_code(name) / "bundle.hipfb");
    const Bytes host = test::read_file(test::device_code(name) / "host.so");
    const auto bare = extract(bundle);
    const auto inside = extract(host);
    ASSERT_TRUE(bare) << bare.error().what;
    ASSERT_TRUE(inside) << inside.error().what;
    EXPECT_EQ(bare->container, Container::bundle);
    EXPECT_EQ(inside->container, Container::host_elf);
    EXPECT_EQ(inside->bundles, 1u);
    ASSERT_EQ(bare->entries.size(), inside->entries.size());
    for (std::size_t i = 0; i < bare->entries.size(); ++i) {
      EXPECT_EQ(bare->entries[i].id, inside->entries[i].id);
      EXPECT_TRUE(std::ranges::equal(contents(bundle, bare->entries[i]),
                                     contents(host, inside->entries[i])));
    }
  }
}

TEST(FatBinary, EveryTranslationUnitHasItsBundle) {
  const Bytes host = test::read_file(test::device_code("two_bundles.so"));
  const auto fat_binary = extract(host);
  ASSERT_TRUE(fat_binary) << fat_binary.error().what;
  EXPECT_EQ(fat_binary->bundles, 2u);
  const auto kernel_of = [&](unsigned bundle) {
    const Selection selection = select(*fat_binary, "amdgcn-amd-amdhsa--gfx1030", bundle);
    const FatEntry& entry = fat_binary->entries.at(selection.entry.value());
    return read_code_object(contents(host, entry)).value().kernels.at(0).name;
  };
  EXPECT_EQ(kernel_of(1), "saxpy");
  EXPECT_EQ(kernel_of(2), "matmul_naive");
  EXPECT_THROW((void)select(*fat_binary, agent_off, 3), std::out_of_range);
  EXPECT_THROW((void)select(*fat_binary, agent_off, 0), std::out_of_range);
}

TEST(FatBinary, SectionNeedNotLieOnAPage) {
  const test::Scratch scratch;
  const std::string bundle = test::device_code("matmul/bundle.hipfb").string();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  // A host binary without device code gets it from objcopy, which does not align it.
  const auto result = test::run("llvm-objcopy-19 --remove-section .hip_fatbin --add-section " +
                                test::quoted(".hip_fatbin=" + bundle) + " " + test::quoted(self) +
                                " " + test::quoted(scratch / "host"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Bytes host = test::read_file(scratch / "host");
  const auto fat_binary = extract(host);
  ASSERT_TRUE(fat_binary) << fat_binary.error().what;
  const auto bare = extract(test::read_file(bundle)).value();
  ASSERT_EQ(fat_binary->entries.size(), bare.entries.size());
  for (const FatEntry& entry : std::span(fat_binary->entries).subspan(1))
    EXPECT_TRUE(read_code_object(contents(host, entry))) << entry.id;
}

TEST(FatBinary, DebugFilesHaveTheSectionButNotItsBytes) {
  const test::Scratch scratch;
  const auto result = test::run("llvm-objcopy-19 --only-keep-debug " +
                                test::quoted(test::device_code("saxpy/host.so").string()) + " " +
                                test::quoted(scratch / "host.debug"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const auto fat_binary = extract(test::read_file(scratch / "host.debug"));
  ASSERT_FALSE(fat_binary);
  EXPECT_EQ(fat_binary.error().kind, Kind::no_fatbin) << fat_binary.error().what;
}

TEST(FatBinary, BareCodeObject) {
  const Bytes bytes = test::read_file(test::device_code("saxpy/gfx90a@xnack+.co"));
  const auto fat_binary = extract(bytes);
  ASSERT_TRUE(fat_binary);
  EXPECT_EQ(fat_binary->container, Container::code_object);
  EXPECT_EQ(fat_binary->entries.at(0).id, "amdgcn-amd-amdhsa--gfx90a:xnack+");
  EXPECT_TRUE(std::ranges::equal(contents(bytes, fat_binary->entries[0]), bytes));
  EXPECT_TRUE(select(*fat_binary, agent_on).entry);
  const Selection refused = select(*fat_binary, agent_off);
  EXPECT_FALSE(refused.entry);
  EXPECT_EQ(refused.considered.at(0).match, TargetMatch::xnack_mismatch);
}

TEST(FatBinary, NamesWhatItCannotRead) {
  EXPECT_EQ(extract({}).error().kind, Kind::malformed_bundle);
  const Bytes host = test::read_file("/proc/self/exe");
  EXPECT_EQ(extract(host).error().kind, Kind::no_fatbin);
  Bytes compressed(64);
  std::ranges::copy(std::as_bytes(std::span("CCOB", 4)), compressed.begin());
  EXPECT_EQ(extract(compressed).error().kind, Kind::unmodelled);
}

TEST(FatBinary, RealCompressedBundleIsUnmodelled) {
  const test::Scratch scratch;
  const auto result = test::run(
      "clang-offload-bundler-19 -compress -type=o -bundle-align=4096 -input=/dev/null -input=" +
      test::quoted(test::device_code("saxpy/gfx942.co").string()) +
      " -targets=host-x86_64-unknown-linux,hipv4-amdgcn-amd-amdhsa--gfx942 -output=" +
      test::quoted(scratch / "compressed"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const auto fat_binary = extract(test::read_file(scratch / "compressed"));
  ASSERT_FALSE(fat_binary);
  EXPECT_EQ(fat_binary.error().kind, Kind::unmodelled);
  EXPECT_THAT(fat_binary.error().what, HasSubstr("compressed"));
}

TEST(Select, TakesTheModeThatFits) {
  const auto fat_binary = extract(test::read_file(test::device_code("saxpy/bundle.hipfb"))).value();
  EXPECT_EQ(selected(fat_binary, agent_on), hipv4("gfx90a:xnack+"));
  EXPECT_EQ(selected(fat_binary, agent_off), hipv4("gfx90a:xnack-"));
  EXPECT_EQ(selected(fat_binary, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"), hipv4("gfx942"));
  EXPECT_EQ(selected(fat_binary, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack+"), hipv4("gfx942"));
  EXPECT_EQ(selected(fat_binary, "amdgcn-amd-amdhsa--gfx1036"), hipv4("gfx1036"));
  EXPECT_EQ(selected(fat_binary, "amdgcn-amd-amdhsa--gfx1201"), "");
}

TEST(Select, SaysWhyNotForEveryEntry) {
  const auto fat_binary =
      bundle_of({"host-x86_64-unknown-linux--", hipv4("gfx90a:xnack+"), hipv4("gfx90a:sramecc-"),
                 hipv4("gfx942"), hipv4("gfx1310"), "hipv4-amdgcn-amd-amdhsa--gfx90a:what",
                 "openmp-amdgcn-amd-amdhsa--gfx90a"});
  const Selection selection = select(fat_binary, agent_off);
  EXPECT_FALSE(selection.entry);
  std::vector<std::optional<TargetMatch>> reasons;
  for (const Considered& considered : selection.considered) {
    reasons.push_back(considered.match);
    EXPECT_FALSE(considered.text.empty());
  }
  EXPECT_EQ(reasons, (std::vector<std::optional<TargetMatch>>{
                         std::nullopt, TargetMatch::xnack_mismatch, TargetMatch::sramecc_mismatch,
                         TargetMatch::other_processor, TargetMatch::other_processor,
                         TargetMatch::malformed, std::nullopt}));
}

TEST(Select, OrderDecidesAmongFittingEntries) {
  EXPECT_EQ(selected(bundle_of({hipv4("gfx90a"), hipv4("gfx90a:xnack-")}), agent_off),
            hipv4("gfx90a"));
  EXPECT_EQ(selected(bundle_of({hipv4("gfx90a:xnack-"), hipv4("gfx90a")}), agent_off),
            hipv4("gfx90a:xnack-"));
}

TEST(Select, OwnProcessorBeforeGeneric) {
  const auto both = bundle_of({hipv4("gfx11-generic"), hipv4("gfx1100")});
  EXPECT_EQ(selected(both, "amdgcn-amd-amdhsa--gfx1100"), hipv4("gfx1100"));
  EXPECT_FALSE(select(both, "amdgcn-amd-amdhsa--gfx1100").generic);
  EXPECT_EQ(selected(both, "amdgcn-amd-amdhsa--gfx1151"), hipv4("gfx11-generic"));
  EXPECT_TRUE(select(both, "amdgcn-amd-amdhsa--gfx1151").generic);
}

TEST(Select, EmptyEntriesArePassedOver) {
  const std::string code = "x";
  const std::vector<offload_bundle::Input> inputs{
      {hipv4("gfx1100"), {}}, {"hip-amdgcn-amd-amdhsa--gfx1100", std::as_bytes(std::span(code))}};
  const auto fat_binary = extract(offload_bundle::write(inputs)).value();
  EXPECT_EQ(selected(fat_binary, "amdgcn-amd-amdhsa--gfx1100"), "hip-amdgcn-amd-amdhsa--gfx1100");
}

TEST(Select, SpirvIsUnmodelledAndNotMissing) {
  const auto fat_binary = bundle_of({"hip-spirv64-amd-amdhsa--amdgcnspirv", hipv4("gfx942")});
  EXPECT_FALSE(select(fat_binary, agent_off).entry);
  EXPECT_TRUE(select(fat_binary, agent_off).spirv_unmodelled);
  EXPECT_FALSE(select(fat_binary, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-").spirv_unmodelled);
}

TEST(Select, AgentThatIsNoTargetIdGetsNothing) {
  const auto fat_binary = bundle_of({hipv4("gfx1100")});
  const Selection selection = select(fat_binary, "gfx1100:xnack+");
  EXPECT_FALSE(selection.entry);
  EXPECT_EQ(selection.considered.at(0).match, TargetMatch::malformed);
}

TEST(Listing, IsInTheToolsFormat) {
  // Measured: roc-obj-ls 5.2.3 on a HIP program.
  const Listing listing{{{1, "host-x86_64-unknown-linux", 16384, 0},
                         {1, "hipv4-amdgcn-amd-amdhsa--gfx90a", 16384, 4488}},
                        ""};
  const std::string rows =
      "1       host-x86_64-unknown-linux                                           "
      "file:///path/saxpy#offset=16384&size=0\n"
      "1       hipv4-amdgcn-amd-amdhsa--gfx90a                                     "
      "file:///path/saxpy#offset=16384&size=4488\n";
  EXPECT_EQ(listing_text(listing, "/path/saxpy"), rows);
  EXPECT_EQ(
      listing_text(listing, "/path/saxpy", true),
      "Bundle# Entry ID:                                                              URI:\n" +
          rows + "\n");
}

TEST(Listing, ListsAllBundlesOfAHostBinary) {
  const Bytes host = test::read_file(test::device_code("two_bundles.so"));
  const auto listing = list(host);
  ASSERT_TRUE(listing) << listing.error().what;
  EXPECT_EQ(listing->rows, extract(host).value().entries);
  EXPECT_EQ(listing->rows.back().bundle, 2u);
  EXPECT_EQ(listing->stopped, "");
}

TEST(Listing, OtherFilesHaveNoKernelSection) {
  for (const char* name : {"saxpy/bundle.hipfb", "saxpy/gfx90a.co"}) {
    const auto listing = list(test::read_file(test::device_code(name)));
    ASSERT_FALSE(listing) << name;
    EXPECT_EQ(listing.error().kind, Kind::no_fatbin) << name;
  }
}

TEST(Listing, CompressedBundlesListNothing) {
  Bytes host = test::read_file(test::device_code("saxpy/host.so"));
  const auto entries = list(host).value().rows;
  const auto magic = std::as_bytes(std::span(offload_bundle::magic));
  const auto at = std::ranges::search(host, magic);
  ASSERT_FALSE(at.empty());
  std::ranges::copy(std::as_bytes(std::span(offload_bundle::compressed_magic)), at.begin());
  const auto listing = list(host);
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->rows.empty());
  EXPECT_THAT(listing->stopped, HasSubstr("CCOB"));
  EXPECT_EQ(extract(host).error().kind, Kind::unmodelled);
}

}  // namespace
}  // namespace rocdrill::code_objects
