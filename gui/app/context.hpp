// What every window needs of Dear ImGui: a context with its fonts, colours and words, and frames of
// a workspace in it. Without OpenGL: tests press its widgets, picture.cpp and window.cpp add
// pixels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/app/settings.hpp"
#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

/// The words of a language ("en", "zh"), what is missing filled in from English. Throws
/// std::runtime_error if the files are not there.
Strings load_strings(const std::string& language);
/// The file itself.
std::filesystem::path strings_file(const std::string& language);

class Context {
 public:
  explicit Context(const Settings& settings);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Colours, fonts, words. The renderer has to take the new font texture.
  void use(const Settings& settings);
  const Settings& settings() const { return settings_; }

  /// One frame of so many pixels: NewFrame to Render. Gives back the intents that are not the
  /// workspace's own.
  Intents frame(Workspace& workspace, float width, float height, double seconds);
  /// Where the settings are kept, for people; "" if nowhere.
  void set_file(std::string file) { file_ = std::move(file); }

  const Widgets& widgets() const { return widgets_; }
  const Strings& words() const { return words_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  Settings settings_;
  Strings words_;
  Fonts fonts_;
  Widgets widgets_;
  std::string file_;
  std::vector<std::string> problems_;
};

}  // namespace rocdrill::gui
