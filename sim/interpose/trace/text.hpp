// A trace as text that is the same for two runs of the same program on the same node.
//
// A process has one section for each of its threads, one for each queue, and one for events. What
// comes as often as time would have it (WAIT_EVENTS, SET_EVENT, RESET_EVENT, doorbell values as
// they were noticed) and what is of one run only (times, pids, sequence numbers, bytes of arguments
// that are not described) is in the text only with `times`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/interpose/trace/reader.hpp"

namespace rocdrill::trace {

struct Section {
  std::string title;  ///< "thread 0", "queue 0: AQL, gpu0, 64 slots", "events"
  std::vector<std::string> lines;
};
struct ProcessText {
  std::string title;
  std::vector<Section> sections;
};

struct TextOptions {
  bool times = false;
};

ProcessText describe(const Process& process, const TextOptions& options = {});
std::string text_of(const std::vector<ProcessText>& processes);

/// The first place at which two traces differ.
struct Difference {
  std::string where;                ///< process and section
  std::vector<std::string> before;  ///< lines that are equal and lead there
  std::string left, right;          ///< "" : there is none
};
std::optional<Difference> first_difference(const Trace& left, const Trace& right);

}  // namespace rocdrill::trace
