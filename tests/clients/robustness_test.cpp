// Clients that misbehave or die: the node goes on, and nothing of theirs stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "sim/interpose/session_index.hpp"
#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

const std::string hsa = "'" ROCDRILL_HSA_CLIENT "' ";

class Robustness : public testing::Test {
 protected:
  void SetUp() override {
    const Output started = rocdrill("node start mi210 --name r --json");
    ASSERT_EQ(started.exit_code, 0) << started.err;
    server_ = Json::parse(started.out).at("server_pid");
    folder_ = sessions_.path() / "r";
  }

  /// Whatever happened: a fresh client is served, nothing is held, nothing stays behind.
  void TearDown() override {
    if (!killed_) {
      const Output fresh = on_node(hsa + "barriers");
      EXPECT_EQ(fresh.exit_code, 0) << fresh.out << fresh.err;
      EXPECT_THAT(fresh.out, HasSubstr("or.one 0\n"));
      expect_nothing_held();
      EXPECT_EQ(rocdrill("node stop r").exit_code, 0);
    }
    EXPECT_FALSE(std::filesystem::exists(folder_));
    EXPECT_EQ(shared_memory(), "");
  }

  Output on_node(const std::string& command) { return rocdrill("run --session r -- " + command); }
  Output script(const std::string& text) {
    std::ofstream(sessions_.path() / "script") << text;
    return on_node("bash '" + (sessions_.path() / "script").string() + "'");
  }
  Json status() {
    const Output told = rocdrill("node status r --json");
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return told.exit_code == 0 ? Json::parse(told.out) : Json::object();
  }
  /// The end of a process is seen a little after it.
  void expect_nothing_held() {
    Json now;
    for (int tries = 0; tries < 100; ++tries) {
      now = status();
      if (now["clients"].empty() && now["queues"] == 0 && now["open_devices"] == 0) break;
      std::this_thread::sleep_for(50ms);
    }
    EXPECT_TRUE(now["clients"].empty() && now["queues"] == 0 && now["open_devices"] == 0) << now;
    const Output vram = on_node("bash -c 'cat /sys/class/drm/card0/device/mem_info_vram_used'");
    EXPECT_EQ(vram.exit_code, 0) << vram.err;
    EXPECT_LT(std::stoull("0" + vram.out), std::uint64_t{1} << 30)
        << "a client's VRAM is still held";
  }
  /// Of this session, in /dev/shm.
  std::string shared_memory() const {
    const std::string path = folder_.string();
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "%s%08x", interpose::shared_name_prefix,
                  interpose::index_hash(path.data(), path.size()));
    return shell("ls /dev/shm | grep '" + std::string(prefix) + "'").out;
  }

  int raw_connection() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder_.c_str());
    const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval patience{5, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
  }
  /// The errno in the node's answer; -1 for none.
  int sent_raw(int fd, const std::string& datagram) {
    if (::send(fd, datagram.data(), datagram.size(), MSG_NOSIGNAL) < 0) return -1;
    char reply[65536];
    const ssize_t got = ::recv(fd, reply, sizeof reply, 0);
    if (got <= 0) return -1;
    return Json::parse(std::string(reply, static_cast<std::size_t>(got))).value("errno", -1);
  }
  int sent_raw(const std::string& datagram) {
    const int fd = raw_connection();
    const int error = sent_raw(fd, datagram);
    ::close(fd);
    return error;
  }

  Sessions sessions_;
  std::filesystem::path folder_;
  int server_ = 0;
  bool killed_ = false;
};

/// 300 in all, 15 at a time: a third with ROCr, the others with the device alone.
TEST_F(Robustness, ManyProcessesAtOnce) {
  const Output output = script("for i in {1..20}; do\n  for j in {1..5}; do\n    " + hsa +
                               "churn 2 >/dev/null 2>&1 && echo well &\n    '" ROCDRILL_IOCTL_CLIENT
                               "' 0 >/dev/null 2>&1 && echo well &\n    '" ROCDRILL_IOCTL_CLIENT
                               "' 20 >/dev/null 2>&1 && echo well &\n  done\n  wait\ndone\n");
  EXPECT_EQ(std::ranges::count(output.out, '\n'), 300) << output.err;
}

TEST_F(Robustness, AShellThatForksHundreds) {
  const Output output = script(
      "for i in {1..400}; do { test -e /dev/kfd && read -r line </sys/class/kfd/kfd/topology/nodes/1/gpu_id && "
      "/bin/echo $line; } & done; wait");
  EXPECT_EQ(std::ranges::count(output.out, '\n'), 400) << output.err;
}

TEST_F(Robustness, ForksWhileQueuesRun) {
  EXPECT_THAT(on_node(hsa + "fork-storm 100").out, HasSubstr("forked 100\n"));
}

TEST_F(Robustness, QueuesComeAndGo) {
  const Output output = on_node(hsa + "churn 2000");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("churned 2000\n"));
}

