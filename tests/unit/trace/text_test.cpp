#include "sim/interpose/trace/text.hpp"

#include <gmock/gmock.h>

#include <random>

#include "sim/interpose/trace/names.hpp"
#include "unit/trace/recording.hpp"

namespace rocdrill::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string text(const Trace& trace, const TextOptions& options = {}) {
  std::vector<ProcessText> all;
  for (const Process& process : trace.processes) all.push_back(describe(process, options));
  return text_of(all);
}

TEST(Text, IsTheSameForTwoRuns) {
  Recording first({.pid = 100});
  Recording second({.pid = 4711, .base = 0x7eee'0000'0000, .handles = 0x6f5d'0000'0100, .waits = 5},
                   "b.jsonl");
  small_program(first);
  small_program(second);
  EXPECT_EQ(text(first.trace()), text(second.trace()));
  EXPECT_FALSE(first_difference(first.trace(), second.trace()));
  EXPECT_NE(text(first.trace(), {.times = true}), text(second.trace(), {.times = true}));
}

TEST(Text, NamesAndSections) {
  Recording recording({});
  small_program(recording);
  const Trace trace = recording.trace();
  const ProcessText process = describe(trace.processes[0]);
  ASSERT_EQ(process.sections.size(), 4u);
  // The second thread's buffer is named last, though it came second.
  EXPECT_THAT(
      process.sections[0].lines[0],
      HasSubstr(
          "ALLOC_MEMORY_OF_GPU gpu_id=gpu0 va_addr=A1 size=4096 flags=GTT|WRITABLE -> handle=h1"));
  EXPECT_THAT(process.sections[0].lines[1], HasSubstr("va_addr=A2"));
  EXPECT_THAT(process.sections[0].lines[2], HasSubstr("ring_base_address=A2 ring_size=4096"));
  EXPECT_EQ(process.sections[1].title, "thread 1");
  EXPECT_THAT(process.sections[1].lines, ElementsAre(HasSubstr("va_addr=A4")));
  EXPECT_EQ(process.sections[2].title, "queue 0: AQL, gpu0");
  EXPECT_THAT(
      process.sections[2].lines,
      ElementsAre(
          HasSubstr("0 BARRIER_AND acquire=2 release=2 completion=s1 event=5; completed"),
          HasSubstr("1 BARRIER_AND acquire=2 release=2 dep0=s1 completion=s2 event=5; completed"),
          HasSubstr("completion=s1")));
  EXPECT_THAT(process.sections[3].lines, ElementsAre("event 5: 1 time"));
}

TEST(Text, WhatDependsOnTimeIsShownOnRequest) {
  Recording recording({});
  small_program(recording);
  EXPECT_THAT(text(recording.trace()), Not(HasSubstr("WAIT_EVENTS")));
  EXPECT_THAT(text(recording.trace()), Not(HasSubstr("doorbell 2")));
  const std::string timed = text(recording.trace(), {.times = true});
  EXPECT_THAT(timed, HasSubstr("WAIT_EVENTS"));
  EXPECT_THAT(timed, HasSubstr("doorbell 2"));
  EXPECT_THAT(timed, HasSubstr("pid 100"));
}

TEST(Text, DoesNotDependOnHowQueuesMix) {
  const auto packet = [](Recording& to, std::uint32_t queue, std::uint64_t signal) {
    const aql::Packet barrier = aql::barrier_and({}, RunValues().base + signal);
    PacketNote note;
    note.type = "packet";
    note.queue = queue;
    note.bytes = barrier.bytes;
    to.writer().write(packet_record(note));
  };
  Recording first({});
  Recording second({}, "b.jsonl");
  packet(first, 0, 0x40);
  packet(first, 1, 0x80);
  packet(second, 1, 0x80);
  packet(second, 0, 0x40);
  EXPECT_EQ(text(first.trace()), text(second.trace()));
}

