// Initial register state: LLVM AMDGPUUsage, "Initial Kernel Execution State".
#include "sim/silicon/isa/workgroup.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "sim/silicon/isa/control.hpp"
#include "sim/silicon/isa/run.hpp"

namespace rocdrill::isa {
namespace {

constexpr std::align_val_t line{64};

std::byte* allocate(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes, line));
}

}  // namespace

bool Shape::packed_work_item_ids() const { return processor == "gfx90a" || architected_scratch(); }
bool Shape::architected_scratch() const { return processor.starts_with("gfx94"); }
bool Shape::unified_registers() const { return packed_work_item_ids(); }
bool Shape::matrix_flushes_denormals() const { return processor == "gfx90a"; }

Occupancy occupancy(const Shape& shape, const KernelDescriptor& descriptor, unsigned waves,
                    std::uint32_t lds_bytes) {
  const bool unified = shape.unified_registers();
  const unsigned slots = unified ? 8 : 10;
  const unsigned registers = unified ? 512 : 256;
  const unsigned allocated = (descriptor.granulated_vgprs() + 1) * (unified ? 8 : 4);
  Occupancy result{slots, Occupancy::Limit::wave_slots};
  if (registers / allocated < result.waves_per_simd)
    result = {registers / allocated, Occupancy::Limit::vgprs};
  if (lds_bytes != 0) {
    const unsigned groups = shape.lds_bytes_per_cu / lds_bytes;
    const unsigned per_simd = (groups * waves + shape.simds_per_cu() - 1) / shape.simds_per_cu();
    if (per_simd < result.waves_per_simd) result = {per_simd, Occupancy::Limit::lds};
  }
  return result;
}

void DispatchCounters::add(const DispatchCounters& other) {
  workgroups += other.workgroups;
  waves += other.waves;
  traffic.add(other.traffic);
  for (std::size_t n = 0; n < class_count; ++n) instructions[n] += other.instructions[n];
}
std::uint64_t DispatchCounters::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : instructions) sum += n;
  return sum;
}

void ResidentGroup::Aligned::operator()(std::byte* memory) const {
  ::operator delete(memory, line);
}

void ResidentGroup::reserve(const DispatchPlan& plan) {
  register_bytes_ = std::size_t{plan.vgprs + plan.agprs} * vgpr_bytes;
  if (plan.waves > waves_reserved_) {
    waves_ = std::make_unique<Wave[]>(plan.waves);
    waves_reserved_ = plan.waves;
  }
  if (register_bytes_ * plan.waves > registers_reserved_) {
    registers_reserved_ = register_bytes_ * plan.waves;
    registers_.reset(allocate(registers_reserved_));
  }
  if (plan.lds_bytes > lds_reserved_) {
    lds_reserved_ = plan.lds_bytes;
    lds_.reset(allocate(lds_reserved_));
  }
}

void ResidentGroup::start(const DispatchPlan& plan, std::uint64_t index, std::uint32_t slot,
                          Memory& memory) {
  reserve(plan);
  index_ = index;
  slot_ = slot;
  failed_ = nullptr;
  const auto x = static_cast<std::uint32_t>(index % plan.groups[0]);
  const auto y = static_cast<std::uint32_t>(index / plan.groups[0] % plan.groups[1]);
  const auto z = static_cast<std::uint32_t>(index / plan.groups[0] / plan.groups[1]);
  const std::uint32_t grid[3] = {plan.launch.packet.grid_size_x, plan.launch.packet.grid_size_y,
                                 plan.launch.packet.grid_size_z};
  const std::uint32_t id[3] = {x, y, z};
  for (unsigned n = 0; n < 3; ++n) {
    group_.id[n] = id[n];
    size_[n] = std::min(plan.size[n], grid[n] - id[n] * plan.size[n]);
  }
  group_.lds = lds_.get();
  group_.lds_bytes = plan.lds_bytes;
  traffic_ = {};
  if (plan.lds_bytes != 0) std::memset(lds_.get(), 0, plan.lds_bytes);
  wave_count_ = (size_[0] * size_[1] * size_[2] + wave_lanes - 1) / wave_lanes;
  make_ids();
  for (std::uint32_t n = 0; n < wave_count_; ++n) set_up_wave(plan, n, memory);
}

