// RCCL: ranks of one host find each other, choose how they reach each other, and reduce in rings
// whose steps are packets in the queues of their GPUs.
//
//   rccl_log       what NCCL_DEBUG prints
//   rccl_topology  paths between the GPUs, rings
//   rccl_window    memory that a neighbour delivers into: P2P by IPC handle, or /dev/shm
//   rccl           a rank from its start to a ring that runs or waits
//
// A Rank is the library in one process. Whoever has all of them (sim/collective) lets them take
// turns: nothing here waits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/hip/hip.hpp"
#include "sim/host/network.hpp"
#include "sim/libraries/rccl_log.hpp"
#include "sim/libraries/rccl_topology.hpp"
#include "sim/libraries/rccl_window.hpp"
#include "sim/libraries/rocblas.hpp"

namespace rocdrill::libraries::rccl {

/// "2.21.5": what came with a ROCm release.
std::string version_of(std::string_view rocm);

/// What a rank tells the others through the bootstrap's sockets.
struct Announcement {
  int pid = 0;
  int device = 0;            ///< HIP's index in its process
  std::uint32_t node = 0;    ///< KFD node
  std::uint32_t bus_id = 0;  ///< bus << 12, as the lines print it
  EventId event = no_event;
};

/// The out-of-band network of one communicator: behind ncclGetUniqueId, on this host.
class Bootstrap {
 public:
  explicit Bootstrap(std::size_t ranks) : present_(ranks) {}
  std::size_t size() const { return present_.size(); }
  void announce(std::size_t rank, Announcement who) { present_[rank] = who; }
  bool complete() const;
  /// Ranks that nobody has heard of.
  std::vector<std::size_t> missing() const;
  const Announcement& of(std::size_t rank) const { return *present_[rank]; }

  /// What the receiver of a ring's connection offers to the rank before it, by rank and channel.
  std::map<std::pair<std::size_t, std::size_t>, WindowOffer> offers;

 private:
  std::vector<std::optional<Announcement>> present_;
};

struct RankSetup {
  std::size_t rank = 0;
  int device = 0;  ///< HIP device of the process
  std::string hostname;
  std::vector<sim::Interface> interfaces;  ///< getifaddrs()
  std::string library;                     ///< librccl.so.1, with its device code
  std::string rocm;                        ///< release that it came with: "6.3.3"
};

/// Which signal of a rank is not satisfied.
struct Wait {
  std::size_t step = 0;  ///< of the ring, from 0
  std::size_t channel = 0;
  std::size_t from = 0;      ///< the rank that should have delivered
  bool own_kernel = false;   ///< its own queue stands at a kernel that does not end
  EventId event = no_event;  ///< of that kernel
};

template <class T>
using Result = std::expected<T, LibraryFailure>;

class Rank {
 public:
  /// All must outlive it.
  Rank(Process& process, sim::Journal& journal, Hip& hip, Bootstrap& bootstrap, RankSetup setup);
  ~Rank();

  // ncclCommInitRank, in the parts between which ranks wait for each other.
  Result<void> start();    ///< finds its GPU and its network, announces itself
  Result<void> offer();    ///< with everybody known: paths, rings, memory to deliver into
  Result<void> connect();  ///< takes what the ranks after it have offered

  /// ncclAllReduce(sum, float) in place on `count` floats: the packets of all steps are written and
  /// the doorbell is rung. At most max_count.
  static constexpr std::size_t max_count = 16384;
  Result<void> all_reduce(std::uint64_t data, std::size_t count);
  /// Lets its GPU go on; true if anything happened.
  bool progress();
  bool done() const;
  /// Why it is not.
  std::optional<Wait> waits() const;
  /// Ready for the next call; all ranks have to be done.
  void settle();

  const Log& log() const { return log_; }
  std::size_t rank() const { return setup_.rank; }
  const std::vector<Ring>& rings() const { return rings_; }
  /// How the rank after this one on a channel is reached.
  Transport transport(std::size_t channel) const { return sends_.at(channel).offer.transport; }
  EventId event() const { return event_; }

 private:
  struct Step;
  struct Program;

  Result<void> fail(std::string_view kind, std::string_view got, std::string text, EventId cause);
  Result<void> load_program();
  Result<void> check_network();
  void check_host();
  Result<Transport> choose(std::size_t from, std::size_t to);
  std::size_t position(std::size_t channel) const;
  std::size_t before(std::size_t channel) const;
  std::size_t after(std::size_t channel) const;
  void write_step(std::size_t channel, const Step& step);

  Process& process_;
  sim::Journal& journal_;
  Hip& hip_;
  Bootstrap& bootstrap_;
  RankSetup setup_;
  Log log_;
  hip::HsaInterop::Device device_;
  EventId event_ = no_event;
  Topology topology_;
  std::vector<Ring> rings_;  ///< one per channel
  std::vector<Window> receives_;
  std::vector<Window> sends_;
  std::unique_ptr<Program> program_;
  std::size_t channels_used_ = 0;
  std::size_t first_event_ = 0;  ///< of the timeline, since the call
};

}  // namespace rocdrill::libraries::rccl
