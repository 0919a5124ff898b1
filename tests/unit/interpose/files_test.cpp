#include <gmock/gmock.h>

#include "unit/interpose/fake_session.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Interpose : public testing::Test {
 protected:
  Interpose() { furnish(session); }
  std::string out(const std::string& command) {
    const Finished finished = session.run(command);
    EXPECT_EQ(finished.err, "") << command;
    return finished.out;
  }
  FakeSession session;
};

TEST_F(Interpose, Cat) {
  EXPECT_EQ(out("cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id"), "51719\n");
}

}  // namespace
}  // namespace rocdrill::test
