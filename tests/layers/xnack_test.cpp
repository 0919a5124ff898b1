// XNACK: the mode belongs to the process and is chosen at hsa_init; code objects say in their ELF
// flags which mode they need.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/device_code.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;

std::unique_ptr<Process> process_with(sim::Node& node, const Environment& environment) {
  Host& host = node.host();
  ProcessSpec spec = host.session();
  spec.environment = environment;
  return host.spawn(spec);
}

std::string isa_of(sim::Node& node, const Environment& environment) {
  const auto process = process_with(node, environment);
  auto runtime = node.open_runtime(*process);
  if (!runtime) return name(runtime.error().status);
  return (*runtime)->agents().back().isa;
}

HipResult<void> load(sim::Node& node, const Environment& environment, const std::string& file) {
  const auto process = process_with(node, environment);
  return node.open_hip(*process)->load_module(0, file);
}

TEST(Xnack, TheModeBelongsToTheProcess) {
  const auto mi210 = booted("mi210");
  EXPECT_EQ(isa_of(*mi210, {}), "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
  EXPECT_EQ(isa_of(*mi210, {{"HSA_XNACK", "1"}}), "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+");
  EXPECT_EQ(isa_of(*mi210, {{"HSA_XNACK", "0"}}), "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
  EXPECT_EQ(isa_of(*mi210, {{"HSA_XNACK", "yes"}}), "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-")
      << "as unset";
}

TEST(Xnack, RdnaHasNone) {
  const auto desktop = booted("rx7900xtx-igpu");
  EXPECT_EQ(isa_of(*desktop, {{"HSA_XNACK", "1"}}).find("xnack"), std::string::npos);
  EXPECT_FALSE(desktop->os.timeline.find({.kind_prefix = "hsa.xnack_refused"}).empty()) << "EPERM";
}

TEST(Xnack, ObjectsLoadInTheModeTheyWereBuiltFor) {
  const auto mi210 = booted("mi210");
  const auto put = [&](const std::string& target) {
    const std::string path = "/tmp/" + target;
    mi210->os.files.write(path, sim::make_fat_binary(mi210->spec(), "saxpy", {target}), no_event);
    return path;
  };
  const std::string any = put("gfx90a"), on = put("gfx90a:xnack+"), off = put("gfx90a:xnack-");
  const Environment plus{{"HSA_XNACK", "1"}};
  EXPECT_TRUE(load(*mi210, {}, any));
  EXPECT_TRUE(load(*mi210, plus, any));
  EXPECT_TRUE(load(*mi210, {}, off));
  EXPECT_TRUE(load(*mi210, plus, on));
  ASSERT_FALSE(load(*mi210, {}, on));
  EXPECT_EQ(load(*mi210, {}, on).error().error, HipError::no_binary_for_gpu);
  EXPECT_FALSE(load(*mi210, plus, off));
}

TEST(Xnack, UnsettingTheModeExplainsTheRefusal) {
  const auto mi210 = booted("mi210");
  mi210->os.files.write("/tmp/app", sim::make_fat_binary(mi210->spec(), "saxpy", {"gfx90a:xnack+"}),
                        no_event);
  const EventId event = mi210->os.journal.record(Layer::host, Severity::info, "environment.set",
                                                 "HSA_XNACK", {}, no_event);
  mi210->os.set_environment("HSA_XNACK", "0", event);
  mi210->run_workload("hip-app", "/tmp/app");
  const auto chain =
      scenarios::explain(mi210->os.timeline, scenarios::top_symptom(mi210->os.timeline));
  ASSERT_FALSE(chain.empty());
  EXPECT_EQ(chain.front(), event);
}

}  // namespace
}  // namespace rocdrill::test
