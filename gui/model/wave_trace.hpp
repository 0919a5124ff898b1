// A kernel of the run, once more on a bench: one of its waves instruction by instruction. What its
// dispatch was given comes from the history; the buffers are the bench's, filled
// with zeros (those of floats with 1.0).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/story.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::gui {

/// A kernel dispatch that the history tells of.
struct KernelDispatchSeen {
  EventId launched = no_event;  ///< packet.launched
  std::string kernel;
  std::string file;    ///< on the node, that it was loaded from
  std::string target;  ///< "gfx90a:sramecc+:xnack-"
  std::string arguments;
  aql::KernelDispatch packet{};
};
/// The last one up to `now`; nullopt if there is none, or its launch is not told.
std::optional<KernelDispatchSeen> dispatch_before(const Story& story, EventId now);

/// Whether a kernel has been dispatched up to `now`, whoever launched it.
bool kernel_dispatched(const Story& story, EventId now);

/// A register that an instruction changed.
struct RegisterChange {
  std::string name;  ///< "s4", "vcc_lo", "v2"
  bool vector = false;
  std::array<std::uint32_t, 64> lanes{};  ///< a scalar one: lanes[0]
};

/// Before an instruction.
struct WaveStep {
  std::uint64_t va = 0;  ///< of the instruction, in the image
  std::uint64_t exec = 0;
  bool scc = false;
  std::vector<RegisterChange> changed;  ///< by the instruction before
  /// LDS dwords that were changed, by others of the workgroup, too: byte offset, value.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lds;
};

struct WaveTrace {
  enum class End : std::uint8_t {
    completed,
    exception,   ///< of this wave: it stands at the last step
    unmodelled,  ///< the same
    endless,     ///< it goes round and round: shown is where it was when nobody waited any longer
    cut,         ///< it goes on; there is no room for more steps
  };
  struct Line {
    std::uint64_t va = 0;
    std::string text;
  };
  std::string problem;  ///< why there is no trace; "" if there is one
  std::vector<Line> code;
  std::vector<WaveStep> steps;
  End end = End::completed;
  std::string end_text;  ///< of an exception or what is not modelled
  std::uint64_t workgroup = 0;
  std::uint32_t wave = 0;
  std::uint32_t waves = 1;  ///< of a workgroup
  std::uint64_t workgroups = 1;
  std::uint32_t lds_bytes = 0;
};

/// `file`: the bytes of the code object, bundle or program; `wave`: in its workgroup; empty: the
/// one that fails, else 0. Takes up to a second.
WaveTrace trace_wave(const KernelDispatchSeen& dispatch, const std::string& file,
                     std::optional<std::uint32_t> wave);

}  // namespace rocdrill::gui
