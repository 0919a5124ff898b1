// rocdrill COMMAND ...: finds the command, parses its options, turns failures into messages and
// exit codes.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace rocdrill::cli {

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  commands.push_back(list_command());
  commands.push_back(show_command());
  commands.push_back(replay_command());
  commands.push_back(explain_command());
  commands.push_back(check_command());
  commands.push_back(versions_command());
  commands.push_back(node_command());
  commands.push_back(fault_command());
  commands.push_back(validate_command());
  commands.push_back(run_command());
  commands.push_back(trace_command());
  commands.push_back(shell_command());
  commands.push_back(answer_command());
  commands.push_back(hint_command());
  commands.push_back(undo_command());
  commands.push_back(brief_command());
  commands.push_back(kernel_command());
  commands.push_back(isa_command());
  commands.push_back(gui_command());
  commands.push_back(diff_command());
  commands.push_back(what_if_command());
  commands.push_back(compat_command());
  commands.push_back(completion_command());
  commands.push_back(complete_command());
  return commands;
}

namespace {

std::string overview(const std::vector<Command>& commands) {
  std::string text =
      "rocdrill: a simulated AMD ROCm node that you break on purpose and then triage\n\n"
      "usage: rocdrill COMMAND [ARGUMENTS]\n\ncommands:\n";
  for (const Command& command : commands)
    if (!command.hidden) text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  text +=
      "\nfirst steps:\n"
      "  rocdrill replay stale-dkms      watch a failure unfold, layer by layer\n"
      "  rocdrill explain stale-dkms     the chain of causes, from the fault to the symptom\n"
      "  rocdrill check --drill stale-dkms   what the bring-up checks say on that node\n"
      "  rocdrill run --node mi210 -- rocminfo   a real program on a simulated node\n"
      "  rocdrill shell stale-dkms       a shell on the broken node: mend it\n"
      "  rocdrill run --node mi300x-8 -- sudo amd-smi set -C CPX   divide eight GPUs into 64 devices\n\n"
      "Every command has --help. Reading commands have --json. Exit codes: 0 done or passed, 1 a check\n"
      "failed, 2 wrong usage, 3 invalid drill or node file, 4 something needed is not there, 5 internal.\n";
  return text;
}

std::string help(const Command& command) {
  std::ostringstream out;
  out << "usage: rocdrill " << command.usage << "\n\n"
      << command.summary << "\n\n"
      << command.options;
  if (!command.examples.empty()) out << "\nexamples:\n";
  for (const std::string& example : command.examples) out << "  " << example << "\n";
  return out.str();
}

po::variables_map parse(const Command& command, const std::vector<std::string>& words) {
  po::options_description all;
  all.add(command.options);
  po::options_description hidden;
  po::positional_options_description positional;
  for (std::string name : command.positional) {
    const bool more = name.ends_with("...");
    if (more) name.resize(name.size() - 3);
    if (more) {
      hidden.add_options()(name.c_str(), po::value<std::vector<std::string>>());
    } else {
      hidden.add_options()(name.c_str(), po::value<std::string>());
    }
    positional.add(name.c_str(), more ? -1 : 1);
  }
  all.add(hidden);
  po::variables_map arguments;
  po::store(po::command_line_parser(words)
                .options(all)
                .positional(positional)
                .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                .run(),
            arguments);
  po::notify(arguments);
  return arguments;
}

int perform(Command command, const std::vector<std::string>& words) {
  command.options.add_options()("data", po::value<std::string>()->value_name("DIR"),
                                "folder with drills/ and nodes/")("help,h", "this text");
  try {
    const po::variables_map arguments = parse(command, words);
    if (arguments.count("help") != 0) {
      print(help(command));
      return exit_ok;
    }
    return command.run(arguments);
  } catch (const po::error& error) {
    std::cerr << "rocdrill " << command.name << ": " << error.what() << "\nusage: rocdrill "
              << command.usage << "\nsee: rocdrill " << command.name << " --help\n";
    return exit_usage;
  } catch (const Failure& failure) {
    std::cerr << (failure.exit_code == exit_invalid ? "" : "rocdrill " + command.name + ": ")
              << failure.message;
    return failure.exit_code;
  }
}

int main(int argc, char** argv) {
  const std::vector<Command> commands = all_commands();
  if (argc < 2) {
    std::cerr << overview(commands);
    return exit_usage;
  }
  const std::string name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    print(overview(commands));
    return exit_ok;
  }
  if (name == "--version") {
    print("rocdrill " ROCDRILL_VERSION "\n");
    return exit_ok;
  }
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.name == name) return perform(command, {argv + 2, argv + argc});
    names.push_back(command.name);
  }
  const std::string hint = scenarios::suggest(name, names, "commands");
  std::cerr << "rocdrill: there is no command " << scenarios::in_quotes(name) << "\n  " << hint
            << "\n";
  return exit_usage;
}

}  // namespace
}  // namespace rocdrill::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);  // `rocdrill list | head` ends quietly
  try {
    return rocdrill::cli::main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "rocdrill: internal error: " << error.what() << "\n";
    return rocdrill::cli::exit_internal;
  }
}