/// At any moment: in init, with queues and VRAM, in a copy.
TEST_F(Robustness, KilledClients) {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 30; ++i) {
    const char* what = i % 3 == 0 ? "barriers" : i % 3 == 1 ? "hold 30" : "copy-for-ever";
    text += hsa + what + " >/dev/null 2>&1 & p=$!; sleep 0." +
            std::to_string(100 + random() % 300) + "; kill -9 $p; wait $p 2>/dev/null\n";
    if (i % 3 == 0)
      text += hsa + "init >/dev/null 2>&1 & p=$!; sleep 0.0" + std::to_string(10 + random() % 40) +
              "; kill -9 $p; wait $p 2>/dev/null\n";
  }
  EXPECT_THAT(script(text + "echo end\n").out, HasSubstr("end\n"));
}

/// exec() ends what the old program had on the GPU, though the process lives on.
TEST_F(Robustness, AnExecGivesEverythingBack) {
  const Output output = script(hsa + R"sh(exec >held-$$ & p=$!
for i in {1..300}; do [ "$(cat /proc/$p/comm)" = sleep ] && break; sleep 0.05; done
grep held held-$$; rm held-$$; sleep 0.3; kill -0 $p && rocdrill node status --json; kill $p)sh");
  EXPECT_THAT(output.out, HasSubstr("held\n"));
  EXPECT_THAT(output.out, HasSubstr("\"clients\": []")) << output.err;
  EXPECT_THAT(output.out, HasSubstr("\"queues\": 0"));
}

/// Clients of a node that is killed get errors; they do not hang.
TEST_F(Robustness, AKilledServer) {
  std::ofstream(sessions_.path() / "later")
      << hsa << "hold 3 >/dev/null; echo first=$?\n"
      << hsa << "agents; echo second=$?\nrocdrill check; echo third=$?\n";
  std::thread killer([this] {
    std::this_thread::sleep_for(1500ms);
    ::kill(server_, SIGKILL);
  });
  const Output output = shell("timeout -k 1 30 '" ROCDRILL_COMMAND "' run --session r -- bash '" +
                              (sessions_.path() / "later").string() + "'");
  killer.join();
  killed_ = true;
  EXPECT_THAT(output.out, HasSubstr("first="));
  EXPECT_THAT(output.out, HasSubstr("second=1"));
  EXPECT_THAT(output.out, testing::Not(HasSubstr("gpu0.name"))) << "a node that is gone has no GPU";
  EXPECT_THAT(output.out, testing::ContainsRegex("third=[1-9]"));
  EXPECT_THAT(output.err, HasSubstr("gone"));
  EXPECT_NE(rocdrill("run --session r -- true").exit_code, 0);
  // The next server of the name clears up.
  EXPECT_EQ(rocdrill("node start mi210 --name r").exit_code, 0);
  EXPECT_EQ(on_node(hsa + "barriers").exit_code, 0);
  EXPECT_EQ(rocdrill("node stop r").exit_code, 0);
}

/// A program that sits in the node's /sys, with a file of it open, does not keep the node from
/// ending.
TEST_F(Robustness, AStopWhileFilesAreOpen) {
  std::thread client([this] {
    const Output held = on_node(
        "bash -c 'cd /sys/class; exec 3</sys/class/kfd/kfd/topology/generation_id; sleep 2'");
    EXPECT_EQ(held.exit_code, 0) << held.err;
  });
  std::this_thread::sleep_for(1s);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(rocdrill("node stop r").exit_code, 0);
  client.join();
  for (int tries = 0; tries < 40 && ::kill(server_, 0) == 0; ++tries)
    std::this_thread::sleep_for(50ms);
  EXPECT_NE(::kill(server_, 0), 0) << "the server still runs";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  killed_ = true;
}

TEST_F(Robustness, GarbageInARing) {
  for (const char* seed : {"1", "2", "3"}) {
    const Output output = on_node(hsa + "garbage " + seed);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr("garbage 20\n"));
    EXPECT_THAT(output.out, HasSubstr("or.one 0\n"));
  }
}

TEST_F(Robustness, WrongIoctls) {
  for (const char* seed : {"1", "2", "3", "4"}) {
    const Output output = on_node("'" ROCDRILL_IOCTL_CLIENT "' 3000 " + std::string(seed));
    EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
    EXPECT_EQ(output.out, "wrong 0\n");
  }
}

TEST_F(Robustness, QueuesUntilThereAreNoMore) {
  const Output output = on_node("'" ROCDRILL_IOCTL_CLIENT "' exhaust");
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  EXPECT_EQ(output.out, "wrong 0\n");
}

