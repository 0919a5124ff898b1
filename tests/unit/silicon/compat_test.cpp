#include "stack/compat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/silicon/catalogue.hpp"

namespace rocdrill::compat {
namespace {

using testing::HasSubstr;

Verdict of(std::string_view driver, std::string_view rocm) {
  return verdict(DriverVersion{*parse_version(driver)}, RocmVersion{*parse_version(rocm)});
}
Support support(std::string_view driver, std::string_view rocm) { return of(driver, rocm).support; }

Support module_support(std::string_view module, std::string_view rocm) {
  return verdict(ModuleVersion{*parse_version(module)}, RocmVersion{*parse_version(rocm)}).support;
}

TEST(Version, IsParsedFromWhatPackagesAndToolsPrint) {
  EXPECT_EQ(parse_version("6.3.3"), (Version{6, 3, 3}));
  EXPECT_EQ(parse_version("6.3.x"), (Version{6, 3, {}}));
  EXPECT_EQ(parse_version("6.3"), (Version{6, 3, {}}));
  EXPECT_EQ(parse_version("30.10.1"), (Version{30, 10, 1}));
  EXPECT_EQ(parse_version("7.1.3.31500000"), (Version{7, 1, 3}));
  EXPECT_EQ(parse_version("6.16.13-2278356.24.04"), (Version{6, 16, 13}));
  EXPECT_EQ(to_string({6, 3, 3}), "6.3.3");
  EXPECT_EQ(to_string({6, 3, {}}), "6.3.x");
}

TEST(Version, OfAnythingElseIsNone) {
  for (const auto* text :
       {"", "6", "x", "6.", "6.x", ".6", "a.b", "6.3.3x", "6,3", "99999.1", "-6.3", "6..3"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(Verdict, TestedPairsAreExact) {
  EXPECT_EQ(support("5.0.2", "5.1.0"), Support::supported);
  EXPECT_EQ(support("5.6.1", "5.7.0"), Support::supported);
  EXPECT_EQ(support("5.0.2", "5.0.2"), Support::supported) << "a driver's own release";
  EXPECT_THAT(of("5.0.2", "5.1.0").reason, HasSubstr("tested pair"));
}

TEST(Verdict, TheMatrixDecidesForItsRowsAndColumns) {
  EXPECT_EQ(support("6.3.3", "6.1.0"), Support::supported);
  EXPECT_EQ(support("6.3.3", "7.0.2"), Support::supported);
  EXPECT_EQ(support("6.3.3", "6.0.2"), Support::unsupported);
  EXPECT_EQ(support("6.1.2", "7.0.0"), Support::unsupported);
  EXPECT_EQ(support("6.2.4", "7.0.0"), Support::supported);
  EXPECT_EQ(support("30.10.1", "6.2.4"), Support::supported);
  EXPECT_EQ(support("30.10.1", "6.1.0"), Support::unsupported);
  EXPECT_EQ(support("5.3.3", "5.7.0"), Support::unsupported);
  EXPECT_EQ(of("6.1.2", "7.0.0").fidelity, Fidelity::documented);
  EXPECT_FALSE(of("6.1.2", "7.0.0").source.empty());
}

TEST(Verdict, EveryDriverOfTheMatrixSupportsItsOwnUserSpace) {
  for (const auto* line :
       {"5.3.x", "5.4.x", "5.5.x", "5.6.x", "5.7.x", "6.0.x", "6.1.x", "6.2.x", "6.3.x", "6.4.x"}) {
    EXPECT_EQ(support(line, line), Support::supported) << line;
  }
}

TEST(Verdict, BeforeTheMatrixThePolicyOfTwoReleasesHolds) {
  EXPECT_EQ(support("5.2.1", "5.0.0"), Support::supported);
  EXPECT_EQ(support("5.2.1", "5.4.0"), Support::supported);
  EXPECT_EQ(support("5.2.1", "5.5.0"), Support::unsupported);
  EXPECT_EQ(support("5.1.0", "6.0.0"), Support::unsupported);
  EXPECT_THAT(of("5.2.1", "5.5.0").reason, HasSubstr("3 releases apart"));
}

TEST(Verdict, LaterDriversAreNeverExtrapolated) {
  EXPECT_EQ(support("30.30.2", "7.2.1"), Support::supported);
  EXPECT_EQ(support("30.30.2", "6.3.0"), Support::supported);
  EXPECT_EQ(support("30.30.2", "6.2.0"), Support::unknown);
  EXPECT_EQ(support("30.20.1", "7.1.0"), Support::unknown) << "the document marks it unverified";
  EXPECT_EQ(support("31.40.1", "7.14.0"), Support::supported);
  EXPECT_EQ(support("31.40.1", "10.0.0"), Support::unknown);
  EXPECT_EQ(support("31.10.0", "7.9.0"), Support::unknown);
  EXPECT_EQ(support("30.10.1", "7.1.0"), Support::unknown) << "newer than the matrix";
  EXPECT_EQ(support("6.4.1", "7.1.0"), Support::unknown);
  EXPECT_EQ(support("4.5.0", "5.0.0"), Support::unknown);
  EXPECT_EQ(of("4.5.0", "5.0.0").fidelity, Fidelity::assumed);
}

TEST(Verdict, AlwaysHasAReason) {
  for (const auto* driver : {"5.0.2", "5.2.1", "6.3.3", "30.20.0", "30.30.1", "99.1.0"}) {
    for (const auto* rocm : {"5.1.0", "6.3.0", "7.0.0", "7.2.0", "10.0.0"}) {
      const Verdict found = of(driver, rocm);
      EXPECT_THAT(found.reason, HasSubstr(driver));
      EXPECT_EQ(found.support == Support::unknown, found.fidelity == Fidelity::assumed);
    }
  }
}

TEST(Module, NumbersLeadToDriverReleases) {
  const auto releases = releases_of(ModuleVersion{{6, 10, 5}});
  ASSERT_EQ(releases.size(), 1u);
  EXPECT_EQ(releases[0].release, (Version{6, 3, {}}));
  EXPECT_EQ(releases_of(ModuleVersion{{6, 16, 13}}).size(), 2u);
  EXPECT_TRUE(releases_of(ModuleVersion{{6, 10, 6}}).empty());
  EXPECT_TRUE(releases_of(ModuleVersion{{6, 19, 4}}).empty()) << "seen, but not placed";
}

TEST(Module, VerdictHoldsForEveryReleaseThatItMayBe) {
  EXPECT_EQ(module_support("6.10.5", "6.3.0"), Support::supported);
  EXPECT_EQ(module_support("6.10.5", "6.0.0"), Support::unsupported);
  EXPECT_EQ(module_support("6.12.12", "7.0.0"), Support::supported);
  EXPECT_EQ(module_support("6.12.12", "6.0.0"), Support::unsupported);
  EXPECT_EQ(module_support("6.12.12", "7.1.0"), Support::unknown);
  EXPECT_EQ(module_support("6.16.13", "7.1.0"), Support::unknown) << "30.20 or 30.30";
  EXPECT_EQ(module_support("6.19.4", "7.14.0"), Support::unknown);
  EXPECT_EQ(module_support("1.2.3", "6.3.0"), Support::unknown);
}

TEST(Module, TableHasUniqueNumbers) {
  std::set<Version> seen;
  for (const ModuleRelease& module : module_releases()) {
    EXPECT_TRUE(seen.insert(module.number).second) << to_string(module.number);
  }
}

TEST(Firmware, EveryInstinctOfTheDocumentsHasABundle) {
  for (const auto* product :
       {"MI100", "MI210", "MI250X", "MI300A", "MI300X", "MI325X", "MI350X", "MI355X"}) {
    const auto bundles = firmware_bundles_of(product);
    ASSERT_FALSE(bundles.empty()) << product;
    EXPECT_TRUE(bundles.front().newest) << product;
    EXPECT_NE(silicon::find(product), nullptr);
  }
  EXPECT_THAT(firmware_bundles_of("MI300X").front().versions, HasSubstr("01.25.06.05"));
  EXPECT_TRUE(firmware_bundles_of("MI308X").empty()) << "no document lists it";
  EXPECT_TRUE(firmware_bundles_of("MI300").empty());
}

TEST(Distributions, AreUniquePerGeneration) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const DistroKernel& row : distro_kernels()) {
    EXPECT_TRUE(seen.insert({row.rocm, row.distro}).second) << row.distro;
    EXPECT_FALSE(row.source.empty());
  }
  EXPECT_EQ(seen.size(), 21u);
}

TEST(InTreeKernels, AreAllAssumedAndNameKnownTargets) {
  std::set<std::string_view> targets;
  for (const InTreeKernel& row : in_tree_kernels()) {
    EXPECT_TRUE(targets.insert(row.gfx).second) << row.gfx;
    EXPECT_EQ(row.fidelity, Fidelity::assumed);
  }
  EXPECT_TRUE(targets.contains("gfx942"));
}

}  // namespace
}  // namespace rocdrill::compat
