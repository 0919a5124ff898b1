// A packet with an address that no page table of the GPU has: what each layer makes of it.
// (tests/clients has the same through Debian's ROCr.)
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t nowhere = 0xDEAD0000000;

class MemoryFault : public testing::TestWithParam<const char*> {
 protected:
  void start(const Environment& variables = {}) {
    ProcessSpec spec = made->host().session();
    for (const auto& [name, value] : variables) spec.environment[name] = value;
    process = made->host().spawn(spec);
    auto opened = made->open_runtime(*process);
    ASSERT_TRUE(opened);
    runtime = std::move(*opened);
    gpu = runtime->agents().size() - 1;
  }
  std::unique_ptr<Queue> queue() {
    return std::move(*runtime->create_queue(
        gpu, {.size = 64, .on_error = [this](HsaStatus status) { errors.push_back(status); }}));
  }
  std::unique_ptr<Signal> signal() { return std::move(*runtime->create_signal(1)); }
  /// What the completion signal of a barrier packet shows after half a second.
  std::int64_t completes(Queue& on, std::uint64_t dependency = 0) {
    const auto done = signal();
    on.submit(aql::barrier_and({dependency}, done->handle()));
    return done->wait(SignalCondition::lt, 1, 500 * ms);
  }
  std::vector<EventId> events(std::string_view kind) const {
    return made->os.timeline.find({.kind_prefix = kind});
  }

  std::unique_ptr<sim::Node> made = booted(GetParam());
  std::unique_ptr<Process> process;
  std::unique_ptr<Runtime> runtime;
  std::vector<HsaStatus> errors;
  std::size_t gpu = 0;
};

TEST_P(MemoryFault, EndsTheProcessWithRocrsText) {
  start();
  const auto on = queue();
  ASSERT_FALSE(runtime->aborted());
  EXPECT_EQ(completes(*on, nowhere + 0x40), 1);
  ASSERT_TRUE(runtime->aborted());
  const RuntimeAbort ended = *runtime->aborted();
  EXPECT_THAT(ended.text, testing::ContainsRegex(fmt::format(
                              "^Memory access fault by GPU node-{} \\(Agent handle: 0x[0-9a-f]+\\) "
                              "on address 0xdead0000000\\. Reason: Page not present or supervisor "
                              "privilege\\.$",
                              runtime->agents()[gpu].node)));
  const EventView event = made->os.timeline.at(ended.event);
  EXPECT_EQ(event.kind, "hsa.aborted");
  EXPECT_EQ(event.layer, Layer::runtime);
  ASSERT_EQ(events("gpu.memory_fault").size(), 1u);
  EXPECT_EQ(event.cause, events("gpu.memory_fault").front());
  ASSERT_EQ(events("queue.failed").size(), 1u);
  EXPECT_EQ(made->os.timeline.at(events("queue.failed").front()).cause, event.cause);
}

/// Only the memory event tells of it: no queue's error, whatever KFD's era.
TEST_P(MemoryFault, IsNoQueueError) {
  start();
  const auto on = queue();
  completes(*on, nowhere + 0x40);
  EXPECT_THAT(errors, testing::IsEmpty());
  EXPECT_EQ(on->status(), HsaStatus::success);
  EXPECT_EQ(on->load_read_index(), 0u);
}

/// kfd_dqm_evict_pasid(): the process's other queues, old and new, do not run any more. Another
/// process's do.
TEST_P(MemoryFault, TakesAllQueuesOfTheProcessOffTheGpu) {
  const auto other_process = made->host().spawn(made->host().session());
  const auto other_runtime = std::move(*made->open_runtime(*other_process));
  start({{"HSA_ENABLE_INTERRUPT", "0"}});
  const auto before = queue();
  const auto on = queue();
  EXPECT_EQ(completes(*before), 0);
  EXPECT_EQ(completes(*on, nowhere + 0x40), 1);
  EXPECT_EQ(completes(*before), 1);
  EXPECT_EQ(completes(*queue()), 1);
  EXPECT_FALSE(runtime->aborted()) << "without interrupts nobody looks";
  const auto others = std::move(*other_runtime->create_queue(gpu, {}));
  const auto done = std::move(*other_runtime->create_signal(1));
  others->submit(aql::barrier_and({}, done->handle()));
  EXPECT_EQ(done->wait(SignalCondition::lt, 1, 500 * ms), 0);
}

