// Packets per second through one hardware queue, one thread producing and consuming, against a
// bare ring of 64-byte slots in the same run. `of_bare_ring` is the ratio of the two rates.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/signal.hpp"
#include "stack/timeline.hpp"

namespace {

using namespace rocdrill;

constexpr std::uint32_t ring_size = 1024;
constexpr std::uint64_t batch = 512;  // packets between a producer's turn and the consumer's

std::uint16_t& header_word(aql::Packet& slot) {
  return reinterpret_cast<std::uint16_t&>(slot.bytes.front());
}

void publish(aql::Packet& slot, const aql::Packet& packet) {
  std::memcpy(slot.bytes.data() + 2, packet.bytes.data() + 2, 62);
  std::atomic_ref(header_word(slot)).store(packet.header().bits, std::memory_order_release);
}

/// The least that a ring of AQL packets can do: body, header, indices.
class BareRing {
 public:
  void pass(const aql::Packet& packet) {
    for (std::uint64_t i = 0; i < batch; ++i) {
      publish(ring_[write_.fetch_add(1) & (ring_size - 1)], packet);
    }
    while (true) {
      const std::uint64_t index = read_.load(std::memory_order_relaxed);
      aql::Packet& slot = ring_[index & (ring_size - 1)];
      if (std::atomic_ref(header_word(slot)).load(std::memory_order_acquire) == 1) break;
      aql::Packet copy = slot;
      benchmark::DoNotOptimize(copy);
      std::atomic_ref(header_word(slot)).store(1, std::memory_order_release);
      read_.store(index + 1, std::memory_order_release);
    }
  }

 private:
  std::vector<aql::Packet> ring_ = std::vector<aql::Packet>(ring_size);
  std::atomic<std::uint64_t> write_ = 0;
  std::atomic<std::uint64_t> read_ = 0;
};

/// Of this process: the machine may be busy with something else.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double bare_packets_per_second() {
  static const double rate = [] {
    BareRing ring;
    const aql::Packet packet = aql::barrier_and({}, 0);
    constexpr int batches = 20'000;
    for (int i = 0; i < batches / 10; ++i) ring.pass(packet);
    const double start = cpu_seconds();
    for (int i = 0; i < batches; ++i) ring.pass(packet);
    return batches * static_cast<double>(batch) / (cpu_seconds() - start);
  }();
  return rate;
}

struct CountingHooks : cp::Hooks {
  void observe(const cp::PacketEvent&) override { ++events; }
  std::uint64_t events = 0;
};

/// What a node does with each event: one line of its timeline.
struct TimelineHooks : cp::Hooks {
  void observe(const cp::PacketEvent& event) override {
    const Field fields[] = {{"packet", static_cast<std::int64_t>(event.index)},
                            {"header", static_cast<std::int64_t>(event.header.bits)}};
    timeline->record({.time_ns = ++now,
                      .layer = Layer::silicon,
                      .severity = Severity::debug,
                      .kind = cp::name(event.transition),
                      .subject = "queue 1",
                      .fields = fields,
                      .cause = no_event});
  }
  std::unique_ptr<Timeline> timeline = std::make_unique<Timeline>();
  std::uint64_t now = 0;
};

class Bench {
 public:
  Bench(cp::Hooks& hooks, cp::EventLevel level) {
    space_.add(ring_.data(), ring_.size() * sizeof(aql::Packet));
    space_.add(amd_queue_.get(), sizeof(aql::AmdQueue));
    space_.add(done_.get(), sizeof(aql::AmdSignal));
    cp::signal::initialise(*done_, 0);
    cp::QueueConfig config;
    config.ring_base = reinterpret_cast<std::uintptr_t>(ring_.data());
    config.size_packets = ring_size;
    config.write_index_va = reinterpret_cast<std::uintptr_t>(&amd_queue_->write_dispatch_id);
    config.read_index_va = reinterpret_cast<std::uintptr_t>(&amd_queue_->read_dispatch_id);
    config.amd_queue_va = reinterpret_cast<std::uintptr_t>(amd_queue_.get());
    queue_ = std::make_unique<cp::Queue>(config, space_, hooks);
    queue_->set_event_level(level);
  }
  std::uint64_t signal() const { return reinterpret_cast<std::uintptr_t>(done_.get()); }

  /// As a program does it: claim, fill, publish, ring, for each packet.
  void pass(const aql::Packet& packet) {
    for (std::uint64_t i = 0; i < batch; ++i) {
      const std::uint64_t index = std::atomic_ref(amd_queue_->write_dispatch_id).fetch_add(1);
      publish(ring_[index & (ring_size - 1)], packet);
      queue_->doorbell(index);
    }
    while (queue_->run(batch).launched != 0) {
    }
  }
  bool drained() const { return queue_->read_index() == amd_queue_->write_dispatch_id; }

 private:
  cp::RangeAddressSpace space_;
  std::vector<aql::Packet> ring_ = std::vector<aql::Packet>(ring_size);
  std::unique_ptr<aql::AmdQueue> amd_queue_ = std::make_unique<aql::AmdQueue>();
  std::unique_ptr<aql::AmdSignal> done_ = std::make_unique<aql::AmdSignal>();
  std::unique_ptr<cp::Queue> queue_;
};

template <class Ring>
void measure(benchmark::State& state, Ring& ring, const aql::Packet& packet) {
  const double bare = bare_packets_per_second();
  const double start = cpu_seconds();
  for (auto _ : state) ring.pass(packet);
  const auto packets = static_cast<double>(state.iterations() * batch);
  state.counters["of_bare_ring"] = packets / (cpu_seconds() - start) / bare;
  state.counters["packets"] = benchmark::Counter(packets, benchmark::Counter::kIsRate);
}

void bare_ring(benchmark::State& state) {
  BareRing ring;
  measure(state, ring, aql::barrier_and({}, 0));
}
BENCHMARK(bare_ring);

void run_queue(benchmark::State& state, cp::Hooks& hooks, cp::EventLevel level, bool signal) {
  Bench bench(hooks, level);
  measure(state, bench, aql::barrier_and({}, signal ? bench.signal() : 0));
  if (!bench.drained()) state.SkipWithError("packets were left in the ring");
}

void queue_events_off(benchmark::State& state) {
  cp::Hooks hooks;
  run_queue(state, hooks, cp::EventLevel::off, false);
}
BENCHMARK(queue_events_off);

void queue_events_off_with_signal(benchmark::State& state) {
  cp::Hooks hooks;
  run_queue(state, hooks, cp::EventLevel::off, true);
}
BENCHMARK(queue_events_off_with_signal);

void queue_events_packets(benchmark::State& state) {
  CountingHooks hooks;
  run_queue(state, hooks, cp::EventLevel::packets, true);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(hooks.events), benchmark::Counter::kIsRate);
}
BENCHMARK(queue_events_packets);

/// Recorded: two events for each packet.
void queue_events_packets_to_timeline(benchmark::State& state) {
  TimelineHooks hooks;
  run_queue(state, hooks, cp::EventLevel::packets, true);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(hooks.timeline->size()), benchmark::Counter::kIsRate);
}
BENCHMARK(queue_events_packets_to_timeline)->Iterations(2000);

}  // namespace
