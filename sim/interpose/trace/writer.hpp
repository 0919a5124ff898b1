// Writing a trace: one JSON object a line, each by one write() at the end of the file, so that
// several processes can share it.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/interpose/trace/json.hpp"

namespace rocdrill::trace {

struct TracedGpu {
  std::uint32_t gpu_id = 0;
  std::uint32_t render_minor = 0;
  std::uint32_t gfx_target_version = 0;
};

/// The first record of a process.
struct TracedProcess {
  int pid = 0;
  std::string command;
  std::string kfd;  ///< interface version, "1.14"
  std::vector<TracedGpu> gpus;
};

class Writer {
 public:
  /// Opens or makes the file and writes the process record; else why not.
  static std::expected<std::unique_ptr<Writer>, std::string> open(const std::string& file,
                                                                  const TracedProcess& process);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Adds "seq", "pid" and "time_ns" behind "type". From any thread. False once, when the file
  /// cannot be written any more; nothing is written from then on.
  bool write(const Json& record);

 private:
  Writer(int fd, int pid) : fd_(fd), pid_(pid) {}
  bool put(const Json& line);

  std::mutex mutex_;
  int fd_;
  int pid_;
  std::uint64_t seq_ = 0;
  bool failed_ = false;
};

}  // namespace rocdrill::trace