TEST(Names, AnAddressBelongsToTheBufferThatIsThereThen) {
  Recording recording({});
  small_program(recording);
  const Trace trace = recording.trace();
  const Process& process = trace.processes[0];
  Names names(process);
  const std::uint64_t address = RunValues().base + 0x1040;
  EXPECT_EQ(names.address(address, process.records[1].seq), "A1+0x40");
  EXPECT_EQ(names.address(address, process.records.back().seq), "A3+0x40");
  EXPECT_EQ(names.address(RunValues().base + 0x1900, process.records.back().seq),
            "X1");  // behind A3
  EXPECT_EQ(names.address(0x5000, 1), "X2");
  EXPECT_EQ(names.address(0x5000, 9), "X2");
  EXPECT_EQ(names.address(0, 9), "0");
  EXPECT_EQ(names.gpu(28509), "gpu0");
  EXPECT_EQ(names.gpu(1), "1");
}

TEST(Names, AllocFlags) {
  EXPECT_EQ(alloc_flags(0xd6000004), "USERPTR|UNCACHED|COHERENT|NO_SUBSTITUTE|EXECUTABLE|WRITABLE");
  EXPECT_EQ(alloc_flags(0x20), "0x20");
}

TEST(Text, OfADamagedTraceIsAnErrorAtMost) {
  Recording recording({});
  small_program(recording);
  const std::string whole = recording.text();
  std::mt19937 random(7);
  std::size_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 2; ++k)
      damaged[random() % damaged.size()] = "0123456789{}[]\",:x"[random() % 18];
    const auto trace = parse(damaged);
    if (!trace) continue;
    ++read;
    try {
      EXPECT_NE(text(*trace, {.times = true}), "");
    } catch (const Json::exception&) {  // said by the command
    }
  }
  EXPECT_GT(read, 100u);
}

TEST(Difference, NamesTheFirstPlace) {
  Recording first({});
  Recording second({.pid = 200}, "b.jsonl");
  small_program(first);
  small_program(second);
  second.barrier(3, 0, 0x1040);
  const auto longer = first_difference(first.trace(), second.trace());
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->where, "process 1, queue 0: AQL, gpu0, line 4");
  EXPECT_EQ(longer->before.size(), 3u);
  EXPECT_EQ(longer->left, "");
  EXPECT_THAT(longer->right, HasSubstr("3 BARRIER_AND"));

  Recording third({}, "c.jsonl");
  third.alloc(0x1000, 0x2000, 0);
  const auto early = first_difference(first.trace(), third.trace());
  ASSERT_TRUE(early);
  EXPECT_EQ(early->where, "process 1, thread 0, line 1");
  EXPECT_THAT(early->left, HasSubstr("size=4096"));
  EXPECT_THAT(early->right, HasSubstr("size=8192"));
}

TEST(Difference, ErrorsAndReplies) {
  const auto record = [](Recording& to, std::uint32_t minor, int error) {
    to.ioctl(kfd::Ioctl::get_version, kfd::GetVersionArgs{}, kfd::GetVersionArgs{1, minor}, error);
  };
  Recording first({});
  Recording other({}, "b.jsonl");
  Recording failed({}, "c.jsonl");
  record(first, 14, 0);
  record(other, 17, 0);
  record(failed, 14, EINVAL);
  EXPECT_THAT(first_difference(first.trace(), other.trace())->right, HasSubstr("minor_version=17"));
  EXPECT_THAT(first_difference(first.trace(), failed.trace())->right,
              HasSubstr("GET_VERSION -> EINVAL"));
}

TEST(Difference, NumberOfProcesses) {
  Recording first({});
  Recording second({}, "b.jsonl");
  auto child = Writer::open(second.file(), {101, "client", "1.14", {{28509, 128, 90010}}});
  ASSERT_TRUE(child);
  const auto found = first_difference(first.trace(), second.trace());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->right, "2 processes");
}

}  // namespace
}  // namespace rocdrill::trace
