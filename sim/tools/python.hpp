// A Python that knows a few statements about torch: those of the bring-up script and of people who
// look at a node. Anything else is refused, by the statement's text.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/node.hpp"

namespace rocdrill::sim::tools {

/// Statements of a script: split at line ends and ';' outside of brackets and strings.
struct Statement {
  std::string text;
  int line = 1;
};
std::vector<Statement> split_script(std::string_view script);

class Python {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, std::string>;

  /// What ended the script.
  struct Stop {
    enum class Kind : std::uint8_t {
      exception,
      abort,
      unmodelled,
      waits_for_ever
    } kind = Kind::exception;
    std::string text;
    EventId event = no_event;
  };

  Python(Node& node, const ProcessSpec& spec);

  /// What was printed so far is in `out`.
  std::expected<void, Stop> run(std::string_view statement);
  std::string out;

 private:
  using Result = std::expected<Value, Stop>;

  Result evaluate(std::string_view expression);
  Result call_torch(std::string_view expression);
  Result gcn_arch_name(std::string_view expression);
  Result matmul();
  std::string torch_folder();
  Result version();
  std::expected<void, Stop> print(std::string_view arguments);
  std::expected<void, Stop> check(std::string_view assertion);
  std::expected<void, Stop> import_torch();
  std::expected<void, Stop> assign(std::string_view name, std::string_view expression);
  Stop refuse(std::string_view text) const;

  Node& node_;
  ProcessSpec spec_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Framework> torch_;  ///< set by the import
  std::string hip_version_;
  std::map<std::string, Value, std::less<>> variables_;
};

}  // namespace rocdrill::sim::tools
