// Makes kernels up.
#pragma once

#include <utility>

#include "support/random_kernels/choices.hpp"
#include "support/random_kernels/tree.hpp"

namespace rocdrill::test::random_kernels {

class Generator {
 public:
  explicit Generator(Choices& choices) : choose_(choices) {}
  Kernel kernel();

 private:
  using Tree = std::unique_ptr<Node>;
  /// What an expression may name.
  struct Scope {
    const std::vector<Type>* variables = nullptr;
    bool in_kernel = true;  ///< has parameters, the array and the functions
  };
  Type type() { return static_cast<Type>(choose_.below(type_count)); }
  static Tree node(Op op, Type type) {
    auto made = std::make_unique<Node>();
    made->op = op;
    made->type = type;
    return made;
  }
  Tree cast(Type to, Tree from) {
    if (from->type == to) return from;
    Tree made = node(Op::cast, to);
    made->operands.push_back(std::move(from));
    return made;
  }
  Tree leaf(Type type, const Scope& scope);
  Tree expression(Type type, unsigned depth, const Scope& scope);
  Tree comparison(Op op, Type type, unsigned depth, const Scope& scope);
  Op operation(Type type, const Scope& scope);
  Function function();
  std::vector<Statement> statements(unsigned count, unsigned nesting, const Scope& scope);
  Statement statement(unsigned nesting, const Scope& scope);

