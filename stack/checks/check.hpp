// The bring-up checks: the six steps of a bring-up script, and finer ones per layer, on any
// backend. They look at a node as an operator would: files, commands, runtime.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/backend.hpp"

namespace rocdrill::checks {

enum class Status : std::uint8_t { pass, fail, not_reached, not_modelled };
std::string_view name(Status status);  ///< "pass", "fail", "not reached", "not modelled"

struct Result {
  std::string id;  ///< "kernel.module"
  int step = 0;    ///< of the bring-up script, 1 to 6; 0 for a finer check
  Layer layer = Layer::silicon;
  std::string title;  ///< "amdgpu is loaded"
  Status status = Status::not_reached;
  std::string evidence =
      {};                    ///< what was seen, as an operator would see it; may have several lines
  std::string next = {};     ///< the command to run next, "" if there is nothing to do
  EventId event = no_event;  ///< the event behind a failure, where the backend keeps a history
};

/// What is deployed on the node, as far as checks need to be told.
struct Deployment {
  std::vector<std::string> programs;  ///< files with device code that must suit every GPU
  std::vector<std::string> commands;  ///< programs that end by themselves, without arguments
  std::string rocblas_library;        ///< folder with rocBLAS's data files; "" to leave out
  std::size_t expected_gpus = 0;      ///< 0: as many as the bus shows
  /// File that says how the GPUs are to be divided, "compute=CPX" and "memory=NPS4", each in a line
  /// of its own; where it is absent, not at all. "" to leave out.
  std::string partition_plan = {};
  /// The command that trains on all GPUs; empty to leave out.
  std::vector<std::string> training = {};
};

/// All checks in the order of the layers. A check whose prerequisite did not pass is
/// "not reached". Never throws for what the node does.
std::vector<Result> run(Backend& backend, const Deployment& deployment);

/// The first that failed, or nullptr.
const Result* first_failure(const std::vector<Result>& results);
/// Ids in order, for messages and completion.
std::vector<std::string> ids();

}  // namespace rocdrill::checks
