// Programs that run on several GPUs at a time: all_reduce_perf, torchrun, rocm_bandwidth_test.
// Texts: rccl-tests (its develop branch of 2025), rocm_bandwidth_test 2.6.
#include <algorithm>
#include <charconv>
#include <random>

#include "sim/collective.hpp"
#include "sim/device_code.hpp"
#include "sim/distributed.hpp"
#include "sim/silicon/topology_text.hpp"
#include "sim/tools/amd_smi.hpp"

namespace rocdrill::sim::tools {
namespace {

/// "8", "1K", "128M", "8G" in bytes; 0 if it is no size.
std::uint64_t size_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const unsigned shift = unit.empty()                 ? 0
                         : unit == "K" || unit == "k" ? 10
                         : unit == "M" || unit == "m" ? 20
                         : unit == "G" || unit == "g" ? 30
                                                      : 64;
  return shift == 64 ? 0 : value << shift;
}

/// One line of the table: the sums are those of executed kernels, on as many numbers as a call may
/// have; the time is that of the whole size on the virtual clock.
class PerfRun {
 public:
  PerfRun(Call& call, std::size_t ranks)
      : call_(call),
        ranks_(call.node,
               {ranks, call.spec, rccl_library(call.node.spec()), call.node.rocm().version}) {}

  int start();
  int measure(std::uint64_t bytes);
  void finish();

 private:
  int failed(const libraries::LibraryFailure& failure);
  /// How many numbers are wrong, or -1 if it does not end.
  int reduce(std::size_t count);
  void print_devices();

  Call& call_;
  Collective ranks_;
  double bus_ = 0;
  int lines_ = 0;
  int wrong_ = 0;
};

int PerfRun::failed(const libraries::LibraryFailure& failure) {
  call_.out += ranks_.log();
  call_.event = failure.event;
  if (failure.unmodelled)
    return call_.fail(
        2, "all_reduce_perf: rocdrill does not model what it asks for (see the history)\n");
  const std::string_view kind = failure.text.starts_with("unhandled")
                                    ? failure.text
                                    : std::string_view(
                                          "internal error - please report this issue "
                                          "to the NCCL developers");
  call_.out += fmt::format(
      "{0}: Test NCCL failure common.cu:1005 '{1} / {2}'\n .. {0}: Test failure common.cu:891\n",
      call_.node.os.hostname, kind, failure.text);
  return 3;
}

void PerfRun::print_devices() {
  call_.print("# Using devices\n");
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Collective::Member& member = ranks_.member(rank);
    const KfdDevice device = device_of(call_.node, rank);
    call_.print("#  Rank {:>2} Group  0 Pid {:>6} on {:>10} device {:>2} [{}] {}\n", rank,
                member.process ? member.process->pid() : 0, call_.node.os.hostname, rank,
                device.bdf, device.name);
  }
}

int PerfRun::start() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (!ranks_.start(rank)) return failed(*ranks_.member(rank).failure);
  print_devices();
  if (!ranks_.connect()) {
    if (const auto* failure = ranks_.failure()) return failed(*failure);
    call_.out += ranks_.log();
    return call_.wait_for_ever();
  }
  call_.print(
      "#\n#                                                              out-of-place                       in-place          \n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n");
  return 0;
}

int PerfRun::reduce(std::size_t count) {
  std::minstd_rand random(static_cast<unsigned>(count) + 7);
  std::vector<std::vector<float>> numbers(ranks_.size(), std::vector<float>(count));
  std::vector<float> expected(count);
  for (auto& of_rank : numbers) {
    for (std::size_t i = 0; i < count; ++i) {
      of_rank[i] = static_cast<float>(random() % 1024) / 4;
      expected[i] += of_rank[i];
    }
  }
  if (!ranks_.write(numbers)) return 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) ranks_.enqueue(rank, count);
  if (!ranks_.run()) return -1;
  int wrong = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto got = ranks_.read(rank, count);
    for (std::size_t i = 0; i < count; ++i) wrong += got[i] == expected[i] ? 0 : 1;
  }
  return wrong;
}

int PerfRun::measure(std::uint64_t bytes) {
  const std::uint64_t elements = bytes / sizeof(float);
  const auto executed =
      static_cast<std::size_t>(std::min<std::uint64_t>(elements, libraries::rccl::Rank::max_count));
  const int wrong = reduce(executed);
  if (const auto* failure = ranks_.failure()) return failed(*failure);
  if (wrong < 0) {
    call_.out += ranks_.log();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      call_.event = std::max(call_.event, ranks_.member(rank).event);
    return call_.wait_for_ever();
  }
  const std::uint64_t ns = all_reduce_ns(call_.node, ranks_, bytes);
  call_.node.os.clock.advance(ns);
  const double us = static_cast<double>(ns) / 1000;
  const double algorithm = us == 0 ? 0 : static_cast<double>(bytes) / us / 1000;
  const auto size = static_cast<double>(ranks_.size());
  const double bus = algorithm * 2 * (size - 1) / size;
  bus_ += bus;
  ++lines_;
  wrong_ += wrong;
  call_.print(
      "{:>12} {:>13} {:>9} {:>7} {:>7} {:>8.2f} {:>7.2f} {:>7.2f} {:>6} {:>8.2f} {:>7.2f} {:>7.2f} {:>6}\n",
      bytes, elements, "float", "sum", -1, us, algorithm, bus, wrong, us, algorithm, bus, wrong);
  return 0;
}

