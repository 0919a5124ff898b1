// The user's training job on several GPUs: torchrun and what its ranks print.
#pragma once

#include <string>

#include "sim/node.hpp"

namespace rocdrill::sim {

/// The script, and the part of the data that rank R reads: one batch a line, one step a batch.
inline constexpr const char* training_script = "/srv/job/train.py";
std::string data_shard(std::size_t rank);

struct DistributedResult {
  int exit_code = 0;
  std::string out;
  std::string err;
  EventId event = no_event;
  bool waits_for_ever = false;
  bool unmodelled = false;
};

/// torchrun --nproc_per_node=RANKS /srv/job/train.py: each rank joins the process group, and
/// averages a bucket of gradients over all of them for every batch that it has.
DistributedResult run_training(Node& node, const ProcessSpec& spec, std::size_t ranks);

/// Puts script and shards on a node that has the GPUs and PyTorch for it.
void install_training(Node& node);

}  // namespace rocdrill::sim
