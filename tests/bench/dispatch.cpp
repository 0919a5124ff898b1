// Empty kernels per second through one AQL queue in process: packet, launch, one wave that ends,
// completion. `per_second` counts CPU time of this process.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "sim/kernel/process/kernel_runner.hpp"
#include "sim/silicon/command_processor/queue.hpp"

namespace {

using namespace rocdrill;

constexpr std::uint32_t ring_size = 1024;
constexpr std::uint64_t batch = 512;  // packets between a producer's turn and the consumer's

/// A program that does nothing else.
struct Alone final : kernel::Surroundings {
  kernel::ClockSample clocks() override { return {}; }
  bool wait(std::unique_lock<std::mutex>&, std::uint32_t,
            const std::function<bool()>& ready) override {
    return ready();
  }
  void sleep_ns(std::uint64_t) override {}
  std::uint64_t* doorbell_page(std::uint32_t) override { return nullptr; }
};

/// A kernel descriptor and its code: s_endpgm.
struct alignas(4096) Image {
  std::byte descriptor[256] = {};
  std::uint32_t code[64] = {};

  Image() {
    const std::int64_t entry = offsetof(Image, code);
    std::memcpy(descriptor + 16, &entry, sizeof entry);  // KERNEL_CODE_ENTRY_BYTE_OFFSET
    for (std::uint32_t& word : code) word = 0xBF810000;
  }
};

class Bench {
 public:
  explicit Bench(const isa::Shape& shape)
      : runner_(space_, alone_, shape, std::make_shared<isa::CodeCache>(shape.processor)) {
    space_.add(reinterpret_cast<std::uintptr_t>(image_.get()), sizeof(Image),
               {.read = true, .write = true, .execute = true});
    space_.add(ring_.data(), ring_.size() * sizeof(aql::Packet));
    space_.add(amd_queue_.get(), sizeof(aql::AmdQueue));
    cp::QueueConfig config;
    config.ring_base = reinterpret_cast<std::uintptr_t>(ring_.data());
    config.size_packets = ring_size;
    config.write_index_va = reinterpret_cast<std::uintptr_t>(&amd_queue_->write_dispatch_id);
    config.read_index_va = reinterpret_cast<std::uintptr_t>(&amd_queue_->read_dispatch_id);
    config.amd_queue_va = reinterpret_cast<std::uintptr_t>(amd_queue_.get());
    queue_ = std::make_unique<cp::Queue>(config, space_, hooks_, &runner_);
    queue_->set_event_level(cp::EventLevel::off);
    packet_.header = aql::Header::make(aql::PacketType::kernel_dispatch, false,
                                       aql::FenceScope::agent, aql::FenceScope::agent)
                         .bits;
    packet_.setup = 1;
    packet_.workgroup_size_x = 64;
    packet_.workgroup_size_y = packet_.workgroup_size_z = 1;
    packet_.grid_size_x = 64;
    packet_.grid_size_y = packet_.grid_size_z = 1;
    packet_.kernel_object = reinterpret_cast<std::uintptr_t>(image_->descriptor);
  }

  void pass() {
    const aql::Packet packet(packet_);
    for (std::uint64_t n = 0; n < batch; ++n) {
      const std::uint64_t index = std::atomic_ref(amd_queue_->write_dispatch_id).fetch_add(1);
      aql::Packet& slot = ring_[index & (ring_size - 1)];
      std::memcpy(slot.bytes.data() + 2, packet.bytes.data() + 2, 62);
      std::atomic_ref(reinterpret_cast<std::uint16_t&>(slot.bytes.front()))
          .store(packet.header().bits, std::memory_order_release);
      queue_->doorbell(index);
    }
    while (queue_->run(batch).launched != 0) {
    }
  }
  bool drained() const {
    return queue_->read_index() == amd_queue_->write_dispatch_id && queue_->in_flight().empty();
  }

 private:
  cp::RangeAddressSpace space_;
  Alone alone_;
  cp::Hooks hooks_;
  std::unique_ptr<Image> image_ = std::make_unique<Image>();
  std::vector<aql::Packet> ring_ = std::vector<aql::Packet>(ring_size);
  std::unique_ptr<aql::AmdQueue> amd_queue_ = std::make_unique<aql::AmdQueue>();
  kernel::KernelRunner runner_;
  aql::KernelDispatch packet_{};
  std::unique_ptr<cp::Queue> queue_;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void dispatch(benchmark::State& state, const isa::Shape& shape) {
  Bench bench(shape);
  bench.pass();
  const double begin = cpu_seconds();
  for (auto _ : state) bench.pass();
  const auto dispatches = static_cast<double>(state.iterations() * batch);
  state.counters["per_second"] = dispatches / (cpu_seconds() - begin);
  if (!bench.drained()) state.SkipWithError("dispatches were left in the ring");
}

void empty_dispatch_gfx90a(benchmark::State& state) { dispatch(state, {.processor = "gfx90a"}); }
BENCHMARK(empty_dispatch_gfx90a);
void empty_dispatch_gfx942(benchmark::State& state) {
  dispatch(state, {.processor = "gfx942", .xccs = 8, .compute_units = 304});
}
BENCHMARK(empty_dispatch_gfx942);

}  // namespace
