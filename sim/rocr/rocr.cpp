#include "sim/rocr/rocr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "sim/rocr/queues.hpp"
#include "sim/rocr/visible_devices.hpp"
#include "sim/rocr/vm_fault.hpp"

namespace rocdrill::rocr {
namespace {

using sim::Journal;

/// The compiler's name of a gfx_target_version: 90402 -> "gfx942", 110000 -> "gfx1100".
std::string gfx_name(std::uint64_t version) {
  return fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

/// "major.minor.step" of HSA_OVERRIDE_GFX_VERSION as a gfx_target_version; nullopt if malformed.
std::optional<std::uint64_t> parse_override(const std::string& text) {
  unsigned major = 0, minor = 0, step = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%u.%u.%u%c", &major, &minor, &step, &rest) != 3)
    return std::nullopt;
  if (major > 63 || minor > 255 || step > 255) return std::nullopt;
  return major * 10000ull + minor * 100ull + step;
}

bool has_xnack_feature(std::uint64_t version) { return version >= 90000 && version < 100000; }
bool has_sramecc_feature(const std::string& gfx) {
  return gfx == "gfx906" || gfx == "gfx908" || gfx == "gfx90a" || gfx == "gfx942" ||
         gfx == "gfx950";
}

/// Newest generation that a release knows; an agent beyond it is not created (5.2.3: measured).
bool known_to(const Installation& installation, const std::string& gfx) {
  return installation.major() >= 6 || (gfx != "gfx942" && gfx != "gfx950" &&
                                       !gfx.starts_with("gfx11") && !gfx.starts_with("gfx12"));
}

/// Memory that the soft queues of a process may touch.
class OwnMemory final : public cp::AddressSpace {
 public:
  explicit OwnMemory(const Thunk& thunk) : thunk_(thunk) {}
  void* translate(std::uint64_t va, std::size_t bytes, cp::Access) override {
    return thunk_.owns(va, bytes) ? reinterpret_cast<void*>(va) : nullptr;
  }

 private:
  const Thunk& thunk_;
};

class NodeRuntime;

/// What the application holds; the runtime keeps a plain pointer and drives it.
class QueueHandle final : public Queue {
 public:
  QueueHandle(NodeRuntime& runtime, std::unique_ptr<UserQueue> queue);
  ~QueueHandle() override;
  std::uint64_t id() const override { return queue_->id(); }
  std::span<aql::Packet> ring() override { return queue_->ring(); }
  std::uint64_t load_read_index() const override { return queue_->load_read_index(); }
  std::uint64_t load_write_index() const override { return queue_->load_write_index(); }
  std::uint64_t add_write_index(std::uint64_t count) override {
    return queue_->add_write_index(count);
  }
  void store_write_index(std::uint64_t value) override { queue_->store_write_index(value); }
  void ring_doorbell(std::uint64_t index) override { queue_->ring_doorbell(index); }
  HsaStatus status() const override { return queue_->status(); }
  UserQueue& inner() { return *queue_; }

 private:
  NodeRuntime& runtime_;
  std::unique_ptr<UserQueue> queue_;
};

class NodeRuntime final : public RocrRuntime {
 public:
  NodeRuntime(Journal& journal, Installation installation, std::unique_ptr<Thunk> thunk)
      : journal_(journal),
        installation_(std::move(installation)),
        thunk_(std::move(thunk)),
        own_memory_(*thunk_),
        signals_(*thunk_, interrupts()),
        faults_(*thunk_, journal_) {
    signals_.relax = [this] { return relax(); };
  }

  HsaResult<void> start();
  std::span<const AgentInfo> agents() const override { return agents_; }
  bool xnack_enabled() const override { return xnack_; }
  EventId event() const override { return event_; }
  std::size_t gpus_before_filter() const override { return all_gpus_; }
  std::uint64_t free_memory(std::size_t agent) override {
    return thunk_->available_vram(gpu_ids_.at(agent)).value_or(0);
  }

  HsaResult<IpcHandle> ipc_create(void* memory) override;
  HsaResult<void*> ipc_attach(const IpcHandle& handle, std::size_t bytes) override;
  HsaResult<void> lock(void* memory, std::size_t bytes) override;
  bool progress() override { return relax(); }

  HsaResult<std::unique_ptr<Queue>> create_queue(std::size_t agent, QueueOptions options) override;
  HsaResult<std::unique_ptr<Signal>> create_signal(std::int64_t initial) override;
  HsaResult<void*> allocate(std::size_t agent, std::size_t bytes) override;
  void set_agent_dispatch_handler(Queue& queue,
                                  std::function<void(const aql::Packet&)> handler) override;
  std::optional<RuntimeAbort> aborted() const override { return faults_.aborted(); }

  void attach(UserQueue* queue) { queues_.push_back(queue); }
  void detach(UserQueue* queue) { std::erase(queues_, queue); }
  void look_for_faults() { faults_.poll(); }

 private:
  bool relax();
  bool interrupts() const { return thunk_->process().env("HSA_ENABLE_INTERRUPT") != "0"; }
  EventId choose_xnack();
  std::optional<std::uint64_t> override_version(std::uint32_t node) const;
  void add_agent(const TopologyNode& node);
  void refuse_agent(const TopologyNode& node);
  void filter();
  EventId why_agents() const;
  EventId record_start(EventId cause);
  EventId record_overrides(EventId cause);

  Journal& journal_;
  Installation installation_;
  std::unique_ptr<Thunk> thunk_;
  OwnMemory own_memory_;
  SignalPool signals_;
  VmFaultHandler faults_;
  std::vector<AgentInfo> agents_;
  std::vector<std::uint32_t> gpu_ids_;  ///< per agent; 0 on CPUs
  std::vector<UserQueue*> queues_;
  std::uint64_t next_soft_queue_ = 0;
  std::size_t all_gpus_ = 0;
  bool xnack_ = false;
  bool exceptions_ = false;
  EventId event_ = no_event;
};

QueueHandle::QueueHandle(NodeRuntime& runtime, std::unique_ptr<UserQueue> queue)
    : runtime_(runtime), queue_(std::move(queue)) {
  runtime_.attach(queue_.get());
}
QueueHandle::~QueueHandle() {
  runtime_.detach(queue_.get());
  queue_.reset();
  runtime_.look_for_faults();  // taking the queue off the GPU may have failed
}

std::optional<std::uint64_t> NodeRuntime::override_version(std::uint32_t node) const {
  const Process& process = thunk_->process();
  std::string text = process.env(fmt::format("HSA_OVERRIDE_GFX_VERSION_{}", node));
  if (text.empty()) text = process.env("HSA_OVERRIDE_GFX_VERSION");
  if (text.empty()) return std::nullopt;
  return parse_override(text).value_or(0);
}

void NodeRuntime::add_agent(const TopologyNode& node) {
  AgentInfo agent;
  agent.type = node.is_gpu() ? DeviceType::gpu : DeviceType::cpu;
  agent.node = node.user_id;
  agent.memory_bytes = node.memory_bytes;
  if (!node.is_gpu()) {
    const auto cpuinfo = thunk_->process().read_file("/proc/cpuinfo");
    const std::size_t at = cpuinfo ? cpuinfo->find("model name\t: ") : std::string::npos;
    if (at != std::string::npos)
      agent.name = cpuinfo->substr(at + 13, cpuinfo->find('\n', at) - at - 13);
    agent.uuid = "CPU-XX";
    agent.compute_units = static_cast<std::uint32_t>(node.properties.cpu_cores_count);
    agents_.push_back(std::move(agent));
    gpu_ids_.push_back(0);
    return;
  }
  const kfd::KfdNodeProperties& is = node.properties;
  const std::uint64_t version = override_version(node.user_id).value_or(is.gfx_target_version);
  agent.name = gfx_name(version);
  agent.uuid = is.unique_id == 0 ? "GPU-XX" : fmt::format("GPU-{:016x}", is.unique_id);
  agent.isa = "amdgcn-amd-amdhsa--" + agent.name;
  if (has_sramecc_feature(agent.name)) {
    agent.isa += (is.capability & kfd::capability::sram_edc) != 0 ? ":sramecc+" : ":sramecc-";
  }
  if (has_xnack_feature(version)) agent.isa += xnack_ ? ":xnack+" : ":xnack-";
  agent.chip_id = static_cast<std::uint32_t>(is.device_id);
  agent.bdf = static_cast<std::uint32_t>(is.location_id);
  agent.compute_units =
      static_cast<std::uint32_t>(is.simd_count / std::max<std::uint64_t>(is.simd_per_cu, 1));
  agent.wavefront_size = static_cast<std::uint32_t>(is.wave_front_size);
  agents_.push_back(std::move(agent));
  gpu_ids_.push_back(node.gpu_id);
}

void NodeRuntime::refuse_agent(const TopologyNode& node) {
  const std::string gfx = gfx_name(node.properties.gfx_target_version);
  const std::string did =
      fmt::format("ROCr of ROCm {} does not know {}: no agent", installation_.version, gfx);
  journal_.record(
      Layer::runtime, Severity::warning, "hsa.agent_unknown", gfx,
      {{field::did, std::string_view(did)},
       {field::shows, "Warning: Agent creation failed.\nThe GPU node has an unrecognized id."},
       {field::see, "rocminfo"}},
      why_agents());
}

/// Old libraries explain missing agents better than the topology does.
EventId NodeRuntime::why_agents() const {
  return installation_.event != no_event
             ? installation_.event
             : thunk_->process().why("/sys/class/kfd/kfd/topology/nodes");
}

EventId NodeRuntime::choose_xnack() {
  const std::string wanted = thunk_->process().env("HSA_XNACK");
  if (wanted == "0" || wanted == "1") {
    if (auto set = thunk_->xnack_mode(wanted == "1" ? 1 : 0); !set) {
      const std::string got = errno_name(set.error().error);
      const std::string asked = "SET_XNACK_MODE " + wanted;
      journal_.record(Layer::runtime, Severity::warning, "hsa.xnack_refused", "HSA_XNACK",
                      {{field::asked, std::string_view(asked)},
                       {field::got, std::string_view(got)},
                       {field::did, "the driver's default mode stays"},
                       {field::see, "rocminfo"}},
                      thunk_->process().why_env("HSA_XNACK"));
    }
  }
  if (auto mode = thunk_->xnack_mode(-1)) xnack_ = *mode;
  return thunk_->process().why_env("HSA_XNACK");
}

void NodeRuntime::filter() {
  const auto first = std::ranges::find(agents_, DeviceType::gpu, &AgentInfo::type);
  const auto cpus = static_cast<std::size_t>(first - agents_.begin());
  all_gpus_ = agents_.size() - cpus;
  Process& process = thunk_->process();
  if (!process.has_env("ROCR_VISIBLE_DEVICES")) return;
  std::vector<std::string> uuids;
  for (std::size_t i = cpus; i < agents_.size(); ++i) uuids.push_back(agents_[i].uuid);
  const std::string value = process.env("ROCR_VISIBLE_DEVICES");
  std::vector<AgentInfo> kept(agents_.begin(), first);
  std::vector<std::uint32_t> ids(gpu_ids_.begin(),
                                 gpu_ids_.begin() + static_cast<std::ptrdiff_t>(cpus));
  for (const std::size_t gpu : visible_gpus(value, uuids)) {
    kept.push_back(agents_[cpus + gpu]);
    ids.push_back(gpu_ids_[cpus + gpu]);
  }
  agents_ = std::move(kept);
  gpu_ids_ = std::move(ids);
  const std::string did = fmt::format("{} of {} GPUs stay", agents_.size() - cpus, all_gpus_);
  const EventId why = process.why_env("ROCR_VISIBLE_DEVICES");
  event_ =
      journal_.record(Layer::runtime, agents_.size() == cpus ? Severity::warning : Severity::info,
                      "hsa.filter", "ROCR_VISIBLE_DEVICES",
                      {{field::asked, std::string_view(value)},
                       {field::did, std::string_view(did)},
                       {field::see, "rocminfo"}},
                      why != no_event ? why : event_);
}

EventId NodeRuntime::record_start(EventId cause) {
  const bool none = all_gpus_ == 0;
  const std::string got = fmt::format("{} GPU agent{}", all_gpus_, all_gpus_ == 1 ? "" : "s");
  return journal_.record(Layer::runtime, none ? Severity::warning : Severity::info, "hsa.init",
                         "hsa_init",
                         {{field::asked, "/sys/class/kfd/kfd/topology/nodes"},
                          {field::got, std::string_view(got)},
                          {field::status, "HSA_STATUS_SUCCESS"},
                          {field::see, "rocminfo"}},
                         cause);
}

/// Agents that HSA_OVERRIDE_GFX_VERSION gave the name of another GPU.
EventId NodeRuntime::record_overrides(EventId cause) {
  Process& process = thunk_->process();
  for (const TopologyNode& node : thunk_->nodes()) {
    if (!node.is_gpu()) continue;
    const auto version = override_version(node.user_id);
    if (!version || *version == node.properties.gfx_target_version) continue;
    const std::string own = fmt::format("HSA_OVERRIDE_GFX_VERSION_{}", node.user_id);
    const std::string variable =
        process.env(own).empty() ? std::string("HSA_OVERRIDE_GFX_VERSION") : own;
    const std::string value = process.env(variable);
    const std::string did = fmt::format(
        "{} is presented as {}", gfx_name(node.properties.gfx_target_version), gfx_name(*version));
    return journal_.record(
        Layer::runtime, Severity::warning, "hsa.override", variable,
        {{field::asked, std::string_view(value)},
         {field::did, std::string_view(did)},
         {field::see, "rocminfo"}},
        process.why_env(variable) != no_event ? process.why_env(variable) : cause);
  }
  return cause;
}

HsaResult<void> NodeRuntime::start() {
  Process& process = thunk_->process();
  const std::string version = process.env("HSA_OVERRIDE_GFX_VERSION");
  if (!version.empty() && !parse_override(version)) {
    return fail(HsaStatus::out_of_resources, process.why_env("HSA_OVERRIDE_GFX_VERSION"));
  }
  exceptions_ = installation_.major() >= 6 && thunk_->kfd_minor() >= 13;
  for (const TopologyNode& node : thunk_->nodes()) {
    exceptions_ =
        exceptions_ &&
        (!node.is_gpu() || (node.properties.capability & kfd::capability::debugger_firmware) != 0);
  }
  if (exceptions_) exceptions_ = thunk_->runtime_enable(true).has_value();
  choose_xnack();
  for (const TopologyNode& node : thunk_->nodes()) {
    if (node.is_gpu() && !known_to(installation_, gfx_name(node.properties.gfx_target_version))) {
      refuse_agent(node);
      continue;
    }
    add_agent(node);
  }
  all_gpus_ =
      static_cast<std::size_t>(std::ranges::count(agents_, DeviceType::gpu, &AgentInfo::type));
  if (all_gpus_ != 0 && interrupts()) faults_.bind(installation_.major() >= 6);
  event_ = record_start(why_agents());
  event_ = record_overrides(event_);
  filter();
  return {};
}

bool NodeRuntime::relax() {
  bool progress = thunk_->process().relax();
  for (UserQueue* queue : queues_) {
    progress = queue->run() || progress;
    queue->poll_error();
  }
  if (!progress) faults_.poll();  // what ROCr's own thread waits for
  return progress;
}

HsaResult<std::unique_ptr<Queue>> NodeRuntime::create_queue(std::size_t agent,
                                                            QueueOptions options) {
  if (agent >= agents_.size()) return fail(HsaStatus::invalid_agent);
  if (agents_[agent].type == DeviceType::gpu) {
    auto queue = GpuQueue::create(signals_, gpu_ids_[agent], exceptions_, options);
    if (!queue) return std::unexpected(queue.error());
    return std::make_unique<QueueHandle>(*this, std::move(*queue));
  }
  if (!std::has_single_bit(options.size)) return fail(HsaStatus::invalid_argument);
  auto memory = QueueMemory::create(*thunk_, options.size);
  if (!memory) return fail(HsaStatus::out_of_resources, memory.error().event);
  return std::make_unique<QueueHandle>(
      *this,
      std::make_unique<SoftQueue>(std::move(*memory), options, next_soft_queue_++, own_memory_));
}

HsaResult<std::unique_ptr<Signal>> NodeRuntime::create_signal(std::int64_t initial) {
  auto memory = signals_.take(initial);
  if (!memory) return fail(HsaStatus::out_of_resources, memory.error().event);
  return std::make_unique<UserSignal>(signals_, *memory);
}

HsaResult<void*> NodeRuntime::allocate(std::size_t agent, std::size_t bytes) {
  if (agent >= agents_.size()) return fail(HsaStatus::invalid_agent);
  if (bytes == 0) return fail(HsaStatus::invalid_argument);
  auto memory = agents_[agent].type == DeviceType::gpu
                    ? thunk_->allocate_vram(gpu_ids_[agent], bytes)
                    : thunk_->allocate(bytes, true);
  if (!memory) return fail(HsaStatus::out_of_resources, memory.error().event);
  return *memory;
}

HsaResult<IpcHandle> NodeRuntime::ipc_create(void* memory) {
  auto handle = thunk_->share(memory);
  if (!handle) return fail(HsaStatus::invalid_argument, handle.error().event);
  return *handle;
}

HsaResult<void*> NodeRuntime::ipc_attach(const IpcHandle& handle, std::size_t bytes) {
  auto memory = thunk_->attach(handle, bytes);
  if (!memory) return fail(HsaStatus::invalid_argument, memory.error().event);
  return *memory;
}

HsaResult<void> NodeRuntime::lock(void* memory, std::size_t bytes) {
  auto done = thunk_->register_memory(memory, bytes);
  if (!done) return fail(HsaStatus::out_of_resources, done.error().event);
  return {};
}

void NodeRuntime::set_agent_dispatch_handler(Queue& queue,
                                             std::function<void(const aql::Packet&)> handler) {
  auto* handle = dynamic_cast<QueueHandle*>(&queue);
  auto* soft = handle ? dynamic_cast<SoftQueue*>(&handle->inner()) : nullptr;
  if (!soft)
    throw std::invalid_argument("agent-dispatch packets are served on queues of CPU agents");
  soft->set_handler(std::move(handler));
}

}  // namespace

HsaResult<std::unique_ptr<Runtime>> hsa_init(Process& process, Journal& journal,
                                             const Installation& installation) {
  const auto refuse = [&](HsaStatus status, std::string_view asked, int error, EventId cause) {
    const std::string got = errno_name(error);
    const std::string status_name = name(status);
    const std::string shows = "Call returned " + text(status);
    return fail(status,
                journal.record(Layer::runtime, Severity::error, "hsa.init_failed", "hsa_init",
                               {{field::asked, asked},
                                {field::got, std::string_view(got)},
                                {field::did, "no agent is enumerated"},
                                {field::status, std::string_view(status_name)},
                                {field::shows, std::string_view(shows)},
                                {field::see, "rocminfo"}},
                               cause));
  };
  const bool needs_render_nodes = installation.major() < 6 ||
                                  installation.version.starts_with("6.0") ||
                                  installation.version.starts_with("6.1");
  auto thunk = Thunk::open(process, needs_render_nodes);
  if (!thunk) {
    return refuse(HsaStatus::out_of_resources, "open(\"/dev/kfd\")", thunk.error().error,
                  thunk.error().event);
  }
  auto runtime = std::make_unique<NodeRuntime>(journal, installation, std::move(*thunk));
  if (auto started = runtime->start(); !started) {
    return refuse(started.error().status, "HSA_OVERRIDE_GFX_VERSION", 22, started.error().event);
  }
  return runtime;
}

}  // namespace rocdrill::rocr
