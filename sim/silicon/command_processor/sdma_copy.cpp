// SDMA packets that move bytes, at the speed of memcpy: whole ranges where one translation covers
// them, else in pieces as long as what is mapped in one piece.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/silicon/command_processor/sdma.hpp"

namespace rocdrill::cp {
namespace {

using sdma::address;
using sdma::field;

constexpr std::uint64_t dword_bytes = 4;
constexpr std::uint64_t head_bytes_of_write = 16;
constexpr std::uint64_t cached_bytes = 64 << 10;  // read once, written twice
constexpr std::uint64_t row_cost = 64;
constexpr std::uint32_t dword_fill = 2;

/// Ascending, as the engine goes: a destination inside the source repeats what lies before it.
/// (With one byte's granularity; the hardware's is that of its bursts, which is not documented.)
void copy_ascending(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::uintptr_t distance =
      reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (distance >= bytes) {  // also if `to` lies before `from`
    std::memmove(to, from, bytes);
    return;
  }
  if (distance == 0) return;
  // [from, to) is repeated: what has been written doubles as source.
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min<std::size_t>(distance + done, bytes - done);
    std::memcpy(to + done, from, piece);
    done += piece;
  }
}

/// One side of COPY_LINEAR_SUB_WIN; all but `base` in elements.
struct Window {
  std::uint64_t base = 0;
  std::uint64_t x = 0, y = 0, z = 0;
  std::uint64_t pitch = 0, slice = 0;

  static Window read(const sdma::Head& head, std::size_t dword) {
    return {.base = address(head, dword),
            .x = field(head[dword + 2], 13, 0),
            .y = field(head[dword + 2], 29, 16),
            .z = field(head[dword + 3], 10, 0),
            .pitch = field(head[dword + 3], 31, 13) + std::uint64_t{1},
            .slice = field(head[dword + 4], 27, 0) + std::uint64_t{1}};
  }
  std::uint64_t row(std::uint64_t row_y, std::uint64_t row_z, unsigned log2_element) const {
    return base + (((z + row_z) * slice + (y + row_y) * pitch + x) << log2_element);
  }
};

/// `bytes` of the repeated dword, of which `phase` bytes lie before `to`.
void fill_pattern(std::byte* to, std::size_t bytes, std::uint32_t data, std::uint64_t phase) {
  data = std::rotr(data, static_cast<int>(phase % dword_bytes * 8));
  const std::size_t even = bytes & ~(dword_bytes - 1);
  if (reinterpret_cast<std::uintptr_t>(to) % dword_bytes == 0) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(to), even / dword_bytes, data);
  } else {
    for (std::size_t i = 0; i < even; i += dword_bytes) std::memcpy(to + i, &data, dword_bytes);
  }
  std::memcpy(to + even, &data, bytes - even);
}

}  // namespace

/// Host memory behind the first bytes at `va`: `bytes` says how many, one at least. nullptr after
/// failing the queue.
std::byte* SdmaQueue::reach(std::uint64_t va, std::size_t& bytes, Access access) {
  if (memory_.is_unreachable(va)) {
    static_cast<void>(refuse("SDMA to memory of a GPU that cannot be reached"));
    return nullptr;
  }
  void* host = memory_.translate(va, bytes, access);
  if (host == nullptr) {
    bytes = memory_.mapped(va, bytes, access);
    host = bytes == 0 ? nullptr : memory_.translate(va, bytes, access);
    if (host == nullptr) fault(va, access);
  }
  return static_cast<std::byte*>(host);
}

SdmaQueue::Step SdmaQueue::copy_linear() {
  const unsigned bits = sdma::copy_count_bits(config_.generation);
  if (head_[1] >> bits != 0) return fail(SdmaFailure::count_too_large);
  const bool broadcast = field(head_[0], 27, 27) != 0;
  // Each destination has a field of two bits that reorders bytes.
  const std::uint32_t swaps =
      field(head_[2], 25, 24) | field(head_[2], 17, 16) | (broadcast ? field(head_[2], 9, 8) : 0);
  if (swaps != 0) return refuse("SDMA COPY with byte swap");
  const std::uint64_t total = std::uint64_t{head_[1]} + 1;
  while (done_ < total) {
    if (budget_ == 0) return pause();
    std::size_t bytes = std::min(total - done_, budget_);
    if (broadcast) bytes = std::min<std::size_t>(bytes, cached_bytes);
    const std::byte* from = reach(address(head_, 3) + done_, bytes, Access::read);
    if (from == nullptr) return Step::stop;
    std::byte* to = reach(address(head_, 5) + done_, bytes, Access::write);
    if (to == nullptr) return Step::stop;
    std::byte* second = nullptr;
    if (broadcast) {
      second = reach(address(head_, 7) + done_, bytes, Access::write);
      if (second == nullptr) return Step::stop;
    }
    copy_ascending(to, from, bytes);
    if (second != nullptr) std::memmove(second, to, bytes);
    done_ += bytes;
    budget_ -= bytes;
    counters_.bytes_copied += bytes;
  }
  return complete();
}

