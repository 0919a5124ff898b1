// What a person prefers, kept under $XDG_CONFIG_HOME/rocdrill/gui.conf as lines "key = value".
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gui/model/intent.hpp"

namespace rocdrill::gui {

struct Settings {
  std::string palette = "light";
  int font_size = 15;           ///< pixels, 11 to 32
  std::string language = "en";  ///< of gui/strings
  int width = 1280;             ///< of the window
  int height = 800;
  Layout layout = Layout::replay;  ///< that a run opens in; never drills or practice
  bool expert = false;
  PaneSizes sizes = {};  ///< of stack, brief, tasks and timeline

  bool operator==(const Settings&) const = default;
};

/// From the command line; empty: as in the settings.
struct Overrides {
  std::optional<std::string> palette;
  std::optional<int> font_size;
  std::optional<std::string> language;
};
Settings with(Settings settings, const Overrides& overrides);

struct ReadSettings {
  Settings settings;
  std::string problem;  ///< a sentence for the person, "" if there is none
};

/// What an intent (colours, text size, language) makes of the settings.
Settings changed(Settings settings, const Intent& intent);

/// Defaults if there is no file. A file that is damaged is renamed to "gui.conf.broken" and said
/// so, the defaults hold.
ReadSettings read_settings(const std::filesystem::path& file);
/// Replaces the file as a whole. The error is a sentence.
std::string write_settings(const std::filesystem::path& file, const Settings& settings);
/// "" where neither XDG_CONFIG_HOME nor HOME is set.
std::filesystem::path settings_file();

}  // namespace rocdrill::gui
