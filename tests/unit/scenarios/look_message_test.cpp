// What windows ask of a node that runs: questions and answers survive the way, and what is
// malformed or too large is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "scenarios/engine/look_message.hpp"

namespace rocdrill::scenarios {
namespace {

using nlohmann::json;
using testing::HasSubstr;

LookQuestion question() {
  return {.topology = true,
          .versions = false,
          .checks = true,
          .commands = {{"dmesg -T", 3}, {"lsmod", no_event}},
          .file = "/root/saxpy"};
}

LookAnswer answer() {
  LookAnswer told{.events = 7,
                  .topology = Topology{},
                  .versions = Versions{},
                  .checks = std::vector<checks::Result>{},
                  .evidence = {},
                  .file = std::string("\x7F"
                                      "ELF\0\xFF",
                                      6)};
  TopologyNode node{.id = 1,
                    .gpu_id = 4711,
                    .name = "aldebaran",
                    .bdf = "0000:03:00.0",
                    .target = "gfx90a",
                    .properties = {},
                    .banks = {{}},
                    .links = {{}}};
  node.properties.simd_count = 416;
  node.properties.has_num_xcc = true;
  node.properties.num_xcc = 2;
  node.banks[0].size_in_bytes = 64ull << 30;
  node.links[0].type = kfd::LinkType::xgmi;
  node.links[0].weight = 15;
  told.topology->nodes.push_back(node);
  told.topology->slots.push_back({.product = "MI210",
                                  .bdf = "0000:03:00.0",
                                  .numa_node = 0,
                                  .on_bus = true,
                                  .driver = "amdgpu",
                                  .speed = "16.0 GT/s PCIe",
                                  .lanes = "16",
                                  .node = 1,
                                  .devices = {1},
                                  .compute_mode = "SPX",
                                  .memory_mode = "NPS1",
                                  .compute_modes = {},
                                  .memory_modes = {},
                                  .errors = {{"xgmi_error", 2}}});
  told.topology->distances = {{10, 32}, {32, 10}};
  told.versions->rows.push_back({Layer::kernel, "amdgpu", "6.10.5", "/sys/module/amdgpu/version"});
  told.versions->verdict = {compat::Support::supported, "they go together", "", Fidelity::assumed};
  told.checks->push_back({.id = "kernel.module",
                          .step = 1,
                          .layer = Layer::kernel,
                          .title = "amdgpu is loaded",
                          .status = checks::Status::fail,
                          .evidence = "nothing",
                          .next = "lsmod",
                          .event = 3});
  told.evidence.push_back(Evidence{"lsmod", 1, {{"amdgpu", true}, {"ttm", false}}});
  told.evidence.push_back(std::nullopt);
  return told;
}

TEST(LookMessage, AQuestionIsReadAsItWasAsked) {
  const auto read = question_of(to_json(question()));
  ASSERT_TRUE(read) << read.error();
  EXPECT_TRUE(read->topology && read->checks && !read->versions);
  ASSERT_EQ(read->commands.size(), 2U);
  EXPECT_EQ(read->commands[0].line, "dmesg -T");
  EXPECT_EQ(read->commands[0].about, 3U);
  EXPECT_EQ(read->file, "/root/saxpy");
}

TEST(LookMessage, AnAnswerIsReadAsItWasTold) {
  const LookAnswer told = answer();
  const auto read = answer_of(json::parse(to_json(told).dump()));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->events, 7U);
  ASSERT_TRUE(read->topology && read->versions && read->checks);
  const TopologyNode& node = read->topology->nodes.at(0);
  EXPECT_EQ(node.properties, told.topology->nodes[0].properties);
  EXPECT_EQ(node.banks, told.topology->nodes[0].banks);
  EXPECT_EQ(node.links, told.topology->nodes[0].links);
  const TopologySlot& slot = read->topology->slots.at(0);
  EXPECT_EQ(slot.node, 1U);
  EXPECT_EQ(slot.devices, std::vector<std::uint32_t>{1});
  EXPECT_EQ(slot.compute_mode + " " + slot.memory_mode, "SPX NPS1");
  EXPECT_EQ(slot.errors.at(0).count, 2U);
  EXPECT_EQ(read->topology->distances, told.topology->distances);
  EXPECT_EQ(read->versions->rows.at(0).layer, Layer::kernel);
  EXPECT_EQ(read->versions->verdict.support, compat::Support::supported);
  EXPECT_EQ(read->checks->at(0).status, checks::Status::fail);
  ASSERT_EQ(read->evidence.size(), 2U);
  EXPECT_TRUE(read->evidence[0]->lines.at(0).telling);
  EXPECT_EQ(read->evidence[0]->exit_code, 1);
  EXPECT_FALSE(read->evidence[1]);
  EXPECT_EQ(read->file, told.file);
}

TEST(LookMessage, WhatIsTooLargeIsRefusedOrCut) {
  LookQuestion asked = question();
  asked.commands[0].line.assign(limits::command_bytes + 1, 'x');
  EXPECT_THAT(question_of(to_json(asked)).error(), HasSubstr("'line' is longer than 1024 bytes"));
  asked = question();
  asked.commands.resize(limits::commands + 1);
  EXPECT_THAT(question_of(to_json(asked)).error(), HasSubstr("'commands' has more than 8"));
  LookAnswer told = answer();
  told.evidence[0]->lines.assign(limits::lines + 5, {std::string(9000, '\xFF'), false});
  const json sent = to_json(told);
  const auto read =  // bytes that are no UTF-8 become longer on their way
      answer_of(json::parse(sent.dump(-1, ' ', false, json::error_handler_t::replace)));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->evidence[0]->lines.size(), limits::lines + 1);
  EXPECT_EQ(read->evidence[0]->lines.back().text, "[...]");
}

