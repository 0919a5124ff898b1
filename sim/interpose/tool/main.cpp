// Every command of the node that is not a real program: asks the node server to run it under the
// name that it was called by, prints what comes back and ends as the command did.
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/interpose/protocol/message.hpp"
#include "sim/interpose/session_index.hpp"

extern char** environ;

namespace rocdrill::interpose {
namespace {

constexpr int command_not_found = 127;
constexpr std::size_t largest_input = 8u << 20u;

Json environment() {
  Json variables = Json::object();
  for (char** at = environ; *at; ++at) {
    const char* equals = std::strchr(*at, '=');
    if (equals)
      variables[std::string(*at, static_cast<std::size_t>(equals - *at))] = std::string(equals + 1);
  }
  return variables;
}

std::string working_directory() {
  char buffer[PATH_MAX];
  return ::getcwd(buffer, sizeof buffer) ? buffer : "/";
}

/// Commands that read standard input when it is no terminal.
bool reads_input(const std::string& name) {
  for (const char* one : {"python", "python3", "tee", "grep", "cat", "head", "tail", "wc"})
    if (name == one) return true;
  return false;
}

std::string standard_input(const std::string& name) {
  std::string text;
  if (!reads_input(name) || ::isatty(STDIN_FILENO)) return text;
  char buffer[4096];
  ssize_t got = 0;
  while (text.size() < largest_input && (got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

void put(int fd, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(fd, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

int become(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  std::fprintf(stderr, "%s: %s\n", argv[0], std::strerror(errno));
  return command_not_found;
}

int run(int argc, char** argv) {
  const char* session = std::getenv(session_variable);
  std::string name = argv[0];
  name = name.substr(name.rfind('/') + 1);
  if (!session) {
    std::fprintf(stderr,
                 "%s: this is a command of a simulated node, and this shell is on none\n"
                 "  start one: rocdrill shell --node mi210\n",
                 name.c_str());
    return command_not_found;
  }
  std::vector<std::string> words{name};
  words.insert(words.end(), argv + 1, argv + argc);
  if (name == program_runner) {
    words.erase(words.begin());
    if (words.empty()) return command_not_found;
    words[0] = (std::filesystem::path(working_directory()) / words[0]).lexically_normal().string();
  }
  const char* identity = std::getenv(identity_variable);
  const Json reply = request(connect_to_session(session), {{"op", "run"},
                                                           {"argv", words},
                                                           {"cwd", working_directory()},
                                                           {"identity", identity ? identity : ""},
                                                           {"env", environment()},
                                                           {"input", standard_input(name)}});
  if (reply.value("errno", 0) != 0) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(),
                 reply.value("error", std::string("the node refused")).c_str());
    return 1;
  }
  put(STDOUT_FILENO, reply.value("out", std::string()));
  put(STDERR_FILENO, reply.value("err", std::string()));
  if (reply.contains("identity"))
    ::setenv(identity_variable, reply["identity"].get<std::string>().c_str(), 1);
  // A program that hangs: until somebody interrupts it.
  while (reply.value("waits_for_ever", false)) ::pause();
  if (reply.contains("exec")) return become(reply["exec"].get<std::vector<std::string>>());
  return reply.value("exit", 0);
}

}  // namespace
}  // namespace rocdrill::interpose

int main(int argc, char** argv) {
  try {
    return rocdrill::interpose::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rocdrill: %s\n", error.what());
    return 127;
  }
}
