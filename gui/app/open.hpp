// From a request to a workspace.
#pragma once

#include <memory>

#include "gui/app/gui.hpp"
#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

/// Runs the drill and goes where the request says. Throws Failure.
std::unique_ptr<Workspace> open_workspace(const Request& request);

}  // namespace rocdrill::gui
