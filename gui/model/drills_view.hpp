// The drills that there are, as a table.
#pragma once

#include <string>
#include <vector>

#include "scenarios/engine/data_path.hpp"

namespace rocdrill::gui {

struct DrillRow {
  std::string id;
  std::string title;
  int difficulty = 1;  ///< 1 to 5
  int minutes = 0;
  std::string node;
  std::vector<std::string> objectives;
  std::string problem;  ///< its file cannot be read; "" if it can
};

enum class DrillColumn : std::uint8_t { title, difficulty, minutes, node };

/// Reads the files. A drill that cannot be loaded is there with its problem.
std::vector<DrillRow> read_drills(const scenarios::DataPath& data);
/// By a column, then by title.
void sort_drills(std::vector<DrillRow>& drills, DrillColumn column);

}  // namespace rocdrill::gui
