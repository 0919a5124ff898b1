// ncclAllReduce as a ring: every step is a barrier packet that waits for the neighbour before and a
// kernel that adds, keeps and delivers; its completion signal is the neighbour's after.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/code_objects/kernarg.hpp"
#include "sim/code_objects/loader.hpp"
#include "sim/hip/module.hpp"
#include "sim/libraries/rccl.hpp"

namespace rocdrill::libraries::rccl {
namespace {

constexpr std::string_view kernel_name = "ring_step_sum_f32";
constexpr std::uint32_t block = 256;
constexpr std::uint32_t receive = 1, add = 2, keep = 4, send = 8;  // of rccl.cl
constexpr std::uint32_t queue_packets = 1024;
/// A channel more for every so many bytes: small calls take one (assumed).
constexpr std::size_t bytes_per_channel = 16384;

}  // namespace

/// What one step of one ring does.
struct Rank::Step {
  std::uint32_t what = 0;
  std::uint64_t local = 0;       ///< the chunk in the caller's buffer
  std::size_t count = 0;         ///< floats of the chunk
  std::size_t receives_as = 0;   ///< slot of what it receives
  std::size_t delivers_as = 0;   ///< slot of the neighbour that it delivers into
  std::uint64_t completion = 0;  ///< signal, if it delivers nothing
  std::size_t chunk = 0;         ///< floats of a slot
};

/// The kernel in the GPU's memory, the queue, and the arguments of the present call.
struct Rank::Program {
  hip::FoundCodeObject code;
  const code_objects::Kernel* kernel = nullptr;
  std::uint64_t kernel_object = 0;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Signal> finished;  ///< counts the channels that are not through
  std::byte* arguments = nullptr;
  std::size_t used = 0;
  static constexpr std::size_t arguments_bytes = 1u << 20;
};

Rank::Rank(Process& process, sim::Journal& journal, Hip& hip, Bootstrap& bootstrap, RankSetup setup)
    : process_(process),
      journal_(journal),
      hip_(hip),
      bootstrap_(bootstrap),
      setup_(std::move(setup)),
      log_(process, setup_.hostname, setup_.device) {}

/// A segment that nobody has attached to would stay: its neighbour did not get that far.
Rank::~Rank() {
  for (const Window& window : receives_)
    if (window.offer.transport == Transport::shm)
      static_cast<void>(process_.unlink(window.offer.segment));
}

Result<void> Rank::load_program() {
  const std::string& isa = device_.runtime->agents()[device_.agent].isa;
  auto found = hip::find_code_object(process_, journal_, setup_.library, isa, device_.event);
  if (!found) {
    log_.warn("", "HIP failure 'invalid device function'");
    auto failed =
        fail("rccl.no_code_object", found.error().what,
             "unhandled cuda error (run with NCCL_DEBUG=INFO for details)", found.error().event);
    failed.error().unmodelled = found.error().unmodelled;
    return failed;
  }
  program_ = std::make_unique<Program>();
  program_->code = std::move(*found);
  const code_objects::CodeObject& object = program_->code.object;
  program_->kernel = object.find_kernel(kernel_name);
  const std::size_t bytes = code_objects::image_bytes(object);
  auto image = device_.runtime->allocate(device_.agent, bytes);
  auto arguments = device_.runtime->allocate(device_.agent, Program::arguments_bytes);
  auto queue =
      device_.runtime->create_queue(device_.agent, {.size = queue_packets, .on_error = {}});
  if (!program_->kernel || !image || !arguments || !queue) {
    return fail("rccl.no_resources", "no memory or no queue", "unhandled cuda error",
                !image   ? image.error().event
                : !queue ? queue.error().event
                         : event_);
  }
  const auto file = std::as_bytes(std::span(program_->code.bytes));
  const auto loaded =
      code_objects::load_image(object, file, reinterpret_cast<std::uintptr_t>(*image),
                               {static_cast<std::byte*>(*image), bytes});
  if (!loaded)
    return fail("rccl.bad_code_object", loaded.error().what, "unhandled cuda error",
                program_->code.event);
  program_->kernel_object =
      reinterpret_cast<std::uintptr_t>(*image) + program_->kernel->descriptor_address;
  program_->queue = std::move(*queue);
  program_->arguments = static_cast<std::byte*>(*arguments);
  return {};
}

void Rank::write_step(std::size_t channel, const Step& step) {
  const std::size_t size = bootstrap_.size();
  std::uint64_t received = 0, remote = 0, completion = step.completion;
  if ((step.what & receive) != 0) {
    received = receives_[channel].slot(step.receives_as, size, step.chunk);
    const auto signal =
        reinterpret_cast<std::uintptr_t>(receives_[channel].signal(step.receives_as));
    program_->queue->submit(aql::barrier_and({signal, 0, 0, 0, 0}, 0, true));
  }
  if ((step.what & send) != 0) {
    remote = sends_[channel].slot(step.delivers_as, size, step.chunk);
    completion = reinterpret_cast<std::uintptr_t>(sends_[channel].signal(step.delivers_as));
  }
  HipLaunch how;
  how.with(remote).with(step.local).with(received).with(static_cast<std::uint32_t>(step.count));
  how.with(step.what);
  code_objects::Geometry geometry{.dimensions = 1};
  const auto groups = static_cast<std::uint32_t>((step.count + block - 1) / block);
  geometry.grid = {groups * block, 1, 1};
  geometry.group = {block, 1, 1};
  const auto kernarg = code_objects::make_kernarg(*program_->kernel, how.arguments, geometry);
  std::byte* const at = program_->arguments + program_->used;
  if (!kernarg) return;  // the kernel is the library's own: its arguments fit
  std::ranges::copy(*kernarg, at);
  program_->used += (kernarg->size() + 63) / 64 * 64;
  aql::KernelDispatch packet{};
  packet.header = aql::Header::make(aql::PacketType::kernel_dispatch, true, aql::FenceScope::system,
                                    aql::FenceScope::system)
                      .bits;
  packet.setup = 1;
  packet.workgroup_size_x = block;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = groups * block;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.private_segment_size =
      static_cast<std::uint32_t>(program_->kernel->private_segment_fixed_size);
  packet.group_segment_size =
      static_cast<std::uint32_t>(program_->kernel->group_segment_fixed_size);
  packet.kernel_object = program_->kernel_object;
  packet.kernarg_address = reinterpret_cast<std::uintptr_t>(at);
  packet.completion_signal = completion;
  program_->queue->submit(aql::Packet(packet));
}

/// Reduce-scatter, then all-gather: in step s a rank passes on what it got in step s - 1. After
/// size
/// - 1 steps it has the sum of one chunk, after as many again all of them.
Result<void> Rank::all_reduce(std::uint64_t data, std::size_t count) {
  const std::size_t size = bootstrap_.size();
  channels_used_ = std::clamp<std::size_t>(count * sizeof(float) / bytes_per_channel, 1,
                                           std::max<std::size_t>(rings_.size(), 1));
  const std::string asked = fmt::format("{} floats on {} channels", count, channels_used_);
  first_event_ = journal_.timeline().size();
  event_ = journal_.record(Layer::libraries, Severity::debug, "rccl.all_reduce",
                           fmt::format("rank {}", setup_.rank),
                           {{field::asked, std::string_view(asked)}}, event_);
  // Addresses differ from run to run; what is shown does not.
  const std::uint64_t shown = 0x7f2000000000 + (setup_.rank << 30);
  log_.info(
      Subsystem::coll,
      fmt::format("AllReduce: opCount 0 sendbuff {:#x} recvbuff {:#x} count {} datatype 7 op 0 "
                  "root 0 comm {:#x} [nranks={}]",
                  shown, shown, count, 0x55d0a0000000u + setup_.rank * 0x1000, size));
  process_.set_reason(event_);
  program_->used = 0;
  auto finished =
      device_.runtime->create_signal(static_cast<std::int64_t>(size == 1 ? 0 : channels_used_));
  if (!finished)
    return fail("rccl.no_resources", "no signal", "unhandled cuda error", finished.error().event);
  program_->finished = std::move(*finished);
  for (std::size_t channel = 0; size > 1 && channel < channels_used_; ++channel) {
    const std::size_t share = (count + channels_used_ - 1) / channels_used_;
    const std::size_t begin = std::min(channel * share, count);
    const std::size_t all = std::min(share, count - begin);
    const std::size_t chunk = (all + size - 1) / size;
    const std::size_t here = position(channel);
    for (std::size_t step = 0; step <= Window::steps(size); ++step) {
      // The chunk that is passed on in this step, counted from this rank's place in the ring.
      const std::size_t index = (here + 2 * size - step % size) % size;
      const std::size_t first = std::min(index * chunk, all);
      Step now{.what = (step > 0 ? receive : 0) | (step < Window::steps(size) ? send : 0),
               .local = data + (begin + first) * sizeof(float),
               .count = std::min(chunk, all - first),
               .receives_as = step - 1,
               .delivers_as = step,
               .completion = program_->finished->handle(),
               .chunk = (max_count + size - 1) / size};
      if (step > 0 && step < size) now.what |= add;
      if (step >= size - 1) now.what |= keep;
      now.count = std::max<std::size_t>(now.count, 1);
      if (first >= all) now.local = data + begin * sizeof(float), now.what &= ~(keep | add);
      write_step(channel, now);
    }
  }
  return {};
}

bool Rank::progress() { return device_.runtime && device_.runtime->progress(); }

bool Rank::done() const {
  return program_ && program_->finished && program_->finished->load() == 0;
}

std::optional<Wait> Rank::waits() const {
  if (done() || !program_ || !program_->finished) return std::nullopt;
  // Its own queue first: a kernel that does not end holds everything behind it.
  const Timeline& timeline = journal_.timeline();
  const std::string queue = fmt::format("pid {} queue {}", process_.pid(), program_->queue->id());
  for (EventId id = static_cast<EventId>(first_event_) + 1; id <= timeline.size(); ++id) {
    const EventView event = timeline.head(id);
    if (event.kind == "queue.hung" && event.subject == queue)
      return Wait{.own_kernel = true, .event = id};
  }
  for (std::size_t channel = 0; channel < channels_used_; ++channel) {
    for (std::size_t step = 0; step < Window::steps(bootstrap_.size()); ++step) {
      if (receives_[channel].signal(step)->value == 0) continue;
      return Wait{.step = step, .channel = channel, .from = before(channel)};
    }
  }
  return Wait{.from = setup_.rank};
}

void Rank::settle() {
  for (std::size_t channel = 0; channel < channels_used_; ++channel)
    receives_[channel].arm(bootstrap_.size());
}

}  // namespace rocdrill::libraries::rccl
