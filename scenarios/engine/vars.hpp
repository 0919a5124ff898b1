// Variables of a drill: values drawn from the seed, so that two candidates do not get the same
// ticket, and the `${name}` references to them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/engine/diagnostic.hpp"
#include "sim/fault.hpp"

namespace rocdrill::scenarios {

using sim::ParameterValue;
using Values = std::map<std::string, ParameterValue, std::less<>>;

struct Choose {
  std::vector<ParameterValue> values;  ///< not empty
};
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;  ///< inclusive
};
struct AnyGpu {};  ///< index of one of the node's GPUs
struct Text {
  std::string text;  ///< may refer to other variables
};

struct Variable {
  std::string name;
  std::variant<Choose, IntegerRange, AnyGpu, Text> source;
  Mark mark;
};

/// A `${...}` in a text. `$${` stands for a literal `${` and is none.
struct Reference {
  std::size_t offset = 0;  ///< of the '$'
  std::size_t length = 0;  ///< up to and with the '}', or to the end of the text
  std::string_view name;   ///< "" if it is malformed
};
std::vector<Reference> references(std::string_view text);
/// Lower-case letter, then lower-case letters, digits, '_'.
bool is_variable_name(std::string_view name);

/// Puts the values in; a name that has none stays as it is.
std::string substitute(std::string_view text, const Values& values);
/// The same, but a text that is nothing but one reference gets the value with its type.
ParameterValue substitute_value(const ParameterValue& value, const Values& values);

/// So that a few variables that repeat each other cannot fill the memory.
inline constexpr std::size_t max_variables = 64;
inline constexpr std::size_t max_value_size = 256;
/// Most bytes that each variable's value can take, whatever the seed; what is more than
/// max_value_size is given as max_value_size + 1. Needs variables without cycles.
std::map<std::string, std::size_t, std::less<>> largest_values(
    const std::vector<Variable>& variables);

/// Names of a cycle, first == last; empty if there is none.
std::vector<std::string> find_cycle(const std::vector<Variable>& variables);

/// Draws each variable from (seed, drill id, its name) alone: another variable, or another order
/// of them, changes nothing. Same arguments, same values, on every platform. Needs variables
/// without cycles; `gpus` 0 gives index 0.
Values draw(const std::vector<Variable>& variables, std::string_view drill, std::size_t gpus,
            std::uint64_t seed);

}  // namespace rocdrill::scenarios
