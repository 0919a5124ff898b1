// What a kernel computes. Values are held as 64 bits, extended as their type is.
#pragma once

#include <bit>
#include <span>

#include "support/random_kernels/tree.hpp"

namespace rocdrill::test::random_kernels {

/// Modulo the type.
constexpr std::uint64_t wrapped(Type type, std::uint64_t value) {
  const unsigned unused = 64 - bits_of(type);
  value <<= unused;
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> unused)
                         : value >> unused;
}

class Evaluator {
 public:
  /// For one work-item: `inputs` and `outputs` are Kernel::words() long.
  Evaluator(const Kernel& kernel, std::span<const std::uint64_t> parameters)
      : kernel_(kernel), parameters_(parameters) {}
  void run(std::span<const std::uint64_t> inputs, std::span<std::uint64_t> outputs);

 private:
  using U = std::uint64_t;
  using I = std::int64_t;
  using Wide = __int128;
  struct Frame {
    std::vector<U> variables;
  };
  U value(const Node& node, const Frame& frame) const;
  U unary(const Node& node, U a) const;
  U binary(const Node& node, U a, U b) const;
  U ternary(const Node& node, U a, U b, U c) const;
  static Wide exact(Type type, U value) {
    return is_signed(type) ? Wide{static_cast<I>(value)} : Wide{value};
  }
  static U saturated(Type type, Wide value);
  static bool holds(Relation relation, Type type, U a, U b);
  void execute(const std::vector<Statement>& statements, Frame& frame);

  const Kernel& kernel_;
  std::span<const U> parameters_;
  U array_[array_size] = {};
};

inline std::uint64_t Evaluator::saturated(Type type, Wide value) {
  const unsigned bits = bits_of(type);
  const Wide most = (Wide{1} << (is_signed(type) ? bits - 1 : bits)) - 1;
  const Wide least = is_signed(type) ? -most - 1 : 0;
  return static_cast<U>(value > most ? most : value < least ? least : value);
}

inline bool Evaluator::holds(Relation relation, Type type, U a, U b) {
  const Wide x = exact(type, a);
  const Wide y = exact(type, b);
  switch (relation) {
    case Relation::less:
      return x < y;
    case Relation::less_equal:
      return x <= y;
    case Relation::equal:
      return x == y;
    case Relation::not_equal:
      return x != y;
    case Relation::greater:
      return x > y;
    case Relation::greater_equal:
      return x >= y;
  }
  return false;
}

inline std::uint64_t Evaluator::unary(const Node& node, U a) const {
  const unsigned bits = bits_of(node.type);
  const U low = bits == 64 ? a : a & ((U{1} << bits) - 1);  // its bits without the extension
  const auto count = [](int n) { return static_cast<U>(n); };
  switch (node.op) {
    case Op::negate:
      return -a;
    case Op::invert:
      return ~a;
    case Op::population:
      return count(std::popcount(low));
    case Op::leading_zeros:
      return count(std::countl_zero(low)) - (64 - bits);
    case Op::trailing_zeros:
      return low == 0 ? bits : count(std::countr_zero(low));
    case Op::reverse_bits: {
      U out = 0;
      for (unsigned n = 0; n < bits; ++n) out |= (low >> n & 1) << (bits - 1 - n);
      return out;
    }
    default:
      return a;
  }
}

