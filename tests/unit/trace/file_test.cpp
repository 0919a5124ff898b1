#include <gmock/gmock.h>
#include <sys/wait.h>

#include <thread>

#include "unit/trace/recording.hpp"

namespace rocdrill::trace {
namespace {

using testing::HasSubstr;

TEST(Writer, SaysWhyAFileCannotBeWritten) {
  const auto absent = Writer::open("/nonexistent/trace.jsonl", {});
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error(), HasSubstr("/nonexistent/trace.jsonl: No such file"));
  const auto full = Writer::open("/dev/full", {});
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error(), HasSubstr("No space left"));
}

TEST(Writer, ThreadsAndProcessesShareAFile) {
  const std::string file = temporary_file("shared.jsonl");
  constexpr int processes = 4, threads = 2, records = 200;
  for (int p = 0; p < processes; ++p) {
    if (::fork() != 0) continue;
    auto writer = Writer::open(file, {::getpid(), "client", "1.14", {}});
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        for (int i = 0; i < records; ++i) (*writer)->write(doorbell_record(0, 1));
      });
    }
    for (std::thread& thread : all) thread.join();
    std::_Exit(0);
  }
  for (int p = 0; p < processes; ++p) ::wait(nullptr);
  const auto trace = parse(read_all(file));
  std::filesystem::remove(file);
  ASSERT_TRUE(trace) << trace.error().text(file);
  ASSERT_EQ(trace->processes.size(), processes);
  for (const Process& process : trace->processes)
    EXPECT_EQ(process.records.size(), threads * records);
}

TEST(Reader, GivesBackWhatWasWritten) {
  Recording recording({.pid = 77});
  small_program(recording);
  const Trace trace = recording.trace();
  ASSERT_EQ(trace.processes.size(), 1u);
  const Process& process = trace.processes[0];
  EXPECT_EQ(process.pid, 77);
  EXPECT_EQ(process.command, "client");
  EXPECT_EQ(process.kfd, "1.14");
  EXPECT_THAT(process.gpus, testing::ElementsAre(28509));
  EXPECT_EQ(process.records.front().type, RecordType::ioctl);
  EXPECT_EQ(process.records.back().type, RecordType::doorbell);
  EXPECT_EQ(number_of(process.records[0].json.at("in"), "va_addr"), 0x7f00'0000'1000u);
}

TEST(Reader, AnExecBeginsAnotherProcess) {
  Recording first({.pid = 7}, "exec.jsonl");
  first.wait();
  auto second = Writer::open(first.file(), {7, "other", "1.14", {}});
  ASSERT_TRUE(second);
  (*second)->write(signalled_record(1));
  const Trace trace = first.trace();
  ASSERT_EQ(trace.processes.size(), 2u);
  EXPECT_EQ(trace.processes[1].command, "other");
  EXPECT_EQ(trace.processes[1].records.size(), 1u);
}

TEST(Reader, EveryCutIsFoundOrLeavesWholeLines) {
  Recording recording({});
  small_program(recording);
  const std::string text = recording.text();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto parsed = parse(std::string_view(text).substr(0, length));
    const bool whole = length > 0 && text[length - 1] == '\n';
    ASSERT_EQ(parsed.has_value(), whole) << length;
    if (!whole && length > 0) {
      EXPECT_THAT(parsed.error().text("f"), HasSubstr("not complete"));
    }
  }
}

std::string damage(const std::string& text) {
  const auto parsed = parse(text);
  return parsed ? "no damage" : parsed.error().text("f");
}

const std::string header =
    R"({"schema_version":1,"minor_version":0,"pid":1,"command":"c","node":{"kfd":"1.14","gpus":[]}})"
    "\n";

TEST(Reader, SaysWhichLineIsWrong) {
  EXPECT_THAT(damage(""), HasSubstr("an empty file is no trace"));
  EXPECT_THAT(damage("hello\n"), HasSubstr("f:1: not JSON"));
  EXPECT_THAT(damage(header + "{\"type\":\n"), HasSubstr("f:2: not JSON"));
  EXPECT_THAT(damage("[1]\n"), HasSubstr("f:1: 'pid' is missing"));
  EXPECT_THAT(damage(header + R"({"type":"doorbell","seq":1,"pid":2,"queue":0,"value":1})"
                              "\n"),
              HasSubstr("process 2 has no first record"));
  EXPECT_THAT(damage(header + R"({"type":"doorbell","seq":1,"pid":1,"queue":0})"
                              "\n"),
              HasSubstr("f:2: 'value' is missing"));
  EXPECT_THAT(damage(header + R"({"type":"doorbell","seq":2,"pid":1,"queue":0,"value":1})"
                              "\n"),
              HasSubstr("record 2 of process 1 follows record 0"));
  EXPECT_THAT(
      damage(header +
             R"({"type":"packet","seq":1,"pid":1,"queue":0,"index":0,"kind":"aql","bytes":"00"})"
             "\n"),
      HasSubstr("64 bytes"));
  EXPECT_THAT(damage(header + R"({"type":"ioctl","seq":1,"pid":1,"thread":1,"errno":0,"name":"X"})"
                              "\n"),
              HasSubstr("there is no ioctl 'X'"));
  EXPECT_THAT(damage(R"({"schema_version":2,"pid":1})"
                     "\n"),
              HasSubstr("this rocdrill reads version 1"));
}

TEST(Reader, SkipsWhatItDoesNotKnowOnlyOfANewerMinorVersion) {
  const std::string unknown = R"({"type":"wave","seq":1,"pid":1})"
                              "\n";
  EXPECT_THAT(damage(header + unknown), HasSubstr("unknown record 'wave'"));
  std::string newer = header;
  newer.replace(newer.find("\"minor_version\":0"), 17, "\"minor_version\":9");
  const auto parsed = parse(newer + unknown +
                            R"({"type":"signalled","seq":2,"pid":1,"event_id":4})"
                            "\n");
  ASSERT_TRUE(parsed) << parsed.error().text("f");
  EXPECT_EQ(parsed->processes[0].records.size(), 1u);
  ASSERT_EQ(parsed->warnings.size(), 1u);
  EXPECT_THAT(parsed->warnings[0], HasSubstr("line 2"));
}

}  // namespace
}  // namespace rocdrill::trace
