// Makes a kernel smaller for as long as it fails.
#pragma once

#include <functional>
#include <utility>

#include "support/random_kernels/tree.hpp"

namespace rocdrill::test::random_kernels {

class Reducer {
 public:
  using Fails = std::function<bool(const Kernel&)>;
  Reducer(Kernel& kernel, Fails fails) : kernel_(kernel), fails_(std::move(fails)) {}

  void reduce() {
    while (statements(kernel_.statements)) {
    }
  }

 private:
  using Tree = std::unique_ptr<Node>;
  bool statements(std::vector<Statement>& all);
  bool parts(Statement& statement);
  bool expression(Tree& at);
  bool try_operand(Tree& at, std::size_t n);
  bool try_zero(Tree& at);

  Kernel& kernel_;
  Fails fails_;
};

inline bool Reducer::statements(std::vector<Statement>& all) {
  bool changed = false;
  for (std::size_t n = all.size(); n-- > 0;) {
    Statement removed = std::move(all[n]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(n));
    if (fails_(kernel_)) {
      changed = true;
      continue;
    }
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(n), std::move(removed));
    changed = parts(all[n]) || changed;
  }
  return changed;
}

inline bool Reducer::parts(Statement& statement) {
  bool changed = statements(statement.body);
  changed = statements(statement.other) || changed;
  if (statement.where != nullptr) changed = expression(statement.where) || changed;
  return expression(statement.value) || changed;
}

/// The operand instead of the operation.
inline bool Reducer::try_operand(Tree& at, std::size_t n) {
  Tree whole = std::move(at);
  Tree& operand = whole->operands[n];
  const bool casts = operand->type != whole->type;
  if (casts) {
    at = std::make_unique<Node>();
    at->op = Op::cast;
    at->type = whole->type;
    at->operands.push_back(std::move(operand));
  } else {
    at = std::move(operand);
  }
  // A cast of a cast is not less than one.
  const bool smaller = !casts || whole->op != Op::cast;
  if (smaller && fails_(kernel_)) return true;
  operand = casts ? std::move(at->operands[0]) : std::move(at);
  at = std::move(whole);
  return false;
}

inline bool Reducer::try_zero(Tree& at) {
  if (at->op == Op::constant && at->value == 0) return false;
  auto zero = std::make_unique<Node>();
  zero->type = at->type;
  std::swap(at, zero);
  if (fails_(kernel_)) return true;
  std::swap(at, zero);
  return false;
}

inline bool Reducer::expression(Tree& at) {
  if (try_zero(at)) return true;
  for (std::size_t n = 0; n < at->operands.size(); ++n)
    if (try_operand(at, n)) return true;
  bool changed = false;
  for (Tree& operand : at->operands) changed = expression(operand) || changed;
  return changed;
}

}  // namespace rocdrill::test::random_kernels
