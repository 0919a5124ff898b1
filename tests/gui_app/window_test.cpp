// The window itself, on a display of its own (Xvfb), with keys from outside (xdotool).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace rocdrill::gui {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool wait_for(const std::function<bool()>& holds, std::chrono::seconds most = 60s) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(100ms);
  }
  return true;
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A program of ours that ends with the test.
class Child {
 public:
  explicit Child(const std::vector<std::string>& argv, const fs::path& log) {
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) ::_exit(126);
    ::dup2(::fileno(stderr), STDOUT_FILENO);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// -1 while it runs; else its exit status, 128 + signal.
  int status() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = 0;
      status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return status_;
  }

 private:
  pid_t pid_ = 0;
  int status_ = -1;
};

class Window : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v Xvfb xdotool >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "needs Xvfb and xdotool (Debian's xvfb, xdotool)";
    folder = fs::temp_directory_path() / ("rocdrill-window." + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder / "run");
    fs::permissions(folder / "run", fs::perms::owner_all);
    ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
    ::setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
    ::setenv("ROCDRILL_RUNTIME_DIR", (folder / "run").c_str(), 1);
    ::setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    xvfb = std::make_unique<Child>(
        std::vector<std::string>{"/bin/sh", "-c",
                                 "exec Xvfb -displayfd 1 -screen 0 1400x900x24 -nolisten tcp >" +
                                     (folder / "display").string()},
        folder / "xvfb.log");
    ASSERT_TRUE(wait_for([&] { return content(folder / "display").contains('\n'); }));
    std::string number = content(folder / "display");
    number.pop_back();
    ::setenv("DISPLAY", (":" + number).c_str(), 1);
  }
  void TearDown() override {
    window.reset();
    xvfb.reset();
    fs::remove_all(folder);
  }

  void open(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{ROCDRILL_COMMAND, "gui"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    window = std::make_unique<Child>(words, folder / "window.log");
    ASSERT_TRUE(wait_for([&] { return xdotool("search --name '^rocdrill$' windowfocus"); }))
        << content(folder / "window.log");
    std::this_thread::sleep_for(500ms);
  }
  bool xdotool(const std::string& words) const {
    return std::system(("xdotool " + words + " >/dev/null 2>&1").c_str()) == 0;
  }
  void line(const std::string& text) const {
    ASSERT_TRUE(xdotool("type --delay 40 '" + text + "'"));
    ASSERT_TRUE(xdotool("key Return"));
  }
  /// The running nodes of the test's own runtime folder.
  std::string session() const {
    for (const auto& entry : fs::directory_iterator(folder / "run"))
      if (entry.is_directory() && fs::exists(entry.path() / "socket"))
        return entry.path().filename().string();
    return {};
  }
  int check() const {
    const std::string command =
        "'" ROCDRILL_COMMAND "' check --session " + session() + " >/dev/null 2>&1";
    return WEXITSTATUS(std::system(command.c_str()));
  }

  fs::path folder;
  std::unique_ptr<Child> xvfb;
  std::unique_ptr<Child> window;
};

TEST_F(Window, IsClosedByItsKey) {
  open({"stale-dkms"});
  ASSERT_TRUE(xdotool("key Home Right Right s d space"));
  EXPECT_EQ(window->status(), -1);
  ASSERT_TRUE(xdotool("key ctrl+q"));
  ASSERT_TRUE(wait_for([&] { return window->status() >= 0; }));
  EXPECT_EQ(window->status(), 0) << content(folder / "window.log");
}

TEST_F(Window, KeepsItsSettingsAndSetsDamagedOnesAside) {
  fs::create_directories(folder / "config/rocdrill");
  std::ofstream(folder / "config/rocdrill/gui.conf") << "palette = no such thing\n";
  open({"stale-dkms"});
  EXPECT_TRUE(fs::exists(folder / "config/rocdrill/gui.conf.broken"));
  ASSERT_TRUE(xdotool("key Escape ctrl+shift+l"));
  EXPECT_TRUE(wait_for([&] {
    return content(folder / "config/rocdrill/gui.conf").contains("palette = dark");
  })) << content(folder / "window.log");
  ASSERT_TRUE(xdotool("key ctrl+Right"));
  EXPECT_TRUE(wait_for([&] {
    return content(folder / "config/rocdrill/gui.conf").contains("pane.stack = 288");
  })) << content(folder / "config/rocdrill/gui.conf");
}

