// scenarios/nodes/<id>.yaml -> NodeSpec (docs/node-files.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenarios/engine/diagnostic.hpp"
#include "scenarios/engine/knowledge.hpp"
#include "sim/node_spec.hpp"

namespace rocdrill::scenarios {

/// `stem` is the file's name without ".yaml", which the id must equal. Fills every field but
/// code_objects. Products are not checked if `knowledge.known_product` is empty.
Loaded<sim::NodeSpec> parse_node(std::string file, std::string text, std::string_view stem,
                                 const Knowledge& knowledge);

/// "0000:1b:00.0", exactly as lspci -D prints it.
std::optional<sim::Bdf> parse_bdf(std::string_view text);

}  // namespace rocdrill::scenarios
