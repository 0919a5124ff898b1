#include "sim/host/login_environment.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace rocdrill::sim {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text, in_name);
}

/// $NAME and ${NAME}; what is not set is nothing.
std::string substitute(const std::string& text, const ShellVariables& known) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const bool braces = text[at + 1] == '{';
    std::size_t end = at + (braces ? 2 : 1);
    const std::size_t begin = end;
    while (end < text.size() && in_name(text[end])) ++end;
    if (const auto found = known.find(text.substr(begin, end - begin)); found != known.end())
      out += found->second.value;
    at = braces ? end : end - 1;
  }
  return out;
}

/// "NAME=VALUE" with or without quotes.
std::optional<std::pair<std::string, std::string>> assignment(std::string line,
                                                              const ShellVariables& known,
                                                              bool shell) {
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.starts_with("export ")) line.erase(0, std::string_view("export ").size());
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos || !is_name(line.substr(0, equals))) return std::nullopt;
  std::string value = line.substr(equals + 1);
  char quote = 0;
  if (!value.empty() && (value[0] == '"' || value[0] == '\'')) {
    quote = value[0];
    value = value.substr(1, value.find(quote, 1) - 1);
  } else if (const std::size_t blank = value.find_first_of(" \t#"); blank != std::string::npos) {
    value.resize(blank);
  }
  if (shell && quote != '\'') value = substitute(value, known);
  return std::pair(line.substr(0, equals), std::move(value));
}

void read(const FileTree& files, const std::string& path, bool shell, ShellVariables& variables) {
  for (const std::string& line : lines_of(files.text(path))) {
    if (auto set = assignment(line, variables, shell))
      variables[set->first] = {std::move(set->second), files.why(path)};
  }
}

}  // namespace

void read_assignments(const FileTree& files, const std::string& path, ShellVariables& variables) {
  read(files, path, true, variables);
}

ShellVariables login_variables(const FileTree& files, const std::string& home) {
  ShellVariables variables;
  read(files, "/etc/environment", false, variables);
  const std::string directory = "/etc/profile.d";
  if (const auto names = files.list(directory)) {
    for (const std::string& name : *names) {
      if (name.ends_with(".sh")) read_assignments(files, join(directory, name), variables);
    }
  }
  read_assignments(files, join(home, ".profile"), variables);
  return variables;
}

}  // namespace rocdrill::sim
