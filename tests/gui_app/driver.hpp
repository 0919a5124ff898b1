// A window without pixels: Dear ImGui's null backend. Presses widgets by their ids and keys by
// their codes, as a person would.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "gui/app/context.hpp"
#include "support/nodes.hpp"

namespace rocdrill::gui {

class Driver {
 public:
  explicit Driver(const std::string& drill, Settings settings = {}, std::string rocdrill = {})
      : context(settings), workspace({test::data(), {}, std::move(rocdrill)}) {
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Enter] = rocdrill::gui::key::enter;
    io.KeyMap[ImGuiKey_Escape] = rocdrill::gui::key::escape;
    io.KeyMap[ImGuiKey_Backspace] = rocdrill::gui::key::backspace;
    if (!drill.empty()) {
      const std::string problem = workspace.open(drill);
      if (!problem.empty()) throw std::runtime_error(problem);
    } else {
      workspace.state().layout = Layout::drills;
    }
    frame(2);
  }

  Intents frame(int count = 1) {
    Intents all;
    for (int i = 0; i < count; ++i) {
      const Intents more = context.frame(workspace, width, height, 1.0 / 60);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  /// With what the node answers in the background.
  void settle() {
    frame(2);
    workspace.settle();
    frame(2);
  }

  /// Presses the left button in the middle of a widget. Fails the test if it is not there.
  Intents click(const std::string& id) {
    const Widgets::Entry* entry = context.widgets().find(id);
    if (!entry) {
      ADD_FAILURE() << "there is no widget " << id;
      return {};
    }
    EXPECT_TRUE(entry->enabled) << id;
    return click_at(entry->rect.x + entry->rect.w / 2, entry->rect.y + entry->rect.h / 2);
  }
  Intents click_at(float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {x, y};
    Intents all = frame();
    io.MouseDown[0] = true;
    const auto add = [&](const Intents& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(frame());
    io.MouseDown[0] = false;
    add(frame(2));
    io.MousePos = {-FLT_MAX, -FLT_MAX};
    add(frame());
    return all;
  }

  Intents key(int code, bool control = false, bool shift = false) {
    ImGuiIO& io = ImGui::GetIO();
    workspace.input({.key = code, .control = control, .shift = shift});
    io.KeyCtrl = control;
    io.KeyShift = shift;
    io.KeysDown[code] = true;
    Intents all = frame();
    io.KeysDown[code] = false;
    io.KeyCtrl = false;
    io.KeyShift = false;
    const Intents more = frame();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void type(const std::string& text) {
    for (const char character : text) {
      workspace.input({.character = static_cast<unsigned char>(character)});
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(character));
      frame();
    }
  }

  bool has(const std::string& id) const { return context.widgets().find(id) != nullptr; }
  /// Frames until it holds, or the time is over.
  bool wait_for(const std::function<bool()>& holds,
                std::chrono::seconds most = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      frame();
    }
    return true;
  }

  State& state() { return workspace.state(); }

  Context context;
  Workspace workspace;
  float width = 1280;
  float height = 800;
};

}  // namespace rocdrill::gui
