// AQL packets, queues and signals as they lie in memory (little endian).
//
// Sources: HSA Platform System Architecture 1.2 section 2.9; hsa.h, hsa_ext_amd.h,
// amd_hsa_queue.h and amd_hsa_signal.h of ROCr.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rocdrill::aql {

enum class PacketType : std::uint8_t {
  vendor_specific = 0,
  invalid = 1,
  kernel_dispatch = 2,
  barrier_and = 3,
  agent_dispatch = 4,
  barrier_or = 5,
};

enum class FenceScope : std::uint8_t { none = 0, agent = 1, system = 2 };

/// AmdFormat of a vendor-specific packet (byte 2).
enum class VendorFormat : std::uint8_t { pm4_ib = 1, barrier_value = 2 };

/// bits 7:0 type, 8 barrier, 10:9 acquire scope, 12:11 release scope, 15:13 zero.
struct Header {
  std::uint16_t bits = 1;

  static constexpr Header make(PacketType type, bool barrier = false,
                               FenceScope acquire = FenceScope::none,
                               FenceScope release = FenceScope::none) {
    return {static_cast<std::uint16_t>(static_cast<unsigned>(type) | (barrier ? 1u << 8 : 0u) |
                                       static_cast<unsigned>(acquire) << 9 |
                                       static_cast<unsigned>(release) << 11)};
  }
  constexpr unsigned raw_type() const { return bits & 0xFFu; }
  constexpr PacketType type() const { return static_cast<PacketType>(bits & 0xFFu); }
  constexpr bool barrier() const { return (bits >> 8 & 1u) != 0; }
  constexpr unsigned acquire() const { return bits >> 9 & 3u; }
  constexpr unsigned release() const { return bits >> 11 & 3u; }
};

/// "KERNEL_DISPATCH", as hsa_packet_type_t has it; "RESERVED" for a number without a name.
std::string_view name(PacketType type);

struct KernelDispatch {
  std::uint16_t header;
  std::uint16_t setup;  ///< bits 1:0 dimensions, 1 to 3
  std::uint16_t workgroup_size_x, workgroup_size_y, workgroup_size_z;
  std::uint16_t reserved0;
  std::uint32_t grid_size_x, grid_size_y, grid_size_z;  ///< work-items
  std::uint32_t private_segment_size;                   ///< bytes per work-item
  std::uint32_t group_segment_size;                     ///< bytes per workgroup
  std::uint64_t kernel_object;                          ///< address of the kernel descriptor
  std::uint64_t kernarg_address;
  std::uint64_t reserved2;
  std::uint64_t completion_signal;
};

struct AgentDispatch {
  std::uint16_t header;
  std::uint16_t type;
  std::uint32_t reserved0;
  std::uint64_t return_address;
  std::uint64_t arg[4];
  std::uint64_t reserved2;
  std::uint64_t completion_signal;
};

/// Barrier-AND and barrier-OR; a zero handle is no dependency.
struct Barrier {
  std::uint16_t header;
  std::uint16_t reserved0;
  std::uint32_t reserved1;
  std::uint64_t dep_signal[5];
  std::uint64_t reserved2;
  std::uint64_t completion_signal;
};

/// hsa_amd_barrier_value_packet_t: waits until (signal & mask) <condition> value.
struct BarrierValue {
  std::uint16_t header;
  std::uint8_t amd_format;  ///< VendorFormat::barrier_value
  std::uint8_t reserved0;
  std::uint32_t reserved1;
  std::uint64_t signal;
  std::int64_t value;
  std::int64_t mask;
  std::uint32_t condition;  ///< 0 EQ, 1 NE, 2 LT, 3 GTE
  std::uint32_t reserved2;
  std::uint64_t reserved3, reserved4;
  std::uint64_t completion_signal;
};

/// amd_aql_pm4_ib of ROCr: one PM4 INDIRECT_BUFFER command.
struct Pm4IndirectBuffer {
  std::uint16_t header;
  std::uint16_t amd_format;  ///< VendorFormat::pm4_ib
  std::uint32_t ib_jump_cmd[4];
  std::uint32_t dw_cnt_remain;
  std::uint32_t reserved[8];
  std::uint64_t completion_signal;
};

