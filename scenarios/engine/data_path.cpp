#include "scenarios/engine/data_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace rocdrill::scenarios {
namespace {

namespace fs = std::filesystem;

bool has_folder(const fs::path& place, std::string_view name) {
  std::error_code error;
  return fs::is_directory(place / name, error);
}
bool has_scenarios(const fs::path& place) {
  return has_folder(place, "drills") && has_folder(place, "nodes");
}

template <class IdOf>
std::vector<std::string> list(const fs::path& folder, const IdOf& id_of) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string id = id_of(at->path());
    if (is_id(id)) ids.push_back(std::move(id));
  }
  std::ranges::sort(ids);
  return ids;
}

}  // namespace

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

DataPlaces data_places(std::optional<fs::path> option) {
  DataPlaces places;
  places.option = std::move(option);
  const char* variable = std::getenv("ROCDRILL_DATA");
  if (variable != nullptr && *variable != '\0') places.environment = variable;
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path prefix = executable.parent_path().parent_path();
    places.guesses.push_back(prefix / "share" / "rocdrill");
  }
#ifdef ROCDRILL_SOURCE_SCENARIOS
  places.guesses.emplace_back(ROCDRILL_SOURCE_SCENARIOS);
#endif
#ifdef ROCDRILL_BUILD_SHARE
  places.guesses.emplace_back(ROCDRILL_BUILD_SHARE);
#endif
  return places;
}

Loaded<DataPath> DataPath::find(const DataPlaces& places) {
  std::vector<fs::path> all;
  for (const auto& [given, how] :
       {std::pair{places.option, "--data"}, std::pair{places.environment, "ROCDRILL_DATA"}}) {
    if (!given) continue;
    all.push_back(*given);
    // The option comes first: what the environment says no longer matters.
    if (places.option && given != places.option) continue;
    if (has_scenarios(*given)) continue;
    return std::unexpected(Diagnostics{
        {given->string(), 0, 0, fmt::format("no drills/ and nodes/ here, where {} says", how),
         "give the folder that holds both"}});
  }
  all.insert(all.end(), places.guesses.begin(), places.guesses.end());
  DataPath data;
  for (const fs::path& place : all) {
    if (data.root_.empty() && has_scenarios(place)) data.root_ = place;
    if (!data.code_objects_ && has_folder(place, "code_objects")) {
      data.code_objects_ = place / "code_objects";
    }
  }
  if (!data.root_.empty()) return data;
  std::vector<std::string> tried;
  tried.reserve(all.size());
  for (const fs::path& place : all) tried.push_back(place.string());
  return std::unexpected(Diagnostics{
      {"rocdrill", 0, 0, fmt::format("no drills/ and nodes/ found in: {}", fmt::join(tried, ", ")),
       "set ROCDRILL_DATA to the folder that holds both"}});
}

fs::path DataPath::drill_file(std::string_view id) const {
  return root_ / "drills" / id / "drill.yaml";
}

fs::path DataPath::node_file(std::string_view id) const {
  return root_ / "nodes" / fmt::format("{}.yaml", id);
}

std::vector<std::string> DataPath::list_drills() const {
  return list(root_ / "drills", [](const fs::path& path) {
    std::error_code error;
    return fs::exists(path / "drill.yaml", error) ? path.filename().string() : std::string();
  });
}

std::vector<std::string> DataPath::list_nodes() const {
  return list(root_ / "nodes", [](const fs::path& path) {
    return path.extension() == ".yaml" ? path.stem().string() : std::string();
  });
}

}  // namespace rocdrill::scenarios
