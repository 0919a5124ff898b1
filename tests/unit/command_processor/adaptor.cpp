#include "unit/command_processor/adaptor.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/signal.hpp"

namespace rocdrill::cp::testing {
namespace {

std::uint64_t va(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

class AdaptedQueue;

/// The GPU: its page tables and the queues that are mapped on it.
struct Gpu {
  RangeAddressSpace space;
  std::vector<AdaptedQueue*> queues;

  /// Until nothing on the node moves any more.
  void run();
};

class AdaptedQueue final : public rocdrill::Queue, private Hooks {
 public:
  AdaptedQueue(Gpu& gpu, std::uint64_t id, QueueOptions options)
      : gpu_(gpu), on_error_(std::move(options.on_error)), ring_(options.size) {
    QueueConfig config;
    config.id = id;
    config.ring_base = va(ring_.data());
    config.size_packets = options.size;
    config.write_index_va = va(&amd_queue_->write_dispatch_id);
    config.read_index_va = va(&amd_queue_->read_dispatch_id);
    config.amd_queue_va = va(amd_queue_.get());
    gpu_.space.add(ring_.data(), ring_.size() * sizeof(aql::Packet));
    gpu_.space.add(amd_queue_.get(), sizeof(aql::AmdQueue));
    hardware_.emplace(config, gpu_.space, hooks());
    gpu_.queues.push_back(this);
  }
  ~AdaptedQueue() override {
    std::erase(gpu_.queues, this);
    gpu_.space.remove(ring_.data());
    gpu_.space.remove(amd_queue_.get());
  }

  std::uint64_t id() const override { return hardware_->config().id; }
  std::span<aql::Packet> ring() override { return ring_; }
  std::uint64_t load_read_index() const override {
    return std::atomic_ref(amd_queue_->read_dispatch_id).load();
  }
  std::uint64_t load_write_index() const override {
    return std::atomic_ref(amd_queue_->write_dispatch_id).load();
  }
  std::uint64_t add_write_index(std::uint64_t count) override {
    return std::atomic_ref(amd_queue_->write_dispatch_id).fetch_add(count);
  }
  void store_write_index(std::uint64_t value) override {
    std::atomic_ref(amd_queue_->write_dispatch_id).store(value);
  }
  void ring_doorbell(std::uint64_t index) override {
    hardware_->doorbell(index);
    gpu_.run();
  }
  HsaStatus status() const override {
    return hardware_->error() ? hardware_->error()->status : HsaStatus::success;
  }

  bool run() { return hardware_->run(SIZE_MAX).launched != 0; }
  void set_handler(std::function<void(const aql::Packet&)> handler) {
    handler_ = std::move(handler);
  }

 private:
  void queue_error(cp::Queue&, const QueueError& error) override {
    if (on_error_) on_error_(error.status);
  }
  void agent_dispatch(cp::Queue& queue, std::uint64_t index, const aql::Packet& packet) override {
    if (!handler_) return;
    handler_(packet);
    queue.complete_agent_dispatch(index);
  }

  Hooks& hooks() { return *this; }  // a private base, which std::optional cannot see

  Gpu& gpu_;
  QueueErrorCallback on_error_;
  std::function<void(const aql::Packet&)> handler_;
  std::vector<aql::Packet> ring_;
  std::unique_ptr<aql::AmdQueue> amd_queue_ = std::make_unique<aql::AmdQueue>();
  std::optional<cp::Queue> hardware_;
};

void Gpu::run() {
  bool moved = true;
  while (std::exchange(moved, false)) {
    for (AdaptedQueue* queue : queues) moved |= queue->run();
  }
}

class AdaptedSignal final : public Signal {
 public:
  AdaptedSignal(Gpu& gpu, std::int64_t value) : gpu_(gpu) {
    signal::initialise(*memory_, value);
    gpu_.space.add(memory_.get(), sizeof(aql::AmdSignal));
  }
  ~AdaptedSignal() override { gpu_.space.remove(memory_.get()); }

  std::uint64_t handle() const override { return va(memory_.get()); }
  std::int64_t load() const override { return signal::load(*memory_); }
  void store(std::int64_t value) override { (void)exchange(value); }
  void add(std::int64_t value) override { (void)ran(signal::add(*memory_, value)); }
  void subtract(std::int64_t value) override { (void)ran(signal::subtract(*memory_, value)); }
  std::int64_t exchange(std::int64_t value) override {
    return ran(signal::exchange(*memory_, value));
  }
  std::int64_t compare_exchange(std::int64_t expected, std::int64_t value) override {
    return ran(signal::compare_exchange(*memory_, expected, value));
  }
  /// All that can happen has happened when nothing moves: the condition holds now or never.
  std::int64_t wait(SignalCondition, std::int64_t, std::uint64_t) override {
    gpu_.run();
    return load();
  }

 private:
  std::int64_t ran(std::int64_t before) {
    gpu_.run();
    return before;
  }

  Gpu& gpu_;
  std::unique_ptr<aql::AmdSignal> memory_ = std::make_unique<aql::AmdSignal>();
};

class AdaptedRuntime final : public Runtime {
 public:
  explicit AdaptedRuntime(Gpu& gpu) : gpu_(gpu) {
    agents_[1].type = DeviceType::gpu;
    agents_[1].name = "gfx942";
  }
  ~AdaptedRuntime() override {
    for (const auto& block : blocks_) gpu_.space.remove(block.get());
  }

  std::span<const AgentInfo> agents() const override { return agents_; }
  bool xnack_enabled() const override { return false; }
  HsaResult<std::unique_ptr<rocdrill::Queue>> create_queue(std::size_t,
                                                           QueueOptions options) override {
    return std::make_unique<AdaptedQueue>(gpu_, next_id_++, std::move(options));
  }
  HsaResult<std::unique_ptr<Signal>> create_signal(std::int64_t initial) override {
    return std::make_unique<AdaptedSignal>(gpu_, initial);
  }
  HsaResult<void*> allocate(std::size_t, std::size_t bytes) override {
    if (bytes > sizeof(Page)) return fail(HsaStatus::out_of_resources);
    blocks_.push_back(std::make_unique<Page>());
    gpu_.space.add(blocks_.back().get(), sizeof(Page),
                   {.read = true, .write = true, .execute = true});
    return blocks_.back().get();
  }
  void set_agent_dispatch_handler(rocdrill::Queue& queue,
                                  std::function<void(const aql::Packet&)> handler) override {
    dynamic_cast<AdaptedQueue&>(queue).set_handler(std::move(handler));
  }

 private:
  struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes{};
  };

  Gpu& gpu_;
  std::array<AgentInfo, 2> agents_;
  std::uint64_t next_id_ = 1;
  std::vector<std::unique_ptr<Page>> blocks_;
};

class Adaptor final : public conformance::BackendUnderTest {
 public:
  Capabilities capabilities() const override {
    return {Capability::aql_barrier, Capability::barrier_value, Capability::agent_dispatch,
            Capability::virtual_time};
  }
  HsaResult<std::unique_ptr<Runtime>> open_runtime() override {
    return std::make_unique<AdaptedRuntime>(gpu_);
  }
  std::optional<std::size_t> queue_resources() override { return gpu_.queues.size(); }

 private:
  Gpu gpu_;
};

}  // namespace

std::unique_ptr<conformance::BackendUnderTest> make_adaptor() {
  return std::make_unique<Adaptor>();
}

}  // namespace rocdrill::cp::testing
