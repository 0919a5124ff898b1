// What the tests of the preload library share.
#pragma once

#include <gmock/gmock.h>

#include "unit/interpose/fake_session.hpp"

namespace rocdrill::test {

class Interpose : public testing::Test {
 protected:
  Interpose() { furnish(session); }

  /// Standard output of a command that must not complain.
  std::string out(const std::string& command, const std::vector<std::string>& environment = {}) {
    const Finished finished = session.run(command, environment);
    EXPECT_EQ(finished.err, "") << command;
    return finished.out;
  }
  /// Standard error of a command that must fail.
  std::string err(const std::string& command, const std::vector<std::string>& environment = {}) {
    const Finished finished = session.run(command, environment);
    EXPECT_NE(finished.status, 0) << command << '\n' << finished.out;
    return finished.err;
  }

  const std::vector<std::string> as_root{"ROCDRILL_IDENTITY=root:0:0:0"};
  FakeSession session;
};

}  // namespace rocdrill::test