TEST(LookMessage, WhatIsMalformedIsRefusedByName) {
  const auto refused = [](const char* pointer, const json& value) {
    json message = to_json(answer());
    message[json::json_pointer(pointer)] = value;
    const auto read = answer_of(message);
    return read ? std::string() : read.error();
  };
  EXPECT_THAT(refused("/events", -1), HasSubstr("'events' is negative"));
  EXPECT_THAT(refused("/topology/nodes/0/id", 1ull << 40), HasSubstr("'id' is too large"));
  EXPECT_THAT(refused("/topology/nodes/0/properties/simd_count", "many"),
              HasSubstr("'simd_count' is no number"));
  EXPECT_THAT(refused("/topology/nodes/0/properties", 7), HasSubstr("is missing"));
  EXPECT_THAT(refused("/topology/distances/0", json::array()), HasSubstr("no square"));
  EXPECT_THAT(refused("/topology/slots/0/devices", "x"), HasSubstr("'devices' is no list"));
  EXPECT_THAT(refused("/versions/support", "perhaps"), HasSubstr("cannot be 'perhaps'"));
  EXPECT_THAT(refused("/checks/0/layer", "basement"), HasSubstr("'layer' is none"));
  EXPECT_THAT(refused("/evidence/0/lines", json::object()), HasSubstr("'lines' is no list"));
  EXPECT_THAT(refused("/file", "zz"), HasSubstr("not hexadecimal"));
  EXPECT_FALSE(question_of(json::array()));
  EXPECT_FALSE(answer_of(json()));
}

// Any value anywhere: it is taken or refused, and what is taken can be told again.
TEST(LookMessage, MutationsAreTakenOrRefused) {
  std::mt19937 random(1);
  const std::vector<json> values{json(),     json(-1),      json(1.5),      json("x"),
                                 json(true), json::array(), json::object(), json(~0ull)};
  std::vector<std::string> places;
  for (const json& whole : {to_json(answer()), to_json(question())}) {
    const json flat = whole.flatten();
    for (const auto& [place, value] : flat.items()) places.push_back(place);
  }
  for (int i = 0; i < 3000; ++i) {
    for (json whole : {to_json(answer()), to_json(question())}) {
      const json::json_pointer place(places[random() % places.size()]);
      if (!whole.contains(place)) continue;
      whole[place] = values[random() % values.size()];
      if (const auto read = answer_of(whole)) {
        EXPECT_TRUE(answer_of(to_json(*read))) << whole;
      }
      if (const auto read = question_of(whole)) {
        EXPECT_TRUE(question_of(to_json(*read))) << whole;
      }
    }
  }
}

}  // namespace
}  // namespace rocdrill::scenarios
