// Tables in docs/ are made from the tables that the code dispatches on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/kernel/support.hpp"
#include "sim/silicon/partitions.hpp"

namespace rocdrill::test {
namespace {

TEST(Docs, KfdSupport) {
  const std::string path = ROCDRILL_SOURCE_DIR "/docs/kfd-support.md";
  const std::string expected = kernel::kfd_support_markdown();
  if (std::getenv("ROCDRILL_UPDATE_DOCS")) std::ofstream(path) << expected;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), expected);
}

TEST(Docs, Partitions) {
  const std::string path = ROCDRILL_SOURCE_DIR "/docs/partitions.md";
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::string text = read.str();
  const std::string expected = silicon::partitions_markdown();
  const std::size_t begin = text.find("| product | mode |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = std::min(text.find("\n\n", begin), text.size() - 1) + 1;
  if (std::getenv("ROCDRILL_UPDATE_DOCS")) {
    text.replace(begin, end - begin, expected);
    std::ofstream(path) << text;
  }
  EXPECT_EQ(text.substr(begin, std::getenv("ROCDRILL_UPDATE_DOCS") ? expected.size() : end - begin),
            expected);
}

}  // namespace
}  // namespace rocdrill::test