TEST_P(MemoryFault, TheTextCanBeSilenced) {
  start({{"HSA_ENABLE_VM_FAULT_MESSAGE", "0"}});
  completes(*queue(), nowhere + 0x40);
  ASSERT_TRUE(runtime->aborted());
  EXPECT_EQ(runtime->aborted()->text, "");
}

/// The driver's lines, each value from the fault.
class VmFaultLog : public testing::Test {
 protected:
  std::vector<std::string> lines(const char* node_id, std::uint64_t wild, bool completion = false) {
    made = booted(node_id);
    const std::size_t before = made->os.dmesg.lines().size();
    ProcessSpec spec = made->host().session();
    spec.command = "wild-program-of-ada";  // longer than a task's name can be
    const auto process = made->host().spawn(spec);
    pid = process->pid();
    const auto runtime = std::move(*made->open_runtime(*process));
    const auto queue = std::move(*runtime->create_queue(runtime->agents().size() - 1, {}));
    const auto done = std::move(*runtime->create_signal(1));
    queue->submit(completion ? aql::barrier_and({}, wild) : aql::barrier_and({wild}, wild));
    done->wait(SignalCondition::lt, 1, 100 * ms);
    std::vector<std::string> said;
    for (std::size_t i = before; i < made->os.dmesg.lines().size(); ++i) {
      const auto& line = made->os.dmesg.lines()[i];
      EXPECT_EQ(line.level, 3);
      EXPECT_EQ(made->os.timeline.at(line.event).kind, "gpu.memory_fault");
      const std::string device = fmt::format("amdgpu {}: amdgpu: ", bdf());
      EXPECT_TRUE(line.text.starts_with(device)) << line.text;
      said.push_back(line.text.substr(std::min(device.size(), line.text.size())));
    }
    return said;
  }
  std::string bdf() const {
    const auto& gpus = made->board.gpus();
    // The runtime's last agent is the last node of the topology.
    return gpus[made->kernel.kfd.nodes().back().gpu].bdf.text();
  }
  std::string task() const {
    return fmt::format("process wild-program-of pid {} thread wild-program-of pid {}", pid, pid);
  }

  std::unique_ptr<sim::Node> made;
  int pid = 0;
};

TEST_F(VmFaultLog, OfGfx9InAKernelOf2022) {
  const auto said = lines("mi210", nowhere + 0x40);
  EXPECT_THAT(said,
              testing::ElementsAre("[gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 "
                                   "pasid:32769, for " +
                                       task() + ")",
                                   "  in page starting at address 0x00000dead0000000 from IH "
                                   "client 0x1b (UTCL2)",
                                   "VM_L2_PROTECTION_FAULT_STATUS:0x00300A30",
                                   "\t Faulty UTCL2 client ID: CPC (0x5)", "\t MORE_FAULTS: 0x0",
                                   "\t WALKER_ERROR: 0x0", "\t PERMISSION_FAULTS: 0x3",
                                   "\t MAPPING_ERROR: 0x0", "\t RW: 0x0"));
}

TEST_F(VmFaultLog, OfAWrite) {
  const auto said = lines("mi100", nowhere + 0x40, true);
  ASSERT_EQ(said.size(), 9u);
  EXPECT_THAT(said[0], testing::HasSubstr("ring:40 vmid:3"));
  EXPECT_EQ(said[2], "VM_L2_PROTECTION_FAULT_STATUS:0x00340A50");
  EXPECT_EQ(said[6], "\t PERMISSION_FAULTS: 0x5");
  EXPECT_EQ(said[8], "\t RW: 0x1");
}

