// rocdrill gui: the window, or a picture of it.
#pragma once

#include <optional>
#include <string>

#include "gui/app/settings.hpp"
#include "gui/model/state.hpp"
#include "scenarios/engine/data_path.hpp"
#include "scenarios/engine/run.hpp"

namespace rocdrill::gui {

struct Request {
  scenarios::DataPath data;
  scenarios::RunOptions options;
  std::string rocdrill = {};  ///< the command itself, for shells
  std::string drill = {};     ///< or a file with a node's history; "": the drill browser
  std::string compare = {};   ///< another drill or history; "": the drill's own healthy run
  std::optional<std::string> attach = {};  ///< a running node; "": the only one
  std::string at = {};                     ///< moment: "1.42s", "#12"; "": the end
  std::optional<Layout> layout = {};
  int width = 1280;
  int height = 800;
  bool sized = false;      ///< the size was asked for; else a window has that of the settings
  std::string layer = {};  ///< chosen for the detail; "": follows
  bool expert = false;
  std::string overlay = {};  ///< "palette", "keys", "settings"
  Overrides overrides = {};  ///< of the settings
};

/// What ends the window before it opens: `exit_code` as the rocdrill command's.
struct Failure {
  int exit_code = 5;
  std::string message;
};

/// Opens the window and returns when it is closed. Throws Failure.
int show_window(const Request& request);
/// Renders without a display (EGL, surfaceless) and writes a PNG. Settings of the person are not
/// read: same request, same picture. Throws Failure, also for any error of OpenGL.
void take_picture(const Request& request, const std::string& file);

}  // namespace rocdrill::gui
