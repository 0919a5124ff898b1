#include "gui/model/wave_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>

#include "sim/workbench/workbench.hpp"
#include "stack/formats/aql_text.hpp"

namespace rocdrill::gui {
namespace {

using workbench::KernelLaunch;
using workbench::Workbench;

constexpr std::size_t most_steps = 4000;
constexpr std::uint64_t most_slices = 64;  // of the whole dispatch, to find out how it ends
constexpr std::uint64_t most_buffer = 1ull << 28;

template <class Value>
std::vector<std::byte> bytes_of(const Value& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::span<float> floats_of(const workbench::Buffer& buffer) {
  const std::span<std::byte> bytes = buffer.bytes();
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

/// The arguments of "hip.launch", with buffers of the bench for those of the node. The problem in
/// words.
std::string take_arguments(const std::string& text, const code_objects::Kernel& kernel,
                           Workbench& bench, KernelLaunch& launch) {
  const auto wanted = code_objects::explicit_arguments(kernel);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.starts_with("buffer:")) {
      std::uint64_t size = 0;
      std::from_chars(word.data() + 7, word.data() + word.size(), size);
      if (size == 0 || size > most_buffer) return "its buffers are too large: " + word;
      const workbench::Buffer buffer = bench.allocate(size);
      const std::size_t number = launch.arguments.size();
      if (number < wanted.size() && wanted[number]->type_name.contains("float"))
        std::ranges::fill(floats_of(buffer), 1.0F);
      launch.arguments.push_back(bytes_of(buffer.va()));
      continue;
    }
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < word.size(); i += 2) {
      unsigned value = 0;
      std::from_chars(word.data() + i, word.data() + i + 2, value, 16);
      bytes.push_back(static_cast<std::byte>(value));
    }
    launch.arguments.push_back(std::move(bytes));
  }
  return {};
}

std::string prepare(const KernelDispatchSeen& dispatch, Workbench& bench, KernelLaunch& launch) {
  const aql::KernelDispatch& packet = dispatch.packet;
  launch.kernel = dispatch.kernel;
  launch.geometry.dimensions = std::clamp(packet.setup & 3u, 1u, 3u);
  launch.geometry.grid = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  launch.geometry.group = {packet.workgroup_size_x, packet.workgroup_size_y,
                           packet.workgroup_size_z};
  const code_objects::Kernel* kernel = bench.code_object().find_kernel(dispatch.kernel);
  if (!kernel) return fmt::format("{} has no kernel {}", dispatch.file, dispatch.kernel);
  launch.dynamic_lds =
      packet.group_segment_size -
      std::min<std::uint64_t>(packet.group_segment_size, kernel->group_segment_fixed_size);
  launch.most_slices = most_slices;
  return take_arguments(dispatch.arguments, *kernel, bench, launch);
}

std::string scalar_name(unsigned number) {
  switch (number) {
    case isa::reg::flat_scratch:
      return "flat_scratch_lo";
    case isa::reg::flat_scratch + 1:
      return "flat_scratch_hi";
    case isa::reg::vcc:
      return "vcc_lo";
    case isa::reg::vcc + 1:
      return "vcc_hi";
    case isa::reg::m0:
      return "m0";
    default:
      return fmt::format("s{}", number);
  }
}

/// Takes down what each instruction changed.
class Recorder {
 public:
  Recorder(WaveTrace& trace, std::uint64_t image) : trace_(trace), image_(image) {}

  bool look(const isa::Wave& wave, std::uint64_t va) {
    WaveStep step{
        .va = va - image_, .exec = wave.exec(), .scc = wave.scc != 0, .changed = {}, .lds = {}};
    find_changes(wave, step);
    trace_.steps.push_back(std::move(step));
    return trace_.steps.size() < most_steps;
  }

