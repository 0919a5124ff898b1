#include <backends/imgui_impl_opengl3.h>

#include <chrono>
#include <thread>

#include "gui/app/context.hpp"
#include "gui/app/gui.hpp"
#include "gui/app/open.hpp"
#include "gui/app/surface.hpp"

namespace rocdrill::gui {

void take_picture(const Request& request, const std::string& file) {
  if (request.width < 1 || request.height < 1)
    throw Failure{2, "--size needs at least one pixel\n"};
  const auto workspace = open_workspace(request);
  Surface surface(request.width, request.height);
  Context context(with(Settings{}, request.overrides));
  if (!context.problems().empty()) throw Failure{4, context.problems().front() + "\n"};
  if (!ImGui_ImplOpenGL3_Init("#version 150"))
    throw Failure{4, "OpenGL's functions cannot be loaded\n"};
  const auto width = static_cast<float>(request.width);
  const auto height = static_cast<float>(request.height);
  // The first frame asks, the second has the answers, the third has settled.
  for (int i = 0; i < 3; ++i) {
    ImGui_ImplOpenGL3_NewFrame();
    context.frame(*workspace, width, height, 1.0 / 60);
    workspace->settle();
  }
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (workspace->practice() && !workspace->practice()->ready() &&
         std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ImGui_ImplOpenGL3_NewFrame();
    context.frame(*workspace, width, height, 1.0 / 60);
  }
  surface.clear(palette(context.settings().palette).window);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  check_gl("drawing");
  const Picture picture = surface.read();
  ImGui_ImplOpenGL3_Shutdown();
  if (const auto written = write_png(file, picture); !written)
    throw Failure{4, written.error() + "\n"};
}

}  // namespace rocdrill::gui
