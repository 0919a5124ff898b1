#include "sim/interpose/engine/remote_service.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "sim/interpose/protocol/facts.hpp"

namespace rocdrill::interpose {
namespace {

/// `task`: "self" or "thread-self".
std::string command_name(const char* task) {
  std::ifstream in(std::string("/proc/") + task + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

/// Out of the way of programs that count on low numbers or close them.
int move_up(int fd) {
  constexpr int high = 800;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, high);
  if (moved < 0) return fd;
  ::close(fd);
  return moved;
}

SysError error_of(const Json& reply) {
  return {reply.value("errno", EIO), reply.value("event", no_event)};
}

}  // namespace

RemoteService::RemoteService(std::string session, std::string identity)
    : session_(std::move(session)),
      identity_(std::move(identity)),
      fd_(move_up(connect_to_session(session_))) {
  const Json reply =
      request(fd_, {{"op", "hello"}, {"comm", command_name("self")}, {"identity", identity_}});
  if (reply.value("errno", EIO) != 0)
    throw ConnectionError(reply.value("error", std::string("the node refused")));
  facts_ = facts_of(reply.at("facts"));
}

RemoteService::~RemoteService() {
  if (fd_ >= 0) ::close(fd_);
}

Json RemoteService::ask(Json message) {
  const std::lock_guard lock(mutex_);
  if (gone_) return {{"errno", EIO}};
  try {
    return request(fd_, message);
  } catch (const std::exception& error) {
    gone_ = true;
    std::fprintf(stderr, "rocdrill: %s; this program's GPU calls fail from now on\n", error.what());
    return {{"errno", EIO}};
  }
}

const kernel::DeviceFacts& RemoteService::facts() {
  if (!stale()) return facts_;
  const Json reply = ask({{"op", "facts"}});
  if (reply.value("errno", EIO) == 0) facts_ = facts_of(reply.at("facts"));
  return facts_;
}

SysResult<void> RemoteService::attach(int, std::uint32_t gpu_id) {
  const Json reply = ask({{"op", "attach"},
                          {"gpu_id", gpu_id},
                          {"tid", ::gettid()},
                          {"thread", command_name("thread-self")}});
  if (reply.value("errno", EIO) != 0) return std::unexpected(error_of(reply));
  return {};
}

EventId RemoteService::page_fault(int, const kernel::PageFault& fault) {
  const Json reply = ask({{"op", "fault"},
                          {"gpu_id", fault.gpu_id},
                          {"doorbell", fault.doorbell},
                          {"address", fault.address},
                          {"access", static_cast<int>(fault.access)},
                          {"mapped", fault.mapped},
                          {"unit", static_cast<int>(fault.by.unit)},
                          {"xcc", fault.by.xcc},
                          {"packet", fault.packet}});
  return reply.value("event", no_event);
}

/// The server sees the end of the process by itself.
void RemoteService::detach(int) {}

EventId RemoteService::hardware_error(int, const kernel::HardwareError& error) {
  const Json reply = ask({{"op", "hardware_error"},
                          {"kind", static_cast<int>(error.kind)},
                          {"gpu_id", error.gpu_id},
                          {"doorbell", error.doorbell},
                          {"page", error.page},
                          {"memory_of", error.memory_of},
                          {"unit", static_cast<int>(error.by.unit)},
                          {"xcc", error.by.xcc}});
  return reply.value("event", no_event);
}

EventId RemoteService::store_lost(int, std::uint32_t gpu_id, const kernel::UnreachablePeer& peer) {
  const Json reply = ask({{"op", "store_lost"}, {"gpu_id", gpu_id}, {"owner", peer.gpu_id}});
  return reply.value("event", no_event);
}

SysResult<kernel::VramExtents> RemoteService::reserve_vram(int, std::uint32_t gpu_id,
                                                           std::uint64_t bytes) {
  const Json reply = ask({{"op", "reserve_vram"}, {"gpu_id", gpu_id}, {"bytes", bytes}});
  if (reply.value("errno", EIO) != 0) return std::unexpected(error_of(reply));
  return extents_of(reply.at("extents"));
}

void RemoteService::release_vram(int, std::uint32_t gpu_id, const kernel::VramExtents& extents) {
  ask({{"op", "release_vram"}, {"gpu_id", gpu_id}, {"extents", to_json(extents)}});
}

std::uint64_t RemoteService::available_vram(std::uint32_t gpu_id) {
  return ask({{"op", "available_vram"}, {"gpu_id", gpu_id}}).value("bytes", std::uint64_t{0});
}

SysResult<std::uint32_t> RemoteService::take_doorbell(int, std::uint32_t gpu_id,
                                                      const kernel::HeldQueue& queue) {
  const Json reply = ask({{"op", "take_doorbell"},
                          {"gpu_id", gpu_id},
                          {"id", queue.id},
                          {"type", queue.type},
                          {"ring_bytes", queue.ring_bytes},
                          {"sdma_engine", queue.sdma_engine}});
  if (reply.value("errno", EIO) != 0) return std::unexpected(error_of(reply));
  return reply.value("index", std::uint32_t{0});
}

void RemoteService::release_doorbell(int, std::uint32_t gpu_id, std::uint32_t index) {
  ask({{"op", "release_doorbell"}, {"gpu_id", gpu_id}, {"index", index}});
}

/// Each once: a program may ask a thousand times.
bool RemoteService::told_before(std::string_view subject) {
  constexpr std::size_t most = 64;
  const std::lock_guard lock(told_mutex_);
  if (told_.contains(subject) || told_.size() >= most) return true;
  told_.emplace(subject);
  return false;
}

EventId RemoteService::record(Layer layer, Severity severity, std::string_view kind,
                              std::string_view subject, std::initializer_list<Field> fields,
                              EventId cause) {
  if (kind == "unmodelled" && !told_before(subject)) {
    std::fprintf(stderr,
                 "rocdrill: %.*s is not modelled: refused. This is no symptom of the node.\n",
                 static_cast<int>(subject.size()), subject.data());
  }
  const Json reply = ask({{"op", "record"},
                          {"layer", static_cast<int>(layer)},
                          {"severity", std::string(name(severity))},
                          {"kind", std::string(kind)},
                          {"subject", std::string(subject)},
                          {"fields", to_json(std::span(fields.begin(), fields.size()))},
                          {"cause", cause}});
  return reply.value("event", no_event);
}

}  // namespace rocdrill::interpose
