// rocdrill shell: a person's own bash on a simulated node; and what is asked from inside it.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "cli/attach.hpp"
#include "cli/terminal.hpp"

namespace rocdrill::cli {
namespace {

/// What the shell reads first: prompt, history, transcript. `exec bash` after a new login reads it
/// again.
void write_rc(const std::string& session, const std::string& hostname) {
  std::ofstream rc(session + "/bashrc");
  rc << "unset BASH_ENV\n"
        "if [[ $- == *i* ]]; then\n"
        "  [ -r ~/.bash_aliases ] && . ~/.bash_aliases\n"
        "  PS1='\\[\\e[1;36m\\][rocdrill "
     << hostname
     << "]\\[\\e[0m\\] \\u:\\w\\$ '\n"
        "fi\n"
        // The builtin knows this machine's processes and jobs; the node has others besides.
        "kill() {\n"
        "  case \" $*\" in *' %'*|' -l'*|' -L'*) builtin kill \"$@\"; return ;; esac\n"
        "  local said\n"
        "  said=$(\"$ROCDRILL_SESSION/bin/kill\" \"$@\" 2>&1) && return\n"
        "  case $said in\n"
        "    *'No such process'*) builtin kill \"$@\" ;;\n"
        "    *) printf '%s\\n' \"$said\" >&2; return 1 ;;\n"
        "  esac\n"
        "}\n"
        "HISTFILE=\n"
        "trap 'printf \"%s\\n\" \"$BASH_COMMAND\" >>\"$ROCDRILL_SESSION/transcript\"' DEBUG\n";
}

void greet(const std::string& session) {
  const auto told = ask(session, {{"op", "session"}});
  if (told.at("drill").get<std::string>().empty()) {
    print(fmt::format("You are {} on {}, a simulated node. Leave it with exit.\n",
                      told.at("user").get<std::string>(), told.at("hostname").get<std::string>()));
    return;
  }
  const auto brief = ask(session, {{"op", "brief"}});
  print(paint(brief.at("title").get<std::string>(), Colour::bold) + "\n\n");
  print(wrap(printable(brief.at("brief").get<std::string>()), columns(), 2) + "\n");
  print(
      "rocdrill check  is it repaired?    rocdrill answer   hint   brief   undo            exit\n\n");
}

int run(const po::variables_map& arguments) {
  const bool interactive = ::isatty(STDIN_FILENO) != 0;
  const bool attach = arguments.count("session") != 0;
  std::optional<StartedServer> server;
  std::string session;
  if (attach) {
    session = session_folder(arguments);
  } else {
    AttachRequest request = attach_request(arguments);
    if (arguments.count("what") != 0) {
      if (!request.drill.empty() || !request.node.empty())
        throw Failure{exit_usage, "either DRILL, or --node N, or --drill D\n"};
      request.drill = arguments["what"].as<std::string>();
      if (request.name.empty()) request.name = request.drill;
    }
    if (arguments.count("name") == 0) request.name += "." + std::to_string(::getpid());
    server = start_server(arguments, request, false);
    session = server->session;
  }
  const auto told = ask(session, {{"op", "session"}});
  write_rc(session, told.at("hostname").get<std::string>());
  if (interactive) greet(session);
  auto environment = node_environment(session, true);
  environment.push_back("BASH_ENV=" + session + "/bashrc");
  const std::vector<std::string> shell =
      interactive ? std::vector<std::string>{"bash", "--rcfile", session + "/bashrc", "-i"}
                  : std::vector<std::string>{"bash"};
  const std::string home = told.at("home");
  static_cast<void>(!::chdir((session + "/root" + home).c_str()));
  const int code = run_on_node(session, shell, environment);
  if (server) stop_server(*server);
  return code;
}

int hint(const po::variables_map& arguments) {
  const auto reply = ask(session_folder(arguments), {{"op", "hint"}});
  const std::string text = reply.at("text");
  if (text.empty()) {
    print("there are no more hints\n");
    return exit_ok;
  }
  print(wrap(printable(text), columns(), 0));
  print(paint(fmt::format("({}; costs {} points; {} more)\n", reply.at("task").get<std::string>(),
                          reply.at("cost").get<int>(), reply.at("left").get<int>()),
              Colour::grey));
  return exit_ok;
}

int undo(const po::variables_map& arguments) {
  const auto reply = ask(session_folder(arguments), {{"op", "undo"}});
  print(fmt::format("undone: {}\n", printable(reply.at("undone").get<std::string>())));
  return exit_ok;
}

int brief(const po::variables_map& arguments) {
  const auto reply = ask(session_folder(arguments), {{"op", "brief"}});
  print(paint(reply.at("title").get<std::string>(), Colour::bold) + "\n\n");
  print(wrap(printable(reply.at("brief").get<std::string>()), columns(), 2) + "\n");
  for (const auto& task : reply.at("tasks")) {
    print(fmt::format("  {:<11} {} ({} points)\n", task.at("task").get<std::string>(),
                      printable(task.at("ask").get<std::string>()), task.at("points").get<int>()));
  }
  return exit_ok;
}

Command of_running(std::string name, std::string summary, int (*run)(const po::variables_map&)) {
  Command command{.name = name,
                  .usage = name + " [--session S]",
                  .summary = std::move(summary),
                  .examples = {"rocdrill " + name + "     (in rocdrill shell)"},
                  .options = po::options_description("options"),
                  .positional = {},
                  .run = run};
  command.options.add_options()("session", po::value<std::string>()->value_name("S"),
                                "a running node; in its own shell this is the default");
  return command;
}

}  // namespace

Command shell_command() {
  Command command{.name = "shell",
                  .usage = "shell [DRILL | --node N | --session S] [--fault F...]",
                  .summary = "your own bash on a simulated node",
                  .examples = {"rocdrill shell stale-dkms", "rocdrill shell --node mi300x-8",
                               "rocdrill shell stale-dkms < commands.sh"},
                  .options = po::options_description("options"),
                  .positional = {"what"},
                  .run = run};
  add_attach_options(command.options);
  command.options.add_options()("session", po::value<std::string>()->value_name("S"),
                                "a node that runs already (rocdrill node start)");
  return command;
}

Command hint_command() {
  return of_running("hint", "the next hint of the drill; it costs points", hint);
}
Command undo_command() {
  return of_running("undo", "takes the last command that changed the node back", undo);
}
Command brief_command() {
  return of_running("brief", "the ticket and the tasks of the drill", brief);
}

}  // namespace rocdrill::cli