/// A slot of the ring: 64 bytes of which the first two are the header.
struct alignas(64) Packet {
  std::array<std::byte, 64> bytes{};

  Packet() { set_header(Header{}); }
  template <class Body>
    requires(sizeof(Body) == 64)
  explicit Packet(const Body& body) {
    std::memcpy(bytes.data(), &body, sizeof body);
  }
  template <class Body>
    requires(sizeof(Body) == 64)
  Body as() const {
    Body body{};
    std::memcpy(&body, bytes.data(), sizeof body);
    return body;
  }
  Header header() const {
    Header header;
    std::memcpy(&header.bits, bytes.data(), sizeof header.bits);
    return header;
  }
  void set_header(Header header) { std::memcpy(bytes.data(), &header.bits, sizeof header.bits); }
};

static_assert(sizeof(KernelDispatch) == 64 && sizeof(AgentDispatch) == 64);
static_assert(sizeof(Pm4IndirectBuffer) == 64);
static_assert(sizeof(Barrier) == 64 && sizeof(BarrierValue) == 64 && sizeof(Packet) == 64);
static_assert(offsetof(KernelDispatch, kernel_object) == 32);
static_assert(offsetof(AgentDispatch, return_address) == 8);
static_assert(offsetof(Barrier, dep_signal) == 8 && offsetof(Barrier, completion_signal) == 56);
static_assert(offsetof(BarrierValue, condition) == 32);

/// Barrier packets with acquire and release fences of system scope, as ROCr writes them.
Packet barrier_and(std::array<std::uint64_t, 5> dependencies, std::uint64_t completion_signal,
                   bool barrier_bit = false);
Packet barrier_or(std::array<std::uint64_t, 5> dependencies, std::uint64_t completion_signal,
                  bool barrier_bit = false);

/// amd_signal_t: 64 bytes, 64-aligned.
struct alignas(64) AmdSignal {
  std::int64_t kind;  ///< 1 user, -1 doorbell, -2 legacy doorbell, 0 invalid
  std::int64_t value;
  std::uint64_t event_mailbox_ptr;
  std::uint32_t event_id;
  std::uint32_t reserved1;
  std::uint64_t start_ts, end_ts;
  std::uint64_t queue_ptr;
  std::uint32_t reserved3[2];
};
static_assert(sizeof(AmdSignal) == 64 && offsetof(AmdSignal, event_id) == 24);

/// amd_queue_t of ROCr up to 5.x (256 bytes). Only what a packet processor touches is named.
struct alignas(64) AmdQueue {
  std::uint32_t type;
  std::uint32_t features;
  std::uint64_t base_address;
  std::uint64_t doorbell_signal;
  std::uint32_t size;
  std::uint32_t reserved0;
  std::uint64_t id;
  std::uint32_t caps;
  std::uint32_t reserved1[3];
  std::uint64_t write_dispatch_id;
  std::uint32_t group_aperture_base_hi;
  std::uint32_t private_aperture_base_hi;
  std::uint32_t max_cu_id;
  std::uint32_t max_wave_id;
  std::uint64_t max_legacy_doorbell_dispatch_id_plus_1;
  std::uint32_t legacy_doorbell_lock;
  std::uint32_t reserved2[9];
  std::uint64_t read_dispatch_id;
  std::uint32_t read_dispatch_id_field_base_byte_offset;
  std::uint32_t compute_tmpring_size;
  std::uint32_t scratch_resource_descriptor[4];
  std::uint64_t scratch_backing_memory_location;
  std::uint64_t scratch_backing_memory_byte_size;
  std::uint32_t scratch_wave64_lane_byte_size;
  std::uint32_t queue_properties;
  std::uint32_t reserved3[2];
  std::uint64_t queue_inactive_signal;
  std::uint32_t reserved4[14];
};
static_assert(sizeof(AmdQueue) == 256);
static_assert(offsetof(AmdQueue, write_dispatch_id) == 56);
static_assert(offsetof(AmdQueue, read_dispatch_id) == 128);
static_assert(offsetof(AmdQueue, queue_inactive_signal) == 192);

}  // namespace rocdrill::aql
