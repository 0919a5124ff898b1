// What makes a queue fail, and what it leaves untouched then.
#include <gmock/gmock.h>

#include "unit/command_processor/rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Submits the packet behind a good one and expects the queue to fail at it, once.
void expect_failure(Rig& rig, const aql::Packet& packet, KfdException code, HsaStatus status,
                    std::uint32_t inactive_bits) {
  const aql::Header header = packet.header();
  const std::uint64_t index = rig.submit(packet);
  rig.submit(nop());
  rig.run();
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  ASSERT_TRUE(rig.queue->error());
  EXPECT_EQ(rig.queue->error()->kfd_code, code) << name(rig.queue->error()->kfd_code);
  EXPECT_EQ(rig.queue->error()->status, status) << rocdrill::name(rig.queue->error()->status);
  EXPECT_EQ(rig.queue->error()->inactive_bits, inactive_bits);
  EXPECT_EQ(rig.queue->error()->packet_index, index);
  EXPECT_THAT(rig.hooks.errors, ElementsAre(*rig.queue->error()));
  EXPECT_EQ(rig.read_index(), index) << "read index moved";
  EXPECT_EQ(rig.slot(index).header().bits, header.bits) << "header was touched";
  rig.queue->doorbell(index + 1);
  EXPECT_EQ(rig.run().launched, 0u) << "processes nothing more";
  EXPECT_EQ(rig.hooks.errors.size(), 1u) << "told once";
}

void expect_invalid_packet(const aql::Packet& packet, KfdException code, std::uint32_t bits) {
  Rig rig;
  auto& done = rig.make_signal(1);
  auto body = packet.as<aql::Barrier>();
  body.completion_signal = handle(done);
  rig.submit(nop());
  expect_failure(rig, aql::Packet(body), code, HsaStatus::invalid_packet_format, bits);
  EXPECT_EQ(done.value, 1) << "completion signal was touched";
  EXPECT_THAT(rig.hooks.faults, IsEmpty());
}

TEST(Errors, MalformedHeaders) {
  const auto barrier = static_cast<std::uint16_t>(aql::PacketType::barrier_and);
  for (const unsigned type : {6u, 7u, 0x80u, 0xFFu}) {
    expect_invalid_packet(with_header(nop(), static_cast<std::uint16_t>(type)),
                          KfdException::packet_unsupported, 32);
  }
  for (const unsigned bits : {3u << 9, 3u << 11, 1u << 13, 1u << 14, 1u << 15, 0xFFFFu}) {
    expect_invalid_packet(with_header(nop(), static_cast<std::uint16_t>(barrier | bits)),
                          KfdException::packet_unsupported, 32);
  }
}

TEST(Errors, UnknownVendorPacket) {
  for (const unsigned format : {0u, 3u, 0xFFu}) {
    aql::Packet packet = barrier_value(0, SignalCondition::eq, 0);
    packet.bytes[2] = static_cast<std::byte>(format);
    expect_invalid_packet(packet, KfdException::packet_vendor_unsupported, 256);
  }
}

TEST(Errors, BarrierValueWithUnknownCondition) {
  expect_invalid_packet(barrier_value(0, static_cast<SignalCondition>(4), 0),
                        KfdException::packet_vendor_unsupported, 256);
}

TEST(Errors, KernelDispatchIsRefusedByNameWithoutAnExecutor) {
  Rig rig;
  KernelObject object(rig.space);
  expect_failure(rig, aql::Packet(kernel(object.va())), KfdException::packet_unsupported,
                 HsaStatus::invalid_packet_format, 32);
  EXPECT_THAT(rig.hooks.refusals, ElementsAre("AQL kernel dispatch"));
}

using Change = void (*)(aql::KernelDispatch&);

void expect_dispatch_error(Change change, KfdException code, HsaStatus status, std::uint32_t bits) {
  Rig rig;
  KernelObject object(rig.space);
  auto& done = rig.make_signal(1);
  auto packet = kernel(object.va(), handle(done));
  change(packet);
  rig.submit(nop());
  expect_failure(rig, aql::Packet(packet), code, status, bits);
  EXPECT_EQ(done.value, 1);
  EXPECT_THAT(rig.hooks.refusals, IsEmpty()) << "an error of the program, not a gap of ours";
}

