#include "gui/app/open.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gui/app/trace_history.hpp"
#include "sim/interpose/server/session.hpp"

namespace rocdrill::gui {

namespace {

/// Goes where the request says.
void settle_request(const Request& request, Workspace& workspace) {
  if (!request.at.empty() && !workspace.go_to(request.at)) {
    throw Failure{
        2, "--at takes a virtual time such as 1.42s or 800ms, or an event such as #12, not " +
               scenarios::in_quotes(request.at) + "\n"};
  }
  State& state = workspace.state();
  if (request.layout) state.layout = *request.layout;
  if (!request.layer.empty()) {
    const auto layer = layer_from_name(request.layer);
    if (!layer || *layer == Layer::host)
      throw Failure{2, "there is no layer " + scenarios::in_quotes(request.layer) + "\n"};
    state.layer = layer;
  }
  state.expert = request.expert;
  if (request.overlay == "palette") state.overlay = Overlay::palette;
  if (request.overlay == "keys") state.overlay = Overlay::keys;
  if (request.overlay == "settings") state.overlay = Overlay::settings;
}

Timeline read_history(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (is_trace(text.str())) {
    auto history = history_of_trace(text.str(), file);
    if (!history) throw Failure{3, history.error()};
    return std::move(*history);
  }
  auto timeline = Timeline::from_json_lines(text.str());
  if (!timeline) {
    throw Failure{3,
                  file + ": " + timeline.error() +
                      "\n  this is no history of a node; rocdrill node log S --json > FILE makes "
                      "one\n"};
  }
  return std::move(*timeline);
}

bool is_file(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_regular_file(name, error);
}

void check_drill(const Request& request, const std::string& drill) {
  const auto known = request.data.list_drills();
  if (std::ranges::find(known, drill) != known.end()) return;
  const std::string hint = scenarios::did_you_mean(drill, known);
  throw Failure{2, "there is no drill " + scenarios::in_quotes(drill) +
                       (hint.empty() ? "" : "; " + hint) + "\n  see: rocdrill list\n"};
}

/// The run that is shown.
void open_first(const Request& request, Workspace& workspace) {
  if (is_file(request.drill)) {
    workspace.open_timeline(read_history(request.drill), request.drill);
    return;
  }
  check_drill(request, request.drill);
  if (const std::string problem = workspace.open(request.drill); !problem.empty())
    throw Failure{3, problem};
}

/// The run that it is compared with.
void open_second(const Request& request, Workspace& workspace) {
  if (request.compare.empty()) return;
  workspace.state().layout = Layout::compare;
  if (is_file(request.compare)) {
    workspace.compare_with(read_history(request.compare), request.compare);
    return;
  }
  check_drill(request, request.compare);
  if (const std::string problem = workspace.compare_with(request.compare); !problem.empty())
    throw Failure{3, problem};
}

}  // namespace

std::unique_ptr<Workspace> open_workspace(const Request& request) {
  auto workspace = std::make_unique<Workspace>(
      WorkspaceOptions{request.data, request.options, request.rocdrill});
  if (request.attach) {
    try {
      const auto name = request.attach->empty() ? std::nullopt : request.attach;
      const auto session = interpose::find_session(name);
      const std::string problem = workspace->attach(session.path.string(), session.name);
      if (!problem.empty()) throw Failure{4, problem + "\n"};
    } catch (const std::runtime_error& error) {
      throw Failure{4, std::string(error.what()) + "\n"};
    }
    settle_request(request, *workspace);
    return workspace;
  }
  if (request.drill.empty()) {
    workspace->state().layout = Layout::drills;
    return workspace;
  }
  open_first(request, *workspace);
  open_second(request, *workspace);
  settle_request(request, *workspace);
  return workspace;
}

}  // namespace rocdrill::gui
