#include "gui/app/background.hpp"

namespace rocdrill::gui {

Background::Background(const scenarios::Recording* recording) : recording_(recording) {
  if (recording_) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
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

template <class Key, class Answer>
const Answer* Background::ask(std::map<Key, Slot<Answer>>& answers, const Key& key,
                              std::function<Answer()> work) {
  if (!recording_) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto [at, is_new] = answers.try_emplace(key);
  Slot<Answer>& slot = at->second;
  if (is_new) {
    queue_.push_back([this, &slot, work = std::move(work)] {
      Answer answer = work();
      const std::scoped_lock done(mutex_);
      slot.answer = std::move(answer);
    });
    changed_.notify_all();
  }
  return slot.answer ? &*slot.answer : nullptr;
}

const std::optional<scenarios::Evidence>* Background::look(EventId now, const std::string& command,
                                                           EventId about) {
  if (!recording_) return nullptr;
  return ask(looks_, std::tuple(recording_->state_of(now), command, about),
             std::function([=, this] { return recording_->look(now, command, about); }));
}

const std::vector<checks::Result>* Background::check(EventId now) {
  if (!recording_) return nullptr;
  return ask(checks_, recording_->state_of(now),
             std::function([=, this] { return recording_->check(now); }));
}

const scenarios::Versions* Background::versions(EventId now) {
  if (!recording_) return nullptr;
  return ask(versions_, recording_->state_of(now),
             std::function([=, this] { return recording_->versions(now); }));
}

const WaveTrace* Background::wave(const KernelDispatchSeen& dispatch,
                                  std::optional<std::uint32_t> wave) {
  if (!recording_) return nullptr;
  const std::pair key{dispatch.launched, wave ? std::int64_t{*wave} : std::int64_t{-1}};
  return ask(waves_, key, std::function([=, this] {
               const auto file = recording_->read_file(dispatch.launched, dispatch.file);
               if (file) return trace_wave(dispatch, *file, wave);
               WaveTrace none;
               none.problem = dispatch.file + ": the node's user cannot read it";
               return none;
             }));
}

const scenarios::Topology* Background::topology(EventId now) {
  if (!recording_) return nullptr;
  return ask(topologies_, recording_->state_of(now),
             std::function([=, this] { return recording_->topology(now); }));
}

}  // namespace rocdrill::gui
