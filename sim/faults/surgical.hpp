// What the surgical faults share: their parameters, and how they get into and out of KFD's
// injections.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/fault.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim::surgical {

/// "nth" of `whose`, from 1 since the fault came; 0 is every one.
ParameterInfo nth_parameter(const std::string& whose);
/// Like it, but there is no "every one".
ParameterInfo from_nth_parameter(const std::string& whose);
ParameterInfo delay_parameter(const std::string& meaning, std::int64_t fallback_us);
/// An errno by name, in any case; "" for none if `optional`.
ParameterInfo errno_parameter(const std::string& fallback, bool optional);

std::uint64_t nth(const Parameters& parameters);
std::uint64_t delay_ns(const Parameters& parameters);
int error_number(const Parameters& parameters);

/// Changes the injections and lets process parts know.
void change(Node& node, const std::function<void(kernel::Injections&)>& how);
/// Takes queue injections of these kinds out; false if there was none.
bool clear_queues(Node& node, std::initializer_list<cp::Injected> kinds);

/// Takes everything out of one of the lists; false if there was nothing.
template <class T>
bool clear_list(Node& node, std::vector<T> kernel::Injections::* list) {
  if ((node.kernel.kfd.injections().*list).empty()) return false;
  change(node, [&](kernel::Injections& all) { (all.*list).clear(); });
  return true;
}

}  // namespace rocdrill::sim::surgical
