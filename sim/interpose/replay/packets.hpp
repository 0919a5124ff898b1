// The producer's side of a queue: writes recorded packets into the ring and makes true what they
// wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/interpose/replay/client.hpp"
#include "sim/interpose/trace/reader.hpp"

namespace rocdrill::replay {

/// A packet whose effect is that of code in the client's memory.
bool is_kernel_dispatch(const trace::Record& record);

class Producer {
 public:
  /// From a CREATE_QUEUE that has succeeded. `packets`: the queue's records, in order.
  Producer(Client& client, const trace::Json& create, std::vector<const trace::Record*> packets);

  /// The client's side of a doorbell: packets that it announces are in the ring, up to a kernel
  /// dispatch, then it is rung.
  void ring(std::uint64_t value);
  /// The packet is in the ring, and what it waits for has come.
  void offer(std::uint64_t index);

 private:
  bool write_next();
  void satisfy(const trace::Record& record);
  void satisfy_aql(std::span<const std::byte> bytes);
  void satisfy_sdma(std::span<const std::byte> bytes);
  void store(std::uint64_t address, std::uint64_t value, std::size_t bytes = 8);
  bool signal_is_zero(std::uint64_t handle) const;

  Client& client_;
  bool aql_;
  std::uint64_t ring_base_, ring_bytes_, write_index_va_;
  std::uint32_t gpu_id_;
  std::uint64_t doorbell_;  ///< place in the page
  std::vector<const trace::Record*> packets_;
  std::size_t written_ = 0;
};

}  // namespace rocdrill::replay
