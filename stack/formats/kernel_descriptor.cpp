#include "stack/formats/kernel_descriptor.hpp"

namespace rocdrill {

std::optional<KernelDescriptor> KernelDescriptor::read(std::span<const std::byte> bytes) {
  if (bytes.size() < size) return std::nullopt;
  KernelDescriptor descriptor;
  std::memcpy(&descriptor, bytes.data(), size);
  return descriptor;
}

UserSgprs user_sgprs(const KernelDescriptor& descriptor) {
  UserSgprs sgprs;
  const auto take = [&](bool wanted, unsigned count) -> std::optional<unsigned> {
    if (!wanted) return std::nullopt;
    const unsigned first = sgprs.used;
    sgprs.used += count;
    return first;
  };
  sgprs.private_segment_buffer = take(descriptor.private_segment_buffer(), 4);
  sgprs.dispatch_ptr = take(descriptor.dispatch_ptr(), 2);
  sgprs.queue_ptr = take(descriptor.queue_ptr(), 2);
  sgprs.kernarg_segment_ptr = take(descriptor.kernarg_segment_ptr(), 2);
  sgprs.dispatch_id = take(descriptor.dispatch_id(), 2);
  sgprs.flat_scratch_init = take(descriptor.flat_scratch_init(), 2);
  sgprs.private_segment_size = take(descriptor.private_segment_size(), 1);
  const unsigned preloaded = descriptor.preload_length();
  sgprs.kernarg_preload = take(preloaded != 0, preloaded);
  return sgprs;
}

}  // namespace rocdrill
