// A kernel reads through a device variable that the host has never set.
#include "sim/faults/wrong_release.hpp"

namespace rocdrill::sim {
namespace {

const FaultRegistration registration{std::make_unique<WrongRelease>(
    FaultInfo{
        .id = "kernel-null-pointer",
        .layer = Layer::code_objects,
        .title = "a kernel reads through a null pointer",
        .changes = "the program's kernel takes its scales from a device variable that nobody sets",
        .parameters = {},
        .sources = {"https://github.com/ROCm/ROCm/issues/5238",
                    "https://github.com/sgl-project/sglang/issues/10195"}},
    "saxpy_null")};

}  // namespace
}  // namespace rocdrill::sim