void ResidentGroup::set_up_wave(const DispatchPlan& plan, std::uint32_t number, Memory& memory) {
  Wave& wave = waves_[number];
  std::construct_at(&wave);
  std::byte* const registers = registers_.get() + number * register_bytes_;
  // Undefined on hardware; here runs have to be repeatable.
  std::memset(registers, 0, register_bytes_);
  auto base = [&wave](Kind kind) -> std::byte*& { return wave.bases[static_cast<unsigned>(kind)]; };
  base(Kind::vgpr) = registers;
  base(Kind::agpr) = registers + std::size_t{plan.vgprs} * vgpr_bytes;
  base(Kind::sgpr) = base(Kind::special) = base(Kind::none) = reinterpret_cast<std::byte*>(wave.s);
  wave.vgprs = plan.vgprs;
  wave.agprs = plan.agprs;
  const KernelDescriptor& kd = plan.launch.descriptor;
  wave.mode = kd.float_mode() | (kd.dx10_clamp() ? 1u << 8 : 0) | (kd.ieee_mode() ? 1u << 9 : 0) |
              (kd.fp16_overflow() ? 1u << 23 : 0);
  const std::uint32_t unit = plan.units[index_ % plan.units.size()];
  wave.xcc_id = unit % plan.shape.xccs;
  const std::uint32_t cu = unit / plan.shape.xccs;
  // HW_ID: wave 3:0, SIMD 5:4, CU 11:8, SE 14:13.
  wave.hw_id = (number / 4 & 15) | (number & 3) << 4 | cu % 16 << 8 | (cu / 16 & 3) << 13;
  wave.group = &group_;
  wave.traffic = plan.launch.counts_traffic ? &traffic_ : nullptr;
  wave.memory = &memory;
  wave.code = &plan.code;
  wave.environment = &plan.launch.environment;
  wave.architected_scratch = plan.shape.architected_scratch();
  wave.matrix_flushes_denormals = plan.shape.matrix_flushes_denormals();
  wave.scratch_bytes = plan.launch.packet.private_segment_size;
  const std::uint64_t offset =
      (std::uint64_t{slot_} * plan.waves + number) * plan.launch.scratch.wave_bytes;
  wave.scratch_va = plan.launch.scratch.va + offset;
  enter(wave, *plan.entry.fragment);
  wave.next = plan.entry.instruction;
  set_up_sgprs(plan, number, wave);
  set_up_ids(plan, number, wave);
}

void ResidentGroup::set_up_sgprs(const DispatchPlan& plan, std::uint32_t number, Wave& wave) {
  const Launch& launch = plan.launch;
  const KernelDescriptor& kd = launch.descriptor;
  const UserSgprs user = user_sgprs(kd);
  const auto pair = [&wave](const std::optional<unsigned>& at, std::uint64_t value) {
    if (at && *at + 1 < reg::flat_scratch) wave.set_pair(*at, value);
  };
  if (user.private_segment_buffer)
    std::memcpy(wave.s + *user.private_segment_buffer, launch.scratch.descriptor.data(), 16);
  pair(user.dispatch_ptr, launch.packet_va);
  pair(user.queue_ptr, launch.queue_va);
  pair(user.kernarg_segment_ptr, launch.packet.kernarg_address);
  pair(user.dispatch_id, launch.dispatch_id);
  pair(user.flat_scratch_init, launch.scratch.va);
  if (user.private_segment_size)
    wave.s[*user.private_segment_size] = launch.packet.private_segment_size;
  if (user.kernarg_preload)
    std::memcpy(wave.s + *user.kernarg_preload, plan.preloaded,
                std::min<std::size_t>(kd.preload_length(), std::size(plan.preloaded)) * 4);
  unsigned next = kd.user_sgpr_count();
  if (kd.workgroup_id_x()) wave.s[next++] = group_.id[0];
  if (kd.workgroup_id_y()) wave.s[next++] = group_.id[1];
  if (kd.workgroup_id_z()) wave.s[next++] = group_.id[2];
  // Bit 31: the first wave of the workgroup; 5:0 how many there are.
  if (kd.workgroup_info()) wave.s[next++] = (number == 0 ? 1u << 31 : 0) | (wave_count_ & 63);
  if (kd.enable_private_segment() && !wave.architected_scratch)
    wave.s[next++] = static_cast<std::uint32_t>(wave.scratch_va - launch.scratch.va);
  wave.s[reg::m0] = group_.lds_bytes;
}

