// What a running node's server knows of the person who works on it: the drill, answers, hints,
// undo.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/engine/grading.hpp"
#include "sim/interpose/server/node_server.hpp"

namespace rocdrill::cli {

class DrillSession {
 public:
  /// Registers its requests with the server: session, check, answer, hint, undo, brief.
  DrillSession(interpose::NodeServer& server, std::optional<scenarios::ResolvedDrill> drill);

  /// Copies what was typed to the person's state folder, if anything was.
  void keep_transcript() const;

 private:
  interpose::Json session() const;
  interpose::Json check();
  interpose::Json answer(const interpose::Json& asked);
  interpose::Json hint();
  interpose::Json undo();
  interpose::Json brief() const;

  interpose::NodeServer& server_;
  std::optional<scenarios::ResolvedDrill> drill_;
  scenarios::Answers answers_;
  std::map<scenarios::DrillTask::Kind, int> hints_;
  int hint_cost_ = 0;
  struct Step {
    std::string command;
    std::string state;
  };
  std::vector<Step> steps_;  ///< the node before each command that could change it
};

}  // namespace rocdrill::cli
