#include "sim/tools/python.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "sim/frameworks/torch.hpp"

namespace rocdrill::sim::tools {
namespace {

using Value = Python::Value;

/// Walks a text and knows at each place whether brackets or quotes are open.
class Nesting {
 public:
  bool inside() const { return depth_ > 0 || quote_ != 0; }
  bool in_string() const { return quote_ != 0; }
  void step(char c) {
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    } else if (c == '(' || c == '[') {
      ++depth_;
    } else if (c == ')' || c == ']') {
      --depth_;
    }
  }

 private:
  int depth_ = 0;
  char quote_ = 0;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Without blanks outside of strings, so that "a @ a" and "a@a" are one; two words stay two.
std::string squeeze(std::string_view text) {
  std::string out;
  Nesting nesting;
  bool blank = false;
  for (const char c : text) {
    if (!nesting.in_string() && std::isspace(static_cast<unsigned char>(c)) != 0) {
      blank = true;
      continue;
    }
    if (blank && !out.empty() && is_name_character(out.back()) && is_name_character(c)) out += ' ';
    blank = false;
    out += c;
    nesting.step(c);
  }
  return out;
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> parts(1);
  Nesting nesting;
  for (const char c : text) {
    if (c == ',' && !nesting.inside()) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
    nesting.step(c);
  }
  if (parts.size() == 1 && trim(parts[0]).empty()) parts.clear();
  return parts;
}

/// "print(...)" with `name` "print": what is between the brackets that enclose all of the rest.
std::optional<std::string_view> arguments_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2 || text[name.size()] != '(' ||
      text.back() != ')')
    return std::nullopt;
  Nesting nesting;
  for (std::size_t i = name.size(); i < text.size(); ++i) {
    nesting.step(text[i]);
    if (!nesting.inside() && i + 1 < text.size()) return std::nullopt;
  }
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  return std::ranges::all_of(text, is_name_character);
}

bool is_keyword(std::string_view text) {
  constexpr std::string_view keywords[] = {"assert", "break", "continue", "del", "else",
                                           "pass",   "raise", "return",   "try", "yield"};
  return std::ranges::find(keywords, text) != std::end(keywords);
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool truthy(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count != 0;
  const auto* text = std::get_if<std::string>(&value);
  return text && !text->empty();
}

std::string shown(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "None";
}

/// How a failed line of a program ends it.
Python::Stop stop_of(const FrameworkResult& result) {
  using Kind = Python::Stop::Kind;
  const Kind kind = result.waits_for_ever ? Kind::waits_for_ever
                    : result.unmodelled   ? Kind::unmodelled
                    : result.text.find("Aborted (core dumped)") != std::string::npos
                        ? Kind::abort
                        : Kind::exception;
  return {kind, result.text, result.event};
}

std::unexpected<Python::Stop> raise(std::string text, EventId event = no_event) {
  return std::unexpected(Python::Stop{Python::Stop::Kind::exception, std::move(text), event});
}

}  // namespace

std::vector<Statement> split_script(std::string_view script) {
  std::vector<Statement> statements(1);
  Nesting nesting;
  int line = 1;
  for (const char c : script) {
    if ((c == '\n' || c == ';') && !nesting.inside()) {
      statements.push_back({"", c == '\n' ? line + 1 : line});
    } else {
      statements.back().text += c;
    }
    if (c == '\n') ++line;
    nesting.step(c);
  }
  std::erase_if(statements, [](const Statement& each) {
    return trim(each.text).empty() || trim(each.text).starts_with('#');
  });
  return statements;
}

Python::Python(Node& node, const ProcessSpec& spec) : node_(node), spec_(spec) {
  spec_.command = "python3";
  process_ = node_.access.spawn(spec_);
}

Python::Stop Python::refuse(std::string_view text) const {
  return {Stop::Kind::unmodelled, std::string(text), no_event};
}

std::expected<void, Python::Stop> Python::import_torch() {
  if (torch_) return {};
  auto torch = node_.open_framework(*process_);
  if (!torch) return raise("ModuleNotFoundError: No module named 'torch'");
  const FrameworkResult imported = torch->import();
  if (!imported.ok) return std::unexpected(stop_of(imported));
  torch_ = std::move(torch);
  hip_version_ = imported.text;
  return {};
}

std::string Python::torch_folder() {
  return frameworks::find_torch(*process_, node_.torch_directory(*process_)).directory;
}

Python::Result Python::version() {
  const auto text = process_->read_file(torch_folder() + "/version.py");
  constexpr std::string_view key = "__version__ = '";
  const std::size_t at = text ? text->find(key) : std::string::npos;
  if (at == std::string::npos)
    return raise("AttributeError: module 'torch' has no attribute '__version__'");
  const std::size_t begin = at + key.size();
  return text->substr(begin, text->find('\'', begin) - begin);
}

Python::Result Python::matmul() {
  const FrameworkResult product = torch_->matmul();
  if (!product.ok) return std::unexpected(stop_of(product));
  return product.text;
}

/// A process of its own for the question: the framework's HIP is not ours to ask.
Python::Result Python::gcn_arch_name(std::string_view expression) {
  constexpr std::string_view before = "torch.cuda.get_device_properties(", after = ").gcnArchName";
  const auto device =
      number(expression.substr(before.size(), expression.size() - before.size() - after.size()));
  if (!device) return std::unexpected(refuse(expression));
  const int count = torch_->device_count();
  if (count == 0) {
    const FrameworkResult available = torch_->is_available();
    return raise("RuntimeError: No HIP GPUs are available", available.event);
  }
  if (*device < 0 || *device >= count) return raise("AssertionError: Invalid device id");
  const auto process = node_.access.spawn(spec_);
  const auto properties = node_.open_hip(*process)->properties(static_cast<int>(*device));
  if (!properties)
    return raise("RuntimeError: HIP error: " + text(properties.error().error),
                 properties.error().event);
  return properties->gcn_arch_name;
}

