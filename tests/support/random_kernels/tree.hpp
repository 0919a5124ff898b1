// Kernels of integer expressions, as trees. text.hpp writes them in OpenCL C, value.hpp computes
// what they should store, generate.hpp makes them up.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace rocdrill::test::random_kernels {

enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64 };
inline constexpr unsigned type_count = 8;
constexpr unsigned bits_of(Type type) { return 8u << (static_cast<unsigned>(type) / 2); }
constexpr bool is_signed(Type type) { return static_cast<unsigned>(type) % 2 == 0; }
constexpr Type type_of(unsigned bits, bool is_signed) {
  const unsigned width = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
  return static_cast<Type>(2 * width + (is_signed ? 0 : 1));
}

enum class Op : std::uint8_t {
  variable,   ///< Node::index
  constant,   ///< Node::value
  parameter,  ///< of the kernel, the same for all work-items: Node::index
  element,    ///< of the private array, at [0] modulo its size
  cast,
  // of the node's own type
  negate,
  invert,
  add,
  subtract,
  multiply,
  divide,  ///< by 1 instead of 0; by -1 it negates, modulo the type
  remainder,
  shift_left,  ///< counts are modulo the type's bits
  shift_right,
  rotate_left,
  bit_and,
  bit_or,
  bit_xor,
  minimum,
  maximum,
  add_saturated,
  subtract_saturated,
  absolute_difference,  ///< modulo the type
  average,              ///< floor((a + b) / 2), no bit lost
  population,
  leading_zeros,  ///< all bits if the operand is 0
  trailing_zeros,
  reverse_bits,
  multiply_high,  ///< i32, u32
  multiply_24,    ///< of the low 24 bits, sign-extended if the type is signed; i32, u32
  bit_field,      ///< [0] from bit [1] on, [2] bits: both modulo 32; i32, u32
  dot4,           ///< i32, u32: the sum of the products of bytes, and [2]
  select,         ///< [0] relation [1] ? [2] : [3]; [0] and [1] of one type
  relate,         ///< 1 if [0] relation [1], else 0
  call,           ///< function Node::index of [0] and [1]
};

enum class Relation : std::uint8_t { less, less_equal, equal, not_equal, greater, greater_equal };
inline constexpr unsigned relation_count = 6;

struct Node {
  Op op = Op::constant;
  Type type = Type::i32;
  Relation relation = Relation::less;
  unsigned index = 0;
  std::uint64_t value = 0;
  std::vector<std::unique_ptr<Node>> operands;

  const Node& operator[](unsigned n) const { return *operands[n]; }
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,  ///< variable `index` = value
    store,   ///< array[`where` modulo its size] = value
    branch,  ///< if (value) body else other
    loop,    ///< body, (value modulo 8) times
  };
  Kind kind = Kind::assign;
  unsigned index = 0;
  std::unique_ptr<Node> value;
  std::unique_ptr<Node> where;
  std::vector<Statement> body;
  std::vector<Statement> other;
};

/// Of two arguments.
struct Function {
  Type result = Type::i32;
  Type arguments[2] = {Type::i32, Type::i32};  ///< variables 0 and 1 of the value
  std::unique_ptr<Node> value;
};

inline constexpr unsigned parameter_count = 3;  ///< each an unsigned long
inline constexpr unsigned array_size = 8;

struct Kernel {
  /// Elements of each variable: 1, or 2 or 4 for vectors. Those have neither branches nor calls.
  unsigned width = 1;
  /// Each starts with an input of its own and is stored at the end.
  std::vector<Type> variables;
  bool has_array = false;
  Type array_type = Type::i32;  ///< all elements start with parameter 0
  std::vector<Function> functions;
  std::vector<Statement> statements;

  /// Unsigned longs that a work-item reads, and writes.
  unsigned words() const { return width * static_cast<unsigned>(variables.size()); }
};

}  // namespace rocdrill::test::random_kernels
