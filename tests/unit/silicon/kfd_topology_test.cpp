// The parser of libhsakmt, on what the kernel writes and on what it never would.
#include "stack/formats/kfd_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rocdrill::kfd {
namespace {

TEST(NodeKeys, AreUniqueAndEndWithTheCpuClock) {
  std::set<std::string_view> names;
  for (const NodeKey& key : node_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
  EXPECT_EQ(node_keys().size(), 39u);
  EXPECT_EQ(node_keys().back().name, "max_engine_clk_ccompute");
}

TEST(NodeKeys, EachReachesItsOwnMember) {
  for (const NodeKey& key : node_keys()) {
    KfdNodeProperties node;
    node.num_xcc = 0;
    node.*key.value = 42;
    const auto parsed = parse_node_properties(std::string(key.name) + " 42\nnum_xcc 0\n");
    EXPECT_EQ((*parsed).*key.value, key.name == "num_xcc" ? 0u : 42u) << key.name;
  }
}

TEST(Parser, ReadsKeysInAnyOrderAndIgnoresUnknownOnes) {
  const auto node = parse_node_properties("vendor_id 4098\nnew_key 7\nsimd_count 416\n");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->vendor_id, 4098u);
  EXPECT_EQ(node->simd_count, 416u);
  EXPECT_EQ(node->num_xcc, 1u) << "the value for kernels without the key";
  EXPECT_FALSE(node->has_num_xcc);
}

TEST(Parser, AnEmptyFileIsAnError) {
  EXPECT_FALSE(parse_node_properties(""));
  EXPECT_FALSE(parse_mem_bank(""));
  EXPECT_FALSE(parse_cache(""));
  EXPECT_FALSE(parse_io_link(""));
}

TEST(Parser, NeedsNoNewlineAtTheEnd) {
  EXPECT_EQ(parse_node_properties("simd_count 8\ncapability 12")->capability, 12u);
}

TEST(Parser, StopsAtTheFirstLineThatIsNoPair) {
  const auto node = parse_node_properties("simd_count 8\ngarbage\nvendor_id 4098\n");
  EXPECT_EQ(node->simd_count, 8u);
  EXPECT_EQ(node->vendor_id, 0u) << "garbage takes vendor_id for its number, and that is none";
  EXPECT_EQ(parse_node_properties("simd_count eight\nvendor_id 4098\n")->vendor_id, 0u);
  EXPECT_TRUE(parse_properties("\xff\xfe\x01").empty());
  EXPECT_TRUE(parse_properties("   \n\n  ").empty());
}

TEST(Parser, StopsAtANul) {
  using namespace std::string_view_literals;
  EXPECT_EQ(parse_node_properties("simd_count 8\n\0vendor_id 4098\n"sv)->vendor_id, 0u);
}

TEST(Parser, TakesNumbersAsStrtoullDoes) {
  const auto value = [](std::string_view number) {
    return parse_node_properties("hive_id " + std::string(number) + "\n")->hive_id;
  };
  EXPECT_EQ(value("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(value("18446744073709551616"), UINT64_MAX);
  EXPECT_EQ(value("99999999999999999999999999"), UINT64_MAX);
  EXPECT_EQ(value("-1"), UINT64_MAX);
  EXPECT_EQ(value("+5"), 5u);
  EXPECT_EQ(value("007"), 7u);
  EXPECT_EQ(value("0x10"), 0u) << "decimal only: the x ends the number";
  EXPECT_EQ(value("-"), 0u);
}

TEST(Parser, ALaterValueReplacesAnEarlierOne) {
  EXPECT_EQ(parse_node_properties("simd_count 8\nsimd_count 9\n")->simd_count, 9u);
}

TEST(Parser, ReadsOnePageMinusItsTerminator) {
  // The kernel cannot write more, but a file tree that stands for it can.
  std::string text = "simd_count 1\n";
  while (text.size() + 10 <= file_limit - 20) text += "padding 1\n";
  text.resize(file_limit - 20, ' ');
  const std::string fits = text + "\nnum_cp_queues 1234\n";
  ASSERT_EQ(fits.size(), file_limit);
  EXPECT_EQ(parse_node_properties(fits)->num_cp_queues, 1234u);
  const std::string cut = text + " \n num_cp_queues 1234\n";
  EXPECT_EQ(parse_node_properties(cut)->num_cp_queues, 123u) << "a cut number is a number";
  EXPECT_EQ(parse_node_properties(text + std::string(100, ' ') + "vendor_id 1")->vendor_id, 0u);
}

TEST(Parser, TakesKeysOfAnyLength) {
  const std::string text = std::string(3000, 'k') + " 1\nsimd_count 2\n";
  EXPECT_EQ(parse_node_properties(text)->simd_count, 2u);
}

/// The loop of libhsakmt, with the C library's own scanf.
std::vector<std::pair<std::string, std::uint64_t>> scan(std::string text) {
  text.resize(std::min(text.size(), file_limit));
  std::vector<std::pair<std::string, std::uint64_t>> found;
  const char* at = text.c_str();
  char key[file_limit + 1];
  unsigned long long value = 0;
  int used = 0;
  while (std::sscanf(at, "%s %llu\n%n", key, &value, &used) == 2) {
    found.emplace_back(key, value);
    at += used;
  }
  return found;
}

TEST(Parser, AgreesWithScanfOnRandomText) {
  std::mt19937 random(20260101);
  const std::array<std::string_view, 16> parts{"simd_count",
                                               "hive_id",
                                               " ",
                                               "\n",
                                               "\t",
                                               "1",
                                               "18446744073709551615",
                                               "-",
                                               "+",
                                               ",",
                                               "99999999999999999999",
                                               "x",
                                               "\r\n",
                                               "0x1",
                                               "\v",
                                               "\xC3\xA4"};
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (auto count = random() % 24; count > 0; --count) text += parts[random() % parts.size()];
    std::vector<std::pair<std::string, std::uint64_t>> ours;
    for (const auto& [key, value] : parse_properties(text)) ours.emplace_back(key, value);
    ASSERT_EQ(ours, scan(text)) << "round " << round << ": " << text;
  }
}

TEST(Parser, MemBank) {
  const auto bank = parse_mem_bank(
      "heap_type 1\nsize_in_bytes 206141652992\nflags 0\nwidth 8192\nmem_clk_max 1300\n");
  EXPECT_EQ(bank, (MemBank{HeapType::fb_public, 206141652992, 0, 8192, 1300}));
}

TEST(Parser, CacheEndsAtTheSiblingMap) {
  const auto cache = parse_cache(
      "processor_id_low 5\nlevel 2\nsize 4096\ncache_line_size 128\ncache_lines_per_tag 1\n"
      "association 16\nlatency 0\ntype 9\nsibling_map 1,0,1\nlevel 9\n");
  EXPECT_EQ(cache->level, 2u);
  EXPECT_EQ(cache->association, 16u);
  EXPECT_EQ(cache->sibling_map, (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST(Parser, CacheReadsNoMoreSiblingsThanItHasRoomFor) {
  std::string text = "level 2\nsibling_map ";
  for (int i = 0; i < 1000; ++i) text += "1,";
  EXPECT_EQ(parse_cache(text)->sibling_map.size(), max_siblings);
  EXPECT_TRUE(parse_cache("level 1\n")->sibling_map.empty());
  EXPECT_EQ(parse_cache("sibling_map 1;1\n")->sibling_map.size(), 1u);
}

TEST(Parser, IoLinkOfOlderAndNewerKernels) {
  const auto old = parse_io_link("type 2\nnode_from 2\nnode_to 0\nweight 20\nflags 13\n");
  EXPECT_EQ(old->type, LinkType::pcie);
  EXPECT_EQ(old->flags, 13u);
  EXPECT_FALSE(old->has_sdma_engine_id_mask);
  const auto recent = parse_io_link("type 11\nrecommended_sdma_engine_id_mask 4\n");
  EXPECT_EQ(recent->type, LinkType::xgmi);
  EXPECT_EQ(recent->recommended_sdma_engine_id_mask, 4u);
  EXPECT_TRUE(recent->has_sdma_engine_id_mask);
}

TEST(Capability, FieldsOfTheMi300xWord) {
  constexpr std::uint32_t word = 746037888;
  EXPECT_EQ(capability::log2_watch_points(word), 2u);
  EXPECT_EQ(capability::doorbell_type(word), 2u);
  EXPECT_EQ(capability::asic_revision(word), 1u);
  EXPECT_TRUE(word & capability::sram_edc);
  EXPECT_FALSE(word & capability::coherent_host_access);
  EXPECT_FALSE(word & capability::per_queue_reset);
}

}  // namespace
}  // namespace rocdrill::kfd
