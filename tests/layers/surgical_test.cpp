// Faults for those who write drivers and runtimes: what the runtime sees of each, and that the
// chain of causes begins at the fault. (tests/clients does the same with the real runtime.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using sim::FaultUse;
using testing::HasSubstr;

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t ms = 1'000'000;

/// A running MI210 and a process with a runtime on it.
class Surgical : public testing::Test {
 protected:
  void inject(const FaultUse& use) { fault = made->inject(use); }

  void start() {
    process = made->host().spawn(made->host().session());
    auto opened = made->open_runtime(*process);
    ASSERT_TRUE(opened) << name(opened.error().status);
    runtime = std::move(*opened);
  }
  static QueueOptions options() {
    QueueOptions options;
    options.size = 64;
    return options;
  }
  std::size_t gpu() const { return runtime->agents().size() - 1; }
  std::unique_ptr<Queue> queue() {
    if (!runtime) start();
    auto created = runtime->create_queue(gpu(), options());
    return created ? std::move(*created) : nullptr;
  }
  std::unique_ptr<Signal> signal(std::int64_t value = 1) {
    return std::move(*runtime->create_signal(value));
  }
  static aql::Packet barrier(std::uint64_t done, std::uint64_t dependency = 0) {
    aql::Barrier body{};
    body.dep_signal[0] = dependency;
    body.completion_signal = done;
    body.header = aql::Header::make(aql::PacketType::barrier_and, true).bits;
    return aql::Packet(body);
  }
  std::int64_t completes(Queue& on, std::uint64_t timeout = second) {
    const auto done = signal();
    on.submit(barrier(done->handle()));
    return done->wait(SignalCondition::eq, 0, timeout);
  }
  EventId last(std::string_view kind) const {
    const auto found = made->os.timeline.find({.kind_prefix = std::string(kind)});
    return found.empty() ? no_event : found.back();
  }
  /// The event of this kind is there, and the fault is its direct cause.
  void expect_effect(std::string_view kind) const {
    const EventId event = last(kind);
    ASSERT_NE(event, no_event) << kind;
    EXPECT_EQ(made->os.timeline.at(event).cause, fault) << kind;
  }
  std::uint64_t now() const { return made->os.clock.now(); }

  std::unique_ptr<sim::Node> made = booted("mi210");
  EventId fault = no_event;
  std::unique_ptr<Process> process;
  std::unique_ptr<Runtime> runtime;
};

FaultUse use(const char* id, const char* what, std::int64_t nth = 1) {
  return {id, {{"what", std::string(what)}, {"nth", nth}}};
}

FaultUse ioctl(const char* which, std::int64_t nth, const char* error) {
  return {"ioctl", {{"ioctl", std::string(which)}, {"nth", nth}, {"errno", std::string(error)}}};
}

TEST_F(Surgical, TheThirdQueueFailsAndTheOthersWork) {
  inject(ioctl("create_queue", 3, "enomem"));
  start();
  std::vector<std::unique_ptr<Queue>> queues;
  for (int i = 1; i <= 4; ++i) {
    auto created = runtime->create_queue(gpu(), options());
    ASSERT_EQ(created.has_value(), i != 3) << i;
    if (created) {
      queues.push_back(std::move(*created));
      continue;
    }
    EXPECT_EQ(created.error().status, HsaStatus::out_of_resources);
    const EventView event = made->os.timeline.at(created.error().event);
    EXPECT_EQ(event.kind, "ioctl.injected");
    EXPECT_EQ(event.subject, "AMDKFD_IOC_CREATE_QUEUE");
    EXPECT_EQ(event.text(field::status), "ENOMEM");
    EXPECT_EQ(event.cause, fault);
  }
  for (const auto& one : queues) EXPECT_EQ(completes(*one), 0);
}

TEST_F(Surgical, FailuresOfIoctlsAddUp) {
  inject(ioctl("AMDKFD_IOC_CREATE_QUEUE", 1, "ENOMEM"));
  inject(ioctl("CREATE_QUEUE", 2, "EINVAL"));
  EXPECT_EQ(queue(), nullptr);
  EXPECT_EQ(queue(), nullptr);
  EXPECT_EQ(made->os.timeline.at(last("ioctl.injected")).text(field::status), "EINVAL");
  EXPECT_EQ(made->os.timeline.at(last("ioctl.injected")).cause, fault);
  EXPECT_NE(queue(), nullptr);
}

