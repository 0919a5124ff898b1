// The least of a runtime around cp::Queue, so that the conformance tests judge the state machine
// alone: no kernel driver, no ROCr. A node of one GPU agent whose every event runs all queues.
#pragma once

#include <memory>

#include "conformance/aql_conformance.hpp"

namespace rocdrill::cp::testing {

/// Claims barriers, barrier-value and agent dispatches.
std::unique_ptr<conformance::BackendUnderTest> make_adaptor();

}  // namespace rocdrill::cp::testing
