#include "sim/faults/surgical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "stack/errors.hpp"

namespace rocdrill::sim::surgical {
namespace {

constexpr std::int64_t most = 1'000'000'000;
constexpr std::int64_t longest_us = 3'600'000'000;  // an hour

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string out_of_range(const ParameterValue& value, std::int64_t low, std::int64_t high) {
  const auto number = std::get<std::int64_t>(value);
  if (number >= low && number <= high) return {};
  return fmt::format("{} is not in {}...{}", number, low, high);
}

std::string bad_errno(const ParameterValue& value) {
  const auto& text = std::get<std::string>(value);
  if (errno_number(upper(text)) != 0) return {};
  return fmt::format("there is no errno '{}'; names such as ENOMEM, EINVAL, EMFILE", text);
}

}  // namespace

ParameterInfo nth_parameter(const std::string& whose) {
  return {"nth",
          std::int64_t{1},
          "the nth of " + whose + ", from 1; 0: every one",
          {},
          [](const ParameterValue& value) { return out_of_range(value, 0, most); }};
}

ParameterInfo from_nth_parameter(const std::string& whose) {
  return {"nth",
          std::int64_t{1},
          "from the nth of " + whose + " on, from 1",
          {},
          [](const ParameterValue& value) { return out_of_range(value, 1, most); }};
}

ParameterInfo delay_parameter(const std::string& meaning, std::int64_t fallback_us) {
  return {"delay_us", fallback_us, meaning, {}, [](const ParameterValue& value) {
            return out_of_range(value, 0, longest_us);
          }};
}

ParameterInfo errno_parameter(const std::string& fallback, bool optional) {
  if (!optional) return {"errno", fallback, "the error, by name", {}, bad_errno};
  return {"errno",
          fallback,
          "the error, by name; \"\": it succeeds",
          {},
          [](const ParameterValue& value) {
            return std::get<std::string>(value).empty() ? std::string() : bad_errno(value);
          }};
}

std::uint64_t nth(const Parameters& parameters) {
  return static_cast<std::uint64_t>(parameters.integer("nth"));
}

std::uint64_t delay_ns(const Parameters& parameters) {
  return static_cast<std::uint64_t>(parameters.integer("delay_us")) * 1000;
}

int error_number(const Parameters& parameters) {
  return errno_number(upper(parameters.text("errno")));
}

void change(Node& node, const std::function<void(kernel::Injections&)>& how) {
  kernel::Injections injections = node.kernel.kfd.injections();
  how(injections);
  node.kernel.kfd.set_injections(std::move(injections));
}

bool clear_queues(Node& node, std::initializer_list<cp::Injected> kinds) {
  const auto is_one = [&](const kernel::QueueInjection& one) {
    return std::ranges::find(kinds, one.what) != kinds.end();
  };
  if (std::ranges::none_of(node.kernel.kfd.injections().queues, is_one)) return false;
  change(node, [&](kernel::Injections& all) { std::erase_if(all.queues, is_one); });
  return true;
}

}  // namespace rocdrill::sim::surgical
