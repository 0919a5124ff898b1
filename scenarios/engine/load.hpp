// From an id to a checked drill on its node: what the command line and the runner call.
#pragma once

#include <filesystem>
#include <string_view>

#include "scenarios/engine/data_path.hpp"
#include "scenarios/engine/drill.hpp"
#include "scenarios/engine/knowledge.hpp"

namespace rocdrill::scenarios {

struct LoadedDrill {
  Drill drill;
  sim::NodeSpec node;  ///< without code_objects
};

/// By id. Collects the problems of the drill file, of its node's file, and of both together.
Loaded<LoadedDrill> load_drill(const DataPath& data, std::string_view id,
                               const Knowledge& knowledge);
/// Any file (`rocdrill validate FILE`); its folder gives the id, `data` the nodes.
Loaded<LoadedDrill> load_drill_file(const DataPath& data, const std::filesystem::path& file,
                                    const Knowledge& knowledge);

Loaded<sim::NodeSpec> load_node(const DataPath& data, std::string_view id,
                                const Knowledge& knowledge);
Loaded<sim::NodeSpec> load_node_file(const std::filesystem::path& file, const Knowledge& knowledge);

}  // namespace rocdrill::scenarios
