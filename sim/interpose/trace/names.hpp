// Names that are the same in each run, for values that are not: gpu0, buffer h1, its memory
// A1+0x40, signal s1, X1 for memory that is no buffer. They are given in the order in which they
// are asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/interpose/trace/ioctl_fields.hpp"
#include "sim/interpose/trace/reader.hpp"

namespace rocdrill::trace {

class Names {
 public:
  explicit Names(const Process& process);

  std::string gpu(std::uint64_t gpu_id) const;
  std::string handle(std::uint64_t handle);
  std::string signal(std::uint64_t address);
  /// `seq`: when; an address may belong to one buffer after another.
  std::string address(std::uint64_t address, std::uint64_t seq);
  /// A member of an argument or packet.
  std::string value(std::uint64_t value, Kind kind, std::uint64_t seq);

  /// Threads in the order of their first calls, the program's first thread first.
  const std::vector<std::uint64_t>& threads() const { return threads_; }

 private:
  struct Buffer {
    std::uint64_t start = 0, size = 0;
    std::uint64_t from = 0, until = UINT64_MAX;  ///< seq
    std::uint64_t thread = 0;
    std::string name;
  };
  void find_threads(const Process& process);
  void find_buffers(const Process& process);

  std::vector<std::uint32_t> gpus_;
  std::vector<std::uint64_t> threads_;
  std::vector<Buffer> buffers_;
  std::map<std::uint64_t, std::string> handles_;
  std::map<std::uint64_t, std::string> signals_;
  std::map<std::uint64_t, std::string> others_;
};

/// "VRAM|WRITABLE|HOST_ACCESS"
std::string alloc_flags(std::uint64_t flags);

}  // namespace rocdrill::trace
