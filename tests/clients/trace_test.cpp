// Traces of a real program of libhsa-runtime64: recorded, shown, compared, replayed.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sim/interpose/replay/replay.hpp"
#include "sim/interpose/trace/text.hpp"
#include "sim/node.hpp"
#include "support/nodes.hpp"

namespace rocdrill {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

struct Outcome {
  int exit_code = -1;
  std::string text;
};

Outcome run(const std::string& arguments, const std::string& environment = {}) {
  const std::string line = environment + " '" ROCDRILL_COMMAND "' " + arguments;
  std::FILE* pipe = popen(line.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

class ClientTrace : public testing::Test {
 protected:
  ClientTrace() {
    std::string name = (std::filesystem::temp_directory_path() / "rocdrill-trace-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ClientTrace() override { std::filesystem::remove_all(folder_); }

  /// Records `hsa_client <arguments>`, or the command if it has a path.
  std::string record(const std::string& name, const std::string& arguments,
                     const std::string& environment = {}, const std::string& node = "mi210") {
    const std::string file = (folder_ / name).string();
    const std::string client = "'" ROCDRILL_HSA_CLIENT "' " + arguments;
    const Outcome outcome =
        run("run --node " + node + " --trace '" + file + "' -- " + client + " >/dev/null 2>&1",
            environment);
    EXPECT_EQ(outcome.exit_code, 0) << arguments;
    return file;
  }
  static std::string quoted(const std::string& file) { return "'" + file + "'"; }
  static trace::Trace read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    auto parsed = trace::parse(std::string{std::istreambuf_iterator<char>(in), {}});
    if (!parsed) throw std::runtime_error(parsed.error().text(file));
    return std::move(*parsed);
  }

  std::filesystem::path folder_;
};

TEST_F(ClientTrace, BarriersAreReadable) {
  const std::string file = record("a", "barriers");
  const Outcome shown = run("trace show " + quoted(file));
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.text, HasSubstr("CREATE_QUEUE gpu_id=gpu0 queue_type=2 ring_base_address=A"));
  EXPECT_THAT(
      shown.text,
      HasSubstr("200 BARRIER_AND barrier=1 acquire=2 release=2 dep0=s2 dep1=s3 completion=s1"));
  EXPECT_THAT(shown.text, HasSubstr("201 BARRIER_OR"));
  EXPECT_THAT(shown.text, Not(HasSubstr("=0x7f")));
  EXPECT_THAT(run("trace show --times " + quoted(file)).text, HasSubstr("WAIT_EVENTS"));
}

/// Not "fork": a runtime that is started again may or may not get the addresses of its signals
/// again, and what has the same address has the same name.
TEST_F(ClientTrace, TwoRunsAreEqual) {
  for (const char* what : {"barriers", "copy 5242880"}) {
    const std::string first = record("a", what);
    const std::string second = record("b", what);
    const Outcome diff = run("trace diff " + quoted(first) + " " + quoted(second));
    EXPECT_EQ(diff.exit_code, 0) << what << "\n" << diff.text;
    EXPECT_EQ(diff.text, "");
  }
}

TEST_F(ClientTrace, DiffNamesThePlace) {
  const std::string copy = record("a", "copy 5242880");
  const std::string smaller = record("b", "copy 5242879");
  const Outcome diff = run("trace diff " + quoted(copy) + " " + quoted(smaller));
  EXPECT_EQ(diff.exit_code, 1);
  EXPECT_THAT(diff.text, HasSubstr("- "));
  EXPECT_THAT(diff.text,
              AnyOf(HasSubstr("thread 0, line"), HasSubstr("queue 0: SDMA, gpu0, line")));
  const std::string other = record("c", "barriers");
  EXPECT_THAT(run("trace diff " + quoted(copy) + " " + quoted(other)).text,
              HasSubstr("process 1, thread 0, line"));
}

TEST_F(ClientTrace, SdmaPacketsAreDecoded) {
  const Outcome shown = run("trace show " + quoted(record("a", "copy 5242880")));
  EXPECT_THAT(shown.text, HasSubstr("queue 0: SDMA, gpu0"));
  EXPECT_THAT(shown.text, HasSubstr("24 COPY_LINEAR bytes=4194272 from=A6 to=A8; completed"));
  EXPECT_THAT(shown.text, HasSubstr("TRAP context=2; completed"));
}

TEST_F(ClientTrace, ReplaysAreEqualOnTheSameNode) {
  for (const char* what :
       {"barriers", "copy 5242880", "bad-packet", "handlers", "fork", "churn 5"}) {
    const std::string file = record("a", what);
    const Outcome replay = run("trace replay " + quoted(file) + " --node mi210");
    EXPECT_EQ(replay.exit_code, 0) << what << "\n" << replay.text;
    EXPECT_THAT(replay.text, HasSubstr("equal: "));
  }
}

TEST_F(ClientTrace, Rocminfo) {
  if (run("run --node mi210 -- rocminfo >/dev/null 2>&1").exit_code == 127)
    GTEST_SKIP() << "no rocminfo here";
  std::string files[2];
  for (int i = 0; i < 2; ++i) {
    files[i] = (folder_ / std::to_string(i)).string();
    EXPECT_EQ(
        run("run --node mi210 --trace " + quoted(files[i]) + " -- rocminfo >/dev/null").exit_code,
        0);
  }
  EXPECT_EQ(run("trace diff " + quoted(files[0]) + " " + quoted(files[1])).exit_code, 0);
  EXPECT_EQ(run("trace replay " + quoted(files[0]) + " --node mi210").exit_code, 0);
}

TEST_F(ClientTrace, ReplayOnAnotherNodeDivergesAtTheFirstCallThatTells) {
  const std::string file = record("a", "agents");
  const Outcome replay = run("trace replay " + quoted(file) + " --node mi300x-8");
  EXPECT_EQ(replay.exit_code, 1);
  EXPECT_THAT(replay.text, HasSubstr("record 1 of process"));
  EXPECT_THAT(replay.text,
              HasSubstr("AMDKFD_IOC_GET_VERSION: minor_version\n  recorded: 11\n  replayed: 17"));
  const Outcome denied = run("trace replay " + quoted(file) + " --drill render-group-missing");
  EXPECT_EQ(denied.exit_code, 1);
  EXPECT_THAT(denied.text,
              HasSubstr("open(\"/dev/kfd\")\n  recorded: success\n  replayed: EACCES"));
}

TEST_F(ClientTrace, WhatKernelsNeedIsNotRecorded) {
  const std::string file = (folder_ / "a").string();
  run("run --node mi210 --trace " + quoted(file) +
          " -- '" ROCDRILL_HSA_CLIENT "' copy 5242880 >/dev/null 2>&1",
      "HSA_ENABLE_SDMA=0");
  const Outcome replay = run("trace replay " + quoted(file) + " --node mi210 2>&1");
  EXPECT_EQ(replay.exit_code, 4);
  EXPECT_THAT(replay.text, HasSubstr("(KERNEL_DISPATCH): the kernel's code and arguments"));
  EXPECT_EQ(run("trace diff " + quoted(file) + " " + quoted(record("b", "copy 5242880"))).exit_code,
            1);
}

TEST_F(ClientTrace, DamagedAndWrongUse) {
  const std::string file = record("a", "init");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 10);
  const Outcome cut = run("trace show " + quoted(file) + " 2>&1");
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.text, HasSubstr("the last line is not complete\n  the file was cut"));
  EXPECT_EQ(run("trace replay " + quoted(file) + " --node mi210 2>/dev/null").exit_code, 3);
  EXPECT_EQ(run("trace show /nonexistent 2>/dev/null").exit_code, 4);
  EXPECT_EQ(run("trace replay " + quoted(file) + " 2>/dev/null").exit_code, 2);
  EXPECT_EQ(run("trace shwo " + quoted(file) + " 2>/dev/null").exit_code, 2);
  EXPECT_EQ(run("trace show " + quoted(record("b", "init")) + " --pid 1 2>/dev/null").exit_code, 2);
}

TEST_F(ClientTrace, AnUnwritableFileCostsTheTraceAlone) {
  const Outcome outcome = run("run --node mi210 -- '" ROCDRILL_HSA_CLIENT "' init 2>&1",
                              "ROCDRILL_TRACE=/nonexistent/a");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text,
              HasSubstr("rocdrill: no trace of this program: /nonexistent/a: No such file"));
  EXPECT_THAT(outcome.text, HasSubstr("done"));
}

