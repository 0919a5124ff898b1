#include "cli/attach.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/drill_session.hpp"
#include "cli/terminal.hpp"
#include "scenarios/engine/grading.hpp"
#include "scenarios/engine/look_message.hpp"
#include "sim/fault.hpp"
#include "sim/interpose/server/node_server.hpp"
#include "sim/interpose/session_index.hpp"

extern char** environ;

namespace rocdrill::cli {
namespace {

namespace fs = std::filesystem;
using interpose::NodeServer;
using interpose::SessionFolder;

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// The first of the places that has the file: an installation, or the build.
fs::path beside_us(std::initializer_list<const char*> places, const std::string& file) {
  for (const char* place : places) {
    const fs::path folder = own_folder() / place;
    if (fs::exists(folder / file)) return fs::weakly_canonical(folder);
  }
  throw Failure{exit_unavailable,
                fmt::format("{} is not where it belongs, beside the rocdrill command\n"
                            "  build everything: ./dev rocdrill list, or install again\n",
                            file)};
}

interpose::ServerOptions server_options() {
  interpose::ServerOptions options;
  options.libraries = beside_us({"../lib/rocdrill", "../lib"}, "librocdrill_preload.so");
  options.tool =
      beside_us({"../libexec/rocdrill", "../libexec"}, "rocdrill-tool") / "rocdrill-tool";
  options.rocdrill = own_folder() / "rocdrill";
  const char* fuse = std::getenv("ROCDRILL_FUSE");
  options.use_fuse = !fuse || std::string_view(fuse) != "0";
  return options;
}

sim::ParameterValue value_of(const std::string& text, const sim::ParameterValue& like,
                             const std::string& where) {
  if (std::holds_alternative<std::string>(like)) return text;
  if (std::holds_alternative<bool>(like)) {
    if (text == "true" || text == "yes" || text == "1") return true;
    if (text == "false" || text == "no" || text == "0") return false;
    throw Failure{exit_usage, fmt::format("{} must be true or false, not '{}'\n", where, text)};
  }
  try {
    std::size_t used = 0;
    const long long number = std::stoll(text, &used, 0);
    if (used == text.size()) return static_cast<std::int64_t>(number);
  } catch (const std::exception&) {  // said below
  }
  throw Failure{exit_usage, fmt::format("{} must be a number, not '{}'\n", where, text)};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// What windows ask; in a fork of the server.
interpose::Json look_reply(sim::Node& node, const interpose::Json& request) {
  const auto question = scenarios::question_of(request);
  if (!question) return {{"errno", EINVAL}, {"error", question.error()}};
  return scenarios::to_json(scenarios::answer(node, *question));
}

/// In the child: makes the node, serves it, ends the process.
[[noreturn]] void serve(const po::variables_map& arguments, const AttachRequest& request,
                        int ready) {
  int code = exit_internal;
  std::string problem;
  try {
    auto [node, drill] = make_attached_node(arguments, request);
    {
      NodeServer server(*node, SessionFolder::create(request.name), server_options());
      DrillSession session(server, std::move(drill));
      server.handle_aside("look", [&node](const interpose::Json& request, const auto&) {
        return look_reply(*node, request);
      });
      static_cast<void>(!::write(ready, "+", 1));
      ::close(ready);
      server.run();
      session.keep_transcript();
    }  // the session's folder goes
    std::_Exit(exit_ok);
  } catch (const Failure& failure) {
    problem = failure.message;
    code = failure.exit_code;
  } catch (const std::invalid_argument& error) {
    problem = std::string(error.what()) + "\n";
    code = exit_usage;
  } catch (const std::exception& error) {
    problem = std::string(error.what()) + "\n";
    code = exit_unavailable;
  }
  problem.insert(0, 1, static_cast<char>('0' + code));
  static_cast<void>(!::write(ready, problem.data(), problem.size()));
  std::_Exit(code);
}

}  // namespace

void add_attach_options(po::options_description& options) {
  options.add_options()("node", po::value<std::string>()->value_name("N"),
                        "a healthy node of this kind")(
      "drill", po::value<std::string>()->value_name("D"), "the node of this drill, with its fault")(
      "fault", po::value<std::vector<std::string>>()->value_name("F"),
      "put this fault in: ID[=VALUE][,KEY=VALUE...]; may be repeated")(
      "name", po::value<std::string>()->value_name("S"), "call the running node so");
  add_run_options(options);
}

AttachRequest attach_request(const po::variables_map& arguments) {
  AttachRequest request;
  if (arguments.count("node") != 0) request.node = arguments["node"].as<std::string>();
  if (arguments.count("drill") != 0) request.drill = arguments["drill"].as<std::string>();
  if (arguments.count("fault") != 0)
    request.faults = arguments["fault"].as<std::vector<std::string>>();
  if (!request.node.empty() && !request.drill.empty())
    throw Failure{exit_usage, "--node and --drill exclude each other: a drill brings its node\n"};
  for (const std::string& fault : request.faults) static_cast<void>(parse_fault(fault));
  request.name = arguments.count("name") != 0
                     ? arguments["name"].as<std::string>()
                     : (request.drill.empty() ? request.node : request.drill);
  return request;
}

sim::FaultUse parse_fault(const std::string& text) {
  const auto parts = split(text, ',');
  const std::size_t equals = parts.front().find('=');
  sim::FaultUse use{parts.front().substr(0, equals), {}};
  const sim::Fault* fault = sim::FaultRegistry::instance().find(use.id);
  if (!fault) {
    std::vector<std::string> known;
    for (const sim::Fault* one : sim::FaultRegistry::instance().all())
      known.push_back(one->info().id);
    throw Failure{exit_usage, fmt::format("there is no fault {}; {}\n  see: rocdrill fault list\n",
                                          scenarios::in_quotes(use.id),
                                          scenarios::suggest(use.id, known, "faults"))};
  }
  const auto& parameters = fault->info().parameters;
  const auto set = [&](const std::string& key, const std::string& value) {
    const auto at = std::ranges::find(parameters, key, &sim::ParameterInfo::name);
    if (at == parameters.end()) {
      std::string known;
      for (const sim::ParameterInfo& one : parameters)
        known += (known.empty() ? "" : ", ") + one.name;
      throw Failure{exit_usage,
                    fmt::format("fault '{}' has no parameter {}\n  it has: {}\n", use.id,
                                scenarios::in_quotes(key), known.empty() ? "none" : known)};
    }
    use.parameters[key] = value_of(value, at->fallback, fmt::format("{}'s {}", use.id, key));
  };
  if (equals != std::string::npos) {
    if (parameters.empty())
      throw Failure{exit_usage, fmt::format("fault '{}' takes no value\n", use.id)};
    set(parameters.front().name, parts.front().substr(equals + 1));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t at = parts[i].find('=');
    if (at == std::string::npos) {
      set(parts[i], "true");
    } else {
      set(parts[i].substr(0, at), parts[i].substr(at + 1));
    }
  }
  if (auto checked = sim::FaultRegistry::check(fault->info(), use.parameters); !checked)
    throw Failure{exit_usage, checked.error() + "\n"};
  return use;
}

AttachedNode make_attached_node(const po::variables_map& arguments, const AttachRequest& request) {
  std::vector<sim::FaultUse> faults;
  for (const std::string& text : request.faults) faults.push_back(parse_fault(text));
  if (request.drill.empty()) return {boot_node(arguments, request.node, faults), std::nullopt};
  DrillRun run = run_drill(arguments, request.drill);
  for (const sim::FaultUse& use : faults) put_in(*run.node, use);
  run.node->run();
  return {std::move(run.node), std::move(run.drill)};
}

StartedServer start_server(const po::variables_map& arguments, const AttachRequest& request,
                           bool detach) {
  if (request.node.empty() == request.drill.empty()) {
    throw Failure{
        exit_usage,
        "say which node: --node N or --drill D\n  see: rocdrill node list; rocdrill list\n"};
  }
  const fs::path session = interpose::sessions_folder() / request.name;
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0)
    throw Failure{exit_internal, fmt::format("no pipe: {}\n", std::strerror(errno))};
  std::cout.flush();
  const int parent = ::getpid();
  const int pid = ::fork();
  if (pid < 0) throw Failure{exit_unavailable, fmt::format("fork: {}\n", std::strerror(errno))};
  if (pid == 0) {
    ::close(ready[0]);
    ::setsid();  // Ctrl-C in the terminal is for the program, not for the node
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);  // who reads our output waits for the program, not for the node
    if (!detach) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a node of `run` and `shell` ends with them
      if (::getppid() != parent) ::_exit(exit_internal);
    } else {
      const int log =
          ::open((session.string() + ".log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(log >= 0 ? log : null, STDERR_FILENO);
    }
    serve(arguments, request, ready[1]);
  }
  ::close(ready[1]);
  std::string words;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ready[0], buffer, sizeof buffer)) > 0;)
    words.append(buffer, static_cast<std::size_t>(got));
  ::close(ready[0]);
  if (words == "+") return {session.string(), pid};
  ::waitpid(pid, nullptr, 0);
  if (words.empty()) throw Failure{exit_internal, "the node's server ended without a word\n"};
  throw Failure{words.front() - '0', words.substr(1)};
}

