#include "gui/app/context.hpp"

#include <algorithm>
#include <stdexcept>

#include "gui/app/fonts.hpp"

namespace rocdrill::gui {

namespace fs = std::filesystem;

fs::path strings_file(const std::string& language) {
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder :
       {beside / "../share/rocdrill/strings", fs::path(ROCDRILL_SOURCE_STRINGS)}) {
    if (fs::exists(folder / (language + ".txt"), error)) return folder / (language + ".txt");
  }
  return {};
}

Strings load_strings(const std::string& language) {
  const auto read = [](const std::string& name) {
    const fs::path file = strings_file(name);
    if (file.empty()) {
      throw std::runtime_error("the words of the window are missing: " + name +
                               ".txt belongs into ../share/rocdrill/strings beside the command; "
                               "install again");
    }
    auto strings = Strings::read(file);
    if (!strings) throw std::runtime_error(strings.error());
    return std::move(*strings);
  };
  Strings strings = read(language);
  if (language != "en") strings.fall_back_to(read("en"));
  return strings;
}

Context::Context(const Settings& settings) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;
  use(settings);
}

Context::~Context() { ImGui::DestroyContext(); }

void Context::use(const Settings& settings) {
  const float scale = static_cast<float>(settings.font_size) / 15;
  problems_.clear();
  words_ = load_strings(settings.language);
  if (!fonts_.text || settings.font_size != settings_.font_size ||
      settings.language != settings_.language)
    fonts_ = load_fonts(scale, settings.language == "zh", words_, problems_);
  settings_ = settings;
  apply_style(palette(settings.palette), scale);
}

Intents Context::frame(Workspace& workspace, float width, float height, double seconds) {
  ImGuiIO& io = ImGui::GetIO();
  // Dear ImGui takes no window without pixels.
  io.DisplaySize = {std::max(width, 1.0F), std::max(height, 1.0F)};
  io.DeltaTime = static_cast<float>(std::clamp(seconds, 1e-4, 1.0));
  workspace.advance(seconds);
  ImGui::NewFrame();
  widgets_.begin_frame();
  Intents intents;
  Ui ui(fonts_, palette(settings_.palette), words_, static_cast<float>(settings_.font_size) / 15,
        widgets_, intents);
  Intents others = workspace.draw(
      ui, width, height, {settings_.palette, settings_.font_size, settings_.language, file_});
  ImGui::Render();
  return others;
}

}  // namespace rocdrill::gui
