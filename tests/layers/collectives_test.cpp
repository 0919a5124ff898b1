// RCCL over simulated GPUs: sums of executed kernels, who waits for whom, which way the data goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/collective.hpp"
#include "sim/device_code.hpp"
#include "sim/host/network.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using sim::Collective;
using State = sim::Collective::State;
using testing::HasSubstr;
using testing::Not;

Collective::Options options(sim::Node& node, std::size_t ranks) {
  return {ranks, node.host().session(), sim::rccl_library(node.spec()), node.rocm().version};
}

std::vector<std::vector<float>> numbers(std::size_t ranks, std::size_t count) {
  std::random_device device;
  const unsigned seed = device();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::vector<float>> list(ranks, std::vector<float>(count));
  for (auto& of_rank : list)  // whole numbers: their sum is the same in any order
    for (float& number : of_rank) number = static_cast<float>(random() % 100000);
  return list;
}

std::vector<float> sums(const std::vector<std::vector<float>>& list) {
  std::vector<float> result(list.front().size());
  for (const auto& of_rank : list)
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += of_rank[i];
  return result;
}

bool start_all(Collective& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!ranks.start(rank)) return false;
  return ranks.connect();
}

void expect_sums(Collective& ranks, std::size_t count) {
  const auto list = numbers(ranks.size(), count);
  ASSERT_TRUE(ranks.write(list));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ASSERT_TRUE(ranks.enqueue(rank, count));
  ASSERT_TRUE(ranks.run());
  const auto expected = sums(list);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    EXPECT_EQ(ranks.read(rank, count), expected) << "rank " << rank << " count " << count;
}

TEST(Collectives, SumsOverEightGpusAreThoseOfTheCpu) {
  const auto node = booted("mi300x-8");
  for (const std::size_t count : {1u, 7u, 1000u, 16384u}) {
    Collective ranks(*node, options(*node, 8));
    ASSERT_TRUE(start_all(ranks)) << (ranks.failure() ? ranks.failure()->text : "");
    expect_sums(ranks, count);
    EXPECT_EQ(ranks.member(0).rank->rings().size(), 7u) << "as many as each GPU has links";
  }
  EXPECT_TRUE(errors(node->os.timeline).empty());
}

TEST(Collectives, ACommunicatorIsUsedAgain) {
  const auto node = booted("mi300x-8");
  Collective ranks(*node, options(*node, 3));
  ASSERT_TRUE(start_all(ranks));
  expect_sums(ranks, 512);
  expect_sums(ranks, 512);
}

TEST(Collectives, ThroughSharedMemoryWhereThereAreNoIpcHandles) {
  const auto node = booted("mi250x-4");
  Collective ranks(*node, options(*node, 8));
  ASSERT_TRUE(start_all(ranks)) << (ranks.failure() ? ranks.failure()->text : "");
  EXPECT_EQ(ranks.member(3).rank->transport(0), libraries::rccl::Transport::shm);
  expect_sums(ranks, 2048);
}

TEST(Collectives, OneRankKilledLeavesSevenWaiting) {
  const auto node = booted("mi300x-8");
  {
    Collective ranks(*node, options(*node, 8));
    ASSERT_TRUE(start_all(ranks));
    ASSERT_TRUE(ranks.write(numbers(8, 1024)));
    const EventId killer =
        node->os.journal.record(Layer::host, Severity::warning, "signal", "rank 3", {}, no_event);
    ranks.kill(3, killer);
    for (std::size_t rank = 0; rank < 8; ++rank) {
      if (rank != 3) {
        ASSERT_TRUE(ranks.enqueue(rank, 1024));
      }
    }
    EXPECT_FALSE(ranks.run());
    EXPECT_EQ(ranks.count(State::waits), 7u);
    // Each names the rank before it in the ring, whose signal it has not got; all lead to rank 3.
    for (std::size_t rank = 0; rank < 8; ++rank) {
      if (rank == 3) continue;
      const auto& member = ranks.member(rank);
      ASSERT_TRUE(member.wait) << rank;
      EXPECT_EQ(member.wait->from, (rank + 7) % 8);
      const auto chain = node->os.timeline.cause_chain(member.event);
      EXPECT_NE(std::ranges::find(chain, killer), chain.end()) << "rank " << rank;
    }
  }
  Collective again(*node, options(*node, 8));  // all are started anew
  ASSERT_TRUE(start_all(again));
  expect_sums(again, 1024);
}

