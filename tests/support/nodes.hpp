// Nodes and drills for tests: the shipped files with the device code of this build.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scenarios/engine/load.hpp"
#include "scenarios/engine/run.hpp"
#include "scenarios/engine/story.hpp"

namespace rocdrill::test {

inline const scenarios::DataPath& data() {
  static const scenarios::DataPath path = [] {
    auto found = scenarios::DataPath::find(scenarios::data_places());
    if (!found) throw std::runtime_error(scenarios::text(found.error()));
    if (!found->code_objects())
      throw std::runtime_error("no code objects: build rocdrill_device_code");
    return *found;
  }();
  return path;
}

inline sim::NodeSpec spec(std::string_view id) {
  auto loaded = scenarios::load_node(data(), id, scenarios::built_in_knowledge());
  if (!loaded) throw std::runtime_error(scenarios::text(loaded.error()));
  if (const auto read = scenarios::load_code_objects(data(), *loaded); !read) {
    throw std::runtime_error(scenarios::text(read.error()));
  }
  return std::move(*loaded);
}

inline std::unique_ptr<sim::Node> node(std::string_view id, scenarios::RunOptions options = {}) {
  return scenarios::make_node(spec(id), options);
}

/// A booted, healthy node.
inline std::unique_ptr<sim::Node> booted(std::string_view id) {
  auto made = node(id);
  made->boot();
  return made;
}

/// A node with a fault put in before it boots, booted. The upgrade and the like of prepare()
/// happen as in a drill.
inline std::unique_ptr<sim::Node> broken(std::string_view id, const sim::FaultUse& use) {
  auto made = node(id);
  made->prepare(use);
  made->inject(use);
  made->boot();
  return made;
}

inline scenarios::ResolvedDrill drill(std::string_view id, std::uint64_t seed = 1) {
  auto loaded = scenarios::load_drill(data(), id, scenarios::built_in_knowledge());
  if (!loaded) throw std::runtime_error(scenarios::text(loaded.error()));
  return scenarios::resolve(loaded->drill, loaded->node, seed);
}

inline std::unique_ptr<sim::Node> run(std::string_view id, scenarios::RunOptions options = {}) {
  const auto resolved = drill(id, options.seed);
  return scenarios::run_drill(resolved, spec(resolved.drill.node), options);
}

inline std::vector<std::string> kinds(const Timeline& timeline, const std::vector<EventId>& ids) {
  std::vector<std::string> list;
  for (const EventId id : ids) list.emplace_back(timeline.at(id).kind);
  return list;
}

inline std::vector<EventId> errors(const Timeline& timeline) {
  std::vector<EventId> list;
  for (EventId id = 1; id <= timeline.size(); ++id) {
    if (timeline.at(id).severity == Severity::error) list.push_back(id);
  }
  return list;
}

inline std::vector<checks::Result> check(sim::Node& node) {
  return checks::run(node, scenarios::deployment_of(node.spec()));
}

inline CommandResult sh(sim::Node& node, const std::vector<std::string>& argv, bool root = false) {
  Host& host = node.host();
  ProcessSpec spec = host.session();
  if (root) spec.identity = {"root", 0, 0, {}};
  return host.run(argv, spec);
}

}  // namespace rocdrill::test
