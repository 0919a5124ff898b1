#include "sim/silicon/isa/dispatcher.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "sim/silicon/isa/memory.hpp"
#include "sim/silicon/isa/run.hpp"
#include "sim/silicon/isa/workgroup.hpp"

namespace rocdrill::isa {
namespace {

/// Slices that a group may use up before others are let in: long loops are run in one go, and a
/// group that spins for another one gets it to run.
constexpr unsigned patience = 8;

std::uint32_t round_up(std::uint32_t value, std::uint32_t to) { return (value + to - 1) / to * to; }

}  // namespace

struct Dispatcher::Worker {
  std::vector<std::unique_ptr<ResidentGroup>> spare;
};

/// One dispatch in the course of being run.
class Dispatcher::Job {
 public:
  Job(const Shape& shape, const Launch& launch, cp::AddressSpace& space, CodeCache& code,
      std::span<const std::uint32_t> units, const std::atomic<bool>* cancel)
      : plan_{.shape = shape,
              .launch = launch,
              .space = space,
              .code = code,
              .entry = {},
              .units = units},
        cancel_(cancel) {}

  bool plan();
  void step(std::uint64_t workgroup, std::uint32_t wave, const Look& look);
  void run_groups(Worker& worker);
  std::uint64_t groups() const { return plan_.group_count; }
  Outcome outcome() { return std::move(outcome_); }

 private:
  std::unique_ptr<ResidentGroup> next_group(Worker& worker, Memory& memory);
  void finish(ResidentGroup& group, DispatchCounters& counters);
  void fail(const ResidentGroup& group);
  bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  bool hung() const { return hung_.load(std::memory_order_relaxed); }
  bool over() const { return failed_.load(std::memory_order_relaxed) || cancelled() || hung(); }
  bool take_slot(std::uint32_t& slot);
  void preload_kernarg();

