// Names of layers, severities and capabilities: each its own, and the way back.
#include <gmock/gmock.h>

#include <set>

#include "stack/backend.hpp"
#include "stack/event.hpp"
#include "stack/layer.hpp"

namespace rocdrill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Severity, NamesGoBothWays) {
  std::set<std::string_view> names;
  for (const Severity severity : {Severity::debug, Severity::info, Severity::warning,
                                  Severity::error, Severity::unmodelled}) {
    names.insert(name(severity));
    EXPECT_EQ(severity_from_name(name(severity)), severity);
  }
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(name(Severity::unmodelled), "unmodelled");
  EXPECT_EQ(severity_from_name("Error"), std::nullopt);
  EXPECT_EQ(severity_from_name(""), std::nullopt);
}

TEST(Layer, NamesAndNumbersGoBothWays) {
  for (unsigned number = 0; number < 10; ++number) {
    const auto layer = static_cast<Layer>(number);
    EXPECT_EQ(layer_from_name(name(layer)), layer);
    EXPECT_EQ(layer_from_name(std::to_string(number)), layer);
    EXPECT_FALSE(title(layer).empty());
  }
  EXPECT_EQ(name(Layer::code_objects), "code-objects");
  EXPECT_EQ(layer_from_name("10"), std::nullopt);
  EXPECT_EQ(layer_from_name(""), std::nullopt);
}

TEST(Capabilities, EveryOneHasAName) {
  std::set<std::string_view> names;
  for (unsigned bit = 0; bit <= 11; ++bit) names.insert(name(static_cast<Capability>(1u << bit)));
  EXPECT_EQ(names.size(), 12u);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(name(static_cast<Capability>(1u << 12)), "unknown");
}

TEST(Capabilities, MissingIsWhatIsNeededAndLacked) {
  const Capabilities has{Capability::files, Capability::kfd, Capability::sdma};
  EXPECT_THAT(has.missing({Capability::files, Capability::kernel_dispatch, Capability::inject}),
              ElementsAre("kernel-dispatch", "inject"));
  EXPECT_THAT(has.missing({Capability::files}), IsEmpty());
  EXPECT_THAT(has.missing({}), IsEmpty());
}

}  // namespace
}  // namespace rocdrill
