// SDWA, DPP and op_sel: they pick the sources apart lane by lane, and `body` computes.
#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

const Instruction* later(Wave& w, const Instruction* i) { return w.refuse(i, "SDWA, DPP, op_sel"); }

}  // namespace

extern const Wrappers lane_wrappers;
const Wrappers lane_wrappers{later, later, later, later, later};

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
