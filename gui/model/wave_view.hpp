// One wave of a kernel before one of its instructions.
#pragma once

#include <string>
#include <vector>

#include "gui/model/state.hpp"
#include "gui/model/wave_trace.hpp"

namespace rocdrill::gui {

struct RegisterRow {
  std::string name;
  std::string value;     ///< "0x3f800000"; of the first active lane for a vector register
  bool changed = false;  ///< by the instruction before
  bool differs = false;  ///< a vector register whose lanes differ
};

struct WaveView {
  enum class State : std::uint8_t {
    no_node,      ///< a history alone has no code
    no_dispatch,  ///< no kernel has been dispatched so far
    untold,       ///< kernels have, by programs of which the history does not tell what they launch
    looking,
    failed,  ///< `problem`
    ready,
  } state = State::no_dispatch;
  std::string problem;
  std::string kernel;
  std::string file;
  EventId launched = no_event;
  std::uint64_t workgroup = 0;
  std::uint64_t workgroups = 1;
  std::uint32_t wave = 0;
  std::uint32_t waves = 1;
  std::size_t step = 0;
  std::size_t steps = 0;
  bool at_end = false;  ///< `end` tells of this step
  WaveTrace::End end = WaveTrace::End::completed;
  std::string end_text;
  struct Line {
    std::string address;  ///< "0x1a40"
    std::string text;
    bool current = false;
    std::size_t visits = 0;  ///< times that the wave has executed it before this step
    int step = -1;           ///< the next one that is at it, else the last; -1: none
  };
  std::vector<Line> code;   ///< all of the kernel
  std::size_t current = 0;  ///< index in `code`
  std::uint64_t exec = 0;
  bool scc = false;
  std::vector<RegisterRow> registers;  ///< that were written so far: scalars, then vectors
  std::uint32_t lds_bytes = 0;
  struct LdsRow {
    std::uint32_t offset = 0;
    std::array<std::string, 4> words;
    std::array<bool, 4> changed{};
  };
  std::vector<LdsRow> lds;  ///< rows of 16 bytes that were written so far
};

/// `dispatch` null: none so far; `trace` null: being made, or (`has_node` false) nobody can.
WaveView wave_view(const KernelDispatchSeen* dispatch, const WaveTrace* trace, bool has_node,
                   const State& state);

}  // namespace rocdrill::gui
