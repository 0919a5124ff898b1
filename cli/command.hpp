// What a subcommand is, and what all of them share.
#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/engine/data_path.hpp"
#include "scenarios/engine/load.hpp"
#include "scenarios/engine/run.hpp"

namespace rocdrill::cli {

namespace po = boost::program_options;
/// Keys in the order in which they are written.
using Json = nlohmann::ordered_json;

enum Exit : int {
  exit_ok = 0,
  exit_failed = 1,  ///< a check or a grade failed
  exit_usage = 2,
  exit_invalid = 3,      ///< a drill or node file is not valid
  exit_unavailable = 4,  ///< what is needed is not there
  exit_internal = 5,
};

inline constexpr int json_schema_version = 1;

/// Ends the command with a message on standard error.
struct Failure {
  int exit_code = exit_internal;
  std::string message;
};

struct Command {
  std::string name;
  std::string usage;    ///< "replay DRILL [options]"
  std::string summary;  ///< one line
  std::vector<std::string> examples;
  po::options_description options;
  std::vector<std::string>
      positional;  ///< names of positional arguments; the last may be "more..."
  int (*run)(const po::variables_map&) = nullptr;
  bool hidden = false;  ///< not for people
};

std::vector<Command> all_commands();

Command list_command();
Command show_command();
Command replay_command();
Command explain_command();
Command check_command();
Command versions_command();
Command node_command();
Command fault_command();
Command validate_command();
Command run_command();
Command trace_command();
Command shell_command();
Command answer_command();
Command hint_command();
Command undo_command();
Command brief_command();
Command kernel_command();
Command isa_command();
Command gui_command();
Command diff_command();
Command what_if_command();
Command compat_command();
Command completion_command();
Command complete_command();

// --- shared ---
scenarios::DataPath data_path(const po::variables_map& arguments);
/// The drill, or Failure with its diagnostics (unknown id: exit 2; invalid file: exit 3).
scenarios::LoadedDrill load_drill(const po::variables_map& arguments, const std::string& id);
sim::NodeSpec load_node(const po::variables_map& arguments, const std::string& id);
/// Runs the drill that was asked for, from its seed, with the built code objects.
struct DrillRun {
  scenarios::ResolvedDrill drill;
  std::unique_ptr<sim::Node> node;
};
DrillRun run_drill(const po::variables_map& arguments, const std::string& id, bool healthy = false);
/// A node by name, booted; with these faults in it before it boots.
std::unique_ptr<sim::Node> boot_node(const po::variables_map& arguments, const std::string& id,
                                     const std::vector<sim::FaultUse>& faults = {});
/// Injects the fault, in the circumstances that it needs. Throws Failure.
void put_in(sim::Node& node, const sim::FaultUse& use);
/// --seed, --threads.
void add_run_options(po::options_description& options);
scenarios::RunOptions run_options(const po::variables_map& arguments);

std::string required(const po::variables_map& arguments, const char* name);
/// "2.5", "2.5s", "800ms" as nanoseconds of virtual time; Failure (usage) names the option.
std::uint64_t parse_time(const std::string& option, const std::string& text);
bool flag(const po::variables_map& arguments, const char* name);
void print(const std::string& text);
void print_json(Json json);
Json to_json(const EventView& event);

}  // namespace rocdrill::cli