TEST_F(Surgical, ALateIoctlSucceeds) {
  inject({"ioctl", {{"ioctl", std::string("CREATE_QUEUE")}, {"delay_us", std::int64_t{5000}}}});
  start();
  const std::uint64_t begin = now();
  EXPECT_NE(queue(), nullptr);
  EXPECT_EQ(now() - begin, 5 * ms);
  EXPECT_EQ(made->os.timeline.at(last("ioctl.injected")).severity, Severity::warning);
}

TEST_F(Surgical, AnIoctlThatIsNotModelledCanFailToo) {
  inject(ioctl("ALLOC_QUEUE_GWS", 1, "EPERM"));
  start();
  char buffer[64] = {};
  const int fd = *process->open("/dev/kfd", 2);
  const auto asked = process->ioctl(fd, kfd::make_request(kfd::Ioctl::alloc_queue_gws), buffer);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().error, EPERM);
  EXPECT_EQ(made->os.timeline.at(asked.error().event).cause, fault);
}

TEST_F(Surgical, ALostDoorbellHealsWithTheNext) {
  inject(use("doorbell", "lost"));
  const auto on = queue();
  const auto first = signal();
  on->submit(barrier(first->handle()));
  const std::uint64_t begin = now();
  EXPECT_EQ(first->wait(SignalCondition::eq, 0, 10 * ms), 1);
  EXPECT_EQ(now() - begin, 10 * ms);
  expect_effect("doorbell.lost");
  EXPECT_EQ(completes(*on), 0);
  EXPECT_EQ(first->load(), 0);
}

TEST_F(Surgical, ADoorbellThatComesTwiceDoesNoHarm) {
  inject(use("doorbell", "duplicated", 0));
  const auto on = queue();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(completes(*on), 0);
  EXPECT_EQ(on->load_read_index(), 100u);
  EXPECT_EQ(on->status(), HsaStatus::success);
  expect_effect("doorbell.duplicated");
}