TEST(Errors, DispatchDimensions) {
  const std::vector<Change> changes{
      [](auto& packet) { packet.setup = 0; },
      [](auto& packet) { packet.setup = 4; },
      [](auto& packet) { packet.grid_size_x = 0; },
      [](auto& packet) { packet.grid_size_y = 2; },
      [](auto& packet) { packet.setup = 3, packet.grid_size_z = 0; },
  };
  for (const Change change : changes) {
    expect_dispatch_error(change, KfdException::packet_dispatch_dim_invalid,
                          HsaStatus::incompatible_arguments, 2);
  }
}

TEST(Errors, DispatchWorkgroupSize) {
  const std::vector<Change> changes{
      [](auto& packet) { packet.workgroup_size_x = 0; },
      [](auto& packet) { packet.workgroup_size_z = 0; },
      [](auto& packet) { packet.workgroup_size_x = 1025; },
      [](auto& packet) { packet.setup = 3, packet.workgroup_size_y = 65535; },
      [](auto& packet) { packet.setup = 2, packet.workgroup_size_y = 17; },
      [](auto& packet) { packet.workgroup_size_y = 2; },
  };
  for (const Change change : changes) {
    expect_dispatch_error(change, KfdException::packet_dispatch_work_group_size_invalid,
                          HsaStatus::invalid_argument, 64);
  }
}

TEST(Errors, DispatchGroupSegment) {
  const std::vector<Change> changes{
      [](auto& packet) { packet.group_segment_size = 64 * 1024 + 1; },
      [](auto& packet) { packet.group_segment_size = UINT32_MAX; },
  };
  for (const Change change : changes) {
    expect_dispatch_error(change, KfdException::packet_dispatch_group_segment_size_invalid,
                          HsaStatus::invalid_allocation, 4);
  }
}

TEST(Errors, DispatchCodeObject) {
  const std::vector<Change> changes{
      [](auto& packet) { packet.kernel_object = 0; },
      [](auto& packet) { packet.kernel_object = unmapped; },
      [](auto& packet) { packet.kernel_object += 8; },
      [](auto& packet) { packet.kernel_object = UINT64_MAX - 63; },
      [](auto& packet) { packet.kernel_object += 64; },  // entry offset 0
  };
  for (const Change change : changes) {
    expect_dispatch_error(change, KfdException::packet_dispatch_code_invalid,
                          HsaStatus::invalid_code_object, 8);
  }
}

TEST(Errors, DispatchEntryMustBeAlignedAndExecutable) {
  for (const std::int64_t offset : {std::int64_t{4}, std::int64_t{512}, INT64_MIN, INT64_MAX}) {
    Rig rig;
    KernelObject object(rig.space);
    std::memcpy(&object.image->bytes[16], &offset, sizeof offset);
    expect_failure(rig, aql::Packet(kernel(object.va())),
                   KfdException::packet_dispatch_code_invalid, HsaStatus::invalid_code_object, 8);
  }
}

TEST(Errors, LimitsComeFromTheAgent) {
  Rig rig;
  KernelObject object(rig.space);
  QueueConfig config = rig.config();
  config.limits = {.max_workgroup_size = 32, .lds_bytes = 1024, .wavefront_size = 32};
  Queue queue(config, rig.space, rig.hooks);
  rig.write(aql::Packet(kernel(object.va())));
  queue.run(1);
  ASSERT_TRUE(queue.error());
  EXPECT_EQ(queue.error()->status, HsaStatus::invalid_argument);
}

void expect_fault(Rig& rig, const aql::Packet& packet, std::uint64_t address, Access access) {
  expect_failure(rig, packet, KfdException::device_memory_violation, HsaStatus::memory_fault, 0);
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].queue_id, 7u);
  EXPECT_EQ(rig.hooks.faults[0].address, address);
  EXPECT_EQ(rig.hooks.faults[0].access, access);
  EXPECT_EQ(rig.hooks.faults[0].packet_index, rig.queue->error()->packet_index);
}