// --- replays with faults in the driver and the queues ---------------------------------------

class ReplayWithFaults : public ClientTrace {
 protected:
  replay::Outcome replay(const std::string& file, const kernel::Injections& injections) {
    node_ = test::booted("mi210");
    node_->kernel.kfd.set_injections(injections);
    const trace::Trace trace = read(file);
    return replay::replay(trace.processes.at(0), node_->kernel.kfd, node_->os);
  }
  std::unique_ptr<sim::Node> node_;
};

TEST_F(ReplayWithFaults, AFailedCall) {
  const std::string file = record("a", "barriers");
  kernel::Injections faults;
  faults.ioctls.push_back(
      {.nr = static_cast<std::uint32_t>(kfd::Ioctl::create_queue), .nth = 2, .error = ENOMEM});
  const auto outcome = replay(file, faults);
  ASSERT_TRUE(outcome.divergence);
  EXPECT_EQ(outcome.divergence->what, "AMDKFD_IOC_CREATE_QUEUE");
  EXPECT_EQ(outcome.divergence->recorded, "success");
  EXPECT_EQ(outcome.divergence->replayed, "ENOMEM");
}

TEST_F(ReplayWithFaults, LostSignalsAndDoorbells) {
  const std::string file = record("a", "barriers");
  struct Case {
    cp::Injected fault;
    std::string what, recorded, replayed;
  };
  const Case cases[] = {
      {cp::Injected::interrupt_lost, "event 3", "signalled 10 times", "signalled 9 times"},
      {cp::Injected::completion_lost, "queue 1, packet 9: completion signal", "decremented by 1",
       "decremented by 0"},
      {cp::Injected::completion_twice, "queue 1, packet 9: completion signal", "decremented by 1",
       "decremented by 2"},
  };
  for (const Case& one : cases) {
    kernel::Injections faults;
    faults.queues.push_back({.what = one.fault, .nth = 10});
    const auto outcome = replay(file, faults);
    ASSERT_TRUE(outcome.divergence) << one.what;
    EXPECT_EQ(outcome.divergence->what, one.what);
    EXPECT_EQ(outcome.divergence->recorded, one.recorded);
    EXPECT_EQ(outcome.divergence->replayed, one.replayed);
  }
  // A packet that the client's queue found before its doorbell does not miss it.
  std::string missed;
  for (std::uint64_t ring = 5; missed.empty() && ring < 15; ++ring) {
    kernel::Injections faults;
    faults.queues.push_back({.what = cp::Injected::doorbell_lost, .nth = ring});
    const auto outcome = replay(file, faults);
    if (outcome.divergence && outcome.divergence->replayed == "not launched")
      missed = outcome.divergence->what;
  }
  EXPECT_THAT(missed, HasSubstr("(BARRIER_AND)"));
}

