// docs/isa-support.md is generated from the tables that the decoder looks instructions up in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "sim/silicon/isa/semantics.hpp"

namespace rocdrill::test {
namespace {

constexpr char file[] = ROCDRILL_SOURCE_DIR "/docs/isa-support.md";

std::string family(const std::string& mnemonic) {
  struct Family {
    const char* prefix;
    const char* title;
  };
  constexpr Family families[] = {
      {"s_load", "Scalar memory"},
      {"s_store", "Scalar memory"},
      {"s_buffer", "Scalar memory"},
      {"s_mem", "Scalar memory"},
      {"s_", "Scalar"},
      {"v_mfma", "Matrix"},
      {"v_smfmac", "Matrix"},
      {"v_cmp", "Vector comparison"},
      {"v_cvt", "Vector conversion"},
      {"v_pk", "Packed and dot product"},
      {"v_dot", "Packed and dot product"},
      {"v_", "Vector"},
      {"ds_", "LDS"},
      {"buffer_", "Buffer"},
      {"flat_", "Flat"},
      {"global_", "Global"},
      {"scratch_", "Scratch"},
  };
  for (const Family& one : families)
    if (mnemonic.starts_with(one.prefix)) return one.title;
  return "Other";
}

std::string page() {
  std::map<std::string, std::vector<std::string>> by_family;
  for (const std::string_view name : isa::executed_mnemonics())
    by_family[family(std::string(name))].emplace_back(name);
  std::string text =
      "# Instructions that are executed\n\n"
      "Generated from the tables in `sim/silicon/isa`. Names are LLVM's, without the suffix of the encoding;\n"
      "which of them a GPU has is LLVM's decoder's affair. Anything else stops its wave as not modelled, by\n"
      "name.\n";
  for (auto& [title, names] : by_family) {
    std::ranges::sort(names);
    text += "\n## " + title + "\n\n";
    std::string line;
    for (const std::string& name : names) {
      if (line.size() + name.size() > 98) {
        text += line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + name;
    }
    text += line + "\n";
  }
  return text;
}

TEST(IsaDocs, SupportPageIsCurrent) {
  const std::string wanted = page();
  if (std::getenv("ROCDRILL_UPDATE_DOCS") != nullptr) std::ofstream(file) << wanted;
  std::ifstream in(file);
  const std::string is((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(is, wanted) << "ROCDRILL_UPDATE_DOCS=1 unit_isa --gtest_filter='IsaDocs*' writes it";
}

/// The levels differ in speed alone.
TEST(IsaDocs, EveryLevelHasTheSameInstructions) {
  for (const std::string_view name : isa::executed_mnemonics()) {
    const isa::Entry* entry = isa::find_entry(name, isa::Level::baseline);
    for (const isa::Level level : {isa::Level::avx2, isa::Level::avx512}) {
      const isa::Entry* other = isa::find_entry(name, level);
      ASSERT_NE(other, nullptr) << name;
      EXPECT_EQ(other->modified == nullptr, entry->modified == nullptr) << name;
      EXPECT_EQ(other->element, entry->element) << name;
      EXPECT_EQ(other->counted_as, entry->counted_as) << name;
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
