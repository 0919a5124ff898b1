// Reading a trace: its records, checked, by process.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "sim/interpose/trace/json.hpp"

namespace rocdrill::trace {

enum class RecordType : std::uint8_t {
  ioctl,
  drm,
  mmap,
  doorbell,
  packet,
  completion,
  failure,
  signalled,
};

/// A record has the members that its type needs, and they are numbers and texts where they have to
/// be: whoever reads them need not look again.
struct Record {
  RecordType type = RecordType::ioctl;
  std::uint64_t seq = 0;
  std::size_t line = 0;
  Json json;
};

/// One process from its first use of a device to its end or its exec().
struct Process {
  int pid = 0;
  std::string command;
  std::size_t line = 0;  ///< of its first record
  std::string kfd;
  std::vector<std::uint32_t> gpus;  ///< gpu_ids, in the topology's order
  std::vector<Record> records;      ///< by seq
};

struct Trace {
  std::vector<Process> processes;     ///< in the order of their first records
  std::vector<std::string> warnings;  ///< records of a newer minor version that were skipped
};

/// What is wrong: "line 7: not JSON (...)", and what to do.
struct Damage {
  std::size_t line = 0;
  std::string what;
  std::string advice;
  std::string text(std::string_view file) const;
};

std::expected<Trace, Damage> parse(std::string_view text);

}  // namespace rocdrill::trace