  DispatchPlan plan_;
  const std::atomic<bool>* cancel_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> resident_{0};
  std::uint64_t most_resident_ = 1;
  std::atomic<bool> failed_{false};
  std::atomic<bool> hung_{false};
  std::atomic<std::uint64_t> slices_{0};  // used up by groups that yielded since one ended
  std::mutex mutex_;
  std::vector<std::uint32_t> free_slots_;
  Outcome outcome_;
};

void Dispatcher::Job::preload_kernarg() {
  const KernelDescriptor& kd = plan_.launch.descriptor;
  const std::uint64_t va = plan_.launch.packet.kernarg_address + kd.preload_offset() * 4;
  const std::size_t bytes =
      std::min<std::size_t>(kd.preload_length(), std::size(plan_.preloaded)) * 4;
  Memory memory(plan_.space);
  if (const void* from = memory.at(va, bytes, cp::Access::read); from != nullptr)
    std::memcpy(plan_.preloaded, from, bytes);
}

/// False: nothing can run, and the outcome says why.
bool Dispatcher::Job::plan() {
  const Launch& launch = plan_.launch;
  const KernelDescriptor& kd = launch.descriptor;
  const Shape& shape = plan_.shape;
  std::uint64_t entry = launch.entry_va;
  if (kd.preload_length() != 0) {
    preload_kernarg();
    entry += 256;  // behind the code that loads them for firmware that does not
  }
  plan_.entry = plan_.code.find(entry, plan_.space);
  if (plan_.entry.instruction == nullptr) {
    outcome_.end = End::exception;
    outcome_.exception = {cp::KfdException::wave_memory_violation,
                          entry,
                          cp::Access::execute,
                          {.unit = cp::Unit::instruction_cache}};
    return false;
  }
  plan_.size = {launch.packet.workgroup_size_x, launch.packet.workgroup_size_y,
                launch.packet.workgroup_size_z};
  const std::uint32_t grid[3] = {launch.packet.grid_size_x, launch.packet.grid_size_y,
                                 launch.packet.grid_size_z};
  plan_.group_count = 1;
  for (unsigned n = 0; n < 3; ++n) {
    plan_.groups[n] = (grid[n] - 1) / plan_.size[n] + 1;
    plan_.group_count *= plan_.groups[n];
  }
  plan_.waves = (plan_.size[0] * plan_.size[1] * plan_.size[2] + wave_lanes - 1) / wave_lanes;
  const std::uint32_t granule = shape.unified_registers() ? 8 : 4;
  const std::uint32_t allocated = (kd.granulated_vgprs() + 1) * granule;
  if (shape.unified_registers()) {
    // AccVGPRs lie behind accum_offset of the same registers; code that names both halves of one is
    // no compiler's, so each has memory of its own here.
    plan_.vgprs = std::min(allocated, 256u);
    plan_.agprs = allocated - std::min(allocated, kd.accum_offset());
  } else {
    plan_.vgprs = plan_.agprs = allocated;
  }
  const Fragment& code = *plan_.entry.fragment;
  if (code.vgprs > plan_.vgprs || code.agprs > plan_.agprs) {
    outcome_.end = End::unmodelled;
    outcome_.text = "a VGPR that was not allocated";
    return false;
  }
  plan_.lds_bytes = round_up(launch.packet.group_segment_size, 512);
  const unsigned waves_per_cu =
      occupancy(shape, kd, plan_.waves, plan_.lds_bytes).waves_per_simd * shape.simds_per_cu();
  most_resident_ = std::max<std::uint64_t>(1, waves_per_cu / plan_.waves) * plan_.units.size();
  if (launch.packet.private_segment_size != 0)
    most_resident_ = std::min<std::uint64_t>(most_resident_, launch.scratch.slots / plan_.waves);
  if (most_resident_ == 0) {
    outcome_.end = End::exception;
    outcome_.exception.code = cp::KfdException::packet_dispatch_register_invalid;
    return false;
  }
  return true;
}

bool Dispatcher::Job::take_slot(std::uint32_t& slot) {
  const std::lock_guard lock(mutex_);
  if (!free_slots_.empty()) {
    slot = free_slots_.back();
    free_slots_.pop_back();
    return true;
  }
  if (resident_ >= most_resident_) return false;
  slot = static_cast<std::uint32_t>(resident_++);
  return true;
}

/// nullptr: none is left, or no more may be resident now.
std::unique_ptr<ResidentGroup> Dispatcher::Job::next_group(Worker& worker, Memory& memory) {
  if (over() || next_.load(std::memory_order_relaxed) >= plan_.group_count) return nullptr;
  std::uint32_t slot = 0;
  if (!take_slot(slot)) return nullptr;
  const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
  if (index >= plan_.group_count) {
    const std::lock_guard lock(mutex_);
    free_slots_.push_back(slot);
    return nullptr;
  }
  std::unique_ptr<ResidentGroup> group;
  if (worker.spare.empty()) {
    group = std::make_unique<ResidentGroup>();
  } else {
    group = std::move(worker.spare.back());
    worker.spare.pop_back();
  }
  group->start(plan_, index, slot, memory);
  return group;
}

void Dispatcher::Job::fail(const ResidentGroup& group) {
  const std::lock_guard lock(mutex_);
  if (failed_.exchange(true)) return;
  const Wave& wave = group.failed_wave();
  outcome_.end = wave.stop == Stop::exception ? End::exception : End::unmodelled;
  outcome_.exception = wave.exception;
  if (wave.unmodelled != nullptr) outcome_.text = wave.unmodelled;
  outcome_.va = wave.fragment->va(wave.next);
  outcome_.workgroup = {wave.group->id[0], wave.group->id[1], wave.group->id[2]};
  outcome_.wave = group.wave_number(wave);
}

void Dispatcher::Job::finish(ResidentGroup& group, DispatchCounters& counters) {
  group.count(counters);
  const std::lock_guard lock(mutex_);
  free_slots_.push_back(group.slot());
}

void Dispatcher::Job::run_groups(Worker& worker) {
  Memory memory(plan_.space);
  memory.refresh();
  DispatchCounters counters;
  std::deque<std::unique_ptr<ResidentGroup>> resident;
  unsigned yields = 0;
  while (!over()) {
    if (resident.empty() || yields >= patience) {
      yields = 0;
      if (auto fresh = next_group(worker, memory)) {
        resident.push_front(std::move(fresh));
      } else if (resident.empty()) {
        // None left, or all that may be resident are with other threads.
        if (next_.load(std::memory_order_relaxed) >= plan_.group_count || over()) break;
        std::this_thread::yield();
        continue;
      } else {
        std::rotate(resident.begin(), resident.begin() + 1, resident.end());
      }
    }
    ResidentGroup& group = *resident.front();
    const ResidentGroup::State state = group.run();
    if (state == ResidentGroup::State::yielded) {
      ++yields;
      const std::uint64_t used = slices_.fetch_add(1, std::memory_order_relaxed) + 1;
      if (plan_.launch.most_slices != 0 && used >= plan_.launch.most_slices * resident_)
        hung_ = true;
      memory.refresh();
      continue;
    }
    yields = 0;
    slices_.store(0, std::memory_order_relaxed);
    if (state == ResidentGroup::State::failed) fail(group);
    finish(group, counters);
    worker.spare.push_back(std::move(resident.front()));
    resident.pop_front();
  }
  for (auto& group : resident) {
    finish(*group, counters);
    worker.spare.push_back(std::move(group));
  }
  constexpr std::size_t kept = 8;
  if (worker.spare.size() > kept) worker.spare.resize(kept);
  const std::lock_guard lock(mutex_);
  outcome_.counters.add(counters);
  if (!failed_ && cancelled()) outcome_.end = End::cancelled;
  if (!failed_ && hung()) outcome_.end = End::hung;
}

void Dispatcher::Job::step(std::uint64_t workgroup, std::uint32_t number, const Look& look) {
  Memory memory(plan_.space);
  ResidentGroup group;
  group.start(plan_, std::min(workgroup, plan_.group_count - 1), 0, memory);
  Wave& wave = group.waves()[std::min<std::size_t>(number, group.waves().size() - 1)];
  ResidentGroup::State state = ResidentGroup::State::yielded;
  std::uint64_t waited = 0;  // slices of the others in which this wave could not go on
  while (state == ResidentGroup::State::yielded) {
    while (wave.stop == Stop::none || wave.stop == Stop::yielded) {
      if (!look(wave, wave.fragment->va(wave.next))) {
        outcome_.end = End::cancelled;
        return;
      }
      isa::step(wave);
      waited = 0;
    }
    const std::uint64_t most = plan_.launch.most_slices;
    if (most != 0 && ++waited > most) {
      outcome_.end = End::hung;
      return;
    }
    state = group.run(&wave);
  }
  look(wave, wave.fragment->va(wave.next));
  if (state == ResidentGroup::State::failed) fail(group);
  group.count(outcome_.counters);
}

Dispatcher::Dispatcher(Shape shape, std::shared_ptr<CodeCache> code, unsigned threads)
    : shape_(std::move(shape)), code_(std::move(code)) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned n = 0; n < threads; ++n) workers_.push_back(std::make_unique<Worker>());
}

