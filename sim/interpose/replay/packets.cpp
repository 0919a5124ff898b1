#include "sim/interpose/replay/packets.hpp"

#include <algorithm>
#include <cstring>

#include "sim/interpose/trace/ioctl_fields.hpp"
#include "sim/silicon/command_processor/sdma_packets.hpp"
#include "stack/formats/aql.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::replay {
namespace {

using trace::number_of;

std::uint64_t index_of(const trace::Record& record) { return number_of(record.json, "index"); }

std::vector<std::byte> bytes_of(const trace::Record& record) {
  return record.json.contains("bytes") ? trace::bytes_of(record.json.at("bytes").get<std::string>())
                                       : std::vector<std::byte>();
}

}  // namespace

bool is_kernel_dispatch(const trace::Record& record) {
  return record.json.value("name", std::string()) == aql::name(aql::PacketType::kernel_dispatch);
}

Producer::Producer(Client& client, const trace::Json& create,
                   std::vector<const trace::Record*> packets)
    : client_(client),
      aql_(number_of(create.at("in"), "queue_type") ==
           static_cast<std::uint32_t>(kfd::QueueType::compute_aql)),
      ring_base_(number_of(create.at("in"), "ring_base_address")),
      ring_bytes_(number_of(create.at("in"), "ring_size")),
      write_index_va_(number_of(create.at("in"), "write_pointer_address")),
      gpu_id_(static_cast<std::uint32_t>(number_of(create.at("in"), "gpu_id"))),
      doorbell_(kfd::MmapOffset::decode(number_of(create.at("out"), "doorbell_offset")).value / 8),
      packets_(std::move(packets)) {
  // Clients use memory again: what an earlier queue left must not look like packets of this one.
  store(write_index_va_, 0);
  if (!aql_) return;
  const auto invalid = static_cast<std::uint16_t>(aql::PacketType::invalid);
  for (std::uint64_t at = 0; at < ring_bytes_; at += sizeof(aql::Packet))
    store(ring_base_ + at, invalid, sizeof invalid);
}

void Producer::store(std::uint64_t address, std::uint64_t value, std::size_t bytes) {
  client_.memory.store(address, std::as_bytes(std::span(&value, 1)).first(bytes));
}

bool Producer::write_next() {
  if (written_ == packets_.size()) return false;
  const trace::Record& record = *packets_[written_++];
  const std::uint64_t index = index_of(record);
  const auto bytes = bytes_of(record);
  satisfy(record);
  if (record.json.contains("signal")) {
    const std::uint64_t signal = number_of(record.json.at("fields"), "completion");
    const auto& state = record.json.at("signal");
    store(signal + offsetof(aql::AmdSignal, kind), 1);
    store(signal + offsetof(aql::AmdSignal, value), number_of(state, "value"));
    store(signal + offsetof(aql::AmdSignal, event_mailbox_ptr), number_of(state, "mailbox"));
    store(signal + offsetof(aql::AmdSignal, event_id), number_of(state, "event_id"), 4);
  }
  const std::uint64_t at = aql_ ? index * sizeof(aql::Packet) : index;
  // An SDMA packet may go round the end of the ring.
  const std::uint64_t place = at % ring_bytes_;
  const std::size_t first = std::min<std::uint64_t>(bytes.size(), ring_bytes_ - place);
  client_.memory.store(ring_base_ + place, std::span(bytes).first(first));
  client_.memory.store(ring_base_, std::span(bytes).subspan(first));
  store(write_index_va_, aql_ ? index + 1 : index + number_of(record.json, "dwords") * 4);
  return true;
}

void Producer::ring(std::uint64_t value) {
  while (written_ < packets_.size()) {
    const std::uint64_t index = index_of(*packets_[written_]);
    if ((aql_ ? index > value : index >= value) || is_kernel_dispatch(*packets_[written_])) break;
    write_next();
  }
  std::uint64_t* doorbell = client_.doorbell_page(gpu_id_) + doorbell_;
  *doorbell = value;
  client_.process.stored(doorbell);
  client_.run();
}

