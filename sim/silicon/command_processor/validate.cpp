#include "sim/silicon/command_processor/validate.hpp"

#include <array>
#include <cstring>

namespace rocdrill::cp {
namespace {

constexpr unsigned reserved_header_bits = 0xE000;
constexpr unsigned reserved_scope = 3;
constexpr std::size_t descriptor_bytes = 64;
constexpr std::uint64_t entry_alignment = 256;

// The fields that amdhsa_kernel_descriptor_t and amd_kernel_code_t share by design, and those
// that tell one from the other.
struct DescriptorHead {
  std::uint32_t group_segment_bytes;    // amd_kernel_code_t: version_major, 1
  std::uint32_t private_segment_bytes;  // amd_kernel_code_t: version_minor, 0 to 2
  std::uint32_t kernarg_bytes;          // amd_kernel_code_t: machine_kind 1, machine_major << 16
  std::uint32_t reserved;
  std::int64_t entry_byte_offset;
};

bool is_amd_kernel_code(const DescriptorHead& head) {
  return head.group_segment_bytes == 1 && head.private_segment_bytes <= 2 &&
         (head.kernarg_bytes & 0xFFFF) == 1 && head.kernarg_bytes >> 16 >= 7 &&
         head.kernarg_bytes >> 16 <= 12;
}

}  // namespace

KfdException check_header(aql::Header header) {
  const bool known = header.raw_type() <= static_cast<unsigned>(aql::PacketType::barrier_or);
  if (!known || (header.bits & reserved_header_bits) != 0 || header.acquire() == reserved_scope ||
      header.release() == reserved_scope) {
    return KfdException::packet_unsupported;
  }
  return KfdException::none;
}

KfdException check_dispatch(const aql::KernelDispatch& packet, const AgentLimits& limits) {
  const unsigned dimensions = packet.setup & 3u;
  if (dimensions == 0) return KfdException::packet_dispatch_dim_invalid;

  const std::array<std::uint64_t, 3> group{packet.workgroup_size_x, packet.workgroup_size_y,
                                           packet.workgroup_size_z};
  const std::uint64_t work_items = group[0] * group[1] * group[2];
  if (work_items == 0 || work_items > limits.max_workgroup_size) {
    return KfdException::packet_dispatch_work_group_size_invalid;
  }
  const std::array<std::uint32_t, 3> grid{packet.grid_size_x, packet.grid_size_y,
                                          packet.grid_size_z};
  for (unsigned i = 0; i < grid.size(); ++i) {
    const bool used = i < dimensions;
    if (!used && group[i] != 1) return KfdException::packet_dispatch_work_group_size_invalid;
    if (used ? grid[i] == 0 : grid[i] != 1) return KfdException::packet_dispatch_dim_invalid;
  }
  if (packet.group_segment_size > limits.lds_bytes) {
    return KfdException::packet_dispatch_group_segment_size_invalid;
  }
  return KfdException::none;
}

std::variant<std::uint64_t, KfdException> find_entry(AddressSpace& memory,
                                                     std::uint64_t kernel_object) {
  constexpr auto invalid = KfdException::packet_dispatch_code_invalid;
  if (kernel_object == 0 || kernel_object % descriptor_bytes != 0) return invalid;
  const void* descriptor = memory.translate(kernel_object, descriptor_bytes, Access::read);
  if (descriptor == nullptr) return invalid;
  DescriptorHead head;
  std::memcpy(&head, descriptor, sizeof head);
  const std::uint64_t entry = kernel_object + static_cast<std::uint64_t>(head.entry_byte_offset);
  if (head.entry_byte_offset == 0 || entry % entry_alignment != 0 ||
      memory.translate(entry, sizeof(std::uint32_t), Access::execute) == nullptr) {
    return invalid;
  }
  return entry;
}

bool is_amd_kernel_code(const void* descriptor) {
  DescriptorHead head;
  std::memcpy(&head, descriptor, sizeof head);
  return is_amd_kernel_code(head);
}

std::uint32_t kernarg_bytes(AddressSpace& memory, std::uint64_t kernel_object) {
  DescriptorHead head;
  const void* descriptor = memory.translate(kernel_object, sizeof head, Access::read);
  if (descriptor == nullptr) return 0;
  std::memcpy(&head, descriptor, sizeof head);
  return is_amd_kernel_code(head) ? 0 : head.kernarg_bytes;
}

}  // namespace rocdrill::cp
