#include "stack/formats/target_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "unit/code_objects/files.hpp"

namespace rocdrill {
namespace {

using Feature = TargetId::Feature;
using Kind = TargetIdError::Kind;
using testing::HasSubstr;

TargetId parsed(std::string_view text) {
  const auto id = TargetId::parse(text);
  EXPECT_TRUE(id) << text;
  return id.value_or(TargetId{});
}

TEST(TargetId, ReadsBothForms) {
  const TargetId expected{"gfx90a", Feature::off, Feature::on};
  EXPECT_EQ(parsed("gfx90a:sramecc+:xnack-"), expected);
  EXPECT_EQ(parsed("gfx90a:xnack-:sramecc+"), expected) << "any order is read";
  EXPECT_EQ(parsed("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"), expected);
  EXPECT_EQ(parsed("amdgcn-amd-amdhsa-unknown-gfx90a:sramecc+:xnack-"), expected);
  EXPECT_EQ(parsed("gfx942:xnack+"), (TargetId{"gfx942", Feature::on, Feature::any}));
  EXPECT_EQ(parsed("gfx1100"), (TargetId{"gfx1100", Feature::unsupported, Feature::unsupported}));
  EXPECT_EQ(parsed("gfx9-4-generic:sramecc+").sramecc, Feature::on);
}

TEST(TargetId, PrintsCanonically) {
  EXPECT_EQ(parsed("gfx90a:xnack-:sramecc+").text(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(parsed("gfx90a").text(), "gfx90a");
  EXPECT_EQ(parsed("gfx1036").isa_name(), "amdgcn-amd-amdhsa--gfx1036");
  EXPECT_EQ(parsed("gfx908:xnack+").isa_name(), "amdgcn-amd-amdhsa--gfx908:xnack+");
}

TEST(TargetId, RoundTripsEveryProcessorAndFeature) {
  for (const Processor& processor : processors())
    for (const char* sramecc : {"", ":sramecc-", ":sramecc+"})
      for (const char* xnack : {"", ":xnack-", ":xnack+"}) {
        if ((*sramecc != '\0' && !processor.sramecc) || (*xnack != '\0' && !processor.xnack))
          continue;
        const std::string text = std::string(processor.name) + sramecc + xnack;
        EXPECT_EQ(parsed(text).text(), text);
        EXPECT_EQ(parsed(parsed(text).isa_name()), parsed(text));
      }
}

struct BadId {
  std::string text;
  Kind kind;
  std::size_t offset;
};

TEST(TargetId, SaysWhatIsWrong) {
  const std::vector<BadId> cases{
      {"", Kind::empty, 0},
      {"amdgcn-amd-amdhsa--", Kind::empty, 19},
      {":xnack+", Kind::empty, 0},
      {"gfx941x", Kind::unknown_processor, 0},
      {"GFX90A", Kind::unknown_processor, 0},
      {"amdgcn-amd-amdhsa--gfx9999", Kind::unknown_processor, 19},
      {"x86_64-unknown-linux-gnu", Kind::triple, 0},
      {"amdgcn-amd-amdpal--gfx90a", Kind::triple, 0},
      {"gfx90a:", Kind::malformed_feature, 7},
      {"gfx90a:+", Kind::malformed_feature, 7},
      {"gfx90a:xnack", Kind::malformed_feature, 7},
      {"gfx90a::xnack+", Kind::malformed_feature, 7},
      {"gfx90a:xnack+:", Kind::malformed_feature, 14},
      {"gfx90a:xnack+:xnack+", Kind::repeated_feature, 14},
      {"gfx90a:xnack+:xnack-", Kind::repeated_feature, 14},
      {"gfx90a:cumode+", Kind::unsupported_feature, 7},
      {"gfx1100:xnack+", Kind::unsupported_feature, 8},
      {"gfx900:sramecc+", Kind::unsupported_feature, 7},
  };
  for (const BadId& bad : cases) {
    const auto id = TargetId::parse(bad.text);
    ASSERT_FALSE(id) << bad.text;
    EXPECT_EQ(id.error().kind, bad.kind) << bad.text;
    EXPECT_EQ(id.error().offset, bad.offset) << bad.text;
    EXPECT_FALSE(id.error().detail.empty()) << bad.text;
  }
}

TEST(TargetId, MessageIsClangs) {
  // C65: clang's own words (measured with clang 19).
  EXPECT_EQ(TargetId::parse("gfx9410").error().message,
            "invalid target ID 'gfx9410'; format is a processor name followed by an optional "
            "colon-delimited list of features followed by an enable/disable sign (e.g., "
            "'gfx908:sramecc+:xnack-')");
  EXPECT_EQ(TargetId::parse("gfx1100:xnack+").error().detail, "gfx1100 has no feature 'xnack'");
}

TEST(Processors, TableIsConsistent) {
  std::set<std::string_view> names;
  std::set<unsigned> machs;
  for (const Processor& processor : processors()) {
    EXPECT_TRUE(names.insert(processor.name).second) << processor.name;
    EXPECT_TRUE(machs.insert(processor.mach).second) << processor.name;
    EXPECT_EQ(find_processor(processor.name), &processor);
    EXPECT_EQ(find_processor_by_mach(processor.mach), &processor);
    if (processor.generic.empty()) continue;
    const Processor* generic = find_processor(processor.generic);
    ASSERT_NE(generic, nullptr) << processor.name;
    EXPECT_TRUE(generic->is_generic());
    EXPECT_EQ(generic->xnack, processor.xnack) << processor.name;
    // AMDGPUUsage: "sramecc is not available on gfx906" in gfx9-generic.
    const bool sramecc = processor.sramecc && processor.name != "gfx906";
    EXPECT_EQ(generic->sramecc, sramecc) << processor.name;
  }
  EXPECT_EQ(find_processor("gfx90b"), nullptr);
  EXPECT_EQ(find_processor_by_mach(0x27), nullptr);
}

/// The real compiler's opinion of "-mcpu=<target>"; the driver alone runs (-###).
bool clang_accepts(const std::string& target) {
  const auto result =
      test::run("clang-19 -### -x cl -nogpulib -target amdgcn-amd-amdhsa -c -o /dev/null " +
                test::quoted("-mcpu=" + target) + " /dev/null");
  EXPECT_TRUE(result.exit_code == 0 || result.output.find("invalid target ID") != std::string::npos)
      << target << ": " << result.output;
  return result.exit_code == 0;
}

TEST(Processors, FeaturesAreThoseOfTheCompiler) {
  const std::set<std::string_view> newer_than_clang_19{"gfx950", "gfx1153", "gfx9-4-generic"};
  for (const Processor& processor : processors()) {
    const std::string name(processor.name);
    if (newer_than_clang_19.contains(processor.name)) {
      EXPECT_FALSE(clang_accepts(name)) << name << " is known now: check it, too";
      continue;
    }
    EXPECT_TRUE(clang_accepts(name)) << name;
    EXPECT_EQ(clang_accepts(name + ":xnack+"), processor.xnack) << name;
    EXPECT_EQ(clang_accepts(name + ":sramecc-"), processor.sramecc) << name;
  }
}

TEST(Compatible, FeaturesOfTheCodeObjectMustBeTheAgents) {
  constexpr std::string_view agent = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
  EXPECT_EQ(compatible("gfx90a", agent).match, TargetMatch::ok);
  EXPECT_EQ(compatible("gfx90a:xnack-", agent).match, TargetMatch::ok);
  EXPECT_EQ(compatible("gfx90a:sramecc+", agent).match, TargetMatch::ok);
  EXPECT_EQ(compatible("gfx90a:sramecc+:xnack-", agent).match, TargetMatch::ok);
  EXPECT_EQ(compatible("gfx90a:xnack+", agent).match, TargetMatch::xnack_mismatch);
  EXPECT_EQ(compatible("gfx90a:sramecc-", agent).match, TargetMatch::sramecc_mismatch);
  EXPECT_EQ(compatible("gfx90a:sramecc-:xnack-", agent).match, TargetMatch::sramecc_mismatch);
  EXPECT_EQ(compatible("gfx942", agent).match, TargetMatch::other_processor);
  EXPECT_EQ(compatible("gfx942:xnack+", agent).match, TargetMatch::other_processor);
}

TEST(Compatible, ReasonsReadWell) {
  EXPECT_EQ(compatible("gfx90a:xnack+", "gfx90a:sramecc+:xnack-").text,
            "compiled for xnack+, the agent runs with xnack-");
  EXPECT_EQ(compatible("gfx1030", "gfx1036").text, "compiled for gfx1030, the agent is gfx1036");
  EXPECT_THAT(compatible("gfx90a", "gfx90a:what").text, HasSubstr("invalid target ID"));
}

TEST(Compatible, UnknownProcessorsAreOtherProcessors) {
  EXPECT_EQ(compatible("gfx1310", "gfx1100").match, TargetMatch::other_processor);
  EXPECT_EQ(compatible("gfx90a:foo", "gfx90a:xnack-").match, TargetMatch::malformed);
  EXPECT_EQ(compatible("x86_64-unknown-linux-gnu", "gfx1100").match, TargetMatch::malformed);
  EXPECT_EQ(compatible("gfx1100", "").match, TargetMatch::malformed);
}

TEST(Compatible, GenericTargetsCoverTheirMembersOnly) {
  EXPECT_TRUE(compatible("gfx11-generic", "gfx1100"));
  EXPECT_TRUE(compatible("gfx11-generic", "gfx1151"));
  EXPECT_TRUE(compatible("gfx10-3-generic", "gfx1036"));
  EXPECT_TRUE(compatible("gfx9-4-generic:xnack-", "gfx942:sramecc+:xnack-"));
  EXPECT_TRUE(compatible("gfx9-4-generic", "gfx950:sramecc+:xnack-"));
  EXPECT_EQ(compatible("gfx9-4-generic:xnack+", "gfx942:sramecc+:xnack-").match,
            TargetMatch::xnack_mismatch);
  EXPECT_EQ(compatible("gfx9-generic", "gfx908:sramecc+:xnack-").match,
            TargetMatch::other_processor);
  EXPECT_EQ(compatible("gfx9-generic", "gfx90a:sramecc+:xnack-").match,
            TargetMatch::other_processor);
  EXPECT_EQ(compatible("gfx10-1-generic", "gfx1030").match, TargetMatch::other_processor);
  EXPECT_EQ(compatible("gfx1100", "gfx1101").match, TargetMatch::other_processor)
      << "members do not cover each other";
}

}  // namespace
}  // namespace rocdrill
