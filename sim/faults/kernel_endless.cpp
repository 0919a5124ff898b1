// A kernel waits for a workgroup that its grid does not have.
#include "sim/faults/wrong_release.hpp"

namespace rocdrill::sim {
namespace {

const FaultRegistration registration{std::make_unique<WrongRelease>(
    FaultInfo{
        .id = "kernel-endless",
        .layer = Layer::code_objects,
        .title = "a kernel that never ends",
        .changes =
            "the program's kernel waits at a barrier across the grid for one workgroup too many",
        .parameters = {},
        .sources = {"https://github.com/ROCm/ROCm/issues/2804",
                    "https://github.com/ROCm/ROCm/issues/4444"}},
    "saxpy_endless")};

}  // namespace
}  // namespace rocdrill::sim