Dispatcher::~Dispatcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Dispatcher::work(std::size_t number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || (job_ != nullptr && job_number_ != seen); });
    if (stop_) return;
    seen = job_number_;
    Job& job = *job_;
    ++busy_;
    lock.unlock();
    job.run_groups(*workers_[number]);
    lock.lock();
    if (--busy_ == 0) idle_.notify_all();
  }
}

/// The mask of a queue seldom changes.
std::span<const std::uint32_t> Dispatcher::units(const std::vector<std::uint32_t>& cu_mask) {
  if (!units_.empty() && cu_mask == cu_mask_) return units_;
  cu_mask_ = cu_mask;
  units_.clear();
  for (std::uint32_t unit = 0; unit < shape_.compute_units; ++unit)
    if (cu_mask.empty() ||
        (unit / 32 < cu_mask.size() && (cu_mask[unit / 32] >> unit % 32 & 1) != 0))
      units_.push_back(unit);
  if (units_.empty()) units_.push_back(0);  // KFD refuses an empty mask
  return units_;
}

Outcome Dispatcher::step(const Launch& launch, cp::AddressSpace& space, std::uint64_t workgroup,
                         std::uint32_t wave, const Look& look) {
  Job job(shape_, launch, space, *code_, units(launch.cu_mask), nullptr);
  if (job.plan()) job.step(workgroup, wave, look);
  return job.outcome();
}

Outcome Dispatcher::run(const Launch& launch, cp::AddressSpace& space,
                        const std::atomic<bool>* cancel) {
  Job job(shape_, launch, space, *code_, units(launch.cu_mask), cancel);
  if (!job.plan()) return job.outcome();
  const bool shared = workers_.size() > 1 && job.groups() > 1;
  if (shared) {
    // Threads come to life with the first dispatch that has work for them.
    for (std::size_t n = threads_.size() + 1; n < workers_.size(); ++n)
      threads_.emplace_back([this, n] { work(n); });
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++job_number_;
    }
    wake_.notify_all();
  }
  job.run_groups(*workers_[0]);
  if (shared) {
    std::unique_lock lock(mutex_);
    job_ = nullptr;
    idle_.wait(lock, [&] { return busy_ == 0; });
  }
  return job.outcome();
}

}  // namespace rocdrill::isa
