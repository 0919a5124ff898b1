#include "sim/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/app.hpp"
#include "sim/distributed.hpp"
#include "sim/frameworks/torch.hpp"
#include "sim/hip/hip.hpp"
#include "sim/kernel/modules_load.hpp"
#include "sim/provision.hpp"
#include "sim/silicon/isa/decode.hpp"

namespace rocdrill::sim {
namespace {

// Virtual durations of the steps of a boot; assumed, and of no consequence.
constexpr std::uint64_t post_time = 1 * sec;
constexpr std::uint64_t boot_step = 200 * ms;

/// What runs before anybody can log in, in the order of systemd.
const std::vector<std::string> early_units = {
    "systemd-udevd.service", "systemd-modules-load.service", "systemd-udev-trigger.service"};

ParameterValue from_json(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.get<std::string>();
}

}  // namespace

Node::Node(NodeSpec spec, NodeOptions options) : spec_(std::move(spec)), options_(options) {
  os.journal.mute(true);  // nothing has happened yet
  provision(*this, spec_, options_.seed);
  os.journal.mute(false);
  describe_units();
  kernel.set_uevent_handler([this] { access.devices().settle(); });
  kernel.amdgpu.set_threads(options_.threads);
  kernel.queue_events = options_.queue_events;
}

/// The programs behind the units of provision().
void Node::describe_units() {
  units.set_program("/lib/systemd/systemd-udevd", [](EventId) {  // access/devtmpfs.cpp
    UnitRun run;
    run.stays = true;
    return run;
  });
  units.set_program("/lib/systemd/systemd-modules-load", [this](EventId cause) {
    return kernel::load_listed_modules(os, kernel, cause);
  });
  units.set_program("udevadm trigger --type=all --action=add", [this](EventId cause) {
    kernel.cold_plug(cause);
    return UnitRun{};
  });
}

void Node::schedule(std::uint64_t time_ns, Task task) {
  static constexpr std::string_view kinds[] = {
      "power_on", "power_cycle", "reboot",  "boot.kernel", "boot.drivers", "boot.login",
      "inject",   "upgrade",     "command", "workload",    "job"};
  if (std::ranges::find(kinds, task.kind) == std::end(kinds)) {
    throw std::invalid_argument("a node has no task '" + task.kind + "'");
  }
  os.scheduler.schedule(time_ns, std::move(task));
}

bool Node::step() {
  if (os.scheduler.empty()) return false;
  auto [time, task] = os.scheduler.take();
  os.clock.advance_to(time);
  perform(task);
  return true;
}

void Node::boot() {
  schedule({"power_on", Json::object()});
  run();
}

void Node::perform(const Task& task) {
  if (task.kind == "power_on" || task.kind == "power_cycle" || task.kind == "reboot") {
    if (task.kind == "power_cycle") board.power_cycle();
    start_boot(task.kind);
  } else if (task.kind == "boot.kernel") {
    const EventId cause = task.arguments.at("cause").get<EventId>();
    access.devices().forget();
    if (os.boot(cause)) schedule(os.clock.now() + boot_step, {"boot.drivers", Json::object()});
  } else if (task.kind == "boot.drivers") {
    kernel.boot(os.boot_event);
    access.devices().settle();
    units.boot(early_units, os.boot_event);
    schedule(os.clock.now() + boot_step, {"boot.login", Json::object()});
  } else if (task.kind == "boot.login") {
    engine(containers::Kind::docker).catch_up();
    log_in(os.boot_event);
  } else if (task.kind == "inject") {
    FaultUse use{task.arguments.at("id").get<std::string>(), {}};
    for (const auto& [key, value] : task.arguments.at("parameters").items()) {
      use.parameters[key] = from_json(value);
    }
    inject(use);
  } else if (task.kind == "upgrade") {
    const EventId event = os.journal.record(Layer::host, Severity::info, "apt.unattended_upgrade",
                                            os.hostname, {}, no_event);
    os.packages.upgrade(event);
  } else if (task.kind == "job") {
    start_job(task.arguments);
  } else if (task.kind == "command") {
    static_cast<void>(run(task.arguments.at("argv").get<std::vector<std::string>>(), session()));
  } else {
    run_workload(task.arguments.at("kind").get<std::string>(),
                 task.arguments.value("path", std::string()));
  }
}

void Node::start_job(const Json& what) {
  const auto& gpus = kernel.kfd.nodes();
  const auto index = what.at("gpu").get<std::size_t>();
  if (index >= gpus.size()) return;  // it finds no GPU and ends
  const std::uint32_t gpu_id = gpus[index].gpu_id;
  const std::string command = what.at("command");
  const int pid = os.new_pid();
  const EventId event = os.journal.record(Layer::host, Severity::info, "process.started", command,
                                          {{"pid", std::int64_t{pid}}, {field::see, "ps"}},
                                          what.at("cause").get<EventId>());
  os.processes[pid] = {command, os.session.uid};
  const auto leaves = what.at("leaves").get<std::uint64_t>();
  const std::uint64_t free = kernel.kfd.available_vram(gpu_id);
  if (!kernel.kfd.attach(pid, gpu_id)) return;
  if (free > leaves) static_cast<void>(kernel.kfd.reserve_vram(pid, gpu_id, free - leaves));
  kernel.kfd.explain_holding(pid, gpu_id, event);
}

void Node::start_boot(std::string_view kind) {
  powered_ = true;
  const EventId event = os.journal.record(Layer::host, Severity::info,
                                          kind == "power_on" ? "power.on" : "power.reboot",
                                          os.hostname, {}, no_event);
  os.processes.clear();
  board.power_on(event);
  schedule(os.clock.now() + post_time, {"boot.kernel", {{"cause", event}}});
}

void Node::log_in(EventId cause) {
  const auto identity = login(os.files, spec_.user);
  if (!identity) {
    os.journal.record(Layer::host, Severity::error, "session.refused", spec_.user, {}, cause);
    return;
  }
  os.session = *identity;
  if (const auto user = find_user(os.files, spec_.user)) os.read_login_environment(user->home);
  os.journal.record(Layer::host, Severity::info, "session.login", spec_.user, {{field::see, "id"}},
                    cause);
}

const Fault& Node::applicable(const FaultUse& use, Parameters& parameters) const {
  const Fault* fault = FaultRegistry::instance().find(use.id);
  if (!fault)
    throw std::invalid_argument("there is no fault '" + use.id + "'; see: rocdrill fault list");
  auto checked = FaultRegistry::check(fault->info(), use.parameters);
  if (!checked) throw std::invalid_argument(checked.error());
  if (const std::string why = fault->inapplicable(*this, *checked); !why.empty()) {
    throw std::invalid_argument(
        fmt::format("fault '{}' cannot be on node '{}': {}", use.id, spec_.id, why));
  }
  parameters = std::move(*checked);
  return *fault;
}

void Node::prepare(const FaultUse& use) {
  Parameters parameters;
  applicable(use, parameters).prepare(*this, parameters);
}

EventId Node::inject(const FaultUse& use) {
  Parameters parameters;
  const Fault& fault = applicable(use, parameters);
  const EventId event =
      os.journal.record(fault.info().layer, Severity::warning, "fault.injected", use.id,
                        {{field::did, std::string_view(fault.info().changes)}}, no_event);
  fault.inject(*this, parameters, event);
  return event;
}

EventId Node::clear(const std::string& id) {
  const Fault* fault = FaultRegistry::instance().find(id);
  if (!fault)
    throw std::invalid_argument("there is no fault '" + id + "'; see: rocdrill fault list");
  if (!fault->info().surgical) {
    throw std::invalid_argument(
        fmt::format("fault '{}' changed the node's state: repair it, or use rocdrill undo", id));
  }
  if (!fault->clear(*this)) {
    throw std::invalid_argument(fmt::format("fault '{}' is not on node '{}'", id, spec_.id));
  }
  return os.journal.record(fault->info().layer, Severity::info, "fault.cleared", id, {}, no_event);
}

ProcessSpec Node::session() {
  ProcessSpec spec;
  spec.command = "bash";
  spec.identity = os.session;
  spec.environment = os.session_environment;
  spec.environment_events = os.environment_events;
  return spec;
}

CommandResult Node::run(const std::vector<std::string>& argv, const ProcessSpec& spec) {
  kernel.amdgpu.settle_resets();
  if (!runner_ || argv.empty()) return {127, {}, "command not found\n", no_event, false};
  return runner_(*this, argv, spec);
}

Capabilities Node::capabilities() const {
  Capabilities all{Capability::files,          Capability::kfd,
                   Capability::aql_barrier,    Capability::barrier_value,
                   Capability::agent_dispatch, Capability::hip,
                   Capability::inject,         Capability::virtual_time};
  if (std::ranges::all_of(board.gpus(),
                          [](const silicon::Gpu& gpu) { return isa::executes(gpu.product->gfx); }))
    all.add(Capability::kernel_dispatch);
  if (all.has(Capability::kernel_dispatch) && board.gpus().size() > 1)
    all.add(Capability::collectives);
  return all;
}

HsaResult<std::unique_ptr<Runtime>> Node::open_runtime(Process& process) {
  return rocr::hsa_init(process, os.journal, linked_rocm(process));
}

std::unique_ptr<Hip> Node::open_hip(Process& process) {
  if (process.spec() && !process.spec()->root.empty() &&
      !process.exists(rocm(process).prefix + "/lib/libamdhip64.so"))
    return nullptr;
  return hip::load(process, os.journal, linked_rocm(process));
}

void Node::run_workload(const std::string& kind, const std::string& path) {
  kernel.amdgpu.settle_resets();  // whoever starts it takes longer than a reset
  if (kind == "torch") {
    run_torch();
  } else if (kind == "hip-app") {
    run_hip_app(path.empty() && !spec_.apps.empty() ? spec_.apps.front().path : path);
  } else if (kind == "torchrun") {
    static_cast<void>(run_training(*this, session(), spec_.gpus.size()));
  } else if (kind != "none") {
    throw std::invalid_argument("there is no workload '" + kind +
                                "'; one of: torch, torchrun, hip-app, none");
  }
}

void Node::run_torch() {
  std::optional<ProcessSpec> spec = start_workload("python3");
  if (!spec) return;
  const auto process = access.spawn(*spec);
  const auto torch = open_framework(*process);
  if (!torch || !torch->import().ok) return;
  if (!torch->is_available().ok || !torch->matmul().ok) return;
  const Json model = Json::parse(os.files.text(job_model), nullptr, false);
  if (!model.is_object()) return;
  const auto job = access.spawn(*spec);
  const auto loading = open_framework(*job);
  if (loading->import().ok) loading->empty(model.value("weights_gib", std::uint64_t{0}) << 30);
}

void Node::run_hip_app(const std::string& path) {
  std::optional<ProcessSpec> spec = start_workload(basename(path));
  if (!spec) return;
  const auto process = access.spawn(*spec);
  const auto hip = open_hip(*process);
  if (hip) static_cast<void>(run_app(*hip, os.journal, path, "saxpy"));
}

template <class Archive>
void Node::serialize(Archive& archive) {
  archive("id", spec_.id);
  archive("seed", options_.seed);
  std::string history = Archive::saving ? os.timeline.to_json_lines() : std::string();
  archive("history", history);
  if constexpr (!Archive::saving) {
    auto timeline = Timeline::from_json_lines(history);
    if (!timeline) throw std::runtime_error("saved history: " + timeline.error());
    os.timeline = std::move(*timeline);
  }
  archive("os", os);
  archive("board", board);
  archive("kernel", kernel);
  archive("access", access);
  archive("units", units);
  archive("powered", powered_);
}

std::string Node::save() {
  Saver saver;
  serialize(saver);
  std::string bytes;
  Json::to_cbor(saver.take(), bytes);
  return bytes;
}

void Node::restore(const std::string& state) {
  const Json json = Json::from_cbor(state, true, false);
  if (json.is_discarded() || !json.is_object()) {
    throw std::runtime_error("not a saved node (the CBOR is damaged)");
  }
  if (json.value("id", "") != spec_.id) {
    throw std::runtime_error(
        fmt::format("the state is of node '{}', not of '{}'", json.value("id", ""), spec_.id));
  }
  Loader loader(json);
  serialize(loader);
}

}  // namespace rocdrill::sim
