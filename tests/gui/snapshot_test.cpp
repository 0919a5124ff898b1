// What the tables say, as text. `./dev pictures` writes a change that is meant anew: read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gui/model/compare_view.hpp"
#include "gui/model/queue_view.hpp"
#include "gui/model/topology_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using Table = std::vector<std::vector<std::string>>;

/// Columns as wide as their longest text, two blanks between them.
std::string text_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

void expect_snapshot(const std::string& name, const Table& table) {
  const std::string file = ROCDRILL_SOURCE_DIR "/tests/gui/snapshots/" + name + ".txt";
  if (std::getenv("ROCDRILL_UPDATE_PICTURES")) {
    std::ofstream(file) << text_of(table);
    return;
  }
  std::ifstream in(file);
  std::ostringstream kept;
  kept << in.rdbuf();
  EXPECT_EQ(text_of(table), kept.str()) << file;
}

Table links_of(const std::string& drill) {
  const Recorded& run = recorded(drill);
  const scenarios::Topology topology = run.recording->topology(run.story->last());
  const TopologyView view = topology_view(&topology, true, {});
  Table table{{""}};
  for (std::size_t from = 0; from < view.nodes.size(); ++from) {
    table.front().push_back(view.nodes[from]);
    auto& row = table.emplace_back(std::vector<std::string>{view.nodes[from]});
    for (const LinkCell& link : view.links[from])
      row.push_back(link.type.empty() ? "-" : link.type + " " + link.weight + " " + link.bandwidth);
  }
  return table;
}

TEST(Snapshot, LinksOfEightMi300x) { expect_snapshot("links-mi300x", links_of("healthy-mi300x")); }

TEST(Snapshot, LinksOfAnMi210) { expect_snapshot("links-mi210", links_of("kernel-endless")); }

TEST(Snapshot, GpusWithoutADriver) {
  const Recorded& run = recorded("stale-dkms");
  const scenarios::Topology topology = run.recording->topology(run.story->last());
  Table table;
  for (const GpuBox& gpu : topology_view(&topology, true, {}).gpus)
    table.push_back({gpu.product, gpu.bdf, std::to_string(gpu.socket), gpu.state_word});
  expect_snapshot("gpus-without-driver", table);
}

TEST(Snapshot, TheQueueOfAKernelThatHangs) {
  const Story& story = *recorded("kernel-endless").story;
  const QueueView view = queue_view(story, opened(story), 4, 9);
  Table table{{"read", std::to_string(view.read_index), "write", std::to_string(view.write_index),
               "doorbell", view.doorbell}};
  for (const RingCell& cell : view.ring)
    table.push_back({std::to_string(cell.index), std::string(name(cell.state)), cell.type});
  for (const PacketField& one : view.fields)  // addresses differ from run to run
    table.push_back({one.bits, one.name, one.text.starts_with("0x") ? "0x..." : one.text});
  for (const SignalRow& signal : view.signals)
    table.push_back({signal.name, signal.value, signal.waited_for_by.front()});
  for (const EventRow& event : view.events) table.push_back({event.time, event.kind});
  expect_snapshot("queue-endless", table);
}

TEST(Snapshot, ADrillAndItsHealthyRun) {
  const Story& story = *recorded("stale-dkms").story;
  const Story other(recorded("stale-dkms").recording->healthy());
  const Comparison both(story, other);
  Table table;
  for (const CompareLayer& layer : compare_view(&both, opened(story), 0).layers)
    table.push_back({std::string(name(layer.layer)), std::string(scenarios::name(layer.first)),
                     std::string(scenarios::name(layer.second)),
                     layer.differs ? layer.first_text + " | " + layer.second_text : "same"});
  expect_snapshot("compare-stale-dkms", table);
}

}  // namespace
}  // namespace rocdrill::gui