/// Several dies, and a driver that gives the process a line of its own.
TEST_F(VmFaultLog, OfMi300xInADriverOf2024) {
  const auto said = lines("mi300x-8", nowhere + 0x40);
  EXPECT_THAT(
      said,
      testing::ElementsAre(
          "[gfxhub0] no-retry page fault (src_id:0 ring:0 vmid:3 pasid:32769)",
          " for " + task() + ")",
          "  in page starting at address 0x00000dead0000000 from IH client 0x1b (UTCL2)",
          "  cookie node_id 1 fault from die AID0.XCD0", "VM_L2_PROTECTION_FAULT_STATUS:0x00300A30",
          "\t Faulty UTCL2 client ID: CPC (0x5)", "\t MORE_FAULTS: 0x0", "\t WALKER_ERROR: 0x0",
          "\t PERMISSION_FAULTS: 0x3", "\t MAPPING_ERROR: 0x0", "\t RW: 0x0"));
}

TEST_F(VmFaultLog, OfGfx10) {
  const auto said = lines("gfx1030", nowhere + 0x40);
  ASSERT_EQ(said.size(), 9u);
  EXPECT_EQ(said[0],
            "[gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32769, for " + task() + ")");
  EXPECT_EQ(said[1], "  in page starting at address 0x00000dead0000000 from client 0x1b (UTCL2)");
  EXPECT_EQ(said[2], "GCVM_L2_PROTECTION_FAULT_STATUS:0x00800A30");
}

/// What a process part tells of its copy engines' queues.
class VmFaultClients : public VmFaultLog {
 protected:
  std::vector<std::string> sdma_lines(const char* node_id, std::uint32_t queues,
                                      kfd::QueueType type, kernel::PageFault fault) {
    made = booted(node_id);
    kernel::Kfd& kfd = made->kernel.kfd;
    pid = 4711;
    made->os.processes[pid] = {"copier", 1000};
    fault.gpu_id = kfd.nodes().front().gpu_id;
    EXPECT_TRUE(kfd.attach(pid, fault.gpu_id));
    kfd.set_thread(pid, fault.gpu_id, 4713, "copier:w1");
    for (std::uint32_t i = 0; i < queues; ++i) {
      const auto index = kfd.take_doorbell(
          pid, fault.gpu_id,
          {.id = i, .type = static_cast<std::uint32_t>(type), .ring_bytes = 4096});
      EXPECT_TRUE(index);
      fault.doorbell = index.value_or(0);
    }
    const std::size_t before = made->os.dmesg.lines().size();
    fault.by.unit = cp::Unit::copy_engine;
    kfd.page_fault(pid, fault);
    std::vector<std::string> said;
    for (std::size_t i = before; i < made->os.dmesg.lines().size(); ++i)
      said.push_back(made->os.dmesg.lines()[i].text);
    return said;
  }
};

TEST_F(VmFaultClients, NamesTheEngineAndTheThread) {
  const auto said = sdma_lines("mi210", 2, kfd::QueueType::sdma, {.address = nowhere, .by = {}});
  ASSERT_EQ(said.size(), 9u);
  EXPECT_THAT(said[0], testing::HasSubstr("[mmhub0] no-retry page fault (src_id:0 ring:24 vmid:3 "
                                          "pasid:32769, for process copier pid 4711 thread "
                                          "copier:w1 pid 4713)"));
  EXPECT_THAT(said[1], testing::HasSubstr("from IH client 0x12 (VMC)"));
  EXPECT_THAT(said[2], testing::HasSubstr("VM_L2_PROTECTION_FAULT_STATUS:0x00320230"));
  EXPECT_THAT(said[3], testing::HasSubstr("Faulty UTCL2 client ID: SDMA1 (0x101)"));
}

/// Engines for xGMI come after those for PCIe; Arcturus has its last three at another hub.
TEST_F(VmFaultClients, NamesXgmiEngines) {
  const auto said =
      sdma_lines("mi100", 4, kfd::QueueType::sdma_xgmi, {.address = nowhere, .by = {}});
  ASSERT_EQ(said.size(), 9u);
  EXPECT_THAT(said[0], testing::HasSubstr("[mmhub1]"));
  EXPECT_THAT(said[1], testing::HasSubstr("from IH client 0x6 (VMC1 or PCIE0)"));
  EXPECT_THAT(said[3], testing::HasSubstr("SDMA5 (0x105)"));
  EXPECT_THAT(sdma_lines("gfx1030", 1, kfd::QueueType::sdma, {.address = nowhere, .by = {}})[3],
              testing::HasSubstr("SDMA0 (0xd)"));
  const auto die =
      sdma_lines("mi300x-8", 5, kfd::QueueType::sdma_xgmi, {.address = nowhere, .by = {}});
  EXPECT_THAT(die[3], testing::HasSubstr("cookie node_id 4 fault from die AID1"));
  EXPECT_THAT(die[5], testing::HasSubstr("SDMA2 (0x102)"));
}

