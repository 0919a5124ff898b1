// The xGMI links between the GPUs of a board: what KFD's topology, the management tools, transfers
// and RCCL stand on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "stack/event.hpp"

namespace rocdrill::silicon {

enum class LinkState : std::uint8_t {
  up,
  degraded,  ///< runs on half of its lanes
  dead,      ///< carries nothing
};
std::string_view name(LinkState state);

/// One direct link between two GPUs, counted as on the board; the same in both directions.
struct Link {
  std::uint32_t first = 0;
  std::uint32_t second = 0;          ///< always greater than `first`
  std::uint32_t bandwidth_mb_s = 0;  ///< each way, on all lanes
  LinkState state = LinkState::up;
  bool trained = true;           ///< was up when the firmware trained the links
  bool passes_training = false;  ///< dead under load alone: training does not find it
  std::uint64_t crc_errors = 0;  ///< corrected by retransmission
  std::uint64_t uncorrectable_errors = 0;
  EventId event = no_event;  ///< last change

  bool joins(std::size_t a, std::size_t b) const {
    return first == std::min(a, b) && second == std::max(a, b);
  }
  /// MB/s each way as it is now.
  std::uint32_t bandwidth() const {
    return state == LinkState::up         ? bandwidth_mb_s
           : state == LinkState::degraded ? bandwidth_mb_s / 2
                                          : 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("first", first);
    archive("second", second);
    archive("bandwidth_mb_s", bandwidth_mb_s);
    archive("state", state);
    archive("trained", trained);
    archive("passes_training", passes_training);
    archive("crc_errors", crc_errors);
    archive("uncorrectable_errors", uncorrectable_errors);
    archive("event", event);
  }
};

}  // namespace rocdrill::silicon
