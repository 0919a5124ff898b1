// Reading of what may refer to variables: texts and commands of a drill.
#pragma once

#include <string>
#include <vector>

#include "scenarios/engine/drill.hpp"
#include "scenarios/engine/reader.hpp"

namespace rocdrill::scenarios {

/// Notes every `${name}` it reads, with its place, so that undefined names are found at the end.
class TemplateReader {
 public:
  explicit TemplateReader(Problems& problems) : problems_(problems) {}

  std::string text(const Value& value);
  std::vector<std::string> texts(const Value& value);
  /// A line, which is split as a shell would do it, or a list of words.
  Command command(const Value& value);
  std::vector<Command> commands(const Value& value);
  /// The first word (after sudo) of every command read so far, and where the command stands.
  const std::vector<std::pair<std::string, Mark>>& programs() const { return programs_; }
  /// Scans a scalar that was read by other means.
  void note(const Value& value);

  /// Complains about references to what is not among the variables.
  void check_names(const std::vector<Variable>& variables) const;

 private:
  void note_program(const Command& words, Mark mark);

  struct Use {
    std::string name;
    std::size_t offset = 0;
  };
  Problems& problems_;
  std::vector<Use> uses_;
  std::vector<std::pair<std::string, Mark>> programs_;
};

// The parts of a drill that have a file of their own (drill_tasks.cpp).
std::vector<DrillTask> read_tasks(const Value& tasks, TemplateReader& reader);
std::vector<Penalty> read_penalties(const Value& penalties, TemplateReader& reader);
std::vector<WrongFix> read_wrong(const Value& wrong, TemplateReader& reader);
Debrief read_debrief(const Value& debrief, TemplateReader& reader);

}  // namespace rocdrill::scenarios
