// Shared virtual memory: AMDKFD_IOC_SVM (kfd_svm.c). Memory of the client that GPUs reach by the
// client's own addresses. Where it lies is not modelled: a prefetch moves nothing and takes no
// VRAM. Ranges are mapped when their attributes are set, which the driver puts off to the first
// access where XNACK is on.
#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::kernel {
namespace {

using kfd::SvmAttribute;
using Type = kfd::SvmAttributeType;

/// svm_range_check_attr(): types that exist, GPUs that exist.
int check_attribute(const SvmAttribute& attribute, const DeviceFacts& facts) {
  const std::uint32_t value = attribute.value;
  const auto known = [&] { return facts.find(value) ? 0 : EINVAL; };
  switch (static_cast<Type>(attribute.type)) {
    case Type::preferred_location:
      if (value == kfd::svm_location_undefined) return 0;
      [[fallthrough]];
    case Type::prefetch_location:
      return value == kfd::svm_location_sysmem ? 0 : known();
    case Type::access:
    case Type::access_in_place:
    case Type::no_access:
      return known();
    case Type::set_flags:
    case Type::clear_flags:
    case Type::granularity:
      return 0;
  }
  return EINVAL;
}

}  // namespace

int KfdProcess::svm(void* argument) {
  auto& args = *static_cast<kfd::SvmArgs*>(argument);
  if (argument_bytes_ < sizeof args ||
      args.nattr > (argument_bytes_ - sizeof args) / sizeof(SvmAttribute))
    return EINVAL;
  if (args.start_addr == 0 || args.size == 0 || args.start_addr % user_page != 0 ||
      args.size % user_page != 0)
    return EINVAL;
  const std::span attributes(reinterpret_cast<SvmAttribute*>(&args + 1), args.nattr);
  SvmState untold;
  if (xnack_.value_or(false)) {
    for (const GpuFacts& gpu : devices_.facts().gpus) untold.access.insert(gpu.gpu_id);
  }
  svm_.set_untold(std::move(untold));
  switch (static_cast<kfd::SvmOp>(args.op)) {
    case kfd::SvmOp::set_attributes:
      return set_svm(args.start_addr, args.size, attributes);
    case kfd::SvmOp::get_attributes:
      if (const int error = check_svm(args.start_addr, args.size)) return error;
      for (const SvmAttribute& attribute : attributes) {
        if (attribute.type == static_cast<std::uint32_t>(Type::access) &&
            !devices_.facts().find(attribute.value))
          return EINVAL;
      }
      return svm_.get(args.start_addr, args.start_addr + args.size, attributes) ? 0 : EINVAL;
  }
  return EINVAL;
}

/// svm_range_is_valid(): memory of the client that is not a buffer object.
int KfdProcess::check_svm(std::uint64_t va, std::uint64_t bytes) const {
  if (!is_user_memory(va, bytes)) return EFAULT;
  for (const auto& [handle, buffer] : buffers_) {
    if (buffer.va == 0 || buffer.va >= va + bytes || va >= buffer.va + buffer.size) continue;
    if (!buffer.mapped.empty())
      return (buffer.flags & kfd::alloc_flag::userptr) != 0 ? EADDRINUSE : EFAULT;
  }
  return 0;
}

int KfdProcess::set_svm(std::uint64_t va, std::uint64_t bytes,
                        std::span<const SvmAttribute> attributes) {
  for (const SvmAttribute& attribute : attributes) {
    if (const int error = check_attribute(attribute, devices_.facts())) return error;
  }
  if (const int error = check_svm(va, bytes)) return error;
  const std::uint64_t end = va + bytes;
  const auto before = svm_.within(va, end);
  svm_.set(va, end, attributes);
  // What reaches over the edges has been split, and is mapped anew in its pieces.
  const std::uint64_t first = before.empty() ? va : std::min(va, before.front().begin);
  const std::uint64_t last = before.empty() ? end : std::max(end, before.back().end);
  unmap_svm(first, last);
  int result = 0;
  for (const SvmRanges::Range& range : svm_.within(first, last)) {
    if (const int error = map_svm(range)) result = error;
  }
  return result;
}

int KfdProcess::map_svm(const SvmRanges::Range& range) {
  const std::set<std::uint32_t> gpus = range.state.reached_by();
  if (gpus.empty()) return 0;
  const std::uint64_t bytes = range.end - range.begin;
  const bool writable = is_populated(range.begin, bytes, /*write=*/true);
  if (!writable && !is_populated(range.begin, bytes, /*write=*/false)) return EFAULT;
  const std::uint32_t flags = range.state.flags;
  const cp::Permissions permissions{
      .read = true,
      .write = writable && (flags & kfd::svm_flag::gpu_read_only) == 0,
      .execute = (flags & kfd::svm_flag::gpu_exec) != 0};
  int result = 0;
  for (const std::uint32_t gpu_id : gpus) {
    if (!acquired(gpu_id)) {
      if (!xnack_.value_or(false)) result = EINVAL;
      continue;
    }
    try {
      page_table(gpu_id).add(range.begin, bytes, permissions);
      svm_mapped_.emplace(gpu_id, range.begin);
    } catch (const std::invalid_argument&) {
      result = EADDRINUSE;
    }
  }
  return result;
}

void KfdProcess::unmap_svm(std::uint64_t begin, std::uint64_t end) {
  std::erase_if(svm_mapped_, [&](const auto& mapped) {
    const auto [gpu_id, va] = mapped;
    if (va < begin || va >= end) return false;
    page_table(gpu_id).remove(va);
    return true;
  });
}

void KfdProcess::forget_svm(std::uint64_t begin, std::uint64_t end) {
  for (const SvmRanges::Range& range : svm_.within(begin, end)) {
    unmap_svm(range.begin, range.end);
    svm_.erase(range.begin, range.end);
  }
}

}  // namespace rocdrill::kernel