void PerfRun::finish() {
  call_.print(
      "# Errors with asterisks indicate errors that have exceeded the maximum threshold.\n"
      "# Out of bounds values : {} {}\n# Avg bus bandwidth    : {:.4f} \n#\n\n",
      wrong_, wrong_ == 0 ? "OK" : "FAILED", lines_ == 0 ? 0 : bus_ / lines_);
  call_.out = ranks_.log() + call_.out;
  call_.complain("rocdrill: times are modelled from the links, no measurement\n");
}

bool multi_gpu(Call& call) {
  const bool there =
      call.node.spec().gpus.size() > 1 && call.node.os.files.exists(rccl_library(call.node.spec()));
  call.found = there;
  return there;
}

int run_all_reduce_perf(Call& call) {
  if (!multi_gpu(call)) return 127;
  const auto options = parse(call, {{"-b", true},
                                    {"-e", true},
                                    {"-f", true},
                                    {"-g", true},
                                    {"-n", true},
                                    {"-w", true},
                                    {"-t", true}});
  if (!options) return 2;
  if (options->value_or("-t", "1") != "1") return call.refuse("more than one thread (-t)");
  const std::uint64_t first = size_of(options->value_or("-b", "32M")),
                      last = size_of(options->value_or("-e", "32M")),
                      factor = size_of(options->value_or("-f", "2"));
  const std::uint64_t gpus = size_of(options->value_or("-g", "1"));
  if (first == 0 || last < first || factor < 2 || gpus == 0)
    return call.fail(1, "invalid size, factor or number of GPUs\n");
  if (gpus > call.node.kernel.kfd.nodes().size() && !call.node.kernel.kfd.nodes().empty())
    return call.fail(1, "invalid number of GPUs: {} requested, {} are there\n", gpus,
                     call.node.kernel.kfd.nodes().size());
  call.print(
      "# nThread 1 nGpus {} minBytes {} maxBytes {} step: {}(factor) warmup iters: 5 iters: 20 "
      "agg iters: 1 validation: 1 graph: 0\n#\nrccl-tests: Version develop\n",
      gpus, first, last, factor);
  PerfRun run(call, gpus);
  if (const int code = run.start()) return code;
  for (std::uint64_t bytes = first; bytes <= last; bytes *= factor)
    if (const int code = run.measure(bytes / 4 * 4)) return code;
  run.finish();
  return 0;
}

int run_torchrun(Call& call) {
  if (call.node.spec().torch.version.empty()) {
    call.found = false;
    return 127;
  }
  const auto options = parse(call, {{"--nproc_per_node", true},
                                    {"--nproc-per-node", true, "--nproc_per_node"},
                                    {"--nnodes", true},
                                    {"--standalone"}});
  if (!options) return 2;
  if (options->value_or("--nnodes", "1") != "1") return call.refuse("more than one node");
  if (options->operands.size() != 1 || call.path(options->operands.front()) != training_script)
    return call.refuse(fmt::format("a script other than {}", training_script));
  if (!call.process().exists(training_script))
    return call.fail(1, "can't open file '{}': [Errno 2] No such file or directory\n",
                     training_script);
  const std::uint64_t ranks = size_of(options->value_or("--nproc_per_node", "1"));
  if (ranks == 0 || ranks > call.node.spec().gpus.size())
    return call.fail(1, "--nproc_per_node must be 1 to {}\n", call.node.spec().gpus.size());
  DistributedResult result = run_training(call.node, call.spec, ranks);
  call.out += result.out;
  call.err += result.err;
  call.event = result.event;
  if (result.waits_for_ever) return call.wait_for_ever();
  return result.unmodelled ? 2 : result.exit_code;
}

/// Copies between each pair of devices, from what their link carries.
int run_bandwidth_test(Call& call) {
  if (!multi_gpu(call)) return 127;
  const auto options = parse(call, {{"-a"}});
  if (!options) return 2;
  const auto runtime = call.node.open_runtime(call.process());
  if (!runtime) {
    call.event = runtime.error().event;
    return call.fail(1, "hsa_init failed: {}\n", text(runtime.error().status));
  }
  const auto& nodes = call.node.kernel.kfd.nodes();
  call.print(
      "        RocmBandwidthTest Version: 2.6.0\n\n        Launch Command is: "
      "rocm_bandwidth_test\n\n");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const KfdDevice device = device_of(call.node, i);
    call.print("        Device: {},  {},  {}\n", i, device.name, device.bdf.substr(5));
  }
  call.print("\n        Unidirectional copy peak bandwidth GB/s\n\n        D/D       ");
  for (std::size_t i = 0; i < nodes.size(); ++i) call.print("{:<12}", i);
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    call.print("\n\n        {:<10}", from);
    for (std::size_t to = 0; to < nodes.size(); ++to)
      call.print("{:<12.3f}", copy_gb_s(call.node, from, to));
  }
  call.print("\n\n");
  call.complain("rocdrill: figures are modelled from the links, no measurement\n");
  return 0;
}

constexpr Tool table[] = {
    {{"all_reduce_perf", "all_reduce_perf [-b SIZE] [-e SIZE] [-f FACTOR] [-g GPUS]",
      "rccl-tests: all-reduces over the GPUs of the node, checked, with modelled times."},
     run_all_reduce_perf},
    {{"torchrun", "torchrun --nproc_per_node=N /srv/job/train.py",
      "Starts the training with one rank per GPU."},
     run_torchrun},
    {{"rocm_bandwidth_test", "rocm_bandwidth_test [-a]",
      "Bandwidth of copies between the GPUs, modelled from their links."},
     run_bandwidth_test},
};

}  // namespace

std::span<const Tool> collective_tools() { return table; }

}  // namespace rocdrill::sim::tools
