// What the command palette offers: all actions, and what the drill at hand adds to them.
#pragma once

#include <string>
#include <vector>

#include "gui/model/action.hpp"
#include "gui/model/brief_view.hpp"
#include "gui/model/drills_view.hpp"

namespace rocdrill::gui {

struct PaletteEntry {
  std::string id;
  std::string title;
  std::string key;  ///< "" if it has none
  Intents intents;
};

/// Those whose title holds all words of `typed`. `tasks`: answers to them are offered, too.
std::vector<PaletteEntry> palette_entries(std::string_view typed, const Strings& words,
                                          const std::vector<DrillRow>& drills,
                                          const std::vector<TaskView>& tasks);

}  // namespace rocdrill::gui