  Choices& choose_;
  Kernel kernel_;
};

inline Generator::Tree Generator::leaf(Type type, const Scope& scope) {
  switch (choose_.below(4)) {
    case 0: {
      Tree made = node(Op::constant, type);
      made->value = choose_.value();
      return made;
    }
    case 1:
      if (scope.in_kernel) {
        Tree made = node(Op::parameter, Type::u64);
        made->index = choose_.below(parameter_count);
        return cast(type, std::move(made));
      }
      [[fallthrough]];
    default: {
      const unsigned index = choose_.below(static_cast<unsigned>(scope.variables->size()));
      Tree made = node(Op::variable, (*scope.variables)[index]);
      made->index = index;
      return cast(type, std::move(made));
    }
  }
}

inline Op Generator::operation(Type type, const Scope& scope) {
  static constexpr Op everywhere[] = {Op::add,         Op::subtract,
                                      Op::multiply,    Op::bit_and,
                                      Op::bit_or,      Op::bit_xor,
                                      Op::shift_left,  Op::shift_right,
                                      Op::rotate_left, Op::minimum,
                                      Op::maximum,     Op::add_saturated,
                                      Op::select,      Op::subtract_saturated,
                                      Op::average,     Op::absolute_difference,
                                      Op::negate,      Op::invert,
                                      Op::cast,        Op::select};
  static constexpr Op scalar[] = {
      Op::relate,         Op::relate,       Op::population, Op::leading_zeros,
      Op::trailing_zeros, Op::reverse_bits, Op::relate,     Op::cast};
  static constexpr Op of_32_bits[] = {Op::multiply_high, Op::multiply_24, Op::bit_field, Op::dot4};
  constexpr auto of = [](const auto& list, unsigned n) { return list[n]; };
  constexpr unsigned everywhere_count = sizeof everywhere / sizeof everywhere[0];
  constexpr unsigned scalar_count = sizeof scalar / sizeof scalar[0];
  if (kernel_.width == 1) {
    const unsigned kind = choose_.below(8);
    if (kind == 0 && bits_of(type) == 32) return of(of_32_bits, choose_.below(4));
    if (kind == 1 && scope.in_kernel && kernel_.has_array) return Op::element;
    if (kind == 2 && scope.in_kernel && !kernel_.functions.empty()) return Op::call;
    if (kind >= 3 && kind <= 4) return of(scalar, choose_.below(scalar_count));
  }
  return of(everywhere, choose_.below(everywhere_count));
}

inline Generator::Tree Generator::comparison(Op op, Type type, unsigned depth, const Scope& scope) {
  // Comparisons of vectors have elements as wide as what they compare.
  const Type compared = kernel_.width == 1 ? this->type() : type;
  Tree made = node(op, type);
  made->relation = static_cast<Relation>(choose_.below(relation_count));
  for (unsigned n = 0; n < 2; ++n) made->operands.push_back(expression(compared, depth - 1, scope));
  for (unsigned n = 0; op == Op::select && n < 2; ++n)
    made->operands.push_back(expression(type, depth - 1, scope));
  return made;
}

inline Generator::Tree Generator::expression(Type type, unsigned depth, const Scope& scope) {
  if (depth == 0 || choose_.one_in(6)) return leaf(type, scope);
  const Op op = operation(type, scope);
  if (op == Op::select || op == Op::relate) return comparison(op, type, depth, scope);
  if (op == Op::cast) return cast(type, expression(this->type(), depth - 1, scope));
  if (op == Op::element) {
    Tree made = node(op, kernel_.array_type);
    made->operands.push_back(expression(this->type(), depth - 1, scope));
    return cast(type, std::move(made));
  }
  if (op == Op::call) {
    const unsigned index = choose_.below(static_cast<unsigned>(kernel_.functions.size()));
    const Function& callee = kernel_.functions[index];
    Tree made = node(op, callee.result);
    made->index = index;
    for (const Type argument : callee.arguments)
      made->operands.push_back(expression(argument, depth - 1, scope));
    return cast(type, std::move(made));
  }
  unsigned operands = 2;
  if (op == Op::negate || op == Op::invert || op == Op::population || op == Op::leading_zeros ||
      op == Op::trailing_zeros || op == Op::reverse_bits)
    operands = 1;
  if (op == Op::bit_field || op == Op::dot4) operands = 3;
  Tree made = node(op, type);
  for (unsigned n = 0; n < operands; ++n)
    made->operands.push_back(expression(type, depth - 1, scope));
  return made;
}

inline Function Generator::function() {
  Function made;
  made.result = type();
  std::vector<Type> variables;
  for (Type& argument : made.arguments) variables.push_back(argument = type());
  made.value = expression(made.result, 3, {&variables, false});
  return made;
}

inline Statement Generator::statement(unsigned nesting, const Scope& scope) {
  using Kind = Statement::Kind;
  Statement made;
  const unsigned kind = kernel_.width == 1 ? choose_.below(8) : 0;
  if (nesting > 0 && (kind == 1 || kind == 2)) {
    made.kind = kind == 1 ? Kind::branch : Kind::loop;
    made.value = expression(type(), 2, scope);
    made.body = statements(1 + choose_.below(3), nesting - 1, scope);
    if (kind == 1) made.other = statements(choose_.below(3), nesting - 1, scope);
  } else if (kind == 3 && kernel_.has_array) {
    made.kind = Kind::store;
    made.where = expression(type(), 2, scope);
    made.value = expression(kernel_.array_type, 3, scope);
  } else {
    made.index = choose_.below(static_cast<unsigned>(scope.variables->size()));
    made.value = expression((*scope.variables)[made.index], 4, scope);
  }
  return made;
}

inline std::vector<Statement> Generator::statements(unsigned count, unsigned nesting,
                                                    const Scope& scope) {
  std::vector<Statement> made;
  for (unsigned n = 0; n < count; ++n) made.push_back(statement(nesting, scope));
  return made;
}

inline Kernel Generator::kernel() {
  static constexpr unsigned widths[] = {1, 1, 1, 2, 4};
  kernel_ = {};
  kernel_.width = widths[choose_.below(5)];
  const unsigned count = 2 + choose_.below(4);
  // Vectors of one type stay packed; scalars of many types meet.
  const Type common = type();
  for (unsigned n = 0; n < count; ++n)
    kernel_.variables.push_back(kernel_.width > 1 && n > 0 && !choose_.one_in(4) ? common : type());
  if (kernel_.width == 1) {
    kernel_.has_array = choose_.one_in(3);
    kernel_.array_type = type();
    for (unsigned n = choose_.below(3); n > 0; --n) kernel_.functions.push_back(function());
  }
  const std::vector<Type> variables = kernel_.variables;
  kernel_.statements = statements(2 + choose_.below(5), 2, {&variables, true});
  return std::move(kernel_);
}

}  // namespace rocdrill::test::random_kernels
