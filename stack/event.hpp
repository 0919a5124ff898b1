// One thing that happened on a node, and what made it happen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "stack/layer.hpp"

namespace rocdrill {

/// Number of an event in its timeline: 1, 2, 3, ... in order of recording. 0 = no event.
using EventId = std::uint32_t;
inline constexpr EventId no_event = 0;

/// `unmodelled` marks a request that the simulator refused because it does not model it;
/// it is never a symptom of the node.
enum class Severity : std::uint8_t { debug, info, warning, error, unmodelled };

std::string_view name(Severity severity);
std::optional<Severity> severity_from_name(std::string_view text);

/// Views into text that lives elsewhere: in the caller while recording, in the timeline after.
using FieldValue = std::variant<std::int64_t, std::string_view>;

struct Field {
  std::string_view key;
  FieldValue value;
};

/// Keys with a fixed meaning, so that every view can tell the story of a layer:
namespace field {
inline constexpr std::string_view asked = "asked";    ///< what this layer asked of the one below
inline constexpr std::string_view got = "got";        ///< what it got
inline constexpr std::string_view did = "did";        ///< what it did then
inline constexpr std::string_view shows = "shows";    ///< the line that an operator would see
inline constexpr std::string_view see = "see";        ///< the command that shows it
inline constexpr std::string_view status = "status";  ///< errno, hsa_status_t or hipError_t by name
}  // namespace field

/// What a layer hands to the timeline. `kind` is dotted lower case ("modprobe.failed"),
/// `subject` names the thing it happened to ("amdgpu", "0000:1b:00.0", "/dev/kfd").
/// `cause` is an earlier event of the same timeline; no_event only for what starts a story
/// (power on, an injected fault, a command that a person typed).
struct EventInput {
  std::uint64_t time_ns = 0;  ///< virtual time since power on
  Layer layer = Layer::host;
  Severity severity = Severity::info;
  std::string_view kind = {};
  std::string_view subject = {};
  std::span<const Field> fields = {};
  EventId cause = no_event;
};

}  // namespace rocdrill
