// A drill: what is wrong with which node, what the trainee is told, and how it is graded. The
// content of scenarios/drills/<id>/drill.yaml (docs/drill-authoring.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/engine/diagnostic.hpp"
#include "scenarios/engine/vars.hpp"
#include "sim/fault.hpp"
#include "sim/node_spec.hpp"
#include "stack/layer.hpp"

namespace rocdrill::scenarios {

/// When a fault is put in.
struct FaultTime {
  enum class Kind : std::uint8_t {
    boot,     ///< before the node boots
    time,     ///< at a virtual time after power-on
    trigger,  ///< when an event of that kind is recorded
  };
  Kind kind = Kind::boot;
  std::uint64_t time_ns = 0;
  std::string trigger;  ///< prefix of the event's kind
};

struct DrillFault {
  sim::FaultUse use;  ///< of a drill as loaded, text parameters may hold `${name}`
  FaultTime at;
  Mark mark;
  std::map<std::string, Mark, std::less<>> parameter_marks;  ///< of the values
};

/// What the user was running when it broke.
struct Workload {
  enum class Kind : std::uint8_t {
    none,
    torch,     ///< import torch, torch.cuda.is_available(), a matrix product
    torchrun,  ///< the training on all GPUs
    hip_app,   ///< one of the node's HIP programs
  };
  Kind kind = Kind::none;
  std::string path;  ///< of the hip_app
  Mark mark;
};

/// A command as argv.
using Command = std::vector<std::string>;

/// Something that must hold on the node.
struct StateCheck {
  enum class Kind : std::uint8_t { check_passes, file_absent, file_present, command };
  Kind kind = Kind::check_passes;
  std::string subject;  ///< id of a bring-up check or "all"; path of a file
  Command command;
  int exit = 0;          ///< of the command
  std::string contains;  ///< in the command's standard output; "" = anything
  Mark mark;
};

/// A question with one right answer.
struct Answer {
  std::optional<Layer> layer;        ///< also asked for, if set
  std::vector<std::string> choices;  ///< what is offered, in the file's order
  std::string correct;               ///< one of the choices
};

struct Hint {
  std::string text;
  int cost = 0;                  ///< points
  std::vector<StateCheck> when;  ///< offered only while all of these hold
};

struct DrillTask {
  enum class Kind : std::uint8_t { detect, localise, root_cause, mitigate };
  Kind kind = Kind::detect;
  std::string ask;
  std::variant<Answer, std::vector<StateCheck>> check;  ///< all of the state checks must hold
  int points = 0;
  std::vector<Hint> hints;  ///< cheapest first
};
std::string_view name(DrillTask::Kind kind);  ///< "root_cause"

/// A harmful action: any command that starts with these words.
struct Penalty {
  Command command;
  int points = 0;
  std::string why;
};

struct WrongFix {
  std::string name;
  std::vector<Command> commands;
  std::string why;  ///< it does not help
};

struct Debrief {
  std::string chain;      ///< from the fault to the top symptom
  Command discriminator;  ///< the command that tells this from its look-alikes
  std::string discriminator_shows;
  std::vector<std::string> look_alikes;
  std::vector<std::string> sources;  ///< URLs
};

/// Why nothing is wrong in a control drill.
enum class Control : std::uint8_t { healthy, works_as_configured };
std::string_view name(Control control);

struct Drill {
  std::string id;
  std::string title;
  int difficulty = 1;  ///< 1 to 5
  int minutes = 0;
  std::vector<std::string> objectives;
  std::vector<std::string> prerequisites;
  std::string node;
  std::vector<std::string> capabilities;  ///< `requires`: names of stack/backend.hpp
  std::vector<Variable> vars;
  std::vector<DrillFault> faults;
  std::optional<Control> no_fault;
  Workload workload;
  std::string brief;
  std::vector<DrillTask> tasks;  ///< in the order of their kinds
  std::vector<Penalty> penalties;
  std::vector<Command> solve;
  std::vector<WrongFix> wrong;
  Debrief debrief;
  /// The first word (after sudo) of every command above, and where the command stands.
  std::vector<std::pair<std::string, Mark>> programs;
  std::string file;  ///< for messages
  Mark node_mark;
};

/// A drill for one candidate: every `${name}` is replaced.
struct ResolvedDrill {
  Drill drill;
  Values values;
  std::uint64_t seed = 0;
};

/// Reads a drill file: everything but what depends on the node and on the faults that exist
/// (validate.hpp). `folder` is the name that the id must have.
Loaded<Drill> parse_drill(std::string file, std::string text, std::string_view folder);
/// The same, with what could be read even if there are problems.
Drill read_drill(std::string file, std::string text, std::string_view folder,
                 Diagnostics& problems);

/// Calls `visit` with every text that may hold references, except the vars themselves.
void for_each_text(Drill& drill, const std::function<void(std::string&)>& visit);

/// Draws the variables and puts them in. Cannot fail for a drill that was loaded.
ResolvedDrill resolve(const Drill& drill, const sim::NodeSpec& node, std::uint64_t seed);

}  // namespace rocdrill::scenarios
