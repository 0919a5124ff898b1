#include "scenarios/engine/recording.hpp"

#include <algorithm>

#include "scenarios/engine/load.hpp"

namespace rocdrill::scenarios {

Recording::Recording(ResolvedDrill drill, sim::NodeSpec spec, RunOptions options)
    : drill_(std::move(drill)), spec_(std::move(spec)), options_(std::move(options)) {
  states_.push_back({no_event, make_node(spec_, options_)->save()});
  RunOptions kept = options_;
  kept.after_task = [&](sim::Node& node) {
    const auto until = static_cast<EventId>(node.os.timeline.size());
    if (until == states_.back().until) {
      states_.back().saved = node.save();
    } else {
      states_.push_back({until, node.save()});
    }
  };
  timeline_ = run_drill(drill_, spec_, kept)->os.timeline;
}

const Timeline& Recording::healthy() const {
  const std::scoped_lock lock(mutex_);
  if (!healthy_) {
    RunOptions options = options_;
    options.healthy = true;
    healthy_ = run_drill(drill_, spec_, options)->os.timeline;
  }
  return *healthy_;
}

std::size_t Recording::state_of(EventId now) const {
  const auto at = std::ranges::lower_bound(states_, now, {}, &State::until);
  return std::min<std::size_t>(static_cast<std::size_t>(at - states_.begin()), states_.size() - 1);
}

sim::Node& Recording::node_at(std::size_t state) const {
  copy_ = make_node(spec_, options_);
  copy_->restore(states_[state].saved);
  return *copy_;
}

std::optional<Evidence> Recording::look(EventId now, std::string_view command,
                                        EventId about) const {
  const std::scoped_lock lock(mutex_);
  sim::Node& node = node_at(state_of(now));
  if (about == no_event) return scenarios::look(node.host(), command, nullptr);
  const EventView event = timeline_.at(about);
  return scenarios::look(node.host(), command, &event);
}

std::vector<checks::Result> Recording::check(EventId now) const {
  const std::scoped_lock lock(mutex_);
  return checks::run(node_at(state_of(now)), deployment_of(spec_));
}

Versions Recording::versions(EventId now) const {
  const std::scoped_lock lock(mutex_);
  return versions_of(node_at(state_of(now)));
}

Topology Recording::topology(EventId now) const {
  const std::scoped_lock lock(mutex_);
  return topology_of(node_at(state_of(now)));
}

std::optional<std::string> Recording::read_file(EventId now, const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  Host& host = node_at(state_of(now)).host();
  auto text = host.spawn(host.session())->read_file(path);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

Loaded<std::unique_ptr<Recording>> record_drill(const DataPath& data, std::string_view id,
                                                RunOptions options) {
  auto loaded = load_drill(data, id, built_in_knowledge());
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  const auto code = load_code_objects(data, loaded->node);
  if (!code) return std::unexpected(code.error());
  ResolvedDrill drill = resolve(loaded->drill, loaded->node, options.seed);
  return std::make_unique<Recording>(std::move(drill), std::move(loaded->node), std::move(options));
}

}  // namespace rocdrill::scenarios
