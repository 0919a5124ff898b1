// An archive that keeps one number per leaf, so that states can be compared by name.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <type_traits>

namespace rocdrill::cp::testing {

using State = std::map<std::string, std::uint64_t>;

/// One number per leaf, under its path ("in_flight/0/index").
class MapArchive {
 public:
  explicit MapArchive(State& state, bool saving) : state_(state), saving_(saving) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    const std::string outer = path_;
    path_.append("/").append(name);
    visit(value);
    path_ = outer;
  }

 private:
  template <class T>
  void visit(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      if (saving_) {
        EXPECT_TRUE(state_.emplace(path_, static_cast<std::uint64_t>(value)).second) << path_;
      } else {
        value = static_cast<T>(state_.at(path_));
      }
    } else if constexpr (requires { value.serialize(*this); }) {
      value.serialize(*this);
    } else if constexpr (requires { value.has_value(); }) {
      bool there = value.has_value();
      (*this)("there", there);
      if (there) (*this)("value", there&& value ? *value : value.emplace());
      if (!there) value.reset();
    } else {
      std::size_t size = value.size();
      (*this)("size", size);
      if constexpr (requires { value.resize(size); }) value.resize(size);
      for (std::size_t i = 0; i < size; ++i) (*this)(std::to_string(i), value[i]);
    }
  }

  State& state_;
  bool saving_;
  std::string path_;
};

template <class Queue>
State save(Queue& queue) {
  State state;
  MapArchive archive(state, true);
  queue.serialize(archive);
  return state;
}

template <class Queue>
void load(Queue& queue, State state) {
  MapArchive archive(state, false);
  queue.serialize(archive);
}

}  // namespace rocdrill::cp::testing