TEST(Faults, DependencySignal) {
  {
    Rig rig;
    expect_fault(rig, aql::barrier_and({0, unmapped}, 0), unmapped, Access::read);
  }
  {
    Rig rig;
    expect_fault(rig, aql::barrier_or({unmapped}, 0), unmapped, Access::read);
  }
  Rig rig;
  auto& done = rig.make_signal(1);
  expect_fault(rig, barrier_value(unmapped, SignalCondition::eq, 0, -1, handle(done)), unmapped,
               Access::read);
  EXPECT_EQ(done.value, 1);
}

TEST(Faults, CompletionSignalOfEveryPacket) {
  for (const aql::Packet& packet :
       {nop(unmapped), aql::barrier_or({}, unmapped), agent_dispatch(unmapped),
        barrier_value(0, SignalCondition::eq, 0, -1, unmapped)}) {
    Rig rig;
    expect_fault(rig, packet, unmapped, Access::write);
    EXPECT_THAT(rig.hooks.dispatched, IsEmpty());
  }
}

TEST(Faults, SignalInReadOnlyMemory) {
  Rig rig;
  aql::AmdSignal signal{};
  rig.space.add(&signal, sizeof signal, {.read = true, .write = false, .execute = false});
  expect_fault(rig, nop(handle(signal)), handle(signal), Access::write);
}

TEST(Faults, SignalThatIsOnlyPartlyMapped) {
  Rig rig;
  alignas(64) std::array<std::byte, 64> memory{};
  rig.space.add(memory.data(), 32);
  expect_fault(rig, nop(Rig::va(memory.data())), Rig::va(memory.data()), Access::write);
}

TEST(Faults, MailboxLeavesTheSignalUntouched) {
  Rig rig;
  auto& done = rig.make_signal(1);
  done.event_mailbox_ptr = unmapped;
  expect_fault(rig, nop(handle(done)), unmapped, Access::write);
  EXPECT_EQ(done.value, 1);
  EXPECT_THAT(rig.hooks.interrupts, IsEmpty());
}

TEST(Faults, SignalThatVanishesWhileTheDispatchIsInFlight) {
  Rig rig;
  auto& done = rig.make_signal(1);
  rig.submit(agent_dispatch(handle(done)));
  rig.run();
  rig.space.remove(&done);
  EXPECT_FALSE(rig.queue->complete_agent_dispatch(0));
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  EXPECT_EQ(rig.queue->in_flight().size(), 1u);
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::failed);
  EXPECT_EQ(done.value, 1);
}

TEST(Faults, Ring) {
  Rig rig;
  rig.submit(nop());
  rig.space.remove(rig.ring.data());
  rig.run();
  EXPECT_EQ(rig.queue->error()->kfd_code, KfdException::device_memory_violation);
  EXPECT_EQ(rig.hooks.faults.at(0).address, Rig::va(rig.ring.data()));
}

TEST(Faults, IndicesAndAmdQueue) {
  for (const int which : {0, 1, 2}) {
    Rig rig;
    auto& done = rig.make_signal(1);
    QueueConfig config = rig.config();
    if (which == 0) config.write_index_va = unmapped;
    if (which == 1) config.read_index_va = unmapped;
    if (which == 2) config.amd_queue_va = unmapped;
    Queue queue(config, rig.space, rig.hooks);
    rig.write(nop(handle(done)));
    queue.doorbell(0);
    queue.run(10);
    EXPECT_EQ(queue.state(), QueueState::failed) << which;
    EXPECT_EQ(rig.hooks.faults.at(0).address, unmapped);
    EXPECT_EQ(done.value, 1);
  }
}

TEST(Faults, Kernarg) {
  Rig rig;
  KernelObject object(rig.space, 16);
  auto packet = kernel(object.va());
  packet.kernarg_address = unmapped;
  expect_fault(rig, aql::Packet(packet), unmapped, Access::read);
}

// ROCr's blit kernels are amd_kernel_code_t, where the place of kernarg_size holds the machine.
TEST(Faults, KernargOfAnOldCodeObjectIsNotGuessed) {
  Rig rig;
  KernelObject object(rig.space);
  const std::array<std::uint32_t, 3> head{1, 2, 9u << 16 | 1};
  std::memcpy(object.image->bytes.data(), head.data(), sizeof head);
  rig.submit(aql::Packet(kernel(object.va())));
  rig.run();
  EXPECT_THAT(rig.hooks.faults, IsEmpty());
  EXPECT_THAT(rig.hooks.refusals, ElementsAre("AQL kernel dispatch"));
}

