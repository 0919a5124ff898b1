#include "sim/interpose/trace/writer.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rocdrill::trace {
namespace {

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::expected<std::unique_ptr<Writer>, std::string> Writer::open(const std::string& file,
                                                                 const TracedProcess& process) {
  constexpr int high_descriptor = 800;  // out of the way of programs that count on low numbers
  constexpr int mode = 0644;
  const int low = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode);
  if (low < 0) return std::unexpected(file + ": " + std::strerror(errno));
  const int moved = ::fcntl(low, F_DUPFD_CLOEXEC, high_descriptor);
  if (moved >= 0) ::close(low);
  std::unique_ptr<Writer> writer(new Writer(moved < 0 ? low : moved, process.pid));
  Json gpus = Json::array();
  for (const TracedGpu& gpu : process.gpus) {
    gpus.push_back({{"gpu_id", gpu.gpu_id},
                    {"render_minor", gpu.render_minor},
                    {"gfx_target_version", gpu.gfx_target_version}});
  }
  const bool written = writer->put({{"schema_version", schema_version},
                                    {"minor_version", schema_minor},
                                    {"pid", process.pid},
                                    {"command", process.command},
                                    {"time_ns", now_ns()},
                                    {"node", {{"kfd", process.kfd}, {"gpus", std::move(gpus)}}}});
  if (!written) return std::unexpected(file + ": " + std::strerror(errno));
  return writer;
}

Writer::~Writer() {
  if (fd_ >= 0) ::close(fd_);
}

bool Writer::write(const Json& record) {
  const std::lock_guard lock(mutex_);  // the order of lines is the order of numbers
  if (failed_) return true;
  Json line = {{"type", record.at("type")}, {"seq", ++seq_}, {"pid", pid_}, {"time_ns", now_ns()}};
  line.update(record);
  failed_ = !put(line);
  return !failed_;
}

bool Writer::put(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  ssize_t count = 0;
  do {
    count = ::write(fd_, text.data(), text.size());
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(text.size());
}

}  // namespace rocdrill::trace
