#include "scenarios/engine/template_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/engine/command_line.hpp"

namespace rocdrill::scenarios {

void TemplateReader::note(const Value& value) {
  if (!value.is_scalar()) return;
  for (const Reference& reference : references(value.node()->text)) {
    const std::size_t offset = offset_inside(problems_.source(), *value.node(), reference.offset);
    if (!reference.name.empty()) {
      uses_.push_back({std::string(reference.name), offset});
    } else {
      problems_.add(offset, "'${' starts no variable",
                    "write ${name}, where a name has lower-case letters, digits and '_'; "
                    "write $${ for a literal '${'");
    }
  }
}

std::string TemplateReader::text(const Value& value) {
  note(value);
  return value.text();
}

std::vector<std::string> TemplateReader::texts(const Value& value) {
  if (value.is_list()) {
    for (const Value& item : value.list()) note(item);
  }
  return value.texts();
}

void TemplateReader::note_program(const Command& words, Mark mark) {
  if (words.empty()) return;
  const bool as_root = words.size() > 1 && words[0] == "sudo" && !words[1].starts_with('-');
  programs_.emplace_back(words[as_root ? 1 : 0], mark);
}

Command TemplateReader::command(const Value& value) {
  if (value.is_list()) {
    Command words = texts(value);
    note_program(words, value.mark());
    return words;
  }
  note(value);
  if (!value) return {};
  const std::string line = value.text_or_empty();
  if (!value.is_scalar()) return {};
  auto words = split_command(line);
  if (words) {
    note_program(*words, value.mark());
    return std::move(*words);
  }
  const CommandError& error = words.error();
  problems_.add(offset_inside(problems_.source(), *value.node(), error.offset),
                fmt::format("bad command: {}", error.message), error.hint);
  return {};
}

std::vector<Command> TemplateReader::commands(const Value& value) {
  std::vector<Command> commands;
  for (const Value& item : value.list()) commands.push_back(command(item));
  return commands;
}

void TemplateReader::check_names(const std::vector<Variable>& variables) const {
  std::vector<std::string> names;
  names.reserve(variables.size());
  for (const Variable& variable : variables) names.push_back(variable.name);
  for (const Use& use : uses_) {
    if (std::ranges::find(names, use.name) != names.end()) continue;
    problems_.add(use.offset, fmt::format("there is no variable {}", in_quotes(use.name)),
                  problems_.full() ? std::string() : suggest(use.name, names, "variables"));
  }
}

}  // namespace rocdrill::scenarios