void stop_server(const StartedServer& server) {
  try {
    const int fd = interpose::connect_to_session(server.session);
    interpose::request(fd, {{"op", "stop"}});
    ::close(fd);
  } catch (const interpose::ConnectionError&) {
    ::kill(server.pid, SIGTERM);
  }
  ::waitpid(server.pid, nullptr, 0);
}

std::string session_folder(const po::variables_map& arguments) {
  std::optional<std::string> name;
  if (arguments.count("session") != 0) name = arguments["session"].as<std::string>();
  try {
    return interpose::find_session(name).path.string();
  } catch (const std::runtime_error& error) {
    throw Failure{exit_unavailable, std::string(error.what()) + "\n"};
  }
}

bool on_a_node() {
  const char* session = std::getenv(interpose::session_variable);
  return session && *session;
}

interpose::Json own_environment() {
  auto variables = interpose::Json::object();
  for (char** at = environ; *at; ++at) {
    const std::string one = *at;
    const std::size_t equals = one.find('=');
    if (equals != std::string::npos) variables[one.substr(0, equals)] = one.substr(equals + 1);
  }
  return variables;
}

interpose::Json ask(const std::string& session, interpose::Json message) {
  try {
    const int fd = interpose::connect_to_session(session);
    auto reply = interpose::request(fd, message);
    ::close(fd);
    if (reply.value("errno", 0) != 0) {
      throw Failure{reply.value("errno", 0) == EINVAL ? exit_usage : exit_unavailable,
                    reply.value("error", std::string("the node refused")) + "\n"};
    }
    return reply;
  } catch (const interpose::ConnectionError& error) {
    throw Failure{exit_unavailable, std::string(error.what()) + "\n"};
  }
}

