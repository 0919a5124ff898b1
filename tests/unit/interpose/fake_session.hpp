// A session folder for the tests of the preload library: a node of a few files, and a server that
// answers what it is told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rocdrill::test {

struct Finished {
  int status = -1;  ///< exit code, or 128 + signal
  std::string out;
  std::string err;
};

class FakeSession {
 public:
  /// Starts the server; `publish` must be called before a program runs.
  FakeSession();
  ~FakeSession();
  FakeSession(const FakeSession&) = delete;
  FakeSession& operator=(const FakeSession&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path root() const { return folder_ / "root"; }

  void prefix(const std::string& path) { prefixes_.push_back(path); }
  void alias(const std::string& from, const std::string& to) { aliases_.push_back({from, to}); }
  void directory(const std::string& path, unsigned mode = 0755, bool made_by_kernel = false);
  void file(const std::string& path, const std::string& text, unsigned mode = 0644,
            unsigned uid = 0, unsigned gid = 0, bool made_by_kernel = false);
  void link(const std::string& path, const std::string& target);
  void device(const std::string& path, unsigned major, unsigned minor, unsigned mode, unsigned gid);
  void hostname(const std::string& name) { hostname_ = name; }

  /// Writes the index and moves the epoch on.
  void publish();
  /// What the server answers to an open of the path; 0 unless set.
  void answer_open(const std::string& path, int error);
  std::vector<std::string> requests();
  void stop_server();

  /// Runs a shell command on the node, as the login unless `environment` says otherwise.
  Finished run(const std::string& command, const std::vector<std::string>& environment = {},
               const std::string& shell = "/bin/bash") const;

 private:
  struct Entry {
    unsigned mode, uid, gid, major, minor, flags;
  };
  void serve();
  std::string reply_to(const std::string& request);
  void map_epoch();

  std::filesystem::path folder_;
  std::vector<std::string> prefixes_;
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, int> answers_;
  std::vector<std::string> requests_;
  std::string hostname_ = "lab-mi210";
  std::uint64_t epoch_ = 0;
  std::uint64_t* epoch_page_ = nullptr;
  std::mutex mutex_;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::thread server_;
};

/// Login "op" (1000:1000, groups 44 video and 100), a topology, two devices, a few files of /etc.
void furnish(FakeSession& session);

}  // namespace rocdrill::test
