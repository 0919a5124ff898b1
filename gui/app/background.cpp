#include "gui/app/background.hpp"

#include <algorithm>

namespace rocdrill::gui {

Background::Background(std::unique_ptr<NodeSource> node) : node_(std::move(node)) {
  if (node_) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Background::~Background() {
  thread_.request_stop();
  changed_.notify_all();
}

void Background::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !queue_.empty(); })) {
    // What was asked last is looked at now.
    const auto job = std::move(queue_.back());
    queue_.pop_back();
    busy_ = true;
    lock.unlock();
    job();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.empty() && !busy_; });
}

template <class What, class Answer>
const Answer* Background::ask(Answers<What, Answer>& answers, const What& what, std::size_t state,
                              std::function<Answer()> work) {
  if (!node_) return nullptr;
  const std::scoped_lock lock(mutex_);
  auto& states = answers[what];
  // One question at a time to a node that moves on.
  const bool asked =
      std::ranges::any_of(states, [](const auto& one) { return !one.second.answer; });
  const bool waits = node_->present_only() && asked;
  if (!waits && !states.contains(state)) {
    Slot<Answer>& slot = states[state];
    queue_.push_back([this, &slot, work = std::move(work)] {
      Answer answer = work();
      const std::scoped_lock done(mutex_);
      slot.answer = std::move(answer);
    });
    changed_.notify_all();
  }
  const auto at = states.find(state);
  if (at != states.end() && at->second.answer) {
    if (node_->present_only()) states.erase(states.begin(), at);  // what is past is past
    return &*at->second.answer;
  }
  if (!node_->present_only()) return nullptr;
  for (auto one = states.rbegin(); one != states.rend(); ++one)
    if (one->second.answer) return &*one->second.answer;
  return nullptr;
}

const std::optional<scenarios::Evidence>* Background::look(EventId now, const std::string& command,
                                                           EventId about) {
  if (!node_) return nullptr;
  return ask(looks_, std::pair(command, about), node_->state_of(now),
             std::function([=, this] { return node_->look(now, command, about); }));
}

const std::vector<checks::Result>* Background::check(EventId now) {
  if (!node_) return nullptr;
  return ask(checks_, Whole{}, node_->state_of(now),
             std::function([=, this] { return node_->check(now); }));
}

const scenarios::Versions* Background::versions(EventId now) {
  if (!node_) return nullptr;
  return ask(versions_, Whole{}, node_->state_of(now),
             std::function([=, this] { return node_->versions(now); }));
}

const WaveTrace* Background::wave(const KernelDispatchSeen& dispatch,
                                  std::optional<std::uint32_t> wave) {
  if (!node_) return nullptr;
  const std::pair key{dispatch.launched, wave ? std::int64_t{*wave} : std::int64_t{-1}};
  // What a dispatch was does not change.
  return ask(waves_, key, 0, std::function([=, this] {
               const auto file = node_->read_file(dispatch.launched, dispatch.file);
               if (file) return trace_wave(dispatch, *file, wave);
               WaveTrace none;
               none.problem = dispatch.file + ": " + file.error();
               return none;
             }));
}

const scenarios::Topology* Background::topology(EventId now) {
  if (!node_) return nullptr;
  return ask(topologies_, Whole{}, node_->state_of(now),
             std::function([=, this] { return node_->topology(now); }));
}

}  // namespace rocdrill::gui
