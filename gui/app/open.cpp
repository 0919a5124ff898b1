#include "gui/app/open.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

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
  std::error_code error;
  if (std::filesystem::is_regular_file(request.drill, error)) {
    std::ifstream in(request.drill, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    auto timeline = Timeline::from_json_lines(text.str());
    if (!timeline) {
      throw Failure{
          3, request.drill + ": " + timeline.error() +
                 "\n  this is no history of a node; rocdrill node log S --json > FILE makes one\n"};
    }
    workspace->open_timeline(std::move(*timeline), request.drill);
    settle_request(request, *workspace);
    return workspace;
  }
  const auto known = request.data.list_drills();
  if (std::ranges::find(known, request.drill) == known.end()) {
    const std::string hint = scenarios::did_you_mean(request.drill, known);
    throw Failure{2, "there is no drill " + scenarios::in_quotes(request.drill) +
                         (hint.empty() ? "" : "; " + hint) + "\n  see: rocdrill list\n"};
  }
  if (const std::string problem = workspace->open(request.drill); !problem.empty())
    throw Failure{3, problem};
  settle_request(request, *workspace);
  return workspace;
}

}  // namespace rocdrill::gui
