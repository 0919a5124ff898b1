#include "sim/hip/hip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "sim/hip/module.hpp"
#include "sim/hip/visible_devices.hpp"

namespace rocdrill::hip {
namespace {

using rocr::Installation;
using sim::Journal;

class NodeHip final : public Hip, public HsaInterop {
 public:
  NodeHip(Process& process, Journal& journal, Installation installation)
      : process_(process), journal_(journal), installation_(std::move(installation)) {}

  std::string version() override { return installation_.version; }
  HipResult<int> device_count() override;
  HipResult<HipDeviceInfo> properties(int device) override;
  HipResult<HipMemory> memory(int device) override;
  void register_fat_binary(std::string file) override { registered_.push_back(std::move(file)); }
  HipResult<void> launch(int device, std::string_view file, std::string_view kernel,
                         const HipLaunch& how) override;
  HipResult<std::uint64_t> allocate(int device, std::size_t bytes) override;
  HipResult<void> copy_to_device(std::uint64_t to, std::span<const std::byte> from) override;
  HipResult<void> copy_to_host(std::span<std::byte> to, std::uint64_t from) override;
  HipResult<void> load_module(int device, std::string_view file) override;
  HipResult<Device> hsa(int device) override;

 private:
  HipResult<void> initialise();
  HipResult<void> start();
  HipResult<void> check_registered();
  bool legacy() const { return installation_.major() < 6; }
  HipFailure no_device(std::string_view asked, std::string_view got, EventId cause);
  HipFailure missing(std::string_view kind, HipError error, std::string_view file,
                     const ModuleError& why);
  const AgentInfo& agent(int device) const {
    return runtime_->agents()[devices_[static_cast<std::size_t>(device)]];
  }
  std::string arguments_text(const HipLaunch& how) const;
  EventId filtered(std::string_view variable, std::string_view value,
                   const std::vector<std::size_t>& gpus, EventId why);
  HipFailure waits_for_ever(std::string_view kernel, std::size_t before, EventId code);
  /// Whether the device memory that allocate() gave holds all of it.
  bool owns(std::uint64_t va, std::size_t bytes) const;
  bool valid(int device) const {
    return device >= 0 && static_cast<std::size_t>(device) < devices_.size();
  }

