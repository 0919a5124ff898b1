#include "gui/model/drills_view.hpp"

#include <algorithm>
#include <tuple>

#include "scenarios/engine/load.hpp"

namespace rocdrill::gui {

std::vector<DrillRow> read_drills(const scenarios::DataPath& data) {
  std::vector<DrillRow> rows;
  const scenarios::Knowledge knowledge = scenarios::built_in_knowledge();
  for (const std::string& id : data.list_drills()) {
    DrillRow row{.id = id, .title = id, .node = {}, .objectives = {}, .problem = {}};
    if (const auto loaded = scenarios::load_drill(data, id, knowledge)) {
      row.title = loaded->drill.title;
      row.difficulty = loaded->drill.difficulty;
      row.minutes = loaded->drill.minutes;
      row.objectives = loaded->drill.objectives;
      row.node = loaded->node.title;
    } else {
      row.problem = scenarios::text(loaded.error());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void sort_drills(std::vector<DrillRow>& drills, DrillColumn column) {
  const auto key = [&](const DrillRow& row) {
    const int number = column == DrillColumn::difficulty ? row.difficulty
                       : column == DrillColumn::minutes  ? row.minutes
                                                         : 0;
    return std::tuple(number, column == DrillColumn::node ? row.node : std::string(), row.title);
  };
  std::ranges::stable_sort(drills, {}, key);
}

}  // namespace rocdrill::gui
