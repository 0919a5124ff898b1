// A hardware queue at one moment: its ring, indices, packets and signals, told by the events that
// it left in the timeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/detail_view.hpp"
#include "gui/model/fact.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::gui {

/// Where a packet stands. `free`: none has been announced for the slot.
enum class SlotState : std::uint8_t { free, valid, waiting, launched, complete, failed };
std::string_view name(SlotState state);  ///< "valid"

struct RingCell {
  std::uint64_t index = 0;  ///< of the packet
  std::uint64_t slot = 0;   ///< in the ring
  SlotState state = SlotState::free;
  std::string type;  ///< "KERNEL_DISPATCH"; "" while nobody has seen it
  bool chosen = false;
};

/// A field of a packet, in the order of the bits.
struct PacketField {
  std::string bits;  ///< "byte 0, 7:0"
  std::string name;  ///< "type", as hsa.h has it
  std::string text;
  bool main = false;  ///< also for beginners
};

/// A signal that packets of the queue name. Signals have the names s1, s2, ... in the order in
/// which they appear: addresses differ from run to run.
struct SignalRow {
  std::string name;
  std::string handle;                       ///< "0x7f..."
  std::string value;                        ///< as last seen; "?" if nobody looked
  std::vector<std::string> decremented_by;  ///< "packet 0"
  std::vector<std::string> waited_for_by;   ///< "packet 1 (BARRIER_AND)", "hip.launch saxpy"
};

struct QueueTab {
  std::string name;  ///< "pid 1000 queue 0"
  bool failed = false;
};

struct QueueView {
  std::vector<QueueTab> queues;  ///< that have appeared up to now
  std::size_t chosen = 0;
  std::uint64_t slots = 0;  ///< of the ring; 0: not told
  std::string gpu;          ///< its gpu_id
  bool packets = false;     ///< the history tells of packets, not of errors alone
  bool read_known = false;  ///< else nobody told of the read index
  std::uint64_t read_index = 0;
  std::uint64_t write_index = 0;  ///< announced: the doorbell's value + 1
  std::string doorbell;           ///< the value that was rung last; "-" if none
  std::string stands;             ///< why the packet at the head cannot go on; "" if it can
  std::string failure;            ///< why the queue has failed; "" if it has not
  EventId failed = no_event;
  std::vector<RingCell> ring;  ///< a window of the ring, in the order of the packets' indices
  std::uint64_t packet = 0;    ///< the chosen one
  std::string kernel;          ///< its kernel; "" if it is none, or nobody told
  std::vector<PacketField> fields;
  std::vector<SignalRow> signals;  ///< those of the newest packets first
  std::vector<EventRow> events;    ///< of this queue, up to now, the last ones
};

/// `cells`: how many slots are shown; at most `most_events` events.
QueueView queue_view(const Story& story, const State& state, std::size_t cells,
                     std::size_t most_events);

/// Every field of a packet.
std::vector<PacketField> packet_fields(const aql::Packet& packet);

}  // namespace rocdrill::gui