Python::Result Python::call_torch(std::string_view expression) {
  if (!torch_) return raise("NameError: name 'torch' is not defined");
  if (expression == "torch.version.hip")
    return hip_version_ == "None" ? Value() : Value(hip_version_);
  if (expression == "torch.version.cuda") {
    const auto text = process_->read_file(torch_folder() + "/version.py");
    const auto build = text ? frameworks::read_version_file(*text) : std::nullopt;
    return build && build->cuda ? Value(*build->cuda) : Value();
  }
  if (expression == "torch.__version__") return version();
  if (expression == "torch.__file__") return torch_folder() + "/__init__.py";
  if (expression == "torch.cuda.device_count()") return std::int64_t{torch_->device_count()};
  if (expression == "torch.cuda.is_available()") {
    const FrameworkResult result = torch_->is_available();
    if (!result.ok && result.text != "False") return std::unexpected(stop_of(result));
    return result.ok;
  }
  if (expression.starts_with("torch.cuda.get_device_properties(") &&
      expression.ends_with(").gcnArchName")) {
    return gcn_arch_name(expression);
  }
  if (arguments_of(expression, "torch.randn")) {
    const FrameworkResult filled = torch_->randn();
    // A tensor whose kernel does not execute is named when its values are asked for.
    if (!filled.ok && !filled.unmodelled) return std::unexpected(stop_of(filled));
    return Value("<tensor>");
  }
  if (expression == "torch.cuda.synchronize()") return Value();
  return std::unexpected(refuse(expression));
}

Python::Result Python::evaluate(std::string_view expression) {
  if (expression.size() >= 2 && (expression[0] == '"' || expression[0] == '\'') &&
      expression.back() == expression[0]) {
    return std::string(expression.substr(1, expression.size() - 2));
  }
  if (const auto value = number(expression)) return *value;
  if (is_name(expression)) {
    if (expression == "True" || expression == "False") return expression == "True";
    if (expression == "None") return Value();
    if (is_keyword(expression)) return std::unexpected(refuse(expression));
    const auto variable = variables_.find(expression);
    if (variable != variables_.end()) return variable->second;
    return raise(fmt::format("NameError: name '{}' is not defined", expression));
  }
  for (const std::string_view operation : {"==", ">=", ">"}) {
    const std::size_t at = expression.find(operation);
    if (at == std::string_view::npos) continue;
    const auto left = evaluate(expression.substr(0, at)),
               right = evaluate(expression.substr(at + operation.size()));
    if (!left) return left;
    if (!right) return right;
    if (operation == "==") return *left == *right;
    const auto* a = std::get_if<std::int64_t>(&*left);
    const auto* b = std::get_if<std::int64_t>(&*right);
    if (!a || !b) return std::unexpected(refuse(expression));
    return operation == ">" ? *a > *b : *a >= *b;
  }
  // "a@a", "(a@a).float().abs().mean()", "float((a@a).mean())"
  if (const std::size_t at = expression.find('@'); at != std::string_view::npos) {
    for (const auto& [name, value] : variables_) {
      if (value == Value("<tensor>") &&
          expression.find(name + "@" + name) != std::string_view::npos)
        return matmul();
    }
    return std::unexpected(refuse(expression));
  }
  if (expression.starts_with("torch.")) return call_torch(expression);
  return std::unexpected(refuse(expression));
}

std::expected<void, Python::Stop> Python::print(std::string_view arguments) {
  std::string line;
  for (const std::string& argument : split_arguments(arguments)) {
    const auto value = evaluate(squeeze(argument));
    if (!value) return std::unexpected(value.error());
    line += (line.empty() ? "" : " ") + shown(*value);
  }
  out += line + "\n";
  return {};
}

std::expected<void, Python::Stop> Python::check(std::string_view assertion) {
  const auto parts = split_arguments(assertion);
  if (parts.empty() || parts.size() > 2) return std::unexpected(refuse(assertion));
  const auto value = evaluate(squeeze(parts[0]));
  if (!value) return std::unexpected(value.error());
  if (truthy(*value)) return {};
  std::string message = "AssertionError";
  if (parts.size() == 2) {
    const auto why = evaluate(squeeze(parts[1]));
    if (!why) return std::unexpected(why.error());
    message += ": " + shown(*why);
  }
  // What the assertion looked at is explained where torch asked for devices.
  const EventId event =
      torch_ && torch_->device_count() == 0 ? torch_->is_available().event : no_event;
  return raise(std::move(message), event);
}

std::expected<void, Python::Stop> Python::assign(std::string_view name,
                                                 std::string_view expression) {
  auto value = evaluate(squeeze(expression));
  if (!value) return std::unexpected(std::move(value.error()));
  variables_.insert_or_assign(std::string(name), std::move(*value));
  return {};
}

std::expected<void, Python::Stop> Python::run(std::string_view text) {
  const std::string_view statement = trim(text);
  if (statement == "import torch") return import_torch();
  if (const auto arguments = arguments_of(statement, "print")) return print(*arguments);
  if (statement.starts_with("assert ")) return check(statement.substr(7));
  const std::size_t equals = statement.find('=');
  if (equals != std::string_view::npos && equals + 1 < statement.size() &&
      statement[equals + 1] != '=' && is_name(trim(statement.substr(0, equals)))) {
    return assign(trim(statement.substr(0, equals)), statement.substr(equals + 1));
  }
  const auto value = evaluate(squeeze(statement));
  if (!value) return std::unexpected(value.error());
  return {};
}

}  // namespace rocdrill::sim::tools
