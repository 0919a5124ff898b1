// Tables in docs/ are made from the tables that the code dispatches on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/kernel/support.hpp"

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

}  // namespace
}  // namespace rocdrill::test
