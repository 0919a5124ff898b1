// The corpus as one table: what is run, from which source, and what has to come out.
#pragma once

#include <span>

#include "kernels/compare.hpp"
#include "kernels/trial.hpp"

namespace rocdrill::test {

struct Case {
  const char* name;
  const char* source;  ///< stem of the file
  void (*run)(Trial&);
  const char* only = nullptr;  ///< the targets that have it, if not all
};

std::span<const Case> memory_cases();
std::span<const Case> number_cases();
std::span<const Case> control_cases();
std::span<const Case> matrix_cases();
std::span<const Case> math_cases();  ///< none without ROCm's device libraries

}  // namespace rocdrill::test