TEST_F(Surgical, ALateDoorbellIsSeenWhenItComes) {
  inject({"doorbell", {{"what", std::string("delayed")}, {"delay_us", std::int64_t{20'000}}}});
  const auto on = queue();
  const auto done = signal();
  on->submit(barrier(done->handle()));
  const std::uint64_t begin = now();
  EXPECT_EQ(done->wait(SignalCondition::eq, 0, 5 * ms), 1);
  EXPECT_EQ(done->wait(SignalCondition::eq, 0, UINT64_MAX), 0);
  EXPECT_EQ(now() - begin, 20 * ms);
  expect_effect("doorbell.delayed");
}

TEST_F(Surgical, ALostCompletionLetsTheWaiterWait) {
  inject(use("completion", "lost"));
  const auto on = queue();
  EXPECT_EQ(completes(*on), 1);
  EXPECT_EQ(on->load_read_index(), 1u) << "the packet itself is done";
  expect_effect("completion.lost");
  EXPECT_EQ(completes(*on), 0);
}

TEST_F(Surgical, LateCompletionsComeAllOfThem) {
  inject({"completion",
          {{"what", std::string("late")},
           {"nth", std::int64_t{0}},
           {"delay_us", std::int64_t{3000}}}});
  const auto on = queue();
  const auto first = signal();
  const auto second_one = signal();
  on->submit(barrier(first->handle()));
  on->submit(barrier(second_one->handle()));
  const std::uint64_t begin = now();
  EXPECT_EQ(first->wait(SignalCondition::eq, 0, ms), 1);
  EXPECT_EQ(first->wait(SignalCondition::eq, 0, second), 0);
  EXPECT_EQ(second_one->wait(SignalCondition::eq, 0, second), 0);
  EXPECT_EQ(now() - begin, 3 * ms);
  expect_effect("completion.late");
}

TEST_F(Surgical, ACompletionThatComesTwiceTakesAReusedSignalTooFar) {
  inject(use("completion", "twice"));
  const auto on = queue();
  const auto shared = signal(2);
  on->submit(barrier(shared->handle()));
  EXPECT_EQ(shared->wait(SignalCondition::eq, 0, second), 0) << "though one packet is missing";
  on->submit(barrier(shared->handle()));
  EXPECT_EQ(shared->load(), -1);
  expect_effect("completion.twice");
}

TEST_F(Surgical, ALostInterruptIsNoLostCompletion) {
  inject(use("interrupt", "lost"));
  const auto on = queue();
  const auto done = signal();
  on->submit(barrier(done->handle()));
  EXPECT_EQ(done->load(), 0) << "memory is right";
  expect_effect("interrupt.lost");
}

TEST_F(Surgical, APacketReadBeforeItsBodyDoesNotWait) {
  inject(use("packet", "header-before-body"));
  const auto on = queue();
  const auto never = signal();
  const auto done = signal();
  on->submit(barrier(done->handle(), never->handle()));
  EXPECT_EQ(on->load_read_index(), 1u) << "its dependency read as none";
  EXPECT_EQ(done->load(), 1) << "and so did its completion signal";
  expect_effect("packet.header_before_body");
}

TEST_F(Surgical, ADispatchReadBeforeItsBodyFailsForThatReason) {
  inject(use("packet", "header-before-body"));
  const auto on = queue();
  aql::KernelDispatch body{};
  body.workgroup_size_x = body.workgroup_size_y = body.workgroup_size_z = 1;
  body.grid_size_x = body.grid_size_y = body.grid_size_z = 1;
  body.header = aql::Header::make(aql::PacketType::kernel_dispatch).bits;
  body.setup = 1;
  on->submit(aql::Packet(body));
  EXPECT_EQ(on->status(), HsaStatus::invalid_argument) << name(on->status());
  ASSERT_NE(last("queue.failed"), no_event);
  const auto chain = scenarios::explain(made->os.timeline, last("queue.failed"));
  EXPECT_EQ(
      kinds(made->os.timeline, chain),
      (std::vector<std::string>{"fault.injected", "packet.header_before_body", "queue.failed"}));
}

TEST_F(Surgical, AnIgnoredBarrierBitOvertakes) {
  for (const bool broken : {false, true}) {
    if (broken) inject(use("packet", "barrier-bit-ignored", 2));
    const auto on = queue();
    aql::AgentDispatch body{};
    body.header = aql::Header::make(aql::PacketType::agent_dispatch).bits;
    on->submit(aql::Packet(body));  // in flight: nobody serves it
    EXPECT_EQ(completes(*on), broken ? 0 : 1);
  }
  expect_effect("packet.barrier_bit_ignored");
}

TEST_F(Surgical, AReadIndexThatStandsStillLooksLikeAFullRing) {
  inject({"ring-overrun", {{"nth", std::int64_t{10}}}});
  const auto on = queue();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(completes(*on), 0);
  EXPECT_EQ(on->load_read_index(), 9u);
  EXPECT_EQ(on->load_write_index(), 64u) << "9 slots seem free, though all are";
  expect_effect("ring.read_index_stuck");
}

TEST_F(Surgical, DoorbellsRunOut) {
  inject({"doorbells-exhausted", {{"queues", std::int64_t{2}}}});
  const auto first = queue();
  auto second_one = queue();
  EXPECT_NE(second_one, nullptr);
  auto third = runtime->create_queue(gpu(), options());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().status, HsaStatus::out_of_resources);
  EXPECT_EQ(third.error().event, last("doorbells.exhausted"));
  expect_effect("doorbells.exhausted");
  second_one.reset();
  EXPECT_NE(queue(), nullptr) << "one is free again";
}

TEST_F(Surgical, DescriptorsRunOut) {
  inject({"open", {}});
  process = made->host().spawn(made->host().session());
  auto refused = made->open_runtime(*process);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, HsaStatus::out_of_resources);
  const auto chain = scenarios::explain(made->os.timeline, refused.error().event);
  EXPECT_EQ(kinds(made->os.timeline, chain),
            (std::vector<std::string>{"fault.injected", "open.injected", "device.open_failed",
                                      "hsa.init_failed"}));
  EXPECT_EQ(made->os.timeline.at(chain[1]).text(field::status), "EMFILE");
  start();
}

TEST_F(Surgical, AQueueThatExistsGetsThemAndIsRidOfThem) {
  const auto on = queue();
  EXPECT_EQ(completes(*on), 0);
  inject(use("completion", "lost", 0));
  EXPECT_EQ(completes(*on, ms), 1);
  EXPECT_EQ(completes(*on, ms), 1);
  EXPECT_EQ(made->os.timeline.at(made->clear("completion")).kind, "fault.cleared");
  EXPECT_EQ(completes(*on, ms), 0);
}

TEST_F(Surgical, EachOfThemIsClearedAlone) {
  for (const sim::Fault* each : sim::FaultRegistry::instance().all()) {
    const sim::FaultInfo& info = each->info();
    if (!info.surgical) {
      EXPECT_THROW(made->clear(info.id), std::invalid_argument);
      continue;
    }
    EXPECT_THROW(made->clear(info.id), std::invalid_argument) << info.id << " is not there yet";
    FaultUse one{info.id, {}};
    if (info.id == "ioctl") one = ioctl("SET_EVENT", 1, "EIO");
    inject(one);
  }
  for (const sim::Fault* each : sim::FaultRegistry::instance().all()) {
    if (!each->info().surgical) continue;
    EXPECT_NO_THROW(made->clear(each->info().id)) << each->info().id;
  }
  const kernel::Injections& left = made->kernel.kfd.injections();
  EXPECT_TRUE(left.ioctls.empty() && left.queues.empty() && left.doorbells.empty() &&
              left.opens.empty());
  EXPECT_THROW(made->clear("no-such-fault"), std::invalid_argument);
}

TEST_F(Surgical, TheyAreStateOfTheNode) {
  inject(use("doorbell", "lost", 2));
  inject(ioctl("CREATE_QUEUE", 3, "ENOMEM"));
  const std::string state = made->save();
  made = booted("mi210");
  made->restore(state);
  ASSERT_EQ(made->kernel.kfd.injections().queues.size(), 1u);
  EXPECT_EQ(made->kernel.kfd.injections().queues.front().nth, 2u);
  EXPECT_EQ(made->kernel.kfd.injections().ioctls.front().error, ENOMEM);
}

TEST_F(Surgical, TheyOutliveABootAsInADrill) {
  made = node("mi210");
  inject(ioctl("CREATE_QUEUE", 1, "ENOMEM"));
  made->boot();
  EXPECT_EQ(queue(), nullptr);
  EXPECT_NE(queue(), nullptr);
}

TEST_F(Surgical, TheNodeStaysHealthy) {
  inject(use("doorbell", "delayed", 0));
  for (const checks::Result& result : check(*made))
    EXPECT_NE(result.status, checks::Status::fail) << result.id << ": " << result.evidence;
}

TEST_F(Surgical, WrongValuesAreRefusedWithWhatIsMeant) {
  const auto message = [&](const FaultUse& wrong) -> std::string {
    try {
      made->inject(wrong);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message(ioctl("CREATE_QEUE", 1, "ENOMEM")),
              HasSubstr("did you mean 'CREATE_QUEUE'?"));
  EXPECT_THAT(message(ioctl("CREATE_QUEUE", 1, "ENOMEN")), HasSubstr("there is no errno 'ENOMEN'"));
  EXPECT_THAT(message(ioctl("CREATE_QUEUE", 1, "")), HasSubstr("nothing would happen"));
  EXPECT_THAT(message(ioctl("CREATE_QUEUE", -1, "EIO")), HasSubstr("-1 is not in 0..."));
  EXPECT_THAT(message({"ring-overrun", {{"nth", std::int64_t{0}}}}), HasSubstr("0 is not in 1..."));
  EXPECT_THAT(message({"open", {{"errno", std::string()}}}), HasSubstr("there is no errno ''"));
  EXPECT_THAT(message(use("doorbell", "late")), HasSubstr("lost, duplicated, delayed"));
  EXPECT_THAT(message({"doorbells-exhausted", {{"queues", std::int64_t{1024}}}}),
              HasSubstr("1024 is not in 0...1023"));
}

}  // namespace
}  // namespace rocdrill::test