TEST(Collectives, ALateRankIsWaitedForAndThenAllIsWell) {
  const auto node = booted("mi300x-8");
  Collective ranks(*node, options(*node, 8));
  ASSERT_TRUE(start_all(ranks));
  const auto list = numbers(8, 1024);
  ASSERT_TRUE(ranks.write(list));
  for (std::size_t rank = 0; rank < 8; ++rank)
    if (rank != 5) {
      ASSERT_TRUE(ranks.enqueue(rank, 1024));
    }
  EXPECT_FALSE(ranks.run());
  EXPECT_EQ(ranks.count(State::waits), 7u);
  ASSERT_TRUE(ranks.enqueue(5, 1024));
  EXPECT_TRUE(ranks.run());
  EXPECT_EQ(ranks.read(2, 1024), sums(list));
}

TEST(Collectives, ARankThatIsNotStartedHoldsTheOthersInTheBootstrap) {
  const auto node = booted("mi300x-8");
  Collective ranks(*node, options(*node, 8));
  for (std::size_t rank = 0; rank < 8; ++rank)
    if (rank != 6) {
      ASSERT_TRUE(ranks.start(rank));
    }
  EXPECT_FALSE(ranks.connect());
  EXPECT_EQ(ranks.count(State::bootstrap), 7u) << "on the host, not on their GPUs";
  const EventView event = node->os.timeline.at(ranks.member(0).event);
  EXPECT_EQ(event.kind, "rccl.bootstrap_waits");
  EXPECT_THAT(std::string(event.text(field::got)), HasSubstr("not rank 6"));
  EXPECT_EQ(node->kernel.kfd.doorbells_in_use(), 0u) << "no queue, so no GPU spins";
}

TEST(Collectives, ADeadLinkHangsP2pAndNotSharedMemory) {
  const auto node = booted("mi300x-8");
  Collective ranks(*node, options(*node, 8));
  ASSERT_TRUE(start_all(ranks));
  expect_sums(ranks, 256);
  const EventId dead = node->board.set_link(2, 3, silicon::LinkState::dead, no_event);
  ASSERT_TRUE(ranks.write(numbers(8, 256)));
  for (std::size_t rank = 0; rank < 8; ++rank) ASSERT_TRUE(ranks.enqueue(rank, 256));
  EXPECT_FALSE(ranks.run());
  ASSERT_TRUE(ranks.member(2).wait);
  EXPECT_TRUE(ranks.member(2).wait->own_kernel) << "its store to rank 3 is not acknowledged";
  ASSERT_TRUE(ranks.member(3).wait);
  EXPECT_EQ(ranks.member(3).wait->from, 2u);
  for (const std::size_t rank : {2u, 3u, 7u}) {
    const auto chain = node->os.timeline.cause_chain(ranks.member(rank).event);
    EXPECT_NE(std::ranges::find(chain, dead), chain.end()) << "rank " << rank;
  }
  auto other = options(*node, 8);
  other.spec.environment["NCCL_P2P_DISABLE"] = "1";
  Collective shared(*node, other);
  ASSERT_TRUE(start_all(shared));
  EXPECT_EQ(shared.member(0).rank->transport(0), libraries::rccl::Transport::shm);
  expect_sums(shared, 256);
}

