#include "sim/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "sim/hip/hip.hpp"
#include "sim/kernel/resources.hpp"
#include "sim/silicon/topology_text.hpp"

namespace rocdrill::sim {

using libraries::LibraryFailure;
using libraries::rccl::Rank;
using libraries::rccl::Wait;

Collective::Collective(Node& node, Options options)
    : node_(node),
      options_(std::move(options)),
      bootstrap_(options_.ranks),
      members_(options_.ranks),
      called_(options_.ranks) {}

/// A rank's packets lead into its neighbours' memory: all queues go before any process does.
Collective::~Collective() {
  for (Member& member : members_) member.rank.reset();
}

std::size_t Collective::count(State state) const {
  return static_cast<std::size_t>(std::ranges::count(members_, state, &Member::state));
}

void Collective::fail(Member& member, LibraryFailure failure) {
  member.state = State::failed;
  member.event = failure.event;
  member.failure = std::move(failure);
}

bool Collective::start(std::size_t rank) {
  Member& member = members_.at(rank);
  member.process = node_.access.spawn(options_.spec);
  member.hip = hip::load(*member.process, node_.os.journal, node_.linked_rocm(*member.process));
  libraries::rccl::RankSetup setup;
  setup.rank = rank;
  setup.device = static_cast<int>(rank);
  setup.hostname = node_.os.hostname;
  setup.interfaces = interfaces(node_.os.files);
  setup.library = options_.library;
  setup.rocm = options_.rocm;
  member.rank = std::make_unique<Rank>(*member.process, node_.os.journal, *member.hip, bootstrap_,
                                       std::move(setup));
  if (auto started = member.rank->start(); !started) {
    fail(member, started.error());
    return false;
  }
  member.state = State::bootstrap;
  return true;
}

bool Collective::connect() {
  const auto missing = bootstrap_.missing();
  if (!missing.empty()) {
    const Member& first = members_[missing.front()];
    const std::string got = fmt::format("{} of {} ranks; not rank {}", size() - missing.size(),
                                        size(), fmt::join(missing, ", "));
    for (std::size_t rank = 0; rank < size(); ++rank) {
      Member& member = members_[rank];
      if (member.state != State::bootstrap) continue;
      member.event = node_.os.journal.record(
          Layer::libraries, Severity::error, "rccl.bootstrap_waits", fmt::format("rank {}", rank),
          {{field::asked, "connections of all ranks"},
           {field::got, std::string_view(got)},
           {field::did, "ncclCommInitRank does not return; its GPU is idle"},
           {field::see, "NCCL_DEBUG=INFO, rocm-smi"}},
          first.event != no_event ? first.event : member.rank->event());
    }
    return false;
  }
  bool all = true;
  for (Member& member : members_) {
    if (auto offered = member.rank->offer(); !offered) {
      fail(member, offered.error());
      all = false;
    }
  }
  for (Member& member : members_) {
    if (!all || member.state != State::bootstrap) continue;
    if (auto connected = member.rank->connect(); !connected) {
      fail(member, connected.error());
      all = false;
      continue;
    }
    member.state = State::ready;
    member.event = member.rank->event();
  }
  return all;
}

void Collective::kill(std::size_t rank, EventId cause) {
  Member& member = members_.at(rank);
  member.state = State::ended;
  member.event = node_.os.journal.record(Layer::host, Severity::warning, "process.ended",
                                         fmt::format("rank {}", rank), {{field::see, "ps"}}, cause);
  member.rank.reset();
  member.hip.reset();
  member.process.reset();
}

bool Collective::write(const std::vector<std::vector<float>>& numbers) {
  for (std::size_t rank = 0; rank < size(); ++rank) {
    Member& member = members_[rank];
    if (member.state != State::ready) continue;
    const auto bytes = std::as_bytes(std::span(numbers[rank]));
    if (member.data == 0) {
      auto memory = member.hip->allocate(static_cast<int>(rank), bytes.size());
      if (!memory) {
        fail(member, {rocdrill::text(memory.error().error), memory.error().event});
        return false;
      }
      member.data = *memory;
    }
    if (!member.hip->copy_to_device(member.data, bytes)) return false;
  }
  return true;
}

std::vector<float> Collective::read(std::size_t rank, std::size_t count) {
  std::vector<float> numbers(count);
  Member& member = members_.at(rank);
  if (member.hip)
    static_cast<void>(
        member.hip->copy_to_host(std::as_writable_bytes(std::span(numbers)), member.data));
  return numbers;
}

bool Collective::enqueue(std::size_t rank, std::size_t count) {
  Member& member = members_.at(rank);
  if (member.state != State::ready) return false;
  if (auto called = member.rank->all_reduce(member.data, count); !called) {
    fail(member, called.error());
    return false;
  }
  called_[rank] = true;
  member.state = State::waits;
  return true;
}

/// The event of a rank that waits: caused by the rank that it waits for, and so on around the ring
/// to the one that did not call, is gone, or whose kernel does not end.
EventId Collective::explain_wait(std::size_t rank, std::vector<EventId>& known, std::size_t depth) {
  if (known[rank] != no_event) return known[rank];
  Member& member = members_[rank];
  if (member.state != State::waits) return known[rank] = member.event;
  if (depth > size()) return member.rank->event();
  const Wait wait = member.rank->waits().value_or(Wait{.from = rank});
  member.wait = wait;
  EventId cause = wait.event;
  if (!wait.own_kernel) cause = explain_wait(wait.from, known, depth + 1);
  const std::string asked = wait.own_kernel
                                ? std::string("the end of its kernel")
                                : fmt::format("the signal of step {} from rank {} (channel {})",
                                              wait.step, wait.from, wait.channel);
  member.event = node_.os.journal.record(
      Layer::libraries, Severity::error, "rccl.waits", fmt::format("rank {}", rank),
      {{field::asked, std::string_view(asked)},
       {field::got, "a signal that stays 1"},
       {field::did, "ncclAllReduce is not through: its GPU waits"},
       {field::see, "rocm-smi, py-spy dump"}},
      cause != no_event ? cause : member.rank->event());
  return known[rank] = member.event;
}

bool Collective::run() {
  for (bool any = true; any;) {
    any = false;
    for (Member& member : members_)
      if (member.state == State::waits) any = member.rank->progress() || any;
  }
  bool all = true;
  for (Member& member : members_)
    if (member.state == State::waits && !member.rank->done()) all = false;
  if (!all) {
    std::vector<EventId> known(size(), no_event);
    for (std::size_t rank = 0; rank < size(); ++rank)
      if (members_[rank].state == State::waits) explain_wait(rank, known, 0);
    return false;
  }
  for (std::size_t rank = 0; rank < size(); ++rank) {
    if (members_[rank].state != State::waits) continue;
    members_[rank].rank->settle();
    members_[rank].state = State::ready;
    members_[rank].wait.reset();
    called_[rank] = false;
  }
  return true;
}

std::string Collective::log() const {
  std::string text;
  for (const Member& member : members_)
    if (member.rank) text += member.rank->log().text();
  return text;
}

const LibraryFailure* Collective::failure() const {
  const auto at = std::ranges::find(members_, State::failed, &Member::state);
  return at == members_.end() ? nullptr : &*at->failure;
}

namespace {

// Shares of a link's bandwidth that a ring reaches. xGMI: 8x MI300X reach a bus bandwidth of 316
// GB/s over 7 links of 64 GB/s (https://github.com/ROCm/rocm-systems/pull/5297). The others are
// assumed.
constexpr double package_mb_s = 819200;  // between devices of one GPU (kfd_crat.c)
constexpr double xgmi_share = 0.705, pcie_share = 0.8, shared_memory_share = 0.35,
                 redirected_share = 0.25;
/// A small all-reduce of 8 ranks takes about 20 us
/// (https://github.com/kvcache-ai/Mooncake/pull/3484).
constexpr double step_latency_ns = 1300;

/// MB/s that a ring gets from one device to another.
double edge_mb_s(const Node& node, std::size_t from, std::size_t to, bool shared_memory) {
  const auto& nodes = node.kernel.kfd.nodes();
  const std::size_t first = nodes.at(from).gpu, second = nodes.at(to).gpu;
  const double pcie = silicon::pcie_bandwidth(*node.board.gpus()[first].product);
  if (shared_memory) return pcie * shared_memory_share;
  if (first == second) return package_mb_s * xgmi_share;
  if (const silicon::Link* link = node.board.link(first, second))
    return link->bandwidth() * xgmi_share;
  return pcie * (node.os.pci.redirects() ? redirected_share : pcie_share);
}

}  // namespace

std::uint64_t all_reduce_ns(const Node& node, const Collective& ranks, std::uint64_t bytes) {
  const std::size_t size = ranks.size();
  const auto& first = ranks.member(0);
  if (size < 2 || !first.rank) return 0;
  double mb_s = 0;
  std::vector<libraries::rccl::Ring> rings = first.rank->rings();
  if (rings.size() > 1 && rings[0] == rings[1])
    rings.resize(1);  // channels of one and the same ring
  for (std::size_t channel = 0; channel < rings.size(); ++channel) {
    double slowest = 1e12;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = rings[channel][i], to = rings[channel][(i + 1) % size];
      const bool shared = ranks.member(from).rank && ranks.member(from).rank->transport(channel) ==
                                                         libraries::rccl::Transport::shm;
      slowest = std::min(slowest, edge_mb_s(node, from, to, shared));
    }
    mb_s += slowest;
  }
  if (mb_s <= 0) return 0;
  const double moved =
      2.0 * static_cast<double>(size - 1) / static_cast<double>(size) * static_cast<double>(bytes);
  const double steps = 2.0 * static_cast<double>(size - 1);
  return static_cast<std::uint64_t>(steps * step_latency_ns + moved / (mb_s * 1e6) * 1e9);
}

double copy_gb_s(const Node& node, std::size_t from, std::size_t to) {
  const auto& nodes = node.kernel.kfd.nodes();
  const silicon::Gpu& gpu = node.board.gpus()[nodes.at(from).gpu];
  if (from == to) {  // read and write
    return static_cast<double>(memory_bytes_per_us(*gpu.product)) / 1000 / 2;
  }
  const bool peer = node.board.link(nodes[from].gpu, nodes[to].gpu) != nullptr;
  if (!peer && kernel::iommu_translates(node.os.cmdline)) return 0;
  return edge_mb_s(node, from, to, false) / 1000;
}

KfdDevice device_of(const Node& node, std::size_t index) {
  const kernel::KfdNode& is = node.kernel.kfd.nodes().at(index);
  const silicon::Gpu& gpu = node.board.gpus()[is.gpu];
  const std::string bdf = gpu.bdf.text();
  return {bdf.substr(0, bdf.size() - 2), std::string(gpu.product->marketing_name)};
}

}  // namespace rocdrill::sim
