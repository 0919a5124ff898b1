#include "scenarios/engine/load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/engine/node_file.hpp"
#include "scenarios/engine/source.hpp"
#include "scenarios/engine/validate.hpp"

namespace rocdrill::scenarios {
namespace {

Diagnostics no_such(std::string_view noun, std::string_view id, const std::filesystem::path& where,
                    const std::vector<std::string>& ids) {
  return {{where.string(), 0, 0, fmt::format("there is no {} {}", noun, in_quotes(id)),
           suggest(id, ids, fmt::format("{}s", noun))}};
}

bool contains(const std::vector<std::string>& ids, std::string_view id) {
  return std::ranges::find(ids, id) != ids.end();
}

/// The drill's node, with its problems added to `problems`.
std::optional<sim::NodeSpec> node_of(const Drill& drill, const DataPath& data,
                                     const Knowledge& knowledge, Diagnostics& problems) {
  if (drill.node.empty()) return std::nullopt;  // has been complained about
  const std::vector<std::string> ids = data.list_nodes();
  if (!contains(ids, drill.node)) {
    problems.push_back({drill.file, drill.node_mark.line, drill.node_mark.column,
                        fmt::format("there is no node {}", in_quotes(drill.node)),
                        suggest(drill.node, ids, "nodes")});
    return std::nullopt;
  }
  auto node = load_node(data, drill.node, knowledge);
  if (node) return std::move(*node);
  problems.insert(problems.end(), node.error().begin(), node.error().end());
  return std::nullopt;
}

}  // namespace

Loaded<sim::NodeSpec> load_node_file(const std::filesystem::path& file,
                                     const Knowledge& knowledge) {
  auto text = read_file(file);
  if (!text) return std::unexpected(std::move(text.error()));
  return parse_node(file.string(), std::move(*text), file.stem().string(), knowledge);
}

Loaded<sim::NodeSpec> load_node(const DataPath& data, std::string_view id,
                                const Knowledge& knowledge) {
  const std::vector<std::string> ids = data.list_nodes();
  if (!contains(ids, id)) return std::unexpected(no_such("node", id, data.root() / "nodes", ids));
  return load_node_file(data.node_file(id), knowledge);
}

Loaded<LoadedDrill> load_drill_file(const DataPath& data, const std::filesystem::path& file,
                                    const Knowledge& knowledge) {
  auto text = read_file(file);
  if (!text) return std::unexpected(std::move(text.error()));
  Diagnostics problems;
  LoadedDrill loaded;
  const std::string folder = std::filesystem::absolute(file).parent_path().filename().string();
  loaded.drill = read_drill(file.string(), std::move(*text), folder, problems);
  if (auto node = node_of(loaded.drill, data, knowledge, problems)) {
    loaded.node = std::move(*node);
    const Diagnostics more = validate(loaded.drill, loaded.node, knowledge);
    problems.insert(problems.end(), more.begin(), more.end());
  }
  if (problems.empty()) return loaded;
  std::ranges::stable_sort(problems, {}, [&](const Diagnostic& problem) {
    return std::tuple{problem.file != loaded.drill.file, problem.line == 0, problem.line,
                      problem.column};
  });
  return std::unexpected(std::move(problems));
}

Loaded<LoadedDrill> load_drill(const DataPath& data, std::string_view id,
                               const Knowledge& knowledge) {
  const std::vector<std::string> ids = data.list_drills();
  if (!contains(ids, id)) return std::unexpected(no_such("drill", id, data.root() / "drills", ids));
  return load_drill_file(data, data.drill_file(id), knowledge);
}

}  // namespace rocdrill::scenarios
