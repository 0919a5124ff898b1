#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/topology_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using scenarios::LayerState;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;

scenarios::Topology topology(const std::string& drill, EventId now) {
  return recorded(drill).recording->topology(now);
}

TopologyView at_end(const std::string& drill, State state = {}) {
  const scenarios::Topology read = topology(drill, recorded(drill).story->last());
  return topology_view(&read, true, state);
}

TEST(Topology, OfAHealthyNodeIsWhatItsCatalogueSays) {
  const TopologyView view = at_end("healthy-mi300x");
  ASSERT_THAT(view.gpus, SizeIs(8));
  ASSERT_THAT(view.sockets, SizeIs(2));
  EXPECT_EQ(view.sockets[1].title, "CPU 1");
  for (const GpuBox& gpu : view.gpus) {
    EXPECT_EQ(gpu.state, LayerState::ok);
    EXPECT_EQ(gpu.target, "gfx942");
    EXPECT_EQ(gpu.xccs, 8U);
    EXPECT_EQ(gpu.compute_units, 304U);
    EXPECT_EQ(gpu.memory, "192 GiB");
    EXPECT_EQ(gpu.peers.size(), 7U);
  }
  EXPECT_EQ(view.gpus[0].socket, 0U);
  EXPECT_EQ(view.gpus[7].socket, 1U);
  EXPECT_EQ(view.gpus[7].title, "GPU 7");
}

TEST(Topology, LinksHaveTypeWeightAndBandwidthInBothDirections) {
  const TopologyView view = at_end("healthy-mi300x");
  ASSERT_THAT(view.links, SizeIs(10));
  const auto text = [&](std::size_t from, std::size_t to) {
    const LinkCell& link = view.links[from][to];
    return link.type + " " + link.weight + " " + link.bandwidth;
  };
  EXPECT_EQ(text(2, 3), "xGMI 15 64.0 GB/s");
  EXPECT_EQ(text(0, 2), "PCIe 20 64.0 GB/s");
  EXPECT_EQ(text(2, 0), "PCIe 20 64.0 GB/s");
  EXPECT_EQ(text(0, 1), "HT 32 ");
  EXPECT_EQ(text(1, 2), "  ");  // the GPU is on the other socket
  EXPECT_THAT(view.distances, ElementsAre(ElementsAre("10", "32"), ElementsAre("32", "10")));
}

TEST(Topology, WithoutADriverGpusAreOnTheBusAndNotInKfd) {
  const TopologyView view = at_end("stale-dkms");
  ASSERT_THAT(view.gpus, SizeIs(8));
  for (const GpuBox& gpu : view.gpus) {
    EXPECT_EQ(gpu.state, LayerState::affected);
    EXPECT_EQ(gpu.state_word, "topology.no-driver");
  }
  EXPECT_TRUE(view.nodes.empty());
  EXPECT_EQ(view.missing, "No such file or directory");
  ASSERT_NE(view.because, no_event);
  EXPECT_EQ(recorded("stale-dkms").story->timeline().head(view.because).kind, "modprobe.not_found");
}

TEST(Topology, GrowsAsTheNodeBoots) {
  const scenarios::Topology off = topology("healthy-mi300x", no_event);
  State state;
  EXPECT_EQ(topology_view(&off, true, state).items(), 0U);
  const scenarios::Topology posted = topology("healthy-mi300x", 1);
  EXPECT_THAT(topology_view(&posted, true, state).gpus, SizeIs(8));
  EXPECT_TRUE(topology_view(&posted, true, state).nodes.empty());
}

TEST(Topology, FactsAreOfTheChosenOne) {
  State state;
  EXPECT_EQ(at_end("healthy-mi300x").chosen_title, "GPU 0");  // nobody has chosen
  state.layout = Layout::topology;
  const Story& story = *recorded("healthy-mi300x").story;
  apply(intent::ChooseItem{9}, state, story);
  TopologyView view = at_end("healthy-mi300x", state);
  EXPECT_EQ(view.chosen_title, "GPU 7");
  EXPECT_THAT(view.facts, Contains(Field(&Fact::text, "0000:dd:00.0")));
  state.expert = true;
  view = at_end("healthy-mi300x", state);
  EXPECT_THAT(view.facts,
              Contains(AllOf(Field(&Fact::label, "simd_count"), Field(&Fact::text, "1216"))));
  apply(intent::ChooseItem{4711}, state, story);  // there are not so many
  EXPECT_EQ(at_end("healthy-mi300x", state).chosen_title, "GPU 7");
  apply(intent::ChooseItem{-1}, state, story);
  EXPECT_EQ(at_end("healthy-mi300x", state).chosen_title, "CPU 0");
}

