// A workgroup that is resident: its waves' registers, its LDS, and their progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/silicon/isa/code_cache.hpp"
#include "sim/silicon/isa/launch.hpp"
#include "sim/silicon/isa/memory.hpp"

namespace rocdrill::isa {

/// What all workgroups of a dispatch have in common.
struct DispatchPlan {
  const Shape& shape;
  const Launch& launch;
  cp::AddressSpace& space;
  CodeCache& code;
  CodeCache::Place entry;
  std::array<std::uint32_t, 3> size{};    ///< work-items of a full workgroup
  std::array<std::uint32_t, 3> groups{};  ///< in each dimension
  std::uint64_t group_count = 0;
  std::uint32_t waves = 0;  ///< of a full workgroup
  std::uint32_t vgprs = 0;  ///< per lane, allocated
  std::uint32_t agprs = 0;
  std::uint32_t lds_bytes = 0;
  std::uint32_t preloaded[16] = {};      ///< kernarg dwords
  std::span<const std::uint32_t> units;  ///< CUs that workgroups go to, in turn
};

/// Memory of a workgroup, used again and again.
class ResidentGroup {
 public:
  enum class State { ended, yielded, failed };

  /// Makes it workgroup `index` of the dispatch, its waves at the entry. `slot`: scratch slots
  /// slot * plan.waves and following are its own.
  void start(const DispatchPlan& plan, std::uint64_t index, std::uint32_t slot, Memory& memory);
  /// Until all waves have ended, one has failed, or all that could run have yielded. `held`: a wave
  /// that somebody steps: it does not run here, and once it may go on, this ends with `yielded`.
  State run(const Wave* held = nullptr);

  std::uint64_t index() const { return index_; }
  std::uint32_t slot() const { return slot_; }
  /// After `failed`.
  const Wave& failed_wave() const { return *failed_; }
  std::uint32_t wave_number(const Wave& wave) const {
    return static_cast<std::uint32_t>(&wave - waves_.get());
  }
  std::span<Wave> waves() { return {waves_.get(), wave_count_}; }
  const Workgroup& group() const { return group_; }
  void count(DispatchCounters& counters) const;

 private:
  void reserve(const DispatchPlan& plan);
  void set_up_wave(const DispatchPlan& plan, std::uint32_t number, Memory& memory);
  void set_up_sgprs(const DispatchPlan& plan, std::uint32_t number, Wave& wave);
  void set_up_ids(const DispatchPlan& plan, std::uint32_t number, Wave& wave);
  void make_ids();

  struct Aligned {
    void operator()(std::byte* memory) const;
  };
  using Block = std::unique_ptr<std::byte[], Aligned>;

  std::unique_ptr<Wave[]> waves_;
  Block registers_;
  Block lds_;
  std::size_t register_bytes_ = 0;  ///< of one wave
  std::size_t registers_reserved_ = 0;
  std::uint32_t lds_reserved_ = 0;
  std::uint32_t waves_reserved_ = 0;
  std::uint32_t wave_count_ = 0;
  Workgroup group_;
  Traffic traffic_;
  std::array<std::uint32_t, 3> size_{};  // of this one: those at the grid's edge are smaller
  /// Work-item ids of a workgroup of ids_size_: packed, x, y, z; by wave, 64 lanes each.
  std::vector<std::array<std::array<std::uint32_t, 64>, 4>> ids_;
  std::array<std::uint32_t, 3> ids_size_{};
  std::uint64_t index_ = 0;
  std::uint32_t slot_ = 0;
  const Wave* failed_ = nullptr;
};

}  // namespace rocdrill::isa
