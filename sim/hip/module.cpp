#include "sim/hip/module.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/code_objects/fat_binary.hpp"
#include "sim/code_objects/kernarg.hpp"
#include "sim/code_objects/loader.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::hip {
namespace {

using code_objects::FatBinary;
using code_objects::Selection;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// "gfx90a:xnack+ (xnack mismatch), gfx908 (other processor)" - what roc-obj-ls would list.
std::string describe(const FatBinary& binary, const Selection& selection) {
  std::string text;
  for (const code_objects::Considered& one : selection.considered) {
    if (!one.match) continue;
    std::string id = binary.entries[one.entry].id;
    if (const std::size_t at = id.rfind("--"); at != std::string::npos) id.erase(0, at + 2);
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", id, name(*one.match));
  }
  return text.empty() ? "no device code" : text;
}

bool any_match(const Selection& selection, TargetMatch match) {
  return std::ranges::any_of(selection.considered,
                             [&](const auto& one) { return one.match == match; });
}

}  // namespace

std::expected<FoundCodeObject, ModuleError> find_code_object(Process& process,
                                                             sim::Journal& journal,
                                                             std::string_view file,
                                                             std::string_view isa, EventId device) {
  ModuleError error;
  error.asked = fmt::format("a code object for {}", isa);
  const auto refuse = [&](std::string_view kind, EventId cause) {
    error.event = journal.record(
        Layer::code_objects, error.unmodelled ? Severity::unmodelled : Severity::error, kind, file,
        {{field::asked, std::string_view(error.asked)},
         {field::got, std::string_view(error.what)},
         {field::did, "no code object is loaded"},
         {field::see, "roc-obj-ls"}},
        cause);
    return std::unexpected(error);
  };
  auto content = process.read_file(file);
  if (!content) {
    error.bad_file = true;
    error.what = errno_name(content.error().error);
    return refuse("code_object.unreadable", content.error().event);
  }
  const EventId why_file = process.why(file);
  auto binary = code_objects::extract(as_bytes(*content));
  if (!binary) {
    error.bad_file = true;
    error.unmodelled = binary.error().kind == code_objects::LoadError::Kind::unmodelled;
    error.what = binary.error().what;
    return refuse("code_object.malformed", why_file);
  }
  const Selection selection = code_objects::select(*binary, isa);
  if (!selection.entry) {
    error.unmodelled = selection.spirv_unmodelled;
    error.what = describe(*binary, selection);
    const bool xnack = any_match(selection, TargetMatch::xnack_mismatch);
    const EventId why_mode = xnack ? process.why_env("HSA_XNACK") : no_event;
    const EventId why = std::max(why_file, why_mode);
    return refuse(xnack ? "code_object.xnack_mismatch" : "code_object.no_target",
                  why != no_event ? why : device);
  }
  const auto bytes = code_objects::contents(as_bytes(*content), binary->entries[*selection.entry]);
  auto object = code_objects::read_code_object(bytes);
  if (!object) {
    error.bad_file = true;
    error.what = object.error().what;
    return refuse("code_object.malformed", why_file);
  }
  FoundCodeObject found{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                        std::move(*object), no_event};
  const std::string target = found.object.target.text();
  found.event = journal.record(Layer::code_objects, Severity::info, "code_object.loaded", file,
                               {{"target", std::string_view(target)}, {field::see, "roc-obj-ls"}},
                               why_file != no_event ? why_file : device);
  return found;
}

DispatchResult dispatch(Runtime& runtime, std::size_t agent, const FoundCodeObject& code,
                        const code_objects::Kernel& kernel, const HipLaunch& how) {
  code_objects::Geometry geometry{.dimensions = 3, .dynamic_lds = how.dynamic_lds};
  for (std::size_t n = 0; n < 3; ++n) {
    geometry.grid[n] = how.grid[n] * how.block[n];
    geometry.group[n] = static_cast<std::uint16_t>(how.block[n]);
  }
  const auto kernarg = code_objects::make_kernarg(kernel, how.arguments, geometry);
  if (!kernarg) return {HsaStatus::invalid_argument, kernarg.error().what};
  const std::uint64_t size = code_objects::image_bytes(code.object);
  auto image = runtime.allocate(agent, size);
  auto arguments = runtime.allocate(agent, std::max<std::size_t>(kernarg->size(), 64));
  if (!image || !arguments) return {HsaStatus::out_of_resources, {}};
  const auto loaded = code_objects::load_image(code.object, as_bytes(code.bytes),
                                               reinterpret_cast<std::uintptr_t>(*image),
                                               {static_cast<std::byte*>(*image), size});
  if (!loaded) return {HsaStatus::invalid_code_object, loaded.error().what};
  std::ranges::copy(*kernarg, static_cast<std::byte*>(*arguments));
  HsaStatus failed = HsaStatus::success;
  auto queue =
      runtime.create_queue(agent, {.on_error = [&](HsaStatus status) { failed = status; }});
  auto done = runtime.create_signal(1);
  if (!queue || !done) return {HsaStatus::out_of_resources, {}};
  aql::KernelDispatch packet{};
  packet.header = aql::Header::make(aql::PacketType::kernel_dispatch, true, aql::FenceScope::system,
                                    aql::FenceScope::system)
                      .bits;
  packet.setup = 3;
  packet.workgroup_size_x = geometry.group[0];
  packet.workgroup_size_y = geometry.group[1];
  packet.workgroup_size_z = geometry.group[2];
  packet.grid_size_x = geometry.grid[0];
  packet.grid_size_y = geometry.grid[1];
  packet.grid_size_z = geometry.grid[2];
  packet.private_segment_size = static_cast<std::uint32_t>(kernel.private_segment_fixed_size);
  packet.group_segment_size =
      static_cast<std::uint32_t>(kernel.group_segment_fixed_size) + how.dynamic_lds;
  packet.kernel_object = reinterpret_cast<std::uintptr_t>(*image) + kernel.descriptor_address;
  packet.kernarg_address = reinterpret_cast<std::uintptr_t>(*arguments);
  packet.completion_signal = (*done)->handle();
  (*queue)->submit(aql::Packet(packet));
  const bool completed = (*done)->wait(SignalCondition::lt, 1, UINT64_MAX) < 1;
  return {failed, {}, !completed && failed == HsaStatus::success};
}

}  // namespace rocdrill::hip
