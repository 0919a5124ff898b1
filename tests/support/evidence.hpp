// What evidence tests share: a node with a fault, and whether it is well again.
#pragma once

#include "support/nodes.hpp"

namespace rocdrill::test {

/// With the fault in its default form, booted.
inline std::unique_ptr<sim::Node> with(const std::string& fault, const std::string& node) {
  return broken(node, {fault, {}});
}

/// Everything passes that is modelled.
inline void expect_healed(sim::Node& node) {
  const auto results = check(node);
  const checks::Result* failed = checks::first_failure(results);
  EXPECT_EQ(failed, nullptr) << failed->id << ": " << failed->evidence;
}

}  // namespace rocdrill::test
