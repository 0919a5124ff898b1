#include "gui/app/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "gui/model/palette.hpp"
#include "gui/model/strings.hpp"

namespace rocdrill::gui {
namespace {

constexpr std::string_view header = "# rocdrill gui; written when a setting changes\n";

std::optional<int> number(const std::string& text, int low, int high) {
  if (text.empty() || text.size() > 6 ||
      !std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  const int value = std::stoi(text);
  return value >= low && value <= high ? std::optional(value) : std::nullopt;
}

bool known_palette(const std::string& name) {
  return std::ranges::any_of(palettes(), [&](const Palette& one) { return one.name == name; });
}

/// Layouts that a run is opened in: the browser has none, and a shell is asked for.
bool opens_a_run(Layout layout) { return layout != Layout::drills && layout != Layout::practice; }

/// "pane.stack": its size.
constexpr std::string_view pane_prefix = "pane.";
constexpr std::array sized_panes{Pane::stack, Pane::brief, Pane::tasks, Pane::timeline};

/// Sets one; false for a value that it cannot have. Keys of later versions are let through.
bool set(Settings& settings, const std::string& key, const std::string& value) {
  const auto take = [&](int& into, int low, int high) {
    const auto read = number(value, low, high);
    if (read) into = *read;
    return read.has_value();
  };
  if (key == "font_size") return take(settings.font_size, 11, 32);
  if (key == "width") return take(settings.width, 320, 16384);
  if (key == "height") return take(settings.height, 240, 16384);
  if (key == "language") {
    settings.language = value;
    return value == "en" || value == "zh";
  }
  if (key == "expert") {
    settings.expert = value == "yes";
    return value == "yes" || value == "no";
  }
  if (key == "layout") {
    const auto layout = layout_from_name(value);
    if (layout) settings.layout = *layout;
    return layout && opens_a_run(*layout);
  }
  if (key.starts_with(pane_prefix)) {
    const auto pane = std::ranges::find(sized_panes, key.substr(pane_prefix.size()),
                                        [](Pane one) { return name(one); });
    int size = 0;
    if (pane == sized_panes.end()) return true;
    if (!take(size, least_pane, most_pane)) return false;
    settings.sizes[*pane] = size;
    return true;
  }
  if (key != "palette") return true;
  settings.palette = value;
  return known_palette(value);
}

/// The reason why the text is not taken, or "".
std::string parse(const std::string& text, Settings& settings) {
  const auto lines = Strings::parse("gui.conf", text);
  if (!lines) return lines.error();
  for (const auto& [key, value] : lines->all()) {
    if (!set(settings, key, value))
      return fmt::format("'{}' cannot be '{}'", key, value.substr(0, 40));
  }
  return {};
}

std::string after(const std::string& current, std::span<const Palette> all) {
  const auto at = std::ranges::find(all, current, &Palette::name);
  const auto next = at == all.end() || at + 1 == all.end() ? all.begin() : at + 1;
  return std::string(next->name);
}

}  // namespace

Settings changed(Settings settings, const Intent& intent) {
  if (const auto* palette = std::get_if<intent::SetPalette>(&intent))
    settings.palette = palette->name;
  if (const auto* size = std::get_if<intent::SetFontSize>(&intent))
    settings.font_size = std::clamp(size->pixels, 11, 32);
  if (const auto* language = std::get_if<intent::SetLanguage>(&intent))
    settings.language = language->code;
  if (const auto* chosen = std::get_if<intent::ChooseLayout>(&intent);
      chosen && opens_a_run(chosen->layout))
    settings.layout = chosen->layout;
  if (std::holds_alternative<intent::ToggleExpert>(intent)) settings.expert = !settings.expert;
  if (const auto* resize = std::get_if<intent::Resize>(&intent)) {
    if (resize->size <= 0)
      settings.sizes.erase(resize->pane);
    else
      settings.sizes[resize->pane] = std::clamp(resize->size, least_pane, most_pane);
  }
  if (std::holds_alternative<intent::DefaultSizes>(intent)) settings.sizes.clear();
  if (const auto* act = std::get_if<intent::Do>(&intent)) {
    if (act->action == "next-palette") settings.palette = after(settings.palette, palettes());
    if (act->action == "next-language") settings.language = settings.language == "en" ? "zh" : "en";
    if (act->action == "bigger") settings.font_size = std::min(settings.font_size + 1, 32);
    if (act->action == "smaller") settings.font_size = std::max(settings.font_size - 1, 11);
  }
  return settings;
}

Settings with(Settings settings, const Overrides& overrides) {
  if (overrides.palette) settings.palette = *overrides.palette;
  if (overrides.font_size) settings.font_size = *overrides.font_size;
  if (overrides.language) settings.language = *overrides.language;
  return settings;
}

std::filesystem::path settings_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config && *config) return std::filesystem::path(config) / "rocdrill/gui.conf";
  if (home && *home) return std::filesystem::path(home) / ".config/rocdrill/gui.conf";
  return {};
}

ReadSettings read_settings(const std::filesystem::path& file) {
  ReadSettings read;
  std::ifstream in(file, std::ios::binary);
  if (file.empty() || !in) return read;
  std::ostringstream text;
  text << in.rdbuf();
  Settings settings;
  const std::string problem = parse(text.str(), settings);
  if (problem.empty()) {
    read.settings = settings;
    return read;
  }
  std::filesystem::path aside = file;
  aside += ".broken";
  std::error_code error;
  std::filesystem::rename(file, aside, error);
  read.problem = fmt::format(
      "the settings could not be read ({}); they are now in {}, and the "
      "defaults hold",
      problem, error ? file.string() : aside.string());
  return read;
}

std::string write_settings(const std::filesystem::path& file, const Settings& settings) {
  if (file.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::filesystem::path fresh = file;
  fresh += ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << header
      << fmt::format(
             "palette = {}\nfont_size = {}\nlanguage = {}\nwidth = {}\nheight = {}\n"
             "layout = {}\nexpert = {}\n",
             settings.palette, settings.font_size, settings.language, settings.width,
             settings.height, name(settings.layout), settings.expert ? "yes" : "no");
  for (const auto& [pane, size] : settings.sizes)
    out << fmt::format("{}{} = {}\n", pane_prefix, name(pane), size);
  out.close();
  if (out) std::filesystem::rename(fresh, file, error);
  if (!out || error) return fmt::format("the settings could not be written to {}", file.string());
  return {};
}

}  // namespace rocdrill::gui