void Producer::offer(std::uint64_t index) {
  const auto at =
      std::ranges::find(packets_, index, [](const auto* record) { return index_of(*record); });
  if (at == packets_.end()) return;
  bool fresh = false;
  while (written_ <= static_cast<std::size_t>(at - packets_.begin())) fresh = write_next() || fresh;
  // The client's queue found them by the write index, before it noticed the doorbell. An SDMA queue
  // looks there once, and here that look may be over: only a ring shows it the packets.
  if (fresh && !aql_) {
    const trace::Record& last = *packets_[written_ - 1];
    std::uint64_t* doorbell = client_.doorbell_page(gpu_id_) + doorbell_;
    *doorbell = index_of(last) + number_of(last.json, "dwords") * 4;
    client_.process.stored(doorbell);
  }
  satisfy(**at);
  client_.run();
}

void Producer::satisfy(const trace::Record& record) {
  const auto bytes = bytes_of(record);
  if (bytes.empty()) return;
  if (aql_) {
    satisfy_aql(bytes);
  } else {
    satisfy_sdma(bytes);
  }
}

bool Producer::signal_is_zero(std::uint64_t handle) const {
  std::int64_t value = 1;
  client_.memory.load(handle + offsetof(aql::AmdSignal, value),
                      std::as_writable_bytes(std::span(&value, 1)));
  return value == 0;
}

void Producer::satisfy_aql(std::span<const std::byte> bytes) {
  aql::Packet packet;
  std::memcpy(packet.bytes.data(), bytes.data(), std::min(bytes.size(), packet.bytes.size()));
  const auto type = packet.header().type();
  const auto barrier = packet.as<aql::Barrier>();
  const auto set = [this](std::uint64_t handle, std::uint64_t value) {
    store(handle + offsetof(aql::AmdSignal, value), value);
  };
  if (type == aql::PacketType::barrier_and || type == aql::PacketType::barrier_or) {
    const bool any = type == aql::PacketType::barrier_or;
    if (any && std::ranges::any_of(barrier.dep_signal, [this](std::uint64_t handle) {
          return handle != 0 && signal_is_zero(handle);
        }))
      return;
    for (const std::uint64_t handle : barrier.dep_signal) {
      if (handle == 0) continue;
      set(handle, 0);
      if (any) return;
    }
  }
  const auto value = packet.as<aql::BarrierValue>();
  if (type != aql::PacketType::vendor_specific ||
      value.amd_format != static_cast<std::uint8_t>(aql::VendorFormat::barrier_value))
    return;
  const auto wanted = static_cast<std::uint64_t>(value.value);
  switch (static_cast<SignalCondition>(value.condition)) {
    case SignalCondition::ne:
      return set(value.signal, ~wanted);
    case SignalCondition::lt:
      return set(value.signal, wanted - 1);
    default:
      return set(value.signal, wanted);
  }
}

void Producer::satisfy_sdma(std::span<const std::byte> bytes) {
  namespace sdma = cp::sdma;
  sdma::Head head{};
  std::memcpy(head.data(), bytes.data(), std::min(bytes.size(), sizeof head));
  const auto op = static_cast<sdma::Op>(sdma::field(head[0], 7, 0));
  if (op == sdma::Op::atomic) {
    const std::uint32_t operation = sdma::field(head[0], 31, 25);
    const bool swap = (operation & ~sdma::atomic_64_bits) ==
                      static_cast<std::uint32_t>(sdma::AtomicOp::compare_swap);
    if (swap && sdma::field(head[0], 16, 16) != 0)
      store(sdma::address(head, 1), sdma::address(head, 5),
            (operation & sdma::atomic_64_bits) != 0 ? 8 : 4);
  }
  const bool memory = sdma::field(head[0], 31, 31) != 0 && sdma::field(head[0], 26, 26) == 0;
  if (op != sdma::Op::poll_regmem || !memory) return;
  const std::uint32_t reference = head[3];
  switch (static_cast<sdma::PollFunction>(sdma::field(head[0], 30, 28))) {
    case sdma::PollFunction::always:
      return;
    case sdma::PollFunction::less:
      return store(sdma::address(head, 1), reference - 1, 4);
    case sdma::PollFunction::not_equal:
      return store(sdma::address(head, 1), ~reference, 4);
    case sdma::PollFunction::greater:
      return store(sdma::address(head, 1), reference + 1, 4);
    default:
      return store(sdma::address(head, 1), reference, 4);
  }
}

}  // namespace rocdrill::replay
