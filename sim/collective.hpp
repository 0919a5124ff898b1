// The ranks of a job on one node: a process each, RCCL in it, and their turns. They share nothing
// but what the node lets processes share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/libraries/rccl.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {

class Collective {
 public:
  struct Options {
    std::size_t ranks = 1;
    ProcessSpec spec;     ///< who runs them; `command` is each rank's
    std::string library;  ///< librccl.so
    std::string rocm;     ///< release that it came with
  };
  Collective(Node& node, Options options);
  ~Collective();

  enum class State : std::uint8_t {
    absent,  ///< nobody has started it
    failed,
    bootstrap,  ///< in ncclCommInitRank: its host waits for ranks that do not come, its GPU is idle
    ready,
    waits,  ///< in a collective: its GPU waits for a signal
    ended,  ///< killed, or left
  };
  struct Member {
    State state = State::absent;
    std::unique_ptr<Process> process;
    std::unique_ptr<Hip> hip;
    std::unique_ptr<libraries::rccl::Rank> rank;
    std::optional<libraries::LibraryFailure> failure;
    std::optional<libraries::rccl::Wait> wait;
    std::uint64_t data = 0;    ///< its buffer on the GPU
    EventId event = no_event;  ///< of its state
  };
  const Member& member(std::size_t rank) const { return members_.at(rank); }
  std::size_t size() const { return members_.size(); }
  std::size_t count(State state) const;

  /// Starts the rank's process and lets it join. False if that failed.
  bool start(std::size_t rank);
  /// The rank that is not started has this explanation.
  void explain_absence(std::size_t rank, EventId why) { members_[rank].event = why; }
  /// What is left of ncclCommInitRank once ranks have been started: true if all are ready.
  bool connect();
  /// Ends the rank's process. `cause` is who did it.
  void kill(std::size_t rank, EventId cause);

  /// Writes each rank's numbers (all as long) into its memory.
  bool write(const std::vector<std::vector<float>>& numbers);
  std::vector<float> read(std::size_t rank, std::size_t count);
  /// The rank calls ncclAllReduce on its numbers.
  bool enqueue(std::size_t rank, std::size_t count);
  /// Lets all go on until nothing happens. True if every rank that called is through; else those
  /// that are not wait, and each has an event that leads to what it waits for.
  bool run();

  /// Output of every rank, in order.
  std::string log() const;
  /// The first failure, or nullptr.
  const libraries::LibraryFailure* failure() const;

 private:
  void fail(Member& member, libraries::LibraryFailure failure);
  EventId explain_wait(std::size_t rank, std::vector<EventId>& known, std::size_t depth);

  Node& node_;
  Options options_;
  libraries::rccl::Bootstrap bootstrap_;
  std::vector<Member> members_;
  std::vector<bool> called_;
};

/// Virtual time of an all-reduce over `bytes` per rank, from the links that its rings use as they
/// are now. Efficiencies are fitted to public figures (docs/rccl.md): modelled, no measurement.
std::uint64_t all_reduce_ns(const Node& node, const Collective& ranks, std::uint64_t bytes);

/// GB/s of a copy from one KFD device to another; 0 over a way that carries nothing.
double copy_gb_s(const Node& node, std::size_t from, std::size_t to);

/// As programs list it.
struct KfdDevice {
  std::string bdf;   ///< "0000:1b:00" with a partition's function
  std::string name;  ///< "AMD Instinct MI300X"
};
KfdDevice device_of(const Node& node, std::size_t index);

}  // namespace rocdrill::sim
