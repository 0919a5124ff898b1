#include "sim/silicon/links.hpp"

#include <fmt/format.h>

#include "sim/silicon/board.hpp"
#include "sim/silicon/topology_text.hpp"

namespace rocdrill::silicon {

std::string_view name(LinkState state) {
  switch (state) {
    case LinkState::up:
      return "up";
    case LinkState::degraded:
      return "degraded";
    case LinkState::dead:
      return "dead";
  }
  return "";
}

void Board::connect() {
  links_.clear();
  for (std::uint32_t a = 0; a < gpus_.size(); ++a) {
    for (std::uint32_t b = a + 1; b < gpus_.size(); ++b) {
      if (gpus_[a].product->xgmi_links == 0 || gpus_[b].product->xgmi_links == 0) continue;
      Link link;
      link.first = a;
      link.second = b;
      link.bandwidth_mb_s = xgmi_bandwidth(*gpus_[a].product);
      links_.push_back(link);
    }
  }
}

const Link* Board::link(std::size_t from, std::size_t to) const {
  const auto at =
      std::ranges::find_if(links_, [&](const Link& each) { return each.joins(from, to); });
  return at == links_.end() ? nullptr : &*at;
}

bool Board::in_hive(std::size_t gpu) const {
  return std::ranges::any_of(
      links_, [&](const Link& each) { return each.first == gpu || each.second == gpu; });
}

std::uint32_t Board::xgmi_hops(std::size_t from, std::size_t to) const {
  const Link* direct = link(from, to);
  if (!direct) return 0;
  if (direct->trained) return 1;
  for (std::size_t via = 0; via < gpus_.size(); ++via) {
    const Link* there = link(from, via);
    const Link* on = link(via, to);
    if (there && on && there->trained && on->trained) return 2;
  }
  return 0;
}

void Board::train_links() {
  for (Link& link : links_) {
    link.trained = link.state != LinkState::dead || link.passes_training;
    link.crc_errors = link.state == LinkState::degraded ? 1000 : 0;  // assumed
    link.uncorrectable_errors = link.state == LinkState::dead ? 1 : 0;
  }
}

EventId Board::set_link(std::size_t from, std::size_t to, LinkState state, EventId cause,
                        bool passes_training) {
  const auto at =
      std::ranges::find_if(links_, [&](const Link& each) { return each.joins(from, to); });
  if (at == links_.end()) return no_event;
  const std::string subject =
      fmt::format("{} - {}", gpus_[at->first].bdf.text(), gpus_[at->second].bdf.text());
  const bool dead = state == LinkState::dead;
  at->event = os_.journal.record(Layer::silicon,
                                 state == LinkState::up ? Severity::info : Severity::warning,
                                 dead                     ? "xgmi.link_dead"
                                 : state == LinkState::up ? "xgmi.link_up"
                                                          : "xgmi.link_degraded",
                                 subject, {{field::see, "amd-smi xgmi"}}, cause);
  at->state = state;
  at->passes_training = passes_training;
  if (dead) ++at->uncorrectable_errors;
  if (state == LinkState::degraded) at->crc_errors += 1000;  // assumed
  if (links_changed_) links_changed_();
  return at->event;
}

}  // namespace rocdrill::silicon