std::vector<std::string> node_environment(const std::string& session, bool login) {
  const auto told = ask(session, {{"op", "session"}});
  std::map<std::string, std::string> variables;
  const auto own = own_environment();
  for (const auto& [name, value] : own.items()) variables[name] = value;
  for (const auto& [name, value] : told.at("environment").items()) variables[name] = value;
  const std::string preload = session + "/lib/librocdrill_preload.so";
  std::string& loaded = variables["LD_PRELOAD"];
  loaded = loaded.empty() ? preload : preload + ":" + loaded;
  variables[interpose::session_variable] = session;
  variables[interpose::identity_variable] = told.at("identity").get<std::string>();
#ifdef __SANITIZE_ADDRESS__
  // The commands of this build are instrumented; the preload library comes before their runtime.
  variables["ASAN_OPTIONS"] += ":verify_asan_link_order=0";
#endif
  variables["PATH"] = session + "/bin:" + variables["PATH"] + ":/usr/sbin:/sbin";
  if (login) {
    for (const char* name : {"USER", "LOGNAME"})
      variables[name] = told.at("user").get<std::string>();
    variables["HOME"] = told.at("home").get<std::string>();
  }
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

int run_on_node(const std::string& session, const std::vector<std::string>& argv,
                const std::vector<std::string>& environment) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<char*> variables;
  for (const std::string& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  variables.push_back(nullptr);
  std::cout.flush();
  // The terminal's signals go to the whole group: the program decides, we wait for it.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  const int pid = ::fork();
  if (pid < 0) throw Failure{exit_unavailable, fmt::format("fork: {}\n", std::strerror(errno))};
  if (pid == 0) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGQUIT, SIG_DFL);
    // A command of the node goes before one of this machine.
    const std::string own = session + "/bin/" + argv.front();
    if (argv.front().find('/') == std::string::npos && ::access(own.c_str(), X_OK) == 0) {
      ::execve(own.c_str(), words.data(), variables.data());
    }
    ::execvpe(words[0], words.data(), variables.data());
    std::cerr << "rocdrill run: " << argv.front() << ": " << std::strerror(errno)
              << "\n  is it installed on this machine? Its own programs run on the node\n";
    std::_Exit(errno == ENOENT ? 127 : 126);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace rocdrill::cli