TEST(Topology, OfADividedNodeHasItsPartitions) {
  const TopologyView view = at_end("cpx-partitioned");
  ASSERT_THAT(view.gpus, SizeIs(8));
  const GpuBox& gpu = view.gpus[1];
  EXPECT_EQ(gpu.mode, "CPX NPS1");
  EXPECT_EQ(gpu.title, "GPU 8-15");
  ASSERT_THAT(gpu.partitions, SizeIs(8));
  EXPECT_EQ(gpu.partitions[7].title, "GPU 15");
  EXPECT_EQ(gpu.partitions[0].xccs, 1U);
  EXPECT_EQ(gpu.partitions[0].compute_units, 38U);
  EXPECT_EQ(gpu.partitions[0].memory, "24 GiB");
  EXPECT_EQ(gpu.xccs, 8U);  // as silicon has them
  EXPECT_EQ(gpu.compute_units, 304U);
  EXPECT_EQ(gpu.memory, "192 GiB");
  EXPECT_EQ(gpu.peers.size(), 7U);
  EXPECT_THAT(view.facts,
              Contains(AllOf(Field(&Fact::label, "GPU 7"), Field(&Fact::text, "38 CU, 24 GiB"))));
  State state;
  state.expert = true;
  EXPECT_THAT(at_end("cpx-partitioned", state).facts,
              Contains(AllOf(Field(&Fact::label, "available_compute_partition"),
                             Field(&Fact::text, "SPX, DPX, QPX, CPX"))));
  EXPECT_EQ(at_end("healthy-mi300x").gpus[1].mode, "SPX NPS1");
  EXPECT_THAT(at_end("healthy-mi300x").gpus[1].partitions, SizeIs(1));
}

TEST(Topology, ErrorsOfLinksAreCountedPerGpu) {
  scenarios::Topology read = topology("healthy-mi300x", recorded("healthy-mi300x").story->last());
  TopologyView view = topology_view(&read, true, {});
  EXPECT_THAT(view.counters,
              ElementsAre("pcie_replay_count", "pcie_bif ue", "pcie_bif ce", "pcie_bif de",
                          "xgmi_wafl ue", "xgmi_wafl ce", "xgmi_wafl de"));
  ASSERT_THAT(view.errors, SizeIs(8));
  EXPECT_EQ(view.errors[3].first, "GPU 3");
  EXPECT_THAT(view.errors[3].second, ElementsAre("0", "0", "0", "0", "0", "0", "0"));
  EXPECT_THAT(view.facts,
              Contains(AllOf(Field(&Fact::label, "topology.errors"), Field(&Fact::text, "0"))));
  read.slots[0].errors[0].count = 3;
  view = topology_view(&read, true, {});
  EXPECT_EQ(view.gpus[0].errors, 3U);
  EXPECT_EQ(view.gpus[1].errors, 0U);
  EXPECT_THAT(view.facts, Contains(Field(&Fact::text, "pcie_replay_count 3")));
}

TEST(Topology, IsNotKnownOfAHistoryAlone) {
  EXPECT_EQ(topology_view(nullptr, false, {}).state, TopologyView::State::no_node);
  EXPECT_EQ(topology_view(nullptr, true, {}).state, TopologyView::State::looking);
}

TEST(Topology, QuantitiesHaveUnits) {
  EXPECT_EQ(gibibytes(192ull << 30), "192 GiB");
  EXPECT_EQ(gibibytes(3ull << 29), "1.5 GiB");
  EXPECT_EQ(gigabytes_per_second(63500), "63.5 GB/s");
}

}  // namespace
}  // namespace rocdrill::gui
