// The device code that the build made, and the real tools to compare with.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rocdrill::test {

using Bytes = std::vector<std::byte>;

/// share/rocdrill/code_objects of the build folder (target rocdrill_device_code).
inline std::filesystem::path device_code(const std::string& name = {}) {
  return std::filesystem::path(ROCDRILL_BINARY_DIR) / "share/rocdrill/code_objects" / name;
}

inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// A target ID from the name of a built file: "gfx90a@xnack+.co" -> "gfx90a:xnack+".
inline std::string target_of(const std::filesystem::path& path) {
  std::string target = path.stem().string();
  for (char& c : target)
    if (c == '@') c = ':';
  return target;
}

inline std::vector<std::filesystem::path> built_code_objects() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(device_code()))
    if (entry.path().extension() == ".co") paths.push_back(entry.path());
  return paths;
}

struct ToolResult {
  int exit_code = -1;
  std::string output;  ///< stdout and stderr
};

inline ToolResult run(const std::string& command) {
  // clang-offload-bundler looks for llvm-objcopy by that name.
  const std::string line = "PATH='" ROCDRILL_LLVM_BIN "':\"$PATH\" " + command + " 2>&1";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen: " + command);
  ToolResult result;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) != 0;)
    result.output.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

inline std::string quoted(const std::string& word) { return "'" + word + "'"; }

/// An empty folder of this test's own, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rocdrill-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace rocdrill::test
