#include "sim/distributed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "sim/collective.hpp"
#include "sim/device_code.hpp"

namespace rocdrill::sim {
namespace {

using libraries::LibraryFailure;

constexpr std::size_t bucket = 1024;  // floats
constexpr std::uint64_t watchdog_ms = 600'000;

std::size_t batches_of(Process& process, std::size_t rank) {
  const auto text = process.read_file(data_shard(rank));
  return text ? static_cast<std::size_t>(std::ranges::count(*text, '\n')) : 0;
}

/// The release that a wheel brings: "6.3" of 2.6.0+rocm6.3.
std::string rocm_of(const Node& node) {
  const std::string& version = node.spec().torch.version;
  const std::size_t at = version.find("+rocm");
  return at == std::string::npos ? node.rocm().version : version.substr(at + 5);
}

ProcessSpec python(ProcessSpec spec) {
  spec.command = "python3";
  return spec;
}

class Training {
 public:
  Training(Node& node, const ProcessSpec& spec, std::size_t ranks)
      : node_(node),
        spec_(python(spec)),
        ranks_(node, {ranks, spec_, torch_rccl_library(node.spec()), rocm_of(node)}) {}

  DistributedResult run() {
    if (has_torch() && join()) train();
    result_.out = ranks_.log() + result_.out;
    return std::move(result_);
  }

 private:
  bool has_torch();
  bool join();
  void train();
  bool step(std::size_t number, const std::vector<std::size_t>& batches);
  void raise(std::string_view subject, std::string text, EventId cause, bool unmodelled = false);
  bool backend_error(std::size_t rank, std::string_view subject, const LibraryFailure& failure);
  void time_out(std::size_t number);

  Node& node_;
  ProcessSpec spec_;
  Collective ranks_;
  DistributedResult result_;
};

void Training::raise(std::string_view subject, std::string text, EventId cause, bool unmodelled) {
  const std::string shows = text.substr(0, text.find('\n'));
  result_.event = node_.os.journal.record(
      Layer::framework, unmodelled ? Severity::unmodelled : Severity::error, "torch.error", subject,
      {{field::did, "raises"}, {field::shows, std::string_view(shows)}, {field::see, "torchrun"}},
      cause);
  result_.exit_code = 1;
  result_.unmodelled = result_.unmodelled || unmodelled;
  result_.err += text + "\n";
}

/// Before anything is distributed: the wheel and a GPU for it.
bool Training::has_torch() {
  const auto process = node_.access.spawn(spec_);
  const auto torch = node_.open_framework(*process);
  const FrameworkResult import = torch ? torch->import() : FrameworkResult{};
  if (!import.ok) {
    result_.exit_code = 1;
    result_.event = import.event;
    result_.err =
        (import.text.empty() ? "ModuleNotFoundError: No module named 'torch'" : import.text) + "\n";
    return false;
  }
  if (const FrameworkResult available = torch->is_available(); !available.ok) {
    raise("init_process_group",
          "ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!",
          available.event);
    return false;
  }
  if (torch->device_count() < static_cast<int>(ranks_.size())) {
    const auto why = torch->device_count();
    raise("torch.cuda.set_device",
          fmt::format("RuntimeError: HIP error: invalid device ordinal (rank {} of {}, {} devices)",
                      why, ranks_.size(), why),
          no_event);
    return false;
  }
  return true;
}

/// c10d's words for what ncclCommInitRank returned.
bool Training::backend_error(std::size_t rank, std::string_view subject,
                             const LibraryFailure& failure) {
  const bool hip = failure.text.starts_with("unhandled cuda error");
  const bool memory = failure.text.starts_with("Error while creating shared memory");
  const std::string_view kind = hip      ? "ncclUnhandledCudaError: Call to CUDA function failed."
                                : memory ? "ncclSystemError: System call (e.g. socket, malloc) or "
                                           "external library call failed or device error."
                                         : "ncclInternalError: Internal check failed.";
  const std::string_view what = hip      ? "unhandled cuda error"
                                : memory ? "unhandled system error"
                                         : "internal error - please report this issue to the NCCL "
                                           "developers";
  raise(subject,
        fmt::format("[rank{}]: torch.distributed.DistBackendError: NCCL error in: "
                    "../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, {}, NCCL version {}\n"
                    "[rank{}]: {}\n[rank{}]: Last error:\n[rank{}]: {}",
                    rank, what, libraries::rccl::version_of(rocm_of(node_)), rank, kind, rank, rank,
                    failure.text),
        failure.event, failure.unmodelled);
  return false;
}

bool Training::join() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_.start(rank))
      return backend_error(rank, "init_process_group", *ranks_.member(rank).failure);
  }
  if (ranks_.connect()) return true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (const auto& failure = ranks_.member(rank).failure)
      backend_error(rank, "init_process_group", *failure);
  }
  return false;
}