 private:
  void find_changes(const isa::Wave& wave, WaveStep& step) {
    const std::byte* vectors = wave.bases[static_cast<unsigned>(isa::Kind::vgpr)];
    const std::size_t vector_bytes = std::size_t{wave.vgprs} * isa::vgpr_bytes;
    const bool first = scalars_.empty();
    if (first) {
      scalars_.assign(128, 0);
      vectors_.assign(vector_bytes, std::byte{0});
      trace_.lds_bytes = wave.group ? wave.group->lds_bytes : 0;
      lds_.assign(trace_.lds_bytes, std::byte{0});
    }
    for (unsigned n = 0; n < isa::reg::exec; ++n) {
      if (wave.s[n] == scalars_[n]) continue;
      scalars_[n] = wave.s[n];
      step.changed.push_back({scalar_name(n), false, {wave.s[n]}});
    }
    for (unsigned n = 0; n < wave.vgprs; ++n) {
      const std::size_t at = std::size_t{n} * isa::vgpr_bytes;
      if (std::memcmp(vectors + at, vectors_.data() + at, isa::vgpr_bytes) == 0) continue;
      std::memcpy(vectors_.data() + at, vectors + at, isa::vgpr_bytes);
      RegisterChange change{fmt::format("v{}", n), true, {}};
      std::memcpy(change.lanes.data(), vectors + at, isa::vgpr_bytes);
      step.changed.push_back(std::move(change));
    }
    for (std::uint32_t at = 0; at + 4 <= lds_.size(); at += 4) {
      if (std::memcmp(wave.group->lds + at, lds_.data() + at, 4) == 0) continue;
      std::memcpy(lds_.data() + at, wave.group->lds + at, 4);
      std::uint32_t value = 0;
      std::memcpy(&value, wave.group->lds + at, 4);
      step.lds.emplace_back(at, value);
    }
  }

  WaveTrace& trace_;
  std::uint64_t image_;
  std::vector<std::uint32_t> scalars_;
  std::vector<std::byte> vectors_;
  std::vector<std::byte> lds_;
};

std::string exception_text(const isa::Exception& exception) {
  std::string text(cp::name(exception.code));
  if (exception.code == cp::KfdException::wave_memory_violation)
    text += fmt::format(" ({} of {:#x})", exception.access == cp::Access::write ? "write" : "read",
                        exception.address);
  return text;
}

std::uint64_t groups_of(const aql::KernelDispatch& packet) {
  const auto along = [](std::uint32_t grid, std::uint16_t group) {
    return group == 0 ? 0ull : (std::uint64_t{grid} + group - 1) / group;
  };
  return along(packet.grid_size_x, packet.workgroup_size_x) *
         along(packet.grid_size_y, packet.workgroup_size_y) *
         along(packet.grid_size_z, packet.workgroup_size_z);
}

/// The number of the workgroup that an outcome is about.
std::uint64_t number_of(const isa::Outcome& outcome, const aql::KernelDispatch& packet) {
  const std::uint64_t x = (packet.grid_size_x + packet.workgroup_size_x - 1u) /
                          std::max<std::uint64_t>(packet.workgroup_size_x, 1);
  const std::uint64_t y = (packet.grid_size_y + packet.workgroup_size_y - 1u) /
                          std::max<std::uint64_t>(packet.workgroup_size_y, 1);
  return outcome.workgroup[0] + x * (outcome.workgroup[1] + y * outcome.workgroup[2]);
}

void take_end(const isa::Outcome& outcome, bool hung, WaveTrace& trace) {
  switch (outcome.end) {
    case isa::End::exception:
      trace.end = WaveTrace::End::exception;
      trace.end_text = exception_text(outcome.exception);
      break;
    case isa::End::unmodelled:
      trace.end = WaveTrace::End::unmodelled;
      trace.end_text = outcome.text;
      break;
    case isa::End::hung:
      trace.end = WaveTrace::End::endless;
      break;
    default:
      trace.end = trace.steps.size() < most_steps ? WaveTrace::End::completed
                  : hung                          ? WaveTrace::End::endless
                                                  : WaveTrace::End::cut;
  }
}

}  // namespace