TEST_F(ReplayWithFaults, LostDoorbellOfACopy) {
  kernel::Injections faults;
  faults.queues.push_back({.what = cp::Injected::doorbell_lost, .nth = 1});
  const auto outcome = replay(record("a", "copy 5242880"), faults);
  ASSERT_TRUE(outcome.divergence);
  EXPECT_EQ(outcome.divergence->what, "queue 0, packet 0 (POLL_REGMEM)");
  EXPECT_EQ(outcome.divergence->replayed, "not launched");
}

TEST_F(ReplayWithFaults, WithoutFaultsAllIsEqual) {
  const std::string file = record("a", "barriers");
  const auto outcome = replay(file, {});
  EXPECT_FALSE(outcome.divergence);
  EXPECT_EQ(outcome.packets, 202u);
  EXPECT_EQ(node_->kernel.kfd.holders().size(), 0u);  // the process is gone again
}

/// The name comes from the code object that the program has loaded.
TEST_F(ClientTrace, DispatchesHaveTheirKernelsNameAndTheQueueItsReadIndex) {
  const std::string file = (folder_ / "kernels.jsonl").string();
  const Outcome ran = run("run --node mi210 --trace '" + file +
                          "' -- '" ROCDRILL_CLIENTS "kernel_client' many '" ROCDRILL_CODE_OBJECTS
                          "saxpy_v4/gfx90a.co' 3 2>&1");
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const trace::Trace trace = read(file);
  std::size_t named = 0;
  std::uint64_t furthest = 0;
  for (const trace::Process& process : trace.processes) {
    for (const trace::Record& one : process.records) {
      if (one.type == trace::RecordType::packet && one.json.value("kernel", "") == "saxpy") ++named;
      if (one.json.contains("read_index"))
        furthest = std::max(furthest, trace::number_of(one.json, "read_index"));
    }
  }
  EXPECT_EQ(named, 3u);
  EXPECT_GE(furthest, 3u);
  const Outcome exported = run("trace export '" + file + "'");
  EXPECT_EQ(exported.exit_code, 0);
  const auto events = nlohmann::json::parse(exported.text).at("traceEvents");
  EXPECT_EQ(std::ranges::count_if(events,
                                  [](const nlohmann::json& event) {
                                    return event.at("ph") == "X" && event.at("name") == "saxpy";
                                  }),
            3);
}

}  // namespace
}  // namespace rocdrill