/// The watchdog of every rank that waits; those that do not wait say nothing.
void Training::time_out(std::size_t number) {
  node_.os.clock.advance(watchdog_ms * ms);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Collective::Member& member = ranks_.member(rank);
    if (member.state != Collective::State::waits) continue;
    raise(
        fmt::format("rank {}", rank),
        fmt::format("[rank{0}]:[E ProcessGroupNCCL.cpp:629] [Rank {0}] Watchdog caught collective "
                    "operation timeout: WorkNCCL(SeqNum={1}, OpType=ALLREDUCE, NumelIn={2}, "
                    "NumelOut={2}, Timeout(ms)={3}) ran for {4} milliseconds before timing out.",
                    rank, number + 1, bucket, watchdog_ms, watchdog_ms + 81 + rank),
        member.event);
  }
}

bool Training::step(std::size_t number, const std::vector<std::size_t>& batches) {
  std::vector<std::vector<float>> gradients(ranks_.size(), std::vector<float>(bucket));
  std::minstd_rand random(static_cast<unsigned>(number + 1));
  std::vector<float> expected(bucket);
  for (std::vector<float>& of_rank : gradients) {
    for (std::size_t i = 0; i < bucket; ++i) {
      of_rank[i] = static_cast<float>(random() % 256) / 16;  // sums are exact in any order
      expected[i] += of_rank[i];
    }
  }
  if (!ranks_.write(gradients)) {
    raise("gradients", ranks_.failure() ? ranks_.failure()->text : "RuntimeError: HIP error",
          ranks_.failure() ? ranks_.failure()->event : no_event);
    return false;
  }
  std::size_t calling = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (number < batches[rank]) calling += ranks_.enqueue(rank, bucket) ? 1 : 0;
  if (calling < ranks_.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (number < batches[rank]) continue;
      const std::string got = fmt::format("{} batches in {}", batches[rank], data_shard(rank));
      ranks_.explain_absence(
          rank, node_.os.journal.record(Layer::framework, Severity::error, "training.rank_leaves",
                                        fmt::format("rank {}", rank),
                                        {{field::asked, "another batch"},
                                         {field::got, std::string_view(got)},
                                         {field::did, "its loop ends: it does not call all_reduce"},
                                         {field::see, "ls -l /srv/job/data"}},
                                        node_.os.files.why(data_shard(rank))));
    }
  }
  if (!ranks_.run()) {
    time_out(number);
    return false;
  }
  std::size_t agree = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    agree += ranks_.read(rank, bucket) == expected ? 1 : 0;
  result_.out +=
      fmt::format("step {}: gradients agree on {} of {} ranks\n", number, agree, ranks_.size());
  return agree == ranks_.size();
}

void Training::train() {
  std::vector<std::size_t> batches;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    batches.push_back(batches_of(*ranks_.member(rank).process, rank));
  const std::size_t steps = batches.empty() ? 0 : *std::ranges::max_element(batches);
  for (std::size_t number = 0; number < steps; ++number)
    if (!step(number, batches)) return;
}

}  // namespace

std::string data_shard(std::size_t rank) { return fmt::format("/srv/job/data/shard-{}.txt", rank); }

DistributedResult run_training(Node& node, const ProcessSpec& spec, std::size_t ranks) {
  return Training(node, spec, ranks).run();
}

void install_training(Node& node) {
  const NodeSpec& spec = node.spec();
  if (spec.torch.version.empty() || spec.gpus.size() < 2) return;
  FileTree& files = node.os.files;
  files.write(training_script,
              "# torchrun --nproc_per_node=N train.py: averages gradients over all ranks, a step a "
              "batch of the rank's shard\n",
              no_event);
  for (std::size_t rank = 0; rank < spec.gpus.size(); ++rank) {
    files.write(data_shard(rank), "batch 0\n", no_event);
    files.write(data_shard(rank) + ".orig", "batch 0\n", no_event);
  }
}

}  // namespace rocdrill::sim
