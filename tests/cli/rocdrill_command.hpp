// The rocdrill command, run as its users run it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"

namespace rocdrill::test {

struct Outcome {
  int exit_code = -1;
  std::string text;
};

/// Standard error is left out unless the arguments redirect it.
inline Outcome run(const std::string& arguments) {
  Output output = shell("TERM=xterm '" ROCDRILL_COMMAND "' " + arguments);
  return {output.exit_code, std::move(output.out)};
}

/// The reply of a command with --json.
inline nlohmann::json json(const std::string& arguments) {
  const Outcome outcome = run(arguments);
  auto parsed = nlohmann::json::parse(outcome.text, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << arguments << ": " << outcome.text;
  EXPECT_EQ(parsed.value("schema_version", 0), 1) << arguments;
  return parsed;
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rocdrill-cli-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rocdrill::test
