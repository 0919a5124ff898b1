// The simulated node: every component, wired together once, and the tasks that make its history.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/access/process.hpp"
#include "sim/containers/engine.hpp"
#include "sim/fault.hpp"
#include "sim/host/os.hpp"
#include "sim/host/units.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/node_spec.hpp"
#include "sim/rocr/rocr.hpp"
#include "sim/silicon/board.hpp"
#include "stack/backend.hpp"

namespace rocdrill::sim {

struct NodeOptions {
  std::uint64_t seed = 1;
  /// Threads for work that can be shared (device probes). The history does not depend on it.
  unsigned threads = 1;
  cp::EventLevel queue_events = cp::EventLevel::errors;
};

class Node final : public Backend, private Host {
 public:
  /// The node as it was installed: powered off, nothing has happened. Throws std::runtime_error
  /// for a description that makes no node (unknown product, no kernel).
  explicit Node(NodeSpec spec, NodeOptions options = {});

  const NodeSpec& spec() const { return spec_; }
  const NodeOptions& options() const { return options_; }

  // --- its history: tasks on the virtual clock ---
  /// Kinds: "power_on", "reboot", "power_cycle", "inject" {id, parameters}, "upgrade", "command"
  /// {argv}, "workload" {kind, path}, "job" {command, gpu, leaves, cause}: a program of the user
  /// that goes on running and holds a GPU's memory but for so many bytes. Throws
  /// std::invalid_argument for any other.
  void schedule(std::uint64_t time_ns, Task task);
  void schedule(Task task) { schedule(os.clock.now(), std::move(task)); }
  /// Performs the next task; false if there is none.
  bool step();
  void run() {
    while (step()) {
    }
  }
  /// Boots now and runs until nothing is left to do.
  void boot();
  /// The circumstances that a fault needs (Fault::prepare), and the fault itself. Both throw
  /// std::invalid_argument for an unknown fault, wrong parameters, or one that does not apply to
  /// this node.
  void prepare(const FaultUse& use);
  EventId inject(const FaultUse& use);
  /// Ends a surgical fault: what it has not done yet does not happen. Throws
  /// std::invalid_argument for an unknown fault, one that is not on the node, or one that cannot be
  /// cleared.
  EventId clear(const std::string& id);
  /// Runs "torch" (the bring-up script's step 5), "torchrun" (the training on all GPUs) or
  /// "hip-app" (a program of the node) as the user.
  void run_workload(const std::string& kind, const std::string& path = {});

  /// How commands are run: sim/tools puts itself in here.
  using CommandRunner =
      std::function<CommandResult(Node&, const std::vector<std::string>&, const ProcessSpec&)>;
  void set_command_runner(CommandRunner runner) { runner_ = std::move(runner); }

  // --- Backend ---
  std::string_view name() const override { return "sim"; }
  Capabilities capabilities() const override;
  Host& host() override { return *this; }
  HsaResult<std::unique_ptr<Runtime>> open_runtime(Process& process) override;
  std::unique_ptr<Hip> open_hip(Process& process) override;
  std::unique_ptr<Framework> open_framework(Process& process) override;
  const Timeline* timeline() const override { return &os.timeline; }

  // --- saving: between any two tasks ---
  std::string save();
  /// Into a node made from the same description. Throws std::runtime_error if the state is of
  /// another node or damaged.
  void restore(const std::string& state);

  // --- its parts, for those who look at them or break them ---
  Os os;
  silicon::Board board{os};
  kernel::Kernel kernel{os, board};
  access::Access access{os, kernel};
  Units units{os};

  /// Logs the node's user in (again): the session gets the groups of the database.
  void log_in(EventId cause);
  /// The installation that the node's programs are linked with.
  rocr::Installation rocm() const { return {spec_.rocm.prefix, spec_.rocm.version}; }
  /// The same of a process: in a container its image's, with an empty version if it has none.
  rocr::Installation rocm(Process& process) const;
  /// site-packages/torch of a process; "" where there is none.
  std::string torch_directory(Process& process) const;
  /// The engine that holds a user's containers, or docker's.
  containers::Engine engine(containers::Kind kind, const std::string& user = {});
  /// What the dynamic linker gives a process: folders of LD_LIBRARY_PATH come first. Records an
  /// event if that is another release.
  rocr::Installation linked_rocm(Process& process);
  bool powered() const { return powered_; }

  /// Programs of this machine that run on the node: who can send them a signal. False: it is none.
  using ProgramSignal = std::function<bool(int pid, int signal)>;
  void set_program_signal(ProgramSignal handler) { program_signal_ = std::move(handler); }
  bool signal_program(int pid, int signal) const {
    return program_signal_ && program_signal_(pid, signal);
  }

 private:
  std::string hostname() override { return os.hostname; }
  std::string kernel_release() override { return os.kernel_release; }
  std::unique_ptr<Process> spawn(const ProcessSpec& spec) override {
    kernel.amdgpu.settle_resets();
    return access.spawn(spec);
  }
  ProcessSpec session() override;
  std::expected<ProcessSpec, StartFailure> job() override;
  CommandResult run(const std::vector<std::string>& argv, const ProcessSpec& spec) override;

  const Fault& applicable(const FaultUse& use, Parameters& parameters) const;
  void describe_units();
  void perform(const Task& task);
  void start_boot(std::string_view kind);
  void start_job(const Json& what);
  void run_torch();
  void run_hip_app(const std::string& path);
  /// The job's view; records that it was not started, if it cannot be.
  std::optional<ProcessSpec> start_workload(std::string_view what);

  template <class Archive>
  void serialize(Archive& archive);
  friend class Saver;
  friend class Loader;

  NodeSpec spec_;
  NodeOptions options_;
  CommandRunner runner_;
  ProgramSignal program_signal_;
  bool powered_ = false;
};

}  // namespace rocdrill::sim