TEST(Errors, MisalignedSignalHandles) {
  for (const std::uint64_t off : {1ull, 8ull, 32ull}) {
    {
      Rig rig;
      auto& signal = rig.make_signal(0);
      expect_failure(rig, aql::barrier_and({handle(signal) + off}, 0),
                     KfdException::packet_unsupported, HsaStatus::invalid_packet_format, 32);
    }
    Rig rig;
    auto& signal = rig.make_signal(1);
    expect_failure(rig, nop(handle(signal) + off), KfdException::packet_unsupported,
                   HsaStatus::invalid_packet_format, 32);
    EXPECT_EQ(signal.value, 1);
    EXPECT_THAT(rig.hooks.faults, IsEmpty());
  }
}

TEST(Errors, MisalignedMailbox) {
  Rig rig;
  auto& signal = rig.make_signal_with_event(1, 3);
  signal.event_mailbox_ptr += 4;
  expect_failure(rig, nop(handle(signal)), KfdException::packet_unsupported,
                 HsaStatus::invalid_packet_format, 32);
  EXPECT_EQ(signal.value, 1);
}

TEST(Errors, InFlightPacketsOfAFailedQueueStayUnfinished) {
  Rig rig;
  auto& done = rig.make_signal(1);
  rig.submit(agent_dispatch(handle(done)));
  rig.submit(with_header(nop(), 0xFF));
  rig.run();
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  EXPECT_FALSE(rig.queue->complete_agent_dispatch(0));
  EXPECT_EQ(done.value, 1);
  rig.queue->suspend();
  rig.queue->resume();
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
}

TEST(Errors, LegacyPathOrsTheBitsAndRaisesTheEvent) {
  Rig rig;
  rig.hooks.legacy = true;
  auto& inactive = rig.make_signal_with_event(0x400, 5);
  rig.amd_queue->queue_inactive_signal = handle(inactive);
  rig.submit(with_header(nop(), 0xFF));
  rig.run();
  EXPECT_EQ(inactive.value, 0x420);
  EXPECT_THAT(rig.hooks.interrupts, ElementsAre(5u));
  EXPECT_EQ((*rig.mailbox)[5], 5u);
}

TEST(Errors, ExceptionPathLeavesTheInactiveSignalAlone) {
  Rig rig;
  auto& inactive = rig.make_signal_with_event(0, 5);
  rig.amd_queue->queue_inactive_signal = handle(inactive);
  rig.submit(with_header(nop(), 0xFF));
  rig.run();
  EXPECT_EQ(rig.hooks.errors.size(), 1u);
  EXPECT_EQ(inactive.value, 0);
  EXPECT_THAT(rig.hooks.interrupts, IsEmpty());
}

TEST(Errors, LegacyPathSurvivesABadInactiveSignal) {
  for (const std::uint64_t bad : {std::uint64_t{0}, unmapped, unmapped + 8}) {
    Rig rig;
    rig.hooks.legacy = true;
    rig.amd_queue->queue_inactive_signal = bad;
    rig.submit(with_header(nop(), 0xFF));
    rig.run();
    EXPECT_EQ(rig.hooks.errors.size(), 1u);
  }
}

TEST(Errors, TableHasEveryCodeOnce) {
  EXPECT_EQ(name(KfdException::packet_vendor_unsupported), "EC_QUEUE_PACKET_VENDOR_UNSUPPORTED");
  EXPECT_EQ(name(KfdException::none), "EC_NONE");
  EXPECT_EQ(exception_mask(KfdException::none), 0u);
  EXPECT_EQ(exception_mask(KfdException::wave_abort), 1u);
  EXPECT_EQ(exception_mask(KfdException::packet_unsupported), 1u << 19);
  EXPECT_EQ(exception_mask(KfdException::device_memory_violation), 1ull << 32);
  EXPECT_EQ(make_queue_error(KfdException::packet_dispatch_register_invalid, 1).status,
            HsaStatus::invalid_isa);
  EXPECT_EQ(make_queue_error(static_cast<KfdException>(19), 1).status, HsaStatus::error);
}

}  // namespace
}  // namespace rocdrill::cp::testing
