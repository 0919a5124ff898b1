#include "gui/model/queue_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gui/model/timeline_view.hpp"
#include "stack/formats/aql_text.hpp"

namespace rocdrill::gui {
namespace {

/// Of a queue's history no more than that is looked at, back from now.
constexpr std::ptrdiff_t most_looked_at = 4096;

struct SeenPacket {
  SlotState state = SlotState::valid;
  std::string type;
  std::optional<aql::Packet> bytes;
  EventId cause = no_event;  ///< of its launch
  std::string kernel;        ///< as its launch names it
};

/// What the events up to now say.
struct Seen {
  std::map<std::uint64_t, SeenPacket> packets;
  std::map<std::uint64_t, std::int64_t> signal_values;  ///< by handle
  std::uint64_t slots = 0;
  std::string gpu;
  std::optional<std::uint64_t> doorbell;
  std::uint64_t read_index = 0;
  bool completed_only = false;  ///< packets complete, and nobody tells when their slots are taken
  bool taken = false;
  std::string stands;
  std::string failure;
  EventId failed = no_event;
};

std::optional<std::int64_t> number(const EventView& event, std::string_view key) {
  const auto value = event.find(key);
  const auto* is = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return is ? std::optional(*is) : std::nullopt;
}

std::uint64_t completion_signal(const SeenPacket& packet) {
  return packet.bytes ? packet.bytes->as<aql::Barrier>().completion_signal : 0;
}

/// Signals that a packet waits for.
std::vector<std::uint64_t> dependencies(const SeenPacket& packet) {
  std::vector<std::uint64_t> handles;
  if (!packet.bytes) return handles;
  const aql::PacketType type = packet.bytes->header().type();
  if (type == aql::PacketType::barrier_and || type == aql::PacketType::barrier_or) {
    for (const std::uint64_t handle : packet.bytes->as<aql::Barrier>().dep_signal)
      if (handle != 0) handles.push_back(handle);
  }
  const auto value = packet.bytes->as<aql::BarrierValue>();
  if (type == aql::PacketType::vendor_specific &&
      value.amd_format == static_cast<std::uint8_t>(aql::VendorFormat::barrier_value))
    handles.push_back(value.signal);
  return handles;
}

void see_packet(const EventView& event, Seen& seen) {
  const std::string_view transition = event.kind.substr(std::string_view("packet.").size());
  const auto at = number(event, "index");
  if (!at) return;
  const auto index = static_cast<std::uint64_t>(*at);
  if (transition == "doorbell") {
    seen.doorbell = index;
    return;
  }
  SeenPacket& packet = seen.packets[index];
  if (const std::string type = event.text("type"); !type.empty() && type != "INVALID")
    packet.type = type;
  if (const auto bytes = aql::packet_from_hex(event.text("packet"))) packet.bytes = bytes;
  if (transition == "stalled") {
    packet.state = SlotState::waiting;
    seen.stands = event.text(field::got);
  } else if (transition == "launched") {
    packet.state = SlotState::launched;
    packet.cause = event.cause;
    packet.kernel = event.text("kernel");
    seen.stands.clear();
  } else if (transition == "completed") {
    packet.state = SlotState::complete;
    seen.completed_only = !seen.taken;
  } else if (transition == "failed") {
    packet.state = SlotState::failed;
  } else if (const auto read = number(event, "read_index")) {
    seen.read_index = static_cast<std::uint64_t>(*read);
    seen.taken = true;
    seen.completed_only = false;
  }
  const std::uint64_t signal = completion_signal(packet);
  if (const auto value = number(event, "signal_value"); value && signal != 0)
    seen.signal_values[signal] = *value;
  else if (transition == "completed" && signal != 0)
    seen.signal_values.erase(signal);  // one less, but nobody has looked
}

Seen look(const Story& story, const std::vector<EventId>& events, EventId now) {
  Seen seen;
  const auto until = std::ranges::upper_bound(events, now);
  const auto from = until - std::min(until - events.begin(), most_looked_at);
  const auto see = [&](EventId id) {
    const EventView event = story.timeline().at(id);
    if (event.kind == "queue.created" || event.kind == "queue.watched") {
      seen.slots = static_cast<std::uint64_t>(number(event, "slots").value_or(0));
      seen.gpu = event.text("gpu_id");
      seen.read_index = static_cast<std::uint64_t>(number(event, "read_index").value_or(0));
    } else if (event.kind == "queue.failed") {
      seen.failed = id;
      seen.failure = event.text("exception");
      if (const auto index = number(event, "packet"))
        seen.packets[static_cast<std::uint64_t>(*index)].state = SlotState::failed;
    } else if (event.kind == "queue.hung") {
      seen.stands = event.text(field::did);
    } else if (event.kind.starts_with("packet.")) {
      see_packet(event, seen);
    }
  };
  if (from != events.begin() && !events.empty()) see(events.front());  // its creation
  for (auto at = from; at != until; ++at) see(*at);
  return seen;
}

std::uint64_t end_of(const Seen& seen) {
  std::uint64_t end = seen.doorbell ? *seen.doorbell + 1 : 0;
  if (!seen.packets.empty()) end = std::max(end, seen.packets.rbegin()->first + 1);
  return end;
}

/// The newest packets and, if there is room, slots that are free.
void fill_ring(const Seen& seen, std::size_t cells, QueueView& view) {
  const std::uint64_t end = end_of(seen);
  const std::uint64_t shown = view.slots == 0 ? cells : std::min<std::uint64_t>(cells, view.slots);
  std::uint64_t first = end > shown ? end - shown : 0;
  if (seen.read_index < first && end - seen.read_index <= shown) first = seen.read_index;
  for (std::uint64_t index = first; index < first + shown; ++index) {
    RingCell cell{.index = index, .slot = view.slots == 0 ? index : index % view.slots, .type = {}};
    if (const auto packet = seen.packets.find(index); packet != seen.packets.end()) {
      cell.state = packet->second.state;
      cell.type = packet->second.type;
    } else if (seen.doorbell && index <= *seen.doorbell && index >= seen.read_index) {
      cell.state = SlotState::valid;
    }
    cell.chosen = index == view.packet;
    view.ring.push_back(std::move(cell));
  }
}

/// Names of signals, in the order in which packets name them.
class SignalNames {
 public:
  explicit SignalNames(const Seen& seen) {
    for (const auto& [index, packet] : seen.packets) {
      for (const std::uint64_t handle : dependencies(packet)) take(handle);
      if (const std::uint64_t handle = completion_signal(packet); handle != 0) take(handle);
    }
  }
  std::string of(std::uint64_t handle) const {
    const auto at = std::ranges::find(handles_, handle);
    return fmt::format("s{}", at - handles_.begin() + 1);
  }
  const std::vector<std::uint64_t>& handles() const { return handles_; }

