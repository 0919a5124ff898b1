// The window: GLFW, OpenGL 3.2, and the settings that it keeps.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "gui/app/context.hpp"
#include "gui/app/gui.hpp"
#include "gui/app/open.hpp"

namespace rocdrill::gui {
namespace {

/// The library's own words for the last failure.
std::string glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason given";
}

class Window {
 public:
  Window(int width, int height) {
    if (glfwInit() != GLFW_TRUE) {
      const bool display = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
      throw Failure{4, (display ? "the display cannot be used: " + glfw_error()
                                : std::string("there is no display here (DISPLAY is not set)")) +
                           "\n  a picture needs none: rocdrill gui DRILL --screenshot FILE.png\n"
                           "  and replay, explain and shell show the same in a terminal\n"};
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    handle = glfwCreateWindow(width, height, "rocdrill", nullptr, nullptr);
    if (!handle) {
      const std::string why = glfw_error();
      glfwTerminate();
      throw Failure{4, "no window with OpenGL 3.2: " + why +
                           "\n  a driver is missing or too old; Mesa's (Debian's libgl1-mesa-dri) "
                           "needs no GPU\n"};
    }
    glfwMakeContextCurrent(handle);
    glfwSwapInterval(1);
  }
  ~Window() {
    glfwDestroyWindow(handle);
    glfwTerminate();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  GLFWwindow* handle = nullptr;
};

/// The window's keys in their order. Dear ImGui's backend calls these, which were there first.
void listen(GLFWwindow* window, Workspace& workspace) {
  glfwSetWindowUserPointer(window, &workspace);
  glfwSetKeyCallback(window, [](GLFWwindow* from, int key, int, int action, int modifiers) {
    if (action == GLFW_RELEASE) return;
    static_cast<Workspace*>(glfwGetWindowUserPointer(from))
        ->input({.key = key,
                 .control = (modifiers & GLFW_MOD_CONTROL) != 0,
                 .shift = (modifiers & GLFW_MOD_SHIFT) != 0,
                 .alt = (modifiers & GLFW_MOD_ALT) != 0});
  });
  glfwSetCharCallback(window, [](GLFWwindow* from, unsigned int character) {
    static_cast<Workspace*>(glfwGetWindowUserPointer(from))
        ->input({.character = static_cast<char32_t>(character)});
  });
}

/// Dear ImGui on this window.
class Renderer {
 public:
  explicit Renderer(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    if (!ImGui_ImplOpenGL3_Init("#version 150"))
      throw Failure{4, "OpenGL's functions cannot be loaded\n"};
  }
  ~Renderer() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  void new_fonts() {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
};

}  // namespace

int show_window(const Request& request) {
  const std::filesystem::path file = settings_file();
  const ReadSettings read = read_settings(file);
  const auto workspace = open_workspace(request);
  Settings first = with(read.settings, request.overrides);
  if (!request.layout && request.compare.empty() && workspace->state().layout == Layout::replay)
    workspace->state().layout = first.layout;
  if (request.expert) first.expert = true;
  workspace->state().expert = first.expert;
  workspace->state().sizes = first.sizes;
  Window window(request.sized ? request.width : first.width,
                request.sized ? request.height : first.height);
  Context context(first);
  context.set_file(file.string());
  listen(window.handle, *workspace);
  Renderer renderer(window.handle);
  workspace->set_notice(!read.problem.empty()         ? read.problem
                        : !context.problems().empty() ? context.problems().front()
                                                      : std::string());
  auto before = std::chrono::steady_clock::now();
  bool quit = false;
  bool unsaved = false;
  while (!quit && glfwWindowShouldClose(window.handle) == GLFW_FALSE) {
    // Awake while something moves; else a glance now and then is enough.
    const bool lively = workspace->state().playing || workspace->practice();
    glfwWaitEventsTimeout(lively ? 1.0 / 60 : 0.25);
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window.handle, &width, &height);
    if (width <= 0 || height <= 0) {  // minimised
      workspace->advance(0);
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - before).count();
    before = now;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    const Intents wanted =
        context.frame(*workspace, static_cast<float>(width), static_cast<float>(height), seconds);
    const Rgb ground = palette(context.settings().palette).window;
    glViewport(0, 0, width, height);
    glClearColor(static_cast<float>(ground >> 16 & 0xFF) / 255,
                 static_cast<float>(ground >> 8 & 0xFF) / 255,
                 static_cast<float>(ground & 0xFF) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(window.handle);
    Settings settings = context.settings();
    for (const Intent& intent : wanted) {
      settings = changed(settings, intent);
      quit = quit || std::holds_alternative<intent::Quit>(intent);
    }
    if (settings != context.settings()) {
      const bool fonts = settings.font_size != context.settings().font_size ||
                         settings.language != context.settings().language;
      context.use(settings);
      if (fonts) renderer.new_fonts();
      unsaved = true;
    }
    if (unsaved && !ImGui::IsAnyMouseDown()) {  // a seam that is dragged is kept where it ends
      unsaved = false;
      Settings kept = settings;
      glfwGetWindowSize(window.handle, &kept.width, &kept.height);
      if (const std::string problem = write_settings(file, kept); !problem.empty())
        workspace->set_notice(problem);
    }
  }
  return 0;
}

}  // namespace rocdrill::gui
