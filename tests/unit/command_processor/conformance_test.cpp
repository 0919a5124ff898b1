// The conformance tests of any AQL queue, on the state machine alone.
#include "conformance/aql_conformance.cpp"
#include "conformance/aql_conformance_packets.cpp"
#include "unit/command_processor/adaptor.hpp"

namespace rocdrill::conformance {

INSTANTIATE_TEST_SUITE_P(CommandProcessor, AqlConformance,
                         testing::Values(AqlSubject{"command-processor",
                                                    cp::testing::make_adaptor}));

}  // namespace rocdrill::conformance