 private:
  void take(std::uint64_t handle) {
    if (std::ranges::find(handles_, handle) == handles_.end()) handles_.push_back(handle);
  }
  std::vector<std::uint64_t> handles_;
};

bool in_front(SlotState state) { return state == SlotState::valid || state == SlotState::waiting; }

/// "hip.launch saxpy", if that waits for the packet.
std::string host_waiter(const Story& story, const SeenPacket& packet) {
  if (packet.cause == no_event || packet.state == SlotState::complete) return {};
  const EventView cause = story.timeline().at(packet.cause);
  if (cause.kind != "hip.launch") return {};
  return fmt::format("{} {}", cause.kind, cause.subject);
}

void fill_signals(const Story& story, const Seen& seen, const SignalNames& names, QueueView& view) {
  for (const std::uint64_t handle : names.handles()) {
    SignalRow row{.name = names.of(handle),
                  .handle = fmt::format("{:#x}", handle),
                  .value = "?",
                  .decremented_by = {},
                  .waited_for_by = {}};
    if (const auto value = seen.signal_values.find(handle); value != seen.signal_values.end())
      row.value = std::to_string(value->second);
    for (const auto& [index, packet] : seen.packets) {
      if (completion_signal(packet) == handle) {
        row.decremented_by.push_back(fmt::format("packet {}", index));
        if (const std::string host = host_waiter(story, packet); !host.empty())
          row.waited_for_by.push_back(host);
      }
      const auto needs = dependencies(packet);
      if (in_front(packet.state) && std::ranges::find(needs, handle) != needs.end())
        row.waited_for_by.push_back(fmt::format("packet {} ({})", index, packet.type));
    }
    view.signals.push_back(std::move(row));
  }
  std::ranges::reverse(view.signals);  // those of the newest packets first
}

void tell_packet(const Story& story, const Seen& seen, const SignalNames& names, QueueView& view) {
  const auto at = seen.packets.find(view.packet);
  if (at == seen.packets.end()) return;
  const SeenPacket& packet = at->second;
  if (packet.bytes) view.fields = packet_fields(*packet.bytes);
  for (PacketField& one : view.fields) {
    if (!one.name.contains("signal")) continue;
    for (const std::uint64_t handle : names.handles())
      if (one.text == fmt::format("{:#x}", handle)) one.text = names.of(handle);
  }
  view.kernel = packet.kernel;
  if (packet.cause == no_event) return;
  const EventView cause = story.timeline().head(packet.cause);
  if (cause.kind == "hip.launch" && packet.type == "KERNEL_DISPATCH") view.kernel = cause.subject;
}

}  // namespace

std::string_view name(SlotState state) {
  switch (state) {
    case SlotState::free:
      return "free";
    case SlotState::valid:
      return "valid";
    case SlotState::waiting:
      return "waiting";
    case SlotState::launched:
      return "launched";
    case SlotState::complete:
      return "complete";
    case SlotState::failed:
      return "failed";
  }
  return "";
}

QueueView queue_view(const Story& story, const State& state, std::size_t cells,
                     std::size_t most_events) {
  QueueView view;
  std::vector<const Story::QueueEvents*> there;
  for (const Story::QueueEvents& queue : story.queues())
    if (queue.events.front() <= state.now) there.push_back(&queue);
  if (there.empty()) return view;
  const auto group = state.group.find(Layout::queues);
  view.chosen = group == state.group.end()
                    ? there.size() - 1
                    : std::min(static_cast<std::size_t>(group->second), there.size() - 1);
  for (const Story::QueueEvents* queue : there) view.queues.push_back({queue->name, false});
  const auto& events = there[view.chosen]->events;
  const Seen seen = look(story, events, state.now);
  view.slots = seen.slots;
  view.gpu = seen.gpu;
  view.packets = seen.slots != 0 || std::ranges::any_of(seen.packets, [](const auto& packet) {
                   return packet.second.bytes.has_value();
                 });
  view.read_index = seen.read_index;
  view.read_known = !seen.completed_only;
  view.write_index = seen.doorbell ? *seen.doorbell + 1 : 0;
  view.doorbell = seen.doorbell ? std::to_string(*seen.doorbell) : "-";
  view.stands = seen.stands;
  view.failure = seen.failure;
  view.failed = seen.failed;
  view.queues[view.chosen].failed = seen.failed != no_event;
  const std::uint64_t end = end_of(seen);
  const auto item = state.item.find(Layout::queues);
  view.packet = item == state.item.end() ? (end == 0 ? 0 : end - 1)
                                         : static_cast<std::uint64_t>(item->second);
  fill_ring(seen, cells, view);
  const SignalNames names(seen);
  fill_signals(story, seen, names, view);
  tell_packet(story, seen, names, view);
  view.events = latest(story, events, state.now, most_events);
  for (EventRow& row : view.events) row.subject = story.timeline().at(row.id).text("index");
  return view;
}

}  // namespace rocdrill::gui
