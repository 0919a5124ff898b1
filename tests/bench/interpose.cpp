// What the preload library costs a program that has nothing to do with the node: each pair is the
// same program without and with it.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <stdexcept>

#include "unit/interpose/fake_session.hpp"

namespace {

rocdrill::test::FakeSession& furnished() {
  static rocdrill::test::FakeSession session;
  static const bool done = (furnish(session), true);
  (void)done;
  return session;
}

void start(benchmark::State& state, std::vector<std::string> command) {
  const std::string folder = furnished().folder().string();
  std::vector<std::string> variables{"PATH=/usr/bin:/bin", "LC_ALL=C"};
  if (state.range(0) != 0) {
    variables.push_back("ROCDRILL_SESSION=" + folder);
    variables.push_back("LD_PRELOAD=" + folder + "/lib/librocdrill_preload.so");
  }
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (std::string& word : command) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (auto _ : state) {
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), envp.data()) != 0)
      throw std::runtime_error("cannot start " + command[0]);
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error(command[0] + " failed");
  }
  posix_spawn_file_actions_destroy(&actions);
}

void start_true(benchmark::State& state) { start(state, {"/bin/true"}); }
void list_share(benchmark::State& state) { start(state, {"/bin/ls", "-lR", "/usr/share"}); }
void find_share(benchmark::State& state) {
  start(state, {"/usr/bin/find", "/usr/share", "-size", "+1M"});
}
void start_children(benchmark::State& state) {
  start(state, {"/bin/bash", "-c", "for i in {1..50}; do /bin/true; done"});
}

}  // namespace

// The argument: 0 without the library, 1 on the node.
BENCHMARK(start_true)->Arg(0)->Arg(1)->UseRealTime();
BENCHMARK(start_children)->Arg(0)->Arg(1)->UseRealTime();
BENCHMARK(list_share)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(find_share)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
