// RCCL's own words: what NCCL_DEBUG and NCCL_DEBUG_SUBSYS let it print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stack/process.hpp"

namespace rocdrill::libraries::rccl {

enum class Subsystem : std::uint32_t {
  init = 1,
  coll = 2,
  p2p = 4,
  shm = 8,
  net = 16,
  graph = 32,
  tuning = 64,
  env = 128,
  alloc = 256,
  bootstrap = 0x4000,
};
constexpr Subsystem operator|(Subsystem a, Subsystem b) {
  return static_cast<Subsystem>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// One rank's lines, as they come on standard output.
class Log {
 public:
  /// Takes the level and the subsystems from the process's environment.
  Log(const Process& process, std::string hostname, int device);

  void info(Subsystem of, std::string_view text);
  /// `where`: source file and line, as the release has them; "" where that is not known.
  void warn(std::string_view where, std::string_view text);
  /// Without a prefix: the version lines of rank 0.
  void banner(std::string_view text);

  bool shows_version() const { return level_ >= Level::version; }
  const std::string& text() const { return text_; }
  /// The warning that an error is reported with ("Last error:").
  const std::string& last_warning() const { return last_warning_; }

 private:
  enum class Level : std::uint8_t { none, version, warn, info };
  std::string prefix() const;

  std::string hostname_;
  int pid_;
  int device_;
  Level level_ = Level::none;
  std::uint32_t mask_;
  std::string text_;
  std::string last_warning_;
};

}  // namespace rocdrill::libraries::rccl
