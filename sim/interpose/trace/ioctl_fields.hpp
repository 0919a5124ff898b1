// The members of each ioctl's argument as a trace names them: linux/kfd_ioctl.h by way of
// kfd_uapi.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "sim/interpose/trace/json.hpp"
#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::trace {

/// What a member means: how it is written, and whether two runs must agree on it.
enum class Kind : std::uint8_t {
  number,
  signed_number,
  mask,           ///< bits
  alloc_flags,    ///< kfd::alloc_flag
  gpu,            ///< a gpu_id
  handle,         ///< of a buffer object
  offset,         ///< for mmap of /dev/kfd: kfd::MmapOffset
  buffer_offset,  ///< for mmap of a render node, or the address of user memory
  address,
  signal,   ///< handle of an amd_signal_t
  pointer,  ///< of the program's, to what the record shows itself
  file,     ///< a descriptor
  time,
};
/// False where a value is of one run only.
bool is_stable(Kind kind);

enum class Way : std::uint8_t { in = 1, out = 2, both = 3 };

struct FieldInfo {
  const char* name;
  std::uint16_t offset;
  std::uint8_t size;  ///< bytes: 4 or 8
  Kind kind;
  Way way;
};

/// Empty for a request whose argument is not described; a record has its bytes then.
std::span<const FieldInfo> fields_of(kfd::Ioctl nr);
const FieldInfo* find_field(kfd::Ioctl nr, std::string_view name);
/// A request that only waits or wakes: how often it comes depends on time.
bool is_wait(std::string_view ioctl);

/// Members that go in, or come out, of an argument of which `size` bytes are there.
Json decode(kfd::Ioctl nr, std::span<const std::byte> argument, Way way);
/// The argument again, from a record's "in". Throws std::invalid_argument.
std::vector<std::byte> encode(kfd::Ioctl nr, const Json& in, std::size_t size);

/// copy_from_user: false if it is not there.
using ReadMemory = std::function<bool(void* to, std::uint64_t from, std::size_t bytes)>;
/// What the argument points at: {"device_ids": [...]}, {"events": [...]}, ...; empty if nothing.
Json pointed_at(kfd::Ioctl nr, std::span<const std::byte> argument, Way way,
                const ReadMemory& read);

}  // namespace rocdrill::trace