std::optional<KernelDispatchSeen> dispatch_before(const Story& story, EventId now) {
  const Timeline& timeline = story.timeline();
  EventId found = no_event;
  for (const Story::QueueEvents& queue : story.queues()) {
    auto at = std::ranges::upper_bound(queue.events, now);
    while (at != queue.events.begin()) {
      const EventView head = timeline.head(*--at);
      if (head.id <= found) break;
      if (head.kind != "packet.launched") continue;
      const EventView cause = head.cause == no_event ? EventView{} : timeline.head(head.cause);
      if (cause.kind != "hip.launch") continue;
      found = head.id;
      break;
    }
  }
  if (found == no_event) return std::nullopt;
  const EventView launched = timeline.at(found);
  const auto packet = aql::packet_from_hex(launched.text("packet"));
  if (!packet || packet->header().type() != aql::PacketType::kernel_dispatch) return std::nullopt;
  const EventView launch = timeline.at(launched.cause);
  KernelDispatchSeen seen{.launched = found,
                          .kernel = std::string(launch.subject),
                          .file = {},
                          .target = {},
                          .arguments = launch.text("arguments"),
                          .packet = packet->as<aql::KernelDispatch>()};
  if (launch.cause != no_event) {
    const EventView loaded = timeline.at(launch.cause);
    seen.file = loaded.subject;
    seen.target = loaded.text("target");
  }
  return seen;
}

bool kernel_dispatched(const Story& story, EventId now) {
  for (const Story::QueueEvents& queue : story.queues()) {
    for (const EventId id : queue.events) {
      if (id > now) break;
      const EventView head = story.timeline().head(id);
      if (head.kind == "packet.launched" &&
          story.timeline().at(id).text("type") == "KERNEL_DISPATCH")
        return true;
    }
  }
  return false;
}

namespace {

/// A bench with the dispatch's buffers; nullptr with the problem in `problem`.
std::unique_ptr<Workbench> bench_for(const KernelDispatchSeen& dispatch, const std::string& file,
                                     KernelLaunch& launch, std::string& problem) {
  auto bench = Workbench::open(std::as_bytes(std::span(file)), dispatch.target,
                               {.threads = 1, .level = isa::best_level()});
  if (!bench) {
    problem = bench.error();
    return nullptr;
  }
  problem = prepare(dispatch, **bench, launch);
  return problem.empty() ? std::move(*bench) : nullptr;
}

}  // namespace

WaveTrace trace_wave(const KernelDispatchSeen& dispatch, const std::string& file,
                     std::optional<std::uint32_t> wave) {
  WaveTrace trace;
  trace.workgroups = groups_of(dispatch.packet);
  const std::uint32_t items = std::uint32_t{dispatch.packet.workgroup_size_x} *
                              dispatch.packet.workgroup_size_y * dispatch.packet.workgroup_size_z;
  trace.waves = std::max((items + 63) / 64, 1u);
  // How does the whole end, and in which wave?
  KernelLaunch launch;
  const auto first = bench_for(dispatch, file, launch, trace.problem);
  if (!first) return trace;
  const auto whole = first->run(launch);
  if (!whole) {
    trace.problem = whole.error();
    return trace;
  }
  const bool failed = whole->end != isa::End::completed;
  trace.workgroup = failed ? number_of(*whole, dispatch.packet) : 0;
  trace.wave = std::min(wave.value_or(failed ? whole->wave : 0), trace.waves - 1);
  // That wave alone, on memory that nobody has touched.
  KernelLaunch again;
  const auto bench = bench_for(dispatch, file, again, trace.problem);
  if (!bench) return trace;
  for (const Workbench::Line& line :
       bench->disassemble(*bench->code_object().find_kernel(dispatch.kernel)))
    trace.code.push_back({line.offset, line.text.text});
  Recorder recorder(trace, bench->image_va());
  const auto stepped =
      bench->step(again, trace.workgroup, trace.wave,
                  [&](const isa::Wave& now, std::uint64_t va) { return recorder.look(now, va); });
  if (!stepped) {
    trace.problem = stepped.error();
    return trace;
  }
  take_end(*stepped, whole->end == isa::End::hung, trace);
  // The instruction that ends a wave is shown once more at its end.
  const std::size_t count = trace.steps.size();
  const bool ended = trace.end != WaveTrace::End::endless && trace.end != WaveTrace::End::cut;
  if (ended && count > 1 && trace.steps[count - 1].va == trace.steps[count - 2].va)
    trace.steps.pop_back();
  return trace;
}

}  // namespace rocdrill::gui
