#include "stack/formats/aql.hpp"

#include <algorithm>

namespace rocdrill::aql {
namespace {

// System scope on both sides, as ROCr and HIP write their barrier packets: what the packets
// before the barrier wrote is visible to the host and to every agent once it completes.
Packet barrier(PacketType type, const std::array<std::uint64_t, 5>& dependencies,
               std::uint64_t completion_signal, bool barrier_bit) {
  Barrier body{};
  body.header = Header::make(type, barrier_bit, FenceScope::system, FenceScope::system).bits;
  std::ranges::copy(dependencies, body.dep_signal);
  body.completion_signal = completion_signal;
  return Packet(body);
}

}  // namespace

std::string_view name(PacketType type) {
  switch (type) {
    case PacketType::vendor_specific:
      return "VENDOR_SPECIFIC";
    case PacketType::invalid:
      return "INVALID";
    case PacketType::kernel_dispatch:
      return "KERNEL_DISPATCH";
    case PacketType::barrier_and:
      return "BARRIER_AND";
    case PacketType::agent_dispatch:
      return "AGENT_DISPATCH";
    case PacketType::barrier_or:
      return "BARRIER_OR";
  }
  return "RESERVED";  // Header::type() of a malformed packet
}

Packet barrier_and(std::array<std::uint64_t, 5> dependencies, std::uint64_t completion_signal,
                   bool barrier_bit) {
  return barrier(PacketType::barrier_and, dependencies, completion_signal, barrier_bit);
}

Packet barrier_or(std::array<std::uint64_t, 5> dependencies, std::uint64_t completion_signal,
                  bool barrier_bit) {
  return barrier(PacketType::barrier_or, dependencies, completion_signal, barrier_bit);
}

}  // namespace rocdrill::aql
