#include "unit/interpose/fake_session.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "sim/interpose/session_index.hpp"

namespace rocdrill::test {
namespace fs = std::filesystem;
using namespace rocdrill::interpose;

FakeSession::FakeSession() {
  char name[] = "/tmp/rdXXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = fs::canonical(name);
  for (const char* part : {"root", "bin", "lib"}) fs::create_directory(folder_ / part);
  fs::create_symlink(ROCDRILL_PRELOAD, folder_ / "lib/librocdrill_preload.so");
  fs::create_symlink(ROCDRILL_FAKE_ENGINE, folder_ / "lib/librocdrill_engine.so");
  map_epoch();
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder_ / "socket").c_str(), sizeof address.sun_path - 1);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 16) != 0)
    throw std::runtime_error("no socket");
  server_ = std::thread([this] { serve(); });
}

FakeSession::~FakeSession() {
  stop_server();
  munmap(epoch_page_, sizeof(std::uint64_t));
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void FakeSession::map_epoch() {
  const int fd = open((folder_ / "epoch").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(std::uint64_t)) != 0) throw std::runtime_error("no epoch");
  epoch_page_ = static_cast<std::uint64_t*>(
      mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  close(fd);
}

void FakeSession::directory(const std::string& path, unsigned mode, bool made_by_kernel) {
  fs::create_directories(root() / path.substr(1));
  entries_[path] = {S_IFDIR | mode, 0, 0, 0, 0, made_by_kernel ? entry_virtual : 0};
}

void FakeSession::file(const std::string& path, const std::string& text, unsigned mode,
                       unsigned uid, unsigned gid, bool made_by_kernel) {
  fs::create_directories((root() / path.substr(1)).parent_path());
  std::ofstream(root() / path.substr(1)) << text;
  entries_[path] = {S_IFREG | mode, uid, gid, 0, 0, made_by_kernel ? entry_virtual : 0};
}

void FakeSession::link(const std::string& path, const std::string& target) {
  fs::create_directories((root() / path.substr(1)).parent_path());
  fs::create_symlink(target, root() / path.substr(1));
  entries_[path] = {S_IFLNK | 0777, 0, 0, 0, 0, 0};
}

void FakeSession::device(const std::string& path, unsigned major, unsigned minor, unsigned mode,
                         unsigned gid) {
  file(path, "");
  entries_[path] = {S_IFCHR | mode, 0, gid, major, minor, 0};
}

namespace {

// The index file under construction: tables first, texts behind them.
class Image {
 public:
  explicit Image(std::size_t tables) : bytes_(tables, '\0') {}
  std::uint32_t text(const std::string& text) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_ += text;
    bytes_ += '\0';
    return at;
  }
  template <typename T>
  void put(std::size_t at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

void FakeSession::publish() {
  const std::vector<std::uint32_t> groups{44, 100};
  IndexHeader header{};
  header.magic = index_magic;
  header.version = index_version;
  header.epoch = ++epoch_;
  header.entry_count = static_cast<std::uint32_t>(entries_.size());
  header.entries = sizeof header;
  header.bucket_count = 64;
  header.buckets = header.entries + header.entry_count * sizeof(IndexEntry);
  header.prefix_count = static_cast<std::uint32_t>(prefixes_.size());
  header.prefixes = header.buckets + header.bucket_count * 4;
  header.alias_count = static_cast<std::uint32_t>(aliases_.size());
  header.aliases = header.prefixes + header.prefix_count * 4;
  header.group_count = static_cast<std::uint32_t>(groups.size());
  header.groups = header.aliases + header.alias_count * 8;
  Image image(header.groups + header.group_count * 4);
  header.hostname = image.text(hostname_);
  header.kernel_release = image.text("6.8.0-60-generic");
  header.kernel_version = image.text("#63-Ubuntu SMP");
  header.user = image.text("op");
  header.uid = header.gid = 1000;
  std::vector<std::uint32_t> buckets(header.bucket_count, no_entry);
  std::uint32_t number = 0;
  for (const auto& [path, entry] : entries_) {
    std::uint32_t& bucket = buckets[index_hash(path.data(), path.size()) % header.bucket_count];
    const IndexEntry written{image.text(path), bucket,      entry.mode,  entry.uid,
                             entry.gid,        entry.major, entry.minor, entry.flags};
    image.put(header.entries + number * sizeof written, written);
    bucket = number++;
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) image.put(header.buckets + 4 * i, buckets[i]);
  std::sort(prefixes_.begin(), prefixes_.end());
  for (std::size_t i = 0; i < prefixes_.size(); ++i)
    image.put(header.prefixes + 4 * i, image.text(prefixes_[i]));
  for (std::size_t i = 0; i < aliases_.size(); ++i) {
    image.put(header.aliases + 8 * i, image.text(aliases_[i].first));
    image.put(header.aliases + 8 * i + 4, image.text(aliases_[i].second));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) image.put(header.groups + 4 * i, groups[i]);
  header.size = static_cast<std::uint32_t>(image.size());
  image.put(0, header);
  std::ofstream(folder_ / "index.new", std::ios::binary) << image.bytes();
  fs::rename(folder_ / "index.new", folder_ / "index");
  __atomic_store_n(epoch_page_, epoch_, __ATOMIC_RELEASE);
}

void FakeSession::answer_open(const std::string& path, int error) {
  const std::lock_guard lock(mutex_);
  answers_[path] = error;
}

std::vector<std::string> FakeSession::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

namespace {

std::string field(const std::string& request, const std::string& name) {
  const auto at = request.find("\"" + name + "\":");
  if (at == std::string::npos) return {};
  auto start = at + name.size() + 3;
  if (request[start] == '"') {
    ++start;
    return request.substr(start, request.find('"', start) - start);
  }
  return request.substr(start, request.find_first_of(",}", start) - start);
}

}  // namespace

std::string FakeSession::reply_to(const std::string& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  const std::string path = field(request, "path");
  if (field(request, "op") == "open") return std::to_string(answers_[path]);
  struct stat made{};
  if (stat((root() / path.substr(1)).c_str(), &made) != 0) return std::to_string(ENOENT);
  if (!entries_.contains(path)) entries_[path] = {made.st_mode, 1000, 1000, 0, 0, 0};
  Entry& entry = entries_[path];
  if (const auto mode = field(request, "mode"); !mode.empty())
    entry.mode = (entry.mode & S_IFMT) | static_cast<unsigned>(std::stoul(mode));
  if (const auto uid = field(request, "uid"); !uid.empty())
    entry.uid = static_cast<unsigned>(std::stoul(uid));
  if (const auto gid = field(request, "gid"); !gid.empty())
    entry.gid = static_cast<unsigned>(std::stoul(gid));
  publish();
  return "0";
}

// Connections stay open until their client closes them: an open device lives as long as it does.
void FakeSession::serve() {
  std::vector<pollfd> watched{{listener_, POLLIN, 0}};
  while (!stopping_) {
    if (poll(watched.data(), watched.size(), 20) <= 0) continue;
    for (std::size_t i = watched.size(); i-- > 1;) {
      if (watched[i].revents == 0) continue;
      char request[16384];
      const ssize_t size = recv(watched[i].fd, request, sizeof request, 0);
      if (size > 0) {
        const std::string reply =
            "{\"errno\":" + reply_to({request, static_cast<std::size_t>(size)}) + "}";
        if (send(watched[i].fd, reply.data(), reply.size(), MSG_NOSIGNAL) > 0) continue;
      }
      close(watched[i].fd);
      watched.erase(watched.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (watched[0].revents == 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) watched.push_back({client, POLLIN, 0});
  }
  for (const pollfd& client : watched) close(client.fd);
}

void FakeSession::stop_server() {
  stopping_ = true;
  if (server_.joinable()) server_.join();
}

namespace {

std::string read_all(int fd) {
  std::string text;
  char buffer[65536];
  for (ssize_t size; (size = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(fd);
  return text;
}

}  // namespace

Finished FakeSession::run(const std::string& command, const std::vector<std::string>& environment,
                          const std::string& shell) const {
  std::vector<std::string> variables{
      "PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C",
      "HOME=/tmp", "LD_PRELOAD=" + (folder_ / "lib/librocdrill_preload.so").string(),
      std::string(session_variable) + "=" + folder_.string()};
  variables.insert(variables.end(), environment.begin(), environment.end());
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const fs::path errors = folder_ / "stderr";
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], 1);
    dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    dup2(open("/dev/null", O_RDONLY), 0);
    if (chdir("/tmp") != 0) _exit(126);
    execle(shell.c_str(), shell.c_str(), "-c", command.c_str(), nullptr, envp.data());
    _exit(127);
  }
  close(out[1]);
  Finished finished;
  finished.out = read_all(out[0]);
  int status = 0;
  waitpid(child, &status, 0);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.err = read_all(open(errors.c_str(), O_RDONLY | O_CLOEXEC));
  return finished;
}

void furnish(FakeSession& session) {
  for (const char* path :
       {"/sys", "/dev/kfd", "/dev/dri", "/etc/passwd", "/etc/group", "/etc/modprobe.d",
        "/etc/os-release", "/lib/modules", "/lib/firmware/amdgpu", "/proc/modules", "/proc/version",
        "/var/lib/dkms", "/opt/rocm-lab/share"})
    session.prefix(path);
  session.alias("/usr/lib/modules", "/lib/modules");
  session.alias("/usr/lib/firmware/amdgpu", "/lib/firmware/amdgpu");
  for (const char* path :
       {"/sys", "/sys/class", "/sys/class/kfd", "/sys/devices", "/sys/devices/virtual",
        "/sys/devices/virtual/kfd", "/sys/devices/virtual/kfd/kfd",
        "/sys/devices/virtual/kfd/kfd/topology", "/sys/devices/virtual/kfd/kfd/topology/nodes",
        "/sys/devices/virtual/kfd/kfd/topology/nodes/0",
        "/sys/devices/virtual/kfd/kfd/topology/nodes/1"})
    session.directory(path, 0755, true);
  const std::string nodes = "/sys/devices/virtual/kfd/kfd/topology/nodes/";
  session.file(nodes + "0/gpu_id", "0\n", 0444, 0, 0, true);
  session.file(nodes + "1/gpu_id", "51719\n", 0444, 0, 0, true);
  session.file(nodes + "1/name", "aldebaran\n", 0444, 0, 0, true);
  session.file("/sys/devices/knob", "auto\n", 0644, 0, 0, true);
  session.file("/sys/devices/free_knob", "auto\n", 0666, 0, 0, true);
  session.file("/sys/devices/system/cpu/online", "0-63,128\n", 0444, 0, 0, true);
  session.file("/sys/devices/system/cpu/present", "0-127\n", 0444, 0, 0, true);
  session.link("/sys/class/kfd/kfd", "../../devices/virtual/kfd/kfd");
  session.device("/dev/kfd", 235, 0, 0660, 44);
  session.directory("/dev/dri");
  session.device("/dev/dri/card0", 226, 0, 0660, 44);
  session.device("/dev/dri/renderD128", 226, 128, 0660, 992);
  session.file("/etc/passwd",
               "root:x:0:0:root:/root:/bin/bash\nop:x:1000:1000:Operator:/home/op:/bin/bash\n");
  session.file("/etc/group",
               "root:x:0:\nvideo:x:44:op\nusers:x:100:op\nrender:x:992:\nop:x:1000:\n");
  session.file("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"22.04\"\n");
  session.directory("/etc/modprobe.d");
  session.file("/etc/modprobe.d/amdgpu.conf", "options amdgpu noretry=0\n");
  session.file("/etc/modprobe.d/secret.conf", "hidden\n", 0600);
  session.file("/etc/modprobe.d/mine.conf", "first\nsecond\n", 0644, 1000, 1000);
  session.directory("/lib/modules");
  session.file("/lib/modules/6.8.0-60-generic/modules.dep", "amdgpu.ko:\n");
  session.directory("/lib/firmware/amdgpu");
  session.file("/lib/firmware/amdgpu/aldebaran_mec.bin", "blob");
  session.file("/proc/modules", "amdgpu 17190912 0 - Live 0x0000000000000000\n", 0444, 0, 0, true);
  session.file("/proc/version", "Linux version 6.8.0-60-generic\n", 0444, 0, 0, true);
  session.directory("/var/lib/dkms", 0777);
  session.directory("/var/lib/dkms/closed", 0700);
  session.file("/var/lib/dkms/closed/inside", "x");
  session.file("/var/lib/dkms/run.sh", "#!/bin/sh\necho ran as $0\n", 0755);
  session.file("/opt/rocm-lab/share/version", "6.4\n");
  session.publish();
}

}  // namespace rocdrill::test
