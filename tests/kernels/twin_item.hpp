// Inside the runner: a work-item, its wave and its group.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/twin.hpp"

namespace rocdrill::twin {

struct GridFacts {
  std::array<std::uint32_t, 3> size;
  std::array<std::uint32_t, 3> group;
  std::array<std::uint32_t, 3> groups;
};

enum class Wait : std::uint8_t { none, barrier, exchange, spin, ended };

struct Group;

struct Item {
  Group* group = nullptr;
  const Body* body = nullptr;
  void* stack = nullptr;
  void* stack_pointer = nullptr;  ///< while it does not run
  void** scheduler = nullptr;     ///< where to switch back to
  std::array<std::uint32_t, 3> local{};
  std::uint32_t wave = 0;
  std::uint32_t lane = 0;
  std::size_t shared_used = 0;
  std::uint32_t exchanges = 0;  ///< so far
  Wait wait = Wait::none;
};

/// Lanes of a wave meet to exchange values: each writes its own, then all read. Two sets: a lane
/// may come to the next exchange while another still reads the last.
struct WaveLanes {
  std::uint32_t alive = 0;
  std::uint32_t arrived = 0;
  struct Slots {
    std::array<std::uint32_t, wave_lanes> value{};
    std::array<std::uint32_t, wave_lanes> target{};
    std::uint64_t present = 0;
  };
  std::array<Slots, 2> slots{};
};

struct Group {
  const GridFacts* facts = nullptr;
  std::array<std::uint32_t, 3> id{};
  std::array<std::uint32_t, 3> size{};  ///< of this one: those at the grid's edge are smaller
  std::vector<Item> items;
  std::vector<WaveLanes> waves;
  std::vector<std::byte> arena;
  std::uint32_t alive = 0;
  std::uint32_t at_barrier = 0;
};

/// The one that runs.
extern thread_local Item* current;
/// Lets others run until what it waits for has come.
void leave(Wait wait);

}  // namespace rocdrill::twin