void ResidentGroup::set_up_ids(const DispatchPlan& plan, std::uint32_t number, Wave& wave) {
  const std::uint32_t total = size_[0] * size_[1] * size_[2];
  const std::uint32_t lanes = std::min(wave_lanes, total - number * wave_lanes);
  wave.set_exec(lanes == wave_lanes ? ~0ull : (1ull << lanes) - 1);
  const auto put = [&](unsigned vgpr, unsigned which) {
    std::memcpy(wave.vgpr(vgpr), ids_[number][which].data(), vgpr_bytes);
  };
  if (plan.shape.packed_work_item_ids()) {
    put(0, 0);
    return;
  }
  for (unsigned n = 0; n <= std::min(plan.launch.descriptor.workitem_id_dimensions(), 2u); ++n)
    put(n, n + 1);
}

/// Most workgroups of a dispatch are of one size: what the last one had is kept.
void ResidentGroup::make_ids() {
  if (ids_size_ == size_) return;
  ids_size_ = size_;
  ids_.assign(wave_count_, {});
  const std::uint32_t total = size_[0] * size_[1] * size_[2];
  std::uint32_t x = 0, y = 0, z = 0;
  for (std::uint32_t item = 0; item < total; ++item) {
    auto& wave = ids_[item / wave_lanes];
    const std::uint32_t lane = item % wave_lanes;
    wave[0][lane] = x | y << 10 | z << 20;
    wave[1][lane] = x;
    wave[2][lane] = y;
    wave[3][lane] = z;
    if (++x < size_[0]) continue;
    x = 0;
    if (++y < size_[1]) continue;
    y = 0;
    ++z;
  }
}

ResidentGroup::State ResidentGroup::run(const Wave* held) {
  for (;;) {
    std::uint32_t alive = 0;
    std::uint32_t at_barrier = 0;
    bool yielded = false;
    for (Wave& wave : waves()) {
      if (&wave != held && (wave.stop == Stop::none || wave.stop == Stop::yielded)) isa::run(wave);
      switch (wave.stop) {
        case Stop::ended:
          continue;
        case Stop::barrier:
          ++at_barrier;
          break;
        case Stop::yielded:
          yielded = true;
          break;
        case Stop::exception:  // also from a step
        case Stop::unmodelled:
          failed_ = &wave;
          return State::failed;
        case Stop::none:
          break;
      }
      ++alive;
    }
    if (alive == 0) return State::ended;
    if (at_barrier == alive) {
      for (Wave& wave : waves())
        if (wave.stop == Stop::barrier) wave.stop = Stop::none;
      if (held != nullptr && held->stop == Stop::none) return State::yielded;
    } else if (yielded) {
      return State::yielded;
    }
  }
}

void ResidentGroup::count(DispatchCounters& counters) const {
  ++counters.workgroups;
  counters.waves += wave_count_;
  counters.traffic.add(traffic_);
  for (std::uint32_t n = 0; n < wave_count_; ++n)
    for (std::size_t k = 0; k < class_count; ++k) counters.instructions[k] += waves_[n].executed[k];
}

}  // namespace rocdrill::isa
