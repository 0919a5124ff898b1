#include "sim/code_objects/kernarg.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace rocdrill::code_objects {
namespace {

/// 'x' -> 0; the last letter of "hidden_block_count_x".
unsigned axis(std::string_view kind) { return static_cast<unsigned>(kind.back() - 'x'); }

bool ends_in_axis(std::string_view kind) {
  return kind.size() > 2 && kind[kind.size() - 2] == '_' && kind.back() >= 'x' &&
         kind.back() <= 'z';
}

std::optional<std::uint64_t> hidden_value(std::string_view kind, const Geometry& geometry) {
  if (ends_in_axis(kind)) {
    const unsigned n = axis(kind);
    const std::string_view stem = kind.substr(0, kind.size() - 2);
    if (stem == "hidden_block_count") return geometry.grid[n] / geometry.group[n];
    if (stem == "hidden_group_size") return geometry.group[n];
    if (stem == "hidden_remainder") return geometry.grid[n] % geometry.group[n];
    if (stem == "hidden_global_offset") return 0;
  }
  struct Known {
    std::string_view kind;
    std::uint64_t value;
  };
  const Known known[] = {
      {"hidden_grid_dims", geometry.dimensions},
      {"hidden_private_base", geometry.private_base >> 32},
      {"hidden_shared_base", geometry.shared_base >> 32},
      {"hidden_queue_ptr", geometry.queue_va},
      {"hidden_dynamic_lds_size", geometry.dynamic_lds},
      {"hidden_hostcall_buffer", geometry.hostcall_va},
      {"hidden_heap_v1", geometry.heap_va},
      {"hidden_none", 0},
      {"hidden_printf_buffer", 0},
      {"hidden_default_queue", 0},
      {"hidden_completion_action", 0},
      {"hidden_multigrid_sync_arg", 0},
  };
  for (const Known& one : known)
    if (one.kind == kind) return one.value;
  return std::nullopt;
}

}  // namespace

std::vector<const KernelArgument*> explicit_arguments(const Kernel& kernel) {
  std::vector<const KernelArgument*> list;
  for (const KernelArgument& argument : kernel.arguments)
    if (!argument.hidden()) list.push_back(&argument);
  return list;
}

LoadResult<std::vector<std::byte>> make_kernarg(const Kernel& kernel,
                                                std::span<const std::vector<std::byte>> values,
                                                const Geometry& geometry) {
  using Kind = LoadError::Kind;
  const auto wanted = explicit_arguments(kernel);
  if (wanted.size() != values.size())
    return fail(Kind::malformed_metadata, kernel.name + " takes " + std::to_string(wanted.size()) +
                                              " arguments, not " + std::to_string(values.size()));
  std::vector<std::byte> segment(kernel.kernarg_segment_size);
  const auto put = [&segment](const KernelArgument& argument, const void* from, std::size_t bytes) {
    if (argument.offset > segment.size() || bytes > segment.size() - argument.offset) return false;
    std::memcpy(segment.data() + argument.offset, from, bytes);
    return true;
  };
  std::size_t next = 0;
  for (const KernelArgument& argument : kernel.arguments) {
    const std::string outside = "an argument of " + kernel.name + " lies outside the segment";
    if (!argument.hidden()) {
      const std::vector<std::byte>& value = values[next++];
      if (value.size() != argument.size)
        return fail(Kind::malformed_metadata, "argument " + std::to_string(next) + " of " +
                                                  kernel.name + " has " +
                                                  std::to_string(argument.size) + " bytes, not " +
                                                  std::to_string(value.size()));
      if (!put(argument, value.data(), value.size()))
        return fail(Kind::malformed_metadata, outside);
      continue;
    }
    const auto value = hidden_value(argument.value_kind, geometry);
    if (!value)
      return fail(Kind::unmodelled,
                  "hidden argument '" + argument.value_kind + "' of " + kernel.name);
    const std::size_t bytes = std::min<std::size_t>(argument.size, sizeof *value);
    if (!put(argument, &*value, bytes)) return fail(Kind::malformed_metadata, outside);
  }
  return segment;
}

}  // namespace rocdrill::code_objects
