#include "sim/fault.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace rocdrill::sim {
namespace {

constexpr std::string_view type_names[] = {"text", "an integer", "true or false"};

}  // namespace

std::string Parameters::text(std::string_view name) const {
  return std::get<std::string>(values.find(name)->second);
}
std::int64_t Parameters::integer(std::string_view name) const {
  return std::get<std::int64_t>(values.find(name)->second);
}
bool Parameters::flag(std::string_view name) const {
  return std::get<bool>(values.find(name)->second);
}

FaultRegistry& FaultRegistry::instance() {
  static FaultRegistry registry;
  return registry;
}

void FaultRegistry::add(std::unique_ptr<Fault> fault) {
  const std::string id = fault->info().id;
  if (!faults_.emplace(id, std::move(fault)).second) {
    throw std::logic_error("two faults are called '" + id + "'");
  }
}

const Fault* FaultRegistry::find(std::string_view id) const {
  const auto at = faults_.find(id);
  return at == faults_.end() ? nullptr : at->second.get();
}

std::vector<const Fault*> FaultRegistry::all() const {
  std::vector<const Fault*> list;
  for (const auto& [id, fault] : faults_) list.push_back(fault.get());
  std::ranges::stable_sort(list, {}, [](const Fault* fault) { return fault->info().layer; });
  return list;
}

std::expected<Parameters, std::string> FaultRegistry::check(
    const FaultInfo& info, const std::map<std::string, ParameterValue, std::less<>>& given) {
  Parameters parameters;
  for (const ParameterInfo& parameter : info.parameters) {
    parameters.values[parameter.name] = parameter.fallback;
  }
  for (const auto& [name, value] : given) {
    const auto known = std::ranges::find(info.parameters, name, &ParameterInfo::name);
    if (known == info.parameters.end()) {
      std::vector<std::string> names;
      for (const ParameterInfo& parameter : info.parameters) names.push_back(parameter.name);
      return std::unexpected(
          fmt::format("fault '{}' has no parameter '{}'; it takes: {}", info.id, name,
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (value.index() != known->fallback.index()) {
      return std::unexpected(fmt::format("parameter '{}' of fault '{}' must be {}, not {}", name,
                                         info.id, type_names[known->fallback.index()],
                                         type_names[value.index()]));
    }
    if (!known->choices.empty() && std::holds_alternative<std::string>(value)) {
      const std::string& text = std::get<std::string>(value);
      if (std::ranges::find(known->choices, text) == known->choices.end()) {
        return std::unexpected(
            fmt::format("parameter '{}' of fault '{}' cannot be '{}'; one of: {}", name, info.id,
                        text, fmt::join(known->choices, ", ")));
      }
    }
    if (known->problem != nullptr) {
      if (const std::string why = known->problem(value); !why.empty()) {
        return std::unexpected(fmt::format("parameter '{}' of fault '{}': {}", name, info.id, why));
      }
    }
    parameters.values[name] = value;
  }
  return parameters;
}

}  // namespace rocdrill::sim