TEST(Collectives, ALinkThatFailsItsTrainingCostsBandwidth) {
  const auto bus = [](sim::Node& node) {
    Collective ranks(node, options(node, 8));
    EXPECT_TRUE(start_all(ranks));
    const auto ns = static_cast<double>(sim::all_reduce_ns(node, ranks, 1ull << 30));
    return static_cast<double>(1ull << 30) / ns * 2 * 7 / 8;
  };
  const auto healthy = booted("mi300x-8");
  const auto faulty = broken("mi300x-8", {"xgmi-link-down", {{"training", std::string("fails")}}});
  const double before = bus(*healthy), after = bus(*faulty);
  EXPECT_NEAR(before, 316, 4) << "what 8x MI300X reach";
  EXPECT_NEAR(after / before, 6.0 / 7, 0.01) << "six rings are left";
  EXPECT_THAT(sh(*faulty, {"rocm-smi", "--showtopoweight"}).out, HasSubstr("30"));
  EXPECT_THAT(sh(*healthy, {"rocm-smi", "--showtopoweight"}).out, Not(HasSubstr("30")));
  EXPECT_EQ(sh(*faulty, {"torchrun", "--nproc_per_node=8", "/srv/job/train.py"}).exit_code, 0);
}

TEST(Collectives, DebugOutputIsWhatTheEnvironmentAsksFor) {
  const auto node = booted("mi300x-8");
  EXPECT_THAT(sh(*node, {"all_reduce_perf", "-b", "4K", "-e", "4K", "-g", "2"}).out,
              Not(HasSubstr("NCCL")));
  node->os.set_environment("NCCL_DEBUG", "INFO", no_event);
  const std::string info = sh(*node, {"all_reduce_perf", "-b", "4K", "-e", "4K", "-g", "2"}).out;
  EXPECT_THAT(info, HasSubstr("RCCL version : 2.21.5"));
  EXPECT_THAT(info, HasSubstr("NCCL INFO Bootstrap : Using eno1:" +
                              sim::host_address(node->os.hostname) + "<0>"));
  EXPECT_THAT(info, HasSubstr("NCCL INFO Channel 00/0 : 0[1b000] -> 1[3d000] via P2P/IPC"));
  EXPECT_THAT(info, HasSubstr("- Init COMPLETE"));
  node->os.set_environment("NCCL_DEBUG_SUBSYS", "COLL", no_event);
  const std::string coll = sh(*node, {"all_reduce_perf", "-b", "4K", "-e", "4K", "-g", "2"}).out;
  EXPECT_THAT(coll, Not(HasSubstr("Init COMPLETE")));
  EXPECT_THAT(coll, HasSubstr("AllReduce: opCount"));
}

TEST(Collectives, PerfTableAndTopologyAreThoseOfTheLinks) {
  const auto node = booted("mi300x-8");
  const auto perf = sh(*node, {"all_reduce_perf", "-b", "1G", "-e", "1G", "-g", "8"});
  EXPECT_EQ(perf.exit_code, 0);
  EXPECT_THAT(perf.out, HasSubstr("# Out of bounds values : 0 OK"));
  EXPECT_THAT(perf.out, HasSubstr("device  7 [0000:dd:00] AMD Instinct MI300X"));
  EXPECT_THAT(perf.err, HasSubstr("modelled"));
  const std::string topology = sh(*node, {"rocm-smi", "--showtopo"}).out;
  EXPECT_THAT(topology, HasSubstr("GPU1   15           0            15"));
  EXPECT_THAT(topology, HasSubstr("GPU[7]\t\t: (Topology) Numa Node: 1"));
  const std::string amd = sh(*node, {"amd-smi", "topology"}).out;
  EXPECT_THAT(amd, HasSubstr("64000-64000"));
  const auto pair = booted("mi210-2");
  EXPECT_THAT(sh(*pair, {"rocm-smi", "--showtopo"}).out, HasSubstr("GPU0   0            40"));
  EXPECT_THAT(sh(*pair, {"rocm-smi", "--showtopotype"}).out, HasSubstr("PCIE"));
}

}  // namespace
}  // namespace rocdrill::test
