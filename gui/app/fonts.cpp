#include "gui/app/fonts.hpp"

#include <imgui_freetype.h>

#include <cmath>
#include <filesystem>
#include <initializer_list>

namespace rocdrill::gui {
namespace {

FontFile first_of(std::initializer_list<FontFile> candidates) {
  for (const FontFile& file : candidates) {
    std::error_code error;
    if (std::filesystem::exists(file.path, error)) return file;
  }
  return {"", candidates.begin()->package, 0};
}

/// Latin, punctuation, arrows and mathematics; for the terminal also lines, blocks and braille.
constexpr ImWchar text_ranges[] = {0x20,   0x17F,  0x370,  0x3FF,  0x400,  0x52F,
                                   0x1E00, 0x1EFF, 0x2010, 0x205E, 0x20A0, 0x20BF,
                                   0x2190, 0x21FF, 0x2200, 0x22FF, 0};
constexpr ImWchar mono_ranges[] = {0x20,   0x17F,  0x370,  0x3FF,  0x400,  0x52F,
                                   0x2010, 0x205E, 0x2190, 0x21FF, 0x2200, 0x22FF,
                                   0x2500, 0x25FF, 0x2800, 0x28FF, 0};

}  // namespace

FontFile sans_font(bool bold) {
  if (bold) {
    return first_of(
        {{"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", "fonts-inter"},
         {"/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf", "fonts-noto-core"},
         {"/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", "fonts-dejavu-core"}});
  }
  return first_of({{"/usr/share/fonts/opentype/inter/Inter-Regular.otf", "fonts-inter"},
                   {"/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "fonts-noto-core"},
                   {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core"}});
}

FontFile mono_font() {
  return first_of({{"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
                    "fonts-jetbrains-mono"},
                   {"/usr/share/fonts/truetype/noto/NotoSansMono-Regular.ttf", "fonts-noto-mono"},
                   {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", "fonts-dejavu-core"}});
}

FontFile chinese_font() {
  return first_of(
      {{"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", "fonts-wqy-microhei"},
       {"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "fonts-noto-cjk", 2}});
}

Fonts load_fonts(float scale, bool chinese, const Strings& words,
                 std::vector<std::string>& problems) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas.Flags |= ImFontAtlasFlags_NoMouseCursors;
  const FontFile cjk = chinese ? chinese_font() : FontFile{};
  if (chinese && cjk.path.empty()) problems.push_back("no Chinese font; install " + cjk.package);
  ImVector<ImWchar> chinese_ranges;  // Dear ImGui's list of common ones lacks some of the words'
  if (chinese) {
    ImFontGlyphRangesBuilder builder;
    builder.AddRanges(atlas.GetGlyphRangesChineseSimplifiedCommon());
    for (const auto& [key, text] : words.all()) builder.AddText(text.c_str());
    builder.BuildRanges(&chinese_ranges);
  }
  const auto load = [&](const FontFile& file, float size, const ImWchar* ranges) {
    ImFontConfig config;
    config.PixelSnapH = true;
    config.SizePixels = std::round(size * scale);
    if (file.path.empty()) {
      problems.push_back("a font is missing; install " + file.package);
      return atlas.AddFontDefault(&config);
    }
    ImFont* font = atlas.AddFontFromFileTTF(file.path.c_str(), config.SizePixels, &config, ranges);
    if (!cjk.path.empty()) {
      config.MergeMode = true;
      config.FontNo = cjk.face;
      atlas.AddFontFromFileTTF(cjk.path.c_str(), config.SizePixels, &config, chinese_ranges.Data);
    }
    return font;
  };
  Fonts fonts;
  fonts.text = load(sans_font(false), 15, text_ranges);
  fonts.small = load(sans_font(false), 13, text_ranges);
  fonts.large = load(sans_font(true), 20, text_ranges);
  fonts.bold = load(sans_font(true), 15, text_ranges);
  fonts.mono = load(mono_font(), 13, mono_ranges);
  atlas.Build();
  return fonts;
}

}  // namespace rocdrill::gui