TEST_F(Robustness, WrongMessages) {
  const std::string deep(50000, '[');
  EXPECT_EQ(sent_raw("no json"), EINVAL);
  EXPECT_EQ(sent_raw("{\"op\":"), EINVAL);
  EXPECT_EQ(sent_raw("{\"op\":\"" + std::string("\xff\xfe") + "\"}"), EINVAL);
  EXPECT_EQ(sent_raw("{\"a\":" + deep), EINVAL);
  EXPECT_EQ(sent_raw("{\"a\":" + deep + std::string(8000, ']') + "}"), EINVAL);
  EXPECT_EQ(sent_raw(".not the last of anything"), EINVAL);
  EXPECT_EQ(sent_raw("{}"), ENOTTY);
  EXPECT_EQ(sent_raw("{\"op\":5}"), ENOTTY);
  EXPECT_EQ(sent_raw("{\"op\":\"no such\"}"), ENOTTY);
  EXPECT_EQ(sent_raw("{\"op\":\"attach\",\"gpu_id\":1}"), ENOTTY) << "who has not said hello";
  EXPECT_EQ(sent_raw("{\"op\":\"open\"}"), EINVAL);
  EXPECT_EQ(sent_raw("{\"op\":\"open\",\"path\":7}"), EINVAL);
  EXPECT_NE(sent_raw("{\"op\":\"open\",\"path\":\"/etc/passwd\",\"flags\":2}"), 0);
  EXPECT_EQ(sent_raw("{\"op\":\"inject\",\"id\":[],\"parameters\":1}"), EINVAL);
  EXPECT_EQ(sent_raw("{\"op\":\"run\",\"argv\":\"ls\"}"), EINVAL);
  EXPECT_EQ(sent_raw("{\"op\":\"hello\",\"comm\":{},\"identity\":[]}"), EINVAL);
}

TEST_F(Robustness, WrongFieldsFromAnEngine) {
  const int fd = raw_connection();
  EXPECT_EQ(sent_raw(fd, R"({"op":"hello","comm":"test","identity":"a:b:c"})"), 0);
  EXPECT_EQ(sent_raw(fd, R"({"op":"hello"})"), EBUSY);
  EXPECT_EQ(sent_raw(fd, R"({"op":"attach","gpu_id":1})"), EINVAL);
  EXPECT_EQ(sent_raw(fd, R"({"op":"attach","gpu_id":"x"})"), EINVAL);
  EXPECT_EQ(sent_raw(fd, R"({"op":"reserve_vram","gpu_id":1,"bytes":4096})"), EINVAL);
  EXPECT_EQ(sent_raw(fd, R"({"op":"open","path":"/dev/kfd","flags":2})"), EBUSY);
  const auto event = [](const std::string& layer) {
    return R"({"op":"record","layer":)" + layer +
           R"(,"severity":"bad","kind":"k","subject":"s","fields":{"a":[1]},"cause":4000000000})";
  };
  EXPECT_EQ(sent_raw(fd, event("99")), EIO) << "no such layer";
  EXPECT_EQ(sent_raw(fd, event("-1")), EIO);
  EXPECT_EQ(sent_raw(fd, event("3")), 0);
  EXPECT_EQ(sent_raw(fd, R"({"op":"no such","gpu_id":1})"), ENOTTY);
  ::close(fd);
  EXPECT_EQ(rocdrill("node log r").exit_code, 0);
}

/// A peer that says nothing, one that begins a message and never ends it, one that asks and never
/// reads.
TEST_F(Robustness, PeersThatDoNotKeepToTurns) {
  const int silent = raw_connection();
  const int half = raw_connection();
  ::send(half, "+{\"op\":", 7, MSG_NOSIGNAL);
  const int deaf = raw_connection();
  const std::string question = R"({"op":"log"})";
  for (int i = 0; i < 5000; ++i) {
    if (::send(deaf, question.data(), question.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
  }
  EXPECT_EQ(on_node(hsa + "barriers").exit_code, 0);
  for (const int fd : {silent, half, deaf}) ::close(fd);
}

TEST_F(Robustness, AnotherUserStaysOutside) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const std::string connect =
      "python3 -c '\nimport os, socket, sys\nos.setgid(65534); os.setgroups([]); os.setuid(65534)\n"
      "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
      "try:\n    s.connect(sys.argv[1]); print(s.recv(1000).decode())\n"
      "except PermissionError: print(\"refused\")\n' '" +
      (folder_ / "socket").string() + "'";
  EXPECT_EQ(shell(connect).out, "refused\n") << "by the folders' mode";
  for (const auto& path : {sessions_.path(), folder_})
    std::filesystem::permissions(path, std::filesystem::perms(0755));
  std::filesystem::permissions(folder_ / "socket", std::filesystem::perms(0777));
  EXPECT_THAT(shell(connect).out, HasSubstr("belongs to another user")) << "by who asks";
  for (const auto& path : {sessions_.path(), folder_})
    std::filesystem::permissions(path, std::filesystem::perms(0700));
}

}  // namespace
}  // namespace rocdrill::test