TEST_F(Window, AWholeDrillIsDoneFromTheTicketToTheRepair) {
  open({"stale-dkms"});
  ASSERT_TRUE(xdotool("key d s c c Tab ctrl+3"));
  ASSERT_TRUE(wait_for([&] { return !session().empty(); })) << content(folder / "window.log");
  ASSERT_TRUE(wait_for([&] { return check() == 1; }));  // it answers, and is broken
  std::this_thread::sleep_for(3s);
  line("dkms status");
  ASSERT_TRUE(xdotool("key F5 F6"));
  line("sudo apt-get install -y linux-headers-6.8.0-60-generic");
  line("sudo modprobe amdgpu");
  EXPECT_TRUE(wait_for([&] { return check() == 0; })) << content(folder / "window.log");
  ASSERT_TRUE(xdotool("key F5 ctrl+shift+r ctrl+2 ctrl+4 ctrl+5 ctrl+6 ctrl+7 j j k"));
  EXPECT_TRUE(wait_for([&] {  // with the healthy run
    return content(folder / "config/rocdrill/gui.conf").contains("layout = compare");
  })) << content(folder / "window.log");
  ASSERT_TRUE(xdotool("key ctrl+q"));
  ASSERT_TRUE(wait_for([&] { return window->status() >= 0; }));
  EXPECT_EQ(window->status(), 0) << content(folder / "window.log");
  EXPECT_TRUE(wait_for([&] { return session().empty(); })) << "the node outlives the window";
}

TEST_F(Window, KilledInTheMiddleOfADrillTakesItsNodeAlong) {
  open({"double-filter", "--layout", "practice"});
  ASSERT_TRUE(wait_for([&] { return !session().empty(); }));
  window.reset();  // SIGTERM
  EXPECT_TRUE(wait_for([&] { return session().empty(); }));
}

TEST_F(Window, WithoutOpenGL32ItSaysSoAndWhatToDo) {
  ::setenv("MESA_GL_VERSION_OVERRIDE", "2.1", 1);
  window = std::make_unique<Child>(std::vector<std::string>{ROCDRILL_COMMAND, "gui", "stale-dkms"},
                                   folder / "window.log");
  const bool ended = wait_for([&] { return window->status() >= 0; });
  ::unsetenv("MESA_GL_VERSION_OVERRIDE");
  ASSERT_TRUE(ended);
  EXPECT_EQ(window->status(), 4);
  EXPECT_TRUE(content(folder / "window.log").contains("no window with OpenGL 3.2"));
  EXPECT_TRUE(content(folder / "window.log").contains("libgl1-mesa-dri"));
}

TEST(OldOpenGL, APictureSaysSoAndLeavesNoFile) {
  const fs::path folder = fs::temp_directory_path();
  const fs::path log = folder / ("rocdrill-oldgl." + std::to_string(::getpid()));
  const fs::path picture = log.string() + ".png";
  const std::string command = "MESA_GL_VERSION_OVERRIDE=2.1 '" + std::string(ROCDRILL_COMMAND) +
                              "' gui stale-dkms --screenshot " + picture.string() + " 2>" +
                              log.string();
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4);
  EXPECT_TRUE(content(log).contains("OpenGL is too old")) << content(log);
  EXPECT_TRUE(content(log).contains("libgl1-mesa-dri"));
  EXPECT_FALSE(fs::exists(picture));
  fs::remove(log);
}

TEST(NoDisplay, IsSaidWithWhatToDo) {
  const fs::path log =
      fs::temp_directory_path() / ("rocdrill-nodisplay." + std::to_string(::getpid()));
  const std::string command = "env -u DISPLAY -u WAYLAND_DISPLAY '" +
                              std::string(ROCDRILL_COMMAND) + "' gui stale-dkms 2>" + log.string();
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4);
  EXPECT_TRUE(content(log).contains("no display")) << content(log);
  EXPECT_TRUE(content(log).contains("--screenshot"));
  fs::remove(log);
}

}  // namespace
}  // namespace rocdrill::gui