  Process& process_;
  Journal& journal_;
  Installation installation_;
  std::vector<std::string> registered_;
  bool started_ = false;
  HipResult<void> state_;  ///< what initialisation ended with; stays so for the process's life
  std::unique_ptr<Runtime> runtime_;
  EventId event_ = no_event;
  std::vector<std::size_t> devices_;             ///< HIP device -> agent
  std::map<std::uint64_t, std::size_t> memory_;  ///< of allocate()
};

HipFailure NodeHip::no_device(std::string_view asked, std::string_view got, EventId cause) {
  const EventId event = journal_.record(Layer::hip, Severity::error, "hip.no_device", "hipInit",
                                        {{field::asked, asked},
                                         {field::got, got},
                                         {field::did, "no device"},
                                         {field::status, "hipErrorNoDevice"},
                                         {field::see, "hipInfo"}},
                                        cause);
  return {HipError::no_device, event, {}, false};
}

/// What a filter did to the order; `gpus` are all agents. Worth a warning if device 0 is a smaller
/// GPU than one that was there: the processor's own instead of the card.
EventId NodeHip::filtered(std::string_view variable, std::string_view value,
                          const std::vector<std::size_t>& gpus, EventId why) {
  const auto units = [&](std::size_t agent) { return runtime_->agents()[agent].compute_units; };
  const std::size_t largest = *std::ranges::max_element(gpus, {}, units);
  if (units(devices_.front()) >= units(largest)) return why;
  const auto& all = runtime_->agents();
  const std::string did = fmt::format("device 0 is {} with {} compute units, not {} with {}",
                                      all[devices_.front()].name, units(devices_.front()),
                                      all[largest].name, units(largest));
  return journal_.record(
      Layer::hip, Severity::warning, "hip.filter", variable,
      {{field::asked, value}, {field::did, std::string_view(did)}, {field::see, "hipInfo"}}, why);
}

HipResult<void> NodeHip::start() {
  auto runtime = rocr::hsa_init(process_, journal_, installation_);
  if (!runtime) {
    return std::unexpected(
        no_device("hsa_init", name(runtime.error().status), runtime.error().event));
  }
  runtime_ = std::move(*runtime);
  const auto* rocr = dynamic_cast<const rocr::RocrRuntime*>(runtime_.get());
  std::vector<std::size_t> gpus;
  std::vector<std::string> uuids;
  for (std::size_t i = 0; i < runtime_->agents().size(); ++i) {
    if (runtime_->agents()[i].type != DeviceType::gpu) continue;
    gpus.push_back(i);
    uuids.push_back(runtime_->agents()[i].uuid);
  }
  if (gpus.empty()) {
    return std::unexpected(no_device("GPU agents of hsa_iterate_agents", "none", rocr->event()));
  }
  // An empty HIP_VISIBLE_DEVICES counts as unset and leaves the word to CUDA_VISIBLE_DEVICES.
  const std::string variable =
      process_.env("HIP_VISIBLE_DEVICES").empty() ? "CUDA_VISIBLE_DEVICES" : "HIP_VISIBLE_DEVICES";
  event_ = rocr->event();
  devices_ = gpus;
  if (const std::string value = process_.env(variable); !value.empty()) {
    devices_.clear();
    for (const std::size_t index : visible_devices(value, uuids)) devices_.push_back(gpus[index]);
    const EventId why =
        process_.why_env(variable) != no_event ? process_.why_env(variable) : event_;
    if (devices_.empty()) {
      return std::unexpected(no_device(
          variable + "=" + value,
          fmt::format("no such index among {} agent{}", gpus.size(), gpus.size() == 1 ? "" : "s"),
          why));
    }
    event_ = filtered(variable, value, gpus, why);
  }
  const std::string got =
      fmt::format("{} device{}", devices_.size(), devices_.size() == 1 ? "" : "s");
  event_ = journal_.record(Layer::hip, Severity::info, "hip.init", "hipInit",
                           {{field::asked, "GPU agents of hsa_iterate_agents"},
                            {field::got, std::string_view(got)},
                            {field::status, "hipSuccess"}},
                           event_);
  return {};
}

HipResult<void> NodeHip::initialise() {
  if (!started_) {
    started_ = true;
    state_ = start();
    if (state_ && legacy()) state_ = check_registered();
  }
  return state_;
}

HipFailure NodeHip::missing(std::string_view kind, HipError error, std::string_view file,
                            const ModuleError& why) {
  const std::string status = name(error);
  const EventId event = journal_.record(Layer::hip, Severity::error, kind, file,
                                        {{field::asked, std::string_view(why.asked)},
                                         {field::got, std::string_view(why.what)},
                                         {field::status, std::string_view(status)},
                                         {field::see, "AMD_LOG_LEVEL=3"}},
                                        why.event);
  return {error, event, {}, why.unmodelled};
}

/// HIP 5 looks for a code object of every registered binary for every device at its first call,
/// and ends the process if one is missing.
HipResult<void> NodeHip::check_registered() {
  for (const std::string& file : registered_) {
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      auto found =
          find_code_object(process_, journal_, file, agent(static_cast<int>(device)).isa, event_);
      if (found) continue;
      HipFailure failure = missing("hip.abort", HipError::no_binary_for_gpu, file, found.error());
      failure.abort_text =
          "\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"";
      return std::unexpected(std::move(failure));
    }
  }
  return {};
}

HipResult<int> NodeHip::device_count() {
  if (auto ready = initialise(); !ready) return std::unexpected(ready.error());
  return static_cast<int>(devices_.size());
}

HipResult<HipDeviceInfo> NodeHip::properties(int device) {
  if (auto ready = initialise(); !ready) return std::unexpected(ready.error());
  if (!valid(device)) return fail(HipError::invalid_device, event_);
  const AgentInfo& is = agent(device);
  HipDeviceInfo info;
  info.name = is.marketing_name;
  info.gcn_arch_name = is.isa.substr(std::string_view("amdgcn-amd-amdhsa--").size());
  info.multiprocessor_count = is.compute_units;
  info.total_global_mem = is.memory_bytes;
  info.warp_size = is.wavefront_size;
  return info;
}

HipResult<HipMemory> NodeHip::memory(int device) {
  if (auto ready = initialise(); !ready) return std::unexpected(ready.error());
  if (!valid(device)) return fail(HipError::invalid_device, event_);
  auto* rocr = dynamic_cast<rocr::RocrRuntime*>(runtime_.get());
  return HipMemory{rocr->free_memory(devices_[static_cast<std::size_t>(device)]),
                   agent(device).memory_bytes};
}

HipResult<void> NodeHip::load_module(int device, std::string_view file) {
  if (auto ready = initialise(); !ready) return ready;
  if (!valid(device)) return fail(HipError::invalid_device, event_);
  auto found = find_code_object(process_, journal_, file, agent(device).isa, event_);
  if (!found) {
    const HipError error =
        found.error().bad_file ? HipError::invalid_image : HipError::no_binary_for_gpu;
    return std::unexpected(missing("hip.module_load_failed", error, file, found.error()));
  }
  return {};
}

HipResult<HsaInterop::Device> NodeHip::hsa(int device) {
  if (auto ready = initialise(); !ready) return std::unexpected(ready.error());
  if (!valid(device)) return fail(HipError::invalid_device, event_);
  return Device{dynamic_cast<rocr::RocrRuntime*>(runtime_.get()),
                devices_[static_cast<std::size_t>(device)], event_};
}

HipResult<std::uint64_t> NodeHip::allocate(int device, std::size_t bytes) {
  if (auto ready = initialise(); !ready) return std::unexpected(ready.error());
  if (!valid(device)) return fail(HipError::invalid_device, event_);
  auto memory = runtime_->allocate(devices_[static_cast<std::size_t>(device)], bytes);
  if (!memory) {
    const std::string asked = fmt::format("hipMalloc of {} bytes", bytes);
    const std::string got = name(memory.error().status);
    return fail(HipError::out_of_memory,
                journal_.record(Layer::hip, Severity::error, "hip.out_of_memory", "hipMalloc",
                                {{field::asked, std::string_view(asked)},
                                 {field::got, std::string_view(got)},
                                 {field::status, "hipErrorOutOfMemory"},
                                 {field::see, "rocm-smi"}},
                                memory.error().event));
  }
  const std::uint64_t va = reinterpret_cast<std::uintptr_t>(*memory);
  memory_[va] = bytes;
  return va;
}

bool NodeHip::owns(std::uint64_t va, std::size_t bytes) const {
  auto after = memory_.upper_bound(va);
  if (after == memory_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return va - begin <= size && bytes <= size - (va - begin);
}

/// Device memory of the model lies where the host reaches it.
HipResult<void> NodeHip::copy_to_device(std::uint64_t to, std::span<const std::byte> from) {
  if (!owns(to, from.size())) return fail(HipError::invalid_value, event_);
  std::ranges::copy(from, reinterpret_cast<std::byte*>(to));
  return {};
}

HipResult<void> NodeHip::copy_to_host(std::span<std::byte> to, std::uint64_t from) {
  if (!owns(from, to.size())) return fail(HipError::invalid_value, event_);
  std::copy_n(reinterpret_cast<const std::byte*>(from), to.size(), to.begin());
  return {};
}

/// `before`: events of the timeline before the launch.
HipFailure NodeHip::waits_for_ever(std::string_view kernel, std::size_t before, EventId code) {
  EventId cause = code;
  for (EventId id = static_cast<EventId>(before) + 1; id <= journal_.timeline().size(); ++id)
    if (const EventView event = journal_.timeline().head(id);
        event.layer == Layer::silicon && event.severity >= Severity::warning)
      cause = id;
  HipFailure failure{HipError::unknown, no_event, {}, false, true};
  failure.event = journal_.record(Layer::hip, Severity::error, "hip.waits_for_ever", kernel,
                                  {{field::asked, "hipDeviceSynchronize"},
                                   {field::got, "a completion signal that stays 1"},
                                   {field::did, "does not return"},
                                   {field::see, "rocgdb -p, top"}},
                                  cause);
  return failure;
}

/// The explicit arguments in order: "buffer:4096" for a pointer to device memory with so many bytes
/// behind it, else the bytes of the value as hex. Addresses differ from run to run.
std::string NodeHip::arguments_text(const HipLaunch& how) const {
  std::string text;
  for (const std::vector<std::byte>& argument : how.arguments) {
    if (!text.empty()) text += ' ';
    std::uint64_t value = 0;
    std::memcpy(&value, argument.data(), std::min(argument.size(), sizeof value));
    if (argument.size() == sizeof value && owns(value, 1)) {
      const auto& [begin, size] = *std::prev(memory_.upper_bound(value));
      text += fmt::format("buffer:{}", begin + size - value);
      continue;
    }
    for (const std::byte byte : argument) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  }
  return text;
}

HipResult<void> NodeHip::launch(int device, std::string_view file, std::string_view kernel,
                                const HipLaunch& how) {
  if (auto ready = initialise(); !ready) return ready;
  if (!valid(device)) return fail(HipError::invalid_device, event_);
  auto found = find_code_object(process_, journal_, file, agent(device).isa, event_);
  if (!found) {
    // The image was registered without a word; only now is its kernel missed.
    return std::unexpected(
        missing("hip.launch_failed", HipError::invalid_device_function, file, found.error()));
  }
  if (!found->object.find_kernel(kernel)) {
    ModuleError none{fmt::format("kernel {}", kernel), "no such kernel in the code object",
                     found->event};
    return std::unexpected(
        missing("hip.launch_failed", HipError::invalid_device_function, file, none));
  }
  const std::size_t before = journal_.timeline().size();
  const std::string groups =
      fmt::format("{} x {} x {} work-groups of {} x {} x {}", how.grid[0], how.grid[1], how.grid[2],
                  how.block[0], how.block[1], how.block[2]);
  const std::string arguments = arguments_text(how);
  process_.set_reason(journal_.record(Layer::hip, Severity::debug, "hip.launch", kernel,
                                      {{field::asked, std::string_view(groups)},
                                       {"arguments", std::string_view(arguments)},
                                       {field::did, "waits for the completion signal"}},
                                      found->event));
  const DispatchResult done = dispatch(*runtime_, devices_[static_cast<std::size_t>(device)],
                                       *found, *found->object.find_kernel(kernel), how);
  if (const auto ended = runtime_->aborted())
    return std::unexpected(HipFailure{HipError::launch_failure, ended->event, ended->text, false});
  if (done.never_ends) return std::unexpected(waits_for_ever(kernel, before, found->event));
  if (done.status == HsaStatus::success) return {};
  const HsaStatus status = done.status;
  HipFailure failure{HipError::launch_failure, no_event, {}, false};
  EventId cause = found->event;
  for (EventId id = static_cast<EventId>(before) + 1; id <= journal_.timeline().size(); ++id) {
    const EventView event = journal_.timeline().at(id);
    failure.unmodelled = failure.unmodelled || event.severity == Severity::unmodelled;
    if (event.kind == "queue.failed" || event.severity == Severity::unmodelled) cause = id;
  }
  const std::string text = done.refused.empty() ? name(status) : done.refused;
  failure.event = journal_.record(
      Layer::hip, failure.unmodelled ? Severity::unmodelled : Severity::error, "hip.launch_failed",
      kernel, {{field::got, std::string_view(text)}, {field::status, "hipErrorLaunchFailure"}},
      cause);
  return std::unexpected(std::move(failure));
}

}  // namespace

std::unique_ptr<Hip> load(Process& process, Journal& journal, const Installation& installation) {
  return std::make_unique<NodeHip>(process, journal, installation);
}

}  // namespace rocdrill::hip
