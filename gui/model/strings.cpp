#include "gui/model/strings.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "sim/host/files.hpp"

namespace rocdrill::gui {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::expected<Strings, std::string> Strings::parse(std::string_view file, std::string_view text) {
  Strings strings;
  int number = 0;
  for (const std::string& line : sim::lines_of(text)) {
    ++number;
    if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos)
      return std::unexpected(fmt::format("{}:{}: there is no '='", file, number));
    const std::string key(trimmed(std::string_view(line).substr(0, equals)));
    const std::string value(trimmed(std::string_view(line).substr(equals + 1)));
    if (!strings.texts_.emplace(key, value).second)
      return std::unexpected(fmt::format("{}:{}: '{}' is there twice", file, number, key));
  }
  return strings;
}

std::expected<Strings, std::string> Strings::read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::unexpected(fmt::format("{}: cannot be read", file.string()));
  std::ostringstream text;
  text << in.rdbuf();
  return parse(file.filename().string(), text.str());
}

const char* Strings::operator[](std::string_view key) const {
  if (const auto found = texts_.find(key); found != texts_.end()) return found->second.c_str();
  return missing_.emplace(key, key).first->second.c_str();
}

std::vector<std::string> Strings::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, text] : texts_) keys.push_back(key);
  return keys;
}

void Strings::fall_back_to(const Strings& other) {
  texts_.insert(other.texts_.begin(), other.texts_.end());
}

}  // namespace rocdrill::gui
