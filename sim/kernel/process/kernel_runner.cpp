#include "sim/kernel/process/kernel_runner.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstring>
#include <utility>

#include "sim/silicon/command_processor/validate.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::kernel {
namespace {

// COMPUTE_TMPRING_SIZE on gfx9: WAVES 11:0, WAVESIZE 24:12 in KiB.
constexpr std::uint64_t wave_bytes_of(std::uint32_t tmpring_size) {
  return std::uint64_t{tmpring_size >> 12 & 0x1FFF} * 1024;
}

isa::Scratch scratch_of(const aql::AmdQueue& queue) {
  isa::Scratch scratch;
  scratch.va = queue.scratch_backing_memory_location;
  scratch.wave_bytes = wave_bytes_of(queue.compute_tmpring_size);
  if (scratch.wave_bytes != 0)
    scratch.slots =
        static_cast<std::uint32_t>(queue.scratch_backing_memory_byte_size / scratch.wave_bytes);
  std::memcpy(scratch.descriptor.data(), queue.scratch_resource_descriptor,
              sizeof scratch.descriptor);
  return scratch;
}

/// Waves of a workgroup, all of which need scratch at a time.
std::uint32_t waves_of(const aql::KernelDispatch& packet) {
  const std::uint32_t items =
      std::uint32_t{packet.workgroup_size_x} * packet.workgroup_size_y * packet.workgroup_size_z;
  return (items + isa::wave_lanes - 1) / isa::wave_lanes;
}

}  // namespace

KernelRunner::KernelRunner(cp::AddressSpace& memory, Surroundings& surroundings, isa::Shape shape,
                           const isa::Rates& rates, std::shared_ptr<isa::CodeCache> code)
    : memory_(memory),
      surroundings_(surroundings),
      dispatcher_(std::move(shape), std::move(code)),
      rates_(rates) {}

KernelRunner::~KernelRunner() {
  {
    const std::lock_guard lock(mutex_);
    cancel_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint32_t KernelRunner::lacks(const cp::KernelLaunch& launch) {
  if (launch.packet.private_segment_size == 0) return 0;
  const auto* queue = static_cast<const aql::AmdQueue*>(
      launch.amd_queue_va == 0
          ? nullptr
          : memory_.translate(launch.amd_queue_va, sizeof(aql::AmdQueue), cp::Access::read));
  if (queue == nullptr) return 0;  // nobody could be asked: the launch fails
  const isa::Scratch scratch = scratch_of(*queue);
  const bool enough =
      scratch.va != 0 && scratch.slots >= waves_of(launch.packet) &&
      scratch.wave_bytes >= std::uint64_t{launch.packet.private_segment_size} * isa::wave_lanes;
  return enough ? 0 : cp::inactive::scratch_wave64;
}

std::expected<cp::LaunchState, cp::KfdException> KernelRunner::launch(
    const cp::KernelLaunch& request) {
  Job job{.index = request.packet_index, .launch = {}};
  isa::Launch& launch = job.launch;
  launch.packet = request.packet;
  launch.entry_va = request.entry_va;
  launch.packet_va = request.packet_va;
  launch.queue_va = request.amd_queue_va;
  launch.dispatch_id = request.packet_index;
  launch.cu_mask = cu_mask_;
  // In process nothing else goes on meanwhile: what takes that long counts as a hang.
  if (!surroundings_.runs_kernels_aside()) launch.most_slices = 1000;
  launch.environment = {shared_aperture, private_aperture, clock_of, interrupted, this};
  const void* descriptor =
      memory_.translate(request.packet.kernel_object, KernelDescriptor::size, cp::Access::read);
  if (descriptor == nullptr) return std::unexpected(cp::KfdException::packet_dispatch_code_invalid);
  std::memcpy(&launch.descriptor, descriptor, sizeof launch.descriptor);
  if (cp::is_amd_kernel_code(descriptor)) {
    launch.descriptor.compute_pgm_rsrc3 = 0;
    launch.descriptor.kernarg_preload = 0;
  }
  if (request.amd_queue_va != 0) {
    const auto* queue = static_cast<const aql::AmdQueue*>(
        memory_.translate(request.amd_queue_va, sizeof(aql::AmdQueue), cp::Access::read));
    if (queue != nullptr) launch.scratch = scratch_of(*queue);
  }
  if (strain_ && strain_()) return cp::LaunchState::in_flight;
  if (!surroundings_.runs_kernels_aside()) {
    isa::Outcome outcome = run(launch);
    if (outcome.end == isa::End::completed) {
      // How far the others came when one failed is up to the threads: such a run takes no time.
      surroundings_.sleep_ns(isa::estimate(dispatcher_.shape(), rates_, outcome.counters).ns);
      return cp::LaunchState::completed;
    }
    const std::lock_guard lock(mutex_);
    ended_.push_back({job.index, std::move(outcome)});
    any_ended_ = true;
    return cp::LaunchState::in_flight;
  }
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) {
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      sigdelset(&all, SIGSEGV);
      sigdelset(&all, SIGBUS);
      pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals are not for it
      thread_ = std::thread([this] { work(); });
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
  }
  changed_.notify_one();
  return cp::LaunchState::in_flight;
}

std::uint64_t KernelRunner::clock_of(void* self) {  // 100 MHz
  return static_cast<KernelRunner*>(self)->surroundings_.clocks().monotonic_raw_ns / 10;
}

void KernelRunner::interrupted(void* self, std::uint32_t data) {
  auto& runner = *static_cast<KernelRunner*>(self);
  {
    const std::lock_guard lock(runner.mutex_);
    runner.interrupts_.push_back(data);
    runner.any_interrupts_.store(true, std::memory_order_release);
  }
  if (runner.surroundings_.runs_kernels_aside()) runner.surroundings_.queues_changed();
}

isa::Outcome KernelRunner::run(const isa::Launch& launch) {
  static_cast<void>(memory_.take_lost());
  isa::Outcome outcome = dispatcher_.run(launch, memory_, &cancel_);
  lost_to_ = memory_.take_lost();
  // Its last instruction waits for the acknowledgement of its stores.
  if (lost_to_ != 0 && outcome.end == isa::End::completed) outcome.end = isa::End::hung;
  return outcome;
}

void KernelRunner::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return cancel_ || !jobs_.empty(); });
    if (cancel_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    isa::Outcome outcome = run(job.launch);
    lock.lock();
    if (cancel_) return;
    ended_.push_back({job.index, std::move(outcome)});
    any_ended_.store(true, std::memory_order_release);
    lock.unlock();
    surroundings_.queues_changed();
    lock.lock();
  }
}

std::vector<std::uint32_t> KernelRunner::interrupts() {
  if (!any_interrupts_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  any_interrupts_ = false;
  return std::exchange(interrupts_, {});
}

std::vector<KernelRunner::Ended> KernelRunner::ended() {
  if (!any_ended_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  any_ended_ = false;
  return std::exchange(ended_, {});
}

}  // namespace rocdrill::kernel
