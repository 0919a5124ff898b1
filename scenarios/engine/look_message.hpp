// What a window asks of a node that runs, and what it gets: one question for all of its panes. As
// messages of sim/interpose/protocol; what is too large or malformed is refused by name.
#pragma once

#include <expected>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/engine/evidence.hpp"
#include "scenarios/engine/topology.hpp"
#include "scenarios/engine/versions.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::scenarios {

namespace limits {
inline constexpr std::size_t commands = 8;          ///< of one question
inline constexpr std::size_t command_bytes = 1024;  ///< of each
inline constexpr std::size_t lines = 4000;          ///< of what a command printed; the rest is cut
inline constexpr std::size_t line_bytes = 6000;
inline constexpr std::size_t file_bytes = 8 << 20;
inline constexpr std::size_t nodes = 512;  ///< of a topology; also slots, links, banks
inline constexpr std::size_t checks = 256;
}  // namespace limits

struct LookQuestion {
  bool topology = false;
  bool versions = false;
  bool checks = false;
  struct Command {
    std::string line;
    EventId about = no_event;  ///< whose lines are marked
  };
  std::vector<Command> commands;
  std::string file;  ///< that the node's user may read; "" for none
};

struct LookAnswer {
  std::size_t events = 0;  ///< length of the node's history at that moment
  std::optional<Topology> topology;
  std::optional<Versions> versions;
  std::optional<std::vector<checks::Result>> checks;
  std::vector<std::optional<Evidence>> evidence;  ///< one for each command
  std::optional<std::string> file;                ///< its bytes
};

/// Looks; the node does not stay as it was (commands leave events), so this is for a copy.
LookAnswer answer(sim::Node& node, const LookQuestion& question);

nlohmann::json to_json(const LookQuestion& question);
/// The error says which member is wrong.
std::expected<LookQuestion, std::string> question_of(const nlohmann::json& message);
nlohmann::json to_json(const LookAnswer& answer);
std::expected<LookAnswer, std::string> answer_of(const nlohmann::json& message);

}  // namespace rocdrill::scenarios
