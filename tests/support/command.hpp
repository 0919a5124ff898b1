// The rocdrill command, from outside.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rocdrill::test {

struct Output {
  int exit_code = -1;  ///< 128 + signal for a program that was killed
  std::string out;
  std::string err;
};

/// Through a shell, with nothing on standard input.
inline Output shell(const std::string& line) {
  static int count = 0;
  const auto errors =
      std::filesystem::temp_directory_path() /
      ("rocdrill-test-" + std::to_string(::getpid()) + "." + std::to_string(++count));
  const std::string whole = "{ " + line + "\n} 2>'" + errors.string() + "' </dev/null";
  std::FILE* pipe = popen(whole.c_str(), "r");
  Output output;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ostringstream text;
  text << std::ifstream(errors, std::ios::binary).rdbuf();
  output.err = text.str();
  std::filesystem::remove(errors);
  return output;
}

/// Session folders of this test process: short paths, private, gone with it.
class Sessions {
 public:
  Sessions() {
    std::string name = "/tmp/rdt-XXXXXX";
    path_ = mkdtemp(name.data());
    ::setenv("ROCDRILL_RUNTIME_DIR", path_.c_str(), 1);
  }
  ~Sessions() {  // a server that was told to stop may still be at it
    std::error_code error;
    for (int i = 0; i < 100 && std::filesystem::exists(path_, error); ++i) {
      std::filesystem::remove_all(path_, error);
      if (error) ::usleep(50'000);
    }
  }
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Output rocdrill(const std::string& arguments) {
  return shell("timeout -k 5 250 '" ROCDRILL_COMMAND "' " + arguments);
}

/// Without the colours.
inline std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033' && i + 1 < text.size() && text[i + 1] == '[') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    out += text[i];
  }
  return out;
}

}  // namespace rocdrill::test