inline std::uint64_t Evaluator::binary(const Node& node, U a, U b) const {
  const Type type = node.type;
  const unsigned bits = bits_of(type);
  const unsigned count = static_cast<unsigned>(b % bits);
  const Wide x = exact(type, a);
  const Wide y = exact(type, b);
  switch (node.op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return static_cast<U>(x / (y == 0 ? 1 : y));
    case Op::remainder:
      return static_cast<U>(x % (y == 0 ? 1 : y));
    case Op::shift_left:
      return a << count;
    case Op::shift_right:
      return static_cast<U>(x >> count);
    case Op::rotate_left: {
      const U low = bits == 64 ? a : a & ((U{1} << bits) - 1);
      return count == 0 ? low : low << count | low >> (bits - count);
    }
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::minimum:
      return x < y ? a : b;
    case Op::maximum:
      return x > y ? a : b;
    case Op::add_saturated:
      return saturated(type, x + y);
    case Op::subtract_saturated:
      return saturated(type, x - y);
    case Op::absolute_difference:
      return static_cast<U>(x > y ? x - y : y - x);
    case Op::average:
      return static_cast<U>((x + y) >> 1);
    case Op::multiply_high:
      return static_cast<U>(x * y >> 32);
    case Op::multiply_24: {
      const auto low = [type](U v) {
        return is_signed(type) ? static_cast<I>(v << 40) >> 40 : static_cast<I>(v & 0xFFFFFF);
      };
      return static_cast<U>(low(a) * low(b));
    }
    default:
      return 0;
  }
}

inline std::uint64_t Evaluator::ternary(const Node& node, U a, U b, U c) const {
  const Type byte = is_signed(node.type) ? Type::i8 : Type::u8;
  switch (node.op) {
    case Op::bit_field:
      return (a & 0xFFFFFFFF) >> (b & 31) & ((U{1} << (c & 31)) - 1);
    case Op::dot4:
      for (unsigned k = 0; k < 4; ++k) c += wrapped(byte, a >> 8 * k) * wrapped(byte, b >> 8 * k);
      return c;
    default:
      return 0;
  }
}

inline std::uint64_t Evaluator::value(const Node& node, const Frame& frame) const {
  const auto operand = [&](unsigned n) { return value(node[n], frame); };
  U out = 0;
  switch (node.op) {
    case Op::variable:
      return frame.variables[node.index];
    case Op::constant:
      out = node.value;
      break;
    case Op::parameter:
      out = parameters_[node.index];
      break;
    case Op::element:
      out = array_[operand(0) % array_size];
      break;
    case Op::cast:
      out = operand(0);
      break;
    case Op::select:
      out = holds(node.relation, node[0].type, operand(0), operand(1)) ? operand(2) : operand(3);
      break;
    case Op::relate:
      out = holds(node.relation, node[0].type, operand(0), operand(1)) ? 1 : 0;
      break;
    case Op::call: {
      const Function& function = kernel_.functions[node.index];
      const Frame callee{
          {wrapped(function.arguments[0], operand(0)), wrapped(function.arguments[1], operand(1))}};
      out = value(*function.value, callee);
      break;
    }
    default:
      out = node.operands.size() == 1   ? unary(node, operand(0))
            : node.operands.size() == 2 ? binary(node, operand(0), operand(1))
                                        : ternary(node, operand(0), operand(1), operand(2));
  }
  return wrapped(node.type, out);
}

inline void Evaluator::execute(const std::vector<Statement>& statements, Frame& frame) {
  for (const Statement& statement : statements) {
    const U result = value(*statement.value, frame);
    switch (statement.kind) {
      case Statement::Kind::assign:
        frame.variables[statement.index] = wrapped(kernel_.variables[statement.index], result);
        break;
      case Statement::Kind::store:
        array_[value(*statement.where, frame) % array_size] = wrapped(kernel_.array_type, result);
        break;
      case Statement::Kind::branch:
        execute(result != 0 ? statement.body : statement.other, frame);
        break;
      case Statement::Kind::loop:
        for (U n = result % 8; n > 0; --n) execute(statement.body, frame);
        break;
    }
  }
}

inline void Evaluator::run(std::span<const U> inputs, std::span<U> outputs) {
  for (unsigned element = 0; element < kernel_.width; ++element) {
    Frame frame;
    for (unsigned v = 0; v < kernel_.variables.size(); ++v)
      frame.variables.push_back(wrapped(kernel_.variables[v], inputs[v * kernel_.width + element]));
    for (U& slot : array_) slot = wrapped(kernel_.array_type, parameters_[0]);
    execute(kernel_.statements, frame);
    for (unsigned v = 0; v < kernel_.variables.size(); ++v)
      outputs[v * kernel_.width + element] = frame.variables[v];
  }
}

}  // namespace rocdrill::test::random_kernels
