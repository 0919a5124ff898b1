// How the GPUs are linked, as rocm-smi and amd-smi print it: from the io_links and p2p_links of
// their KFD nodes, and the state of the xGMI links.
#pragma once

#include "sim/tools/amd_smi.hpp"

namespace rocdrill::sim::tools {

bool asks_for_topology(const Options& options);
/// `width` of the titles' lines.
void show_topology(Call& call, const Options& options, std::size_t width);
int amd_smi_topology(Call& call, const std::vector<SmiDevice>& devices);
int amd_smi_xgmi(Call& call, const std::vector<SmiDevice>& devices);

}  // namespace rocdrill::sim::tools