SdmaQueue::Step SdmaQueue::copy_window() {
  const std::uint32_t log2_element = field(head_[0], 31, 29);
  if (log2_element > 4) return refuse("SDMA COPY_LINEAR_SUB_WIN of elements above 16 bytes");
  if (field(head_[12], 25, 24) != 0 || field(head_[12], 17, 16) != 0) {
    return refuse("SDMA COPY with byte swap");
  }
  const Window from = Window::read(head_, 1);
  const Window to = Window::read(head_, 6);
  // ROCr sends no others (hsa_amd_memory_async_copy_rect asks for 4-byte alignment).
  if (from.base % dword_bytes != 0 || to.base % dword_bytes != 0) {
    return fail(SdmaFailure::misaligned_address);
  }
  const std::uint64_t width = (field(head_[11], 13, 0) + std::uint64_t{1}) << log2_element;
  const std::uint64_t height = field(head_[11], 29, 16) + std::uint64_t{1};
  const std::uint64_t depth = field(head_[12], 10, 0) + std::uint64_t{1};
  while (done_ < height * depth) {
    if (budget_ == 0) return pause();
    const std::uint64_t y = done_ % height;
    const std::uint64_t z = done_ / height;
    if (!copy_row(from.row(y, z, log2_element), to.row(y, z, log2_element), width)) {
      return Step::stop;
    }
    budget_ -= std::min(budget_, std::max(width, row_cost));
    ++done_;
  }
  return complete();
}

bool SdmaQueue::copy_row(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes) {
  while (bytes != 0) {
    std::size_t piece = bytes;
    const std::byte* from = reach(src, piece, Access::read);
    if (from == nullptr) return false;
    std::byte* to = reach(dst, piece, Access::write);
    if (to == nullptr) return false;
    copy_ascending(to, from, piece);
    counters_.bytes_copied += piece;
    src += piece;
    dst += piece;
    bytes -= piece;
  }
  return true;
}

/// The data is read from the ring, around its end if need be.
SdmaQueue::Step SdmaQueue::write_linear() {
  const std::uint64_t dst = address(head_, 1);
  if (field(head_[3], 25, 24) != 0) return refuse("SDMA WRITE with byte swap");
  if (dst % dword_bytes != 0) return fail(SdmaFailure::misaligned_address);
  const std::uint64_t total = dwords_ * dword_bytes - head_bytes_of_write;
  while (done_ < total) {
    const std::uint64_t at = read_index_ + head_bytes_of_write + done_;
    const std::uint64_t to_end = config_.ring_bytes - (at & (config_.ring_bytes - 1));
    std::size_t bytes = std::min(total - done_, to_end);
    const std::byte* from = reach(ring_va(at), bytes, Access::read);
    if (from == nullptr) return Step::stop;
    std::byte* to = reach(dst + done_, bytes, Access::write);
    if (to == nullptr) return Step::stop;
    copy_ascending(to, from, bytes);
    done_ += bytes;
    counters_.bytes_written += bytes;
  }
  return complete();
}

/// The count is in bytes, less one; a fill of dwords ignores its two lowest bits, so that ROCr's
/// "bytes - 4" is right as well. A fill of bytes repeats the lowest byte of the data (assumed).
SdmaQueue::Step SdmaQueue::fill() {
  const std::uint64_t dst = address(head_, 1);
  const bool dwords = field(head_[0], 31, 30) == dword_fill;
  if (field(head_[0], 17, 16) != 0) return refuse("SDMA CONST_FILL with byte swap");
  if (dwords && dst % dword_bytes != 0) return fail(SdmaFailure::misaligned_address);
  if (head_[4] >> 22 != 0) return fail(SdmaFailure::count_too_large);
  const std::uint64_t total =
      dwords ? (std::uint64_t{head_[4]} & ~(dword_bytes - 1)) + dword_bytes : head_[4] + 1ull;
  const std::uint32_t data = dwords ? head_[3] : (head_[3] & 0xFFu) * 0x01010101u;
  while (done_ < total) {
    if (budget_ == 0) return pause();
    std::size_t bytes = std::min(total - done_, budget_);
    std::byte* to = reach(dst + done_, bytes, Access::write);
    if (to == nullptr) return Step::stop;
    fill_pattern(to, bytes, data, done_);
    done_ += bytes;
    budget_ -= bytes;
    counters_.bytes_filled += bytes;
  }
  return complete();
}

}  // namespace rocdrill::cp
