// Where the drills, nodes and code objects are, and which ones there are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/engine/diagnostic.hpp"

namespace rocdrill::scenarios {

/// Where to look. What is given by option or environment must be right; the others are guesses.
struct DataPlaces {
  std::optional<std::filesystem::path> option;       ///< --data
  std::optional<std::filesystem::path> environment;  ///< $ROCDRILL_DATA
  std::vector<std::filesystem::path> guesses;        ///< in this order
};
/// $ROCDRILL_DATA, <folder of the executable>/../share/rocdrill, and for a program that runs where
/// it was built the source and build folders.
DataPlaces data_places(std::optional<std::filesystem::path> option = {});

class DataPath {
 public:
  /// The first place that has drills/ and nodes/, and the first that has code_objects/.
  /// The error names all places that were tried.
  static Loaded<DataPath> find(const DataPlaces& places);

  std::filesystem::path drill_file(std::string_view id) const;
  std::filesystem::path node_file(std::string_view id) const;
  /// Folder of the code objects, or nullopt: device code was not built or not installed.
  const std::optional<std::filesystem::path>& code_objects() const { return code_objects_; }
  const std::filesystem::path& root() const { return root_; }

  std::vector<std::string> list_drills() const;  ///< ids, sorted
  std::vector<std::string> list_nodes() const;

 private:
  std::filesystem::path root_;
  std::optional<std::filesystem::path> code_objects_;
};

/// Lower-case letters, digits and '-': what a drill, node or fault may be called. Also keeps ids
/// from the command line inside the data folder.
bool is_id(std::string_view text);

}  // namespace rocdrill::scenarios
