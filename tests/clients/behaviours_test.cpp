// Behaviours that emulators are known to get wrong, through Debian's ROCr on nodes of two
// generations: tests/clients/programs/queue_client.c asks, and what hardware does is expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Behaviours : public testing::TestWithParam<const char*> {
 protected:
  /// Its "key value" lines.
  struct Run : Output {
    std::map<std::string, std::string> values;
    std::string operator[](const std::string& key) const {
      const auto at = values.find(key);
      return at == values.end() ? "(no " + key + ")" : at->second;
    }
  };
  Run client(const std::string& arguments, const std::string& environment = "") {
    Run run{rocdrill("run --node " + std::string(GetParam()) + " -- env " + environment +
                     " '" ROCDRILL_CLIENTS "queue_client' " + arguments),
            {}};
    std::istringstream lines(run.out);
    for (std::string key, value; lines >> key && std::getline(lines >> std::ws, value);)
      run.values[key] = value;
    return run;
  }
  Sessions sessions_;
};

#define EXPECT_ENDS_WELL(run)               \
  EXPECT_EQ((run).exit_code, 0) << run.err; \
  EXPECT_EQ((run)["done"], "1")

/// The slot's old value announces nothing, and does not hide that packet 0 was rung.
TEST_P(Behaviours, ARecycledDoorbell) {
  const Run run = client("recycle 5");
  EXPECT_ENDS_WELL(run);
  EXPECT_EQ(run["same_doorbell"], "4") << "no doorbell was recycled: nothing is proved";
  EXPECT_EQ(run["not_announced"], "5");
  EXPECT_EQ(run["work"], "15");
  EXPECT_EQ(run["error"], "0x0");
}

/// tests/clients/programs/ioctl_client.c has the same without ROCr.
TEST_P(Behaviours, WhatServesDoorbellsEndsWithTheLastQueue) {
  const Run run = client("threads");
  EXPECT_ENDS_WELL(run);
  EXPECT_EQ(run["value"], "0");
  EXPECT_THAT(run["with_queue"], testing::AnyOf("1", "2"));
  EXPECT_EQ(run["without"], "0");
}

TEST_P(Behaviours, AnUnknownVendorPacketStopsTheQueueAtIt) {
  const Run run = client("vendor");
  EXPECT_ENDS_WELL(run);
  for (const char* format : {"0", "3", "77", "255"}) {
    EXPECT_EQ(run["format." + std::string(format)], "before 0 error 0x1009 read_index 1 signal 1");
  }
}

TEST_P(Behaviours, ABarrierValuePacketWaitsForItsValue) {
  const Run run = client("barrier-value");
  EXPECT_ENDS_WELL(run);
  for (const char* condition : {"eq", "ne", "lt", "gte", "negative"})
    EXPECT_EQ(run["value." + std::string(condition)], "1 then 0") << condition;
  EXPECT_EQ(run["copy.held"], "1") << "the copy that it waits for has not begun";
  EXPECT_EQ(run["copy.done"], "0");
  EXPECT_EQ(run["copy.equal"], "1") << "it came before the copy's end";
  EXPECT_EQ(run["bit.clear"], "0");
  EXPECT_EQ(run["bit.set"], "1") << "the barrier bit was not honoured";
}

TEST_P(Behaviours, SdmaPacketsAreAsLongAsTheirFieldsSay) {
  const Run run = client("sdma");
  EXPECT_ENDS_WELL(run);
  EXPECT_EQ(run["completed"], "48");
  EXPECT_EQ(run["equal"], "1");
}

/// ROCr 5.2.3 as Debian built it asserts after its report.
TEST_P(Behaviours, AWildAddressEndsTheProcess) {
  for (const char* what : {"signal", "completion", "value", "read", "write"}) {
    const Run run = client("wild " + std::string(what));
    EXPECT_EQ(run.exit_code, 134) << what << run.out;
    EXPECT_THAT(run.err, ContainsRegex(
                             "Memory access fault by GPU node-1 \\(Agent handle: 0x[0-9a-f]+\\) on "
                             "address 0xdead0000000\\. Reason: Page not present or supervisor "
                             "privilege\\."))
        << what;
    EXPECT_THAT(run.out, Not(HasSubstr("value"))) << "it got zeros and went on";
  }
}

/// And the kernel's: the command processor reads, a copy engine reads or writes.
TEST_P(Behaviours, AWildAddressIsInTheKernelsLog) {
  const struct {
    const char *what, *hub, *client, *rw;
  } cases[] = {{"signal", "gfxhub0", "CPC (0x5)", "0x0"},
               {"completion", "gfxhub0", "CPC (0x5)", "0x1"},
               {"read", "mmhub0", "SDMA0 (0x100)", "0x0"},
               {"write", "mmhub0", "SDMA0 (0x100)", "0x1"}};
  for (const auto& is : cases) {
    const Output run = rocdrill("run --node " + std::string(GetParam()) +
                                " -- bash -c '\"" ROCDRILL_CLIENTS "queue_client\" wild " +
                                is.what + " >&2 & echo pid $!; wait $!; dmesg | tail -n 9'");
    EXPECT_THAT(
        run.out,
        ContainsRegex("pid ([0-9]+)\n.*\\[" + std::string(is.hub) +
                      "\\] no-retry page fault \\(src_id:0 ring:[0-9]+ vmid:3 pasid:[0-9]+, for "
                      "process queue_client pid [0-9]+ thread queue_client pid [0-9]+\\)\n"))
        << is.what;
    const std::string pid = run.out.substr(4, run.out.find('\n') - 4);
    EXPECT_THAT(run.out, HasSubstr("process queue_client pid " + pid + " thread"));
    EXPECT_THAT(run.out, HasSubstr("  in page starting at address 0x00000dead0000000 from"));
    EXPECT_THAT(run.out, HasSubstr(" Faulty UTCL2 client ID: " + std::string(is.client)));
    EXPECT_THAT(run.out, HasSubstr(" RW: " + std::string(is.rw)));
  }
}

/// Who has asked KFD for it is told of another process's fault.
TEST_P(Behaviours, AWildAddressIsAnSmiEvent) {
  const Output run =
      rocdrill("run --node " + std::string(GetParam()) +
               " -- bash -c 'events=$(mktemp); \"$0\" smi > $events & reader=$!; "
               "until grep -q ready $events; do sleep 0.05; done; "
               "\"$1\" wild signal >&2 & printf \"%x\n\" $!; wait $reader; cat $events; "
               "rm $events' '" ROCDRILL_IOCTL_CLIENT "' '" ROCDRILL_CLIENTS "queue_client'");
  const std::string pid = run.out.substr(0, run.out.find('\n'));
  EXPECT_THAT(run.out, HasSubstr("ready\n1 " + pid + ":queue_client\n")) << run.err;
}

/// Without interrupts nobody tells ROCr: its wait does not end, whatever else it has on the GPU.
TEST_P(Behaviours, AWildAddressThatNobodyIsToldOf) {
  const Run run = client("wild signal", "HSA_ENABLE_INTERRUPT=0");
  EXPECT_ENDS_WELL(run);
  EXPECT_EQ(run["value"], "1");
  EXPECT_EQ(run["other"], "1") << "KFD takes all queues of the process off the GPU";
  EXPECT_EQ(run["error"], "0x0");
}

INSTANTIATE_TEST_SUITE_P(Nodes, Behaviours, testing::Values("mi210", "mi100"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace rocdrill::test
