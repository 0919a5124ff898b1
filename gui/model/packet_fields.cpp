// AQL packets field by field, as hsa.h and hsa_ext_amd.h lay them out.
#include <fmt/format.h>

#include "gui/model/queue_view.hpp"

namespace rocdrill::gui {
namespace {

class Fields {
 public:
  void add(std::string bits, std::string name, std::string text, bool main = false) {
    all.push_back({std::move(bits), std::move(name), std::move(text), main});
  }
  template <class Value>
  void number(std::size_t byte, std::string name, Value value, bool main = false) {
    add(bytes(byte, sizeof value), std::move(name), fmt::format("{}", value), main);
  }
  void hex(std::size_t byte, std::string name, std::uint64_t value, bool main = false) {
    add(bytes(byte, 8), std::move(name), fmt::format("{:#x}", value), main);
  }
  std::vector<PacketField> all;

 private:
  static std::string bytes(std::size_t byte, std::size_t size) {
    return size == 1 ? fmt::format("{}", byte) : fmt::format("{}-{}", byte, byte + size - 1);
  }
};

std::string scope(unsigned bits) {
  static constexpr const char* names[] = {"none", "agent", "system", "3 (reserved)"};
  return names[bits & 3];
}

void add_header(const aql::Header& header, Fields& to) {
  to.add("0-1  7:0", "type", fmt::format("{} {}", header.raw_type(), aql::name(header.type())),
         true);
  to.add("0-1  8", "barrier", header.barrier() ? "1" : "0", true);
  to.add("0-1  10:9", "acquire fence", scope(header.acquire()), true);
  to.add("0-1  12:11", "release fence", scope(header.release()), true);
  to.add("0-1  15:13", "reserved", std::to_string(header.bits >> 13));
}

void add_dispatch(const aql::KernelDispatch& packet, Fields& to) {
  to.add("2-3  1:0", "setup: dimensions", std::to_string(packet.setup & 3), false);
  to.add("4-9", "workgroup size",
         fmt::format("{} x {} x {}", packet.workgroup_size_x, packet.workgroup_size_y,
                     packet.workgroup_size_z),
         true);
  to.add("12-23", "grid size",
         fmt::format("{} x {} x {}", packet.grid_size_x, packet.grid_size_y, packet.grid_size_z),
         true);
  to.number(24, "private segment size", packet.private_segment_size);
  to.number(28, "group segment size", packet.group_segment_size);
  to.hex(32, "kernel object", packet.kernel_object);
  to.hex(40, "kernarg address", packet.kernarg_address);
}

void add_agent_dispatch(const aql::AgentDispatch& packet, Fields& to) {
  to.number(2, "type", packet.type, true);
  to.hex(8, "return address", packet.return_address);
  for (std::size_t i = 0; i < 4; ++i) to.hex(16 + 8 * i, fmt::format("arg[{}]", i), packet.arg[i]);
}

void add_barrier(const aql::Barrier& packet, Fields& to) {
  for (std::size_t i = 0; i < 5; ++i)
    to.hex(8 + 8 * i, fmt::format("dep signal[{}]", i), packet.dep_signal[i], true);
}

void add_barrier_value(const aql::BarrierValue& packet, Fields& to) {
  static constexpr const char* conditions[] = {"EQ", "NE", "LT", "GTE"};
  to.hex(8, "signal", packet.signal, true);
  to.number(16, "value", packet.value, true);
  to.hex(24, "mask", static_cast<std::uint64_t>(packet.mask));
  to.add("32-35", "condition",
         packet.condition < 4 ? conditions[packet.condition] : std::to_string(packet.condition),
         true);
}

}  // namespace

std::vector<PacketField> packet_fields(const aql::Packet& packet) {
  Fields to;
  const aql::Header header = packet.header();
  add_header(header, to);
  switch (header.type()) {
    case aql::PacketType::kernel_dispatch:
      add_dispatch(packet.as<aql::KernelDispatch>(), to);
      break;
    case aql::PacketType::agent_dispatch:
      add_agent_dispatch(packet.as<aql::AgentDispatch>(), to);
      break;
    case aql::PacketType::barrier_and:
    case aql::PacketType::barrier_or:
      add_barrier(packet.as<aql::Barrier>(), to);
      break;
    case aql::PacketType::vendor_specific: {
      const auto vendor = packet.as<aql::BarrierValue>();
      to.number(2, "AMD format", static_cast<unsigned>(vendor.amd_format));
      if (vendor.amd_format == static_cast<std::uint8_t>(aql::VendorFormat::barrier_value))
        add_barrier_value(vendor, to);
      break;
    }
    default:
      break;
  }
  to.hex(56, "completion signal", packet.as<aql::Barrier>().completion_signal, true);
  return to.all;
}

}  // namespace rocdrill::gui