TEST_F(VmFaultClients, SaysWhichPermissionIsMissing) {
  const auto said = sdma_lines(
      "mi210", 1, kfd::QueueType::sdma,
      {.address = nowhere + 0x123, .access = cp::Access::write, .mapped = true, .by = {}});
  ASSERT_EQ(said.size(), 9u);
  EXPECT_THAT(said[0], testing::HasSubstr("ring:32"));
  EXPECT_THAT(said[1], testing::HasSubstr("address 0x00000dead0000000 "));
  EXPECT_THAT(said[6], testing::HasSubstr("PERMISSION_FAULTS: 0x4"));
  EXPECT_THAT(said[8], testing::HasSubstr("RW: 0x1"));
}

/// Waves ask through three caches, and on any XCD.
TEST_F(VmFaultClients, NamesTheCacheAndTheDie) {
  made = booted("mi300x-8");
  kernel::Kfd& kfd = made->kernel.kfd;
  const std::uint32_t gpu_id = kfd.nodes().front().gpu_id;
  ASSERT_TRUE(kfd.attach(4711, gpu_id));
  const struct {
    cp::Unit unit;
    std::uint32_t xcc;
    const char *client, *die;
  } cases[] = {
      {cp::Unit::command_processor, 0, "CPC (0x5)", "node_id 1 fault from die AID0.XCD0"},
      {cp::Unit::vector_cache, 1, "TCP (0x8)", "node_id 2 fault from die AID0.XCD1"},
      {cp::Unit::instruction_cache, 5, "SQC (inst) (0x9)", "node_id 10 fault from die AID2.XCD1"},
      {cp::Unit::scalar_cache, 6, "SQC (data) (0xa)", "node_id 13 fault from die AID3.XCD0"}};
  for (const auto& is : cases) {
    const std::size_t before = made->os.dmesg.lines().size();
    kfd.page_fault(4711, {.gpu_id = gpu_id, .address = nowhere, .by = {is.unit, is.xcc}});
    std::string said;
    for (std::size_t i = before; i < made->os.dmesg.lines().size(); ++i)
      said += made->os.dmesg.lines()[i].text + "\n";
    EXPECT_THAT(said, testing::HasSubstr(is.client));
    EXPECT_THAT(said, testing::HasSubstr(is.die));
  }
}

/// Each process its address space; what comes too often is counted, not printed.
TEST_F(VmFaultClients, IsRateLimited) {
  sdma_lines("mi210", 1, kfd::QueueType::sdma, {.address = nowhere, .by = {}});
  kernel::Kfd& kfd = made->kernel.kfd;
  const std::uint32_t gpu_id = kfd.nodes().front().gpu_id;
  ASSERT_TRUE(kfd.attach(4800, gpu_id));
  const auto count = [&](std::string_view what) {
    return std::ranges::count_if(made->os.dmesg.lines(), [&](const auto& line) {
      return line.text.find(what) != std::string::npos;
    });
  };
  for (int i = 0; i < 20; ++i)
    kfd.page_fault(4800, {.gpu_id = gpu_id, .address = nowhere, .by = {}});
  EXPECT_EQ(count("no-retry page fault"), 10);
  EXPECT_EQ(count("vmid:4 pasid:32770"), 9);
  made->os.clock.advance(6'000 * ms);
  kfd.page_fault(4800, {.gpu_id = gpu_id, .address = nowhere, .by = {}});
  EXPECT_EQ(count("gmc_v9_0_process_interrupt: 11 callbacks suppressed"), 1);
  EXPECT_EQ(count("no-retry page fault"), 11);
}

// Without and with KFD's exceptions.
INSTANTIATE_TEST_SUITE_P(
    Nodes, MemoryFault, testing::Values("mi210", "mi300x-8"), [](const auto& info) {
      return std::string(info.param).substr(0, std::string_view(info.param).find('-'));
    });

}  // namespace
}  // namespace rocdrill::test
