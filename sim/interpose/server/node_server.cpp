#include "sim/interpose/server/node_server.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <system_error>

#include "sim/interpose/server/connection.hpp"
#include "sim/interpose/server/sys_mount.hpp"

namespace rocdrill::interpose {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr int backlog = 128;
constexpr auto settle_delay = std::chrono::milliseconds(20);
constexpr auto accept_delay = std::chrono::milliseconds(20);  // while there are no descriptors left
/// A peer that asks and does not read its answers is dropped after this, not waited for.
constexpr timeval longest_send{0, 500'000};

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

int listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, backlog) != 0) {
    throw std::system_error(errno, std::generic_category(), path.string());
  }
  return fd;
}

/// Each program has half a dozen connections, on a node with many GPUs more.
void allow_many_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Live prefixes: what FUSE serves.
std::vector<std::string> live_prefixes(bool mounted) {
  return mounted ? std::vector<std::string>{"/sys"} : std::vector<std::string>{};
}

}  // namespace

NodeServer::NodeServer(sim::Node& node, SessionFolder session, ServerOptions options)
    : node_(node),
      session_(std::move(session)),
      options_(std::move(options)),
      mount_(options_.use_fuse ? SysMount::open(node, node_mutex_, session_.root() / "sys")
                               : nullptr),
      exporter_(node.os, session_.path(), live_prefixes(mount_ != nullptr)),
      watcher_(node.os, exporter_),
      started_ns_(monotonic_ns()),
      started_node_ns_(node.os.clock.now()) {
  allow_many_descriptors();
  add_handlers();
  link_commands();
  exporter_.sync(true);
  watcher_.watch_directories();
  listener_.assign(listen_at(session_.path() / "socket"));
  written_.assign(::dup(watcher_.descriptor()));
  facts_epoch_ = node_.kernel.kfd.facts().epoch;
  quiet_level_ = node_.kernel.queue_events;
  node_.set_program_signal([this](int pid, int signal) {
    const bool has_a_device = std::ranges::any_of(connections_, [pid](const auto& connection) {
      return connection->role == Connection::Role::device && connection->pid == pid;
    });
    return (has_a_device || clients_.contains(pid)) && ::kill(pid, signal) == 0;
  });
  node_.kernel.kfd.set_smi_listener(
      [this](std::uint32_t gpu_id, kfd::SmiEvent event, const std::string& line) {
        smi_event(gpu_id, event, line);
      });
  node_.kernel.kfd.set_reset_listener(
      [this](const kernel::Kfd::ResetNotice& notice) { push_reset(notice); });
}

/// The node reaches no program any more: at the end, and in a copy.
void NodeServer::leave_programs_alone() {
  node_.set_program_signal({});
  node_.kernel.kfd.set_smi_listener({});
  node_.kernel.kfd.set_reset_listener({});
}

NodeServer::~NodeServer() {
  leave_programs_alone();
  connections_.clear();
  clients_.clear();
  asides_.clear();
}

void NodeServer::run() {
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) stop();
  });
  accept();
  notice_writes();
  io_.run();
}

/// What programs write is known when a request is served; and without one, soon.
void NodeServer::notice_writes() {
  written_.async_wait(stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    {
      const std::lock_guard lock(node_mutex_);
      if (watcher_.drain()) settle(false);
    }
    notice_writes();
  });
}

void NodeServer::stop() {
  boost::asio::post(io_, [this] { io_.stop(); });
}

void NodeServer::accept() {
  listener_.async_wait(
      stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
        if (error) return;
        while (true) {
          const int fd =
              ::accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
          if (fd >= 0) {
            admit(fd);
          } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return accept();
          } else if (errno != EINTR && errno != ECONNABORTED) {
            break;  // EMFILE and its kin: who waits stays in the backlog
          }
        }
        accept_timer_.expires_after(accept_delay);
        accept_timer_.async_wait([this](const boost::system::error_code& cancelled) {
          if (!cancelled) accept();
        });
      });
}

/// Whoever is not this node's user hears so, and no more.
void NodeServer::admit(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  if (!known || (peer.uid != ::geteuid() && peer.uid != 0)) {
    static constexpr std::string_view refusal =
        R"({"errno":13,"error":"this node belongs to another user"})";
    static_cast<void>(::send(fd, refusal.data(), refusal.size(), MSG_NOSIGNAL));
    ::close(fd);
    return;
  }
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest_send, sizeof longest_send);
  const auto connection = std::make_shared<Connection>(io_);
  connection->socket.assign(fd);
  connection->pid = peer.pid;
  connections_.insert(connection);
  serve(connection);
}

void NodeServer::serve(const std::shared_ptr<Connection>& connection) {
  connection->socket.async_wait(stream_descriptor::wait_read,
                                [this, connection](const boost::system::error_code& error) {
                                  if (error || !connections_.contains(connection)) return;
                                  received(connection);
                                });
}

/// Takes the datagrams that are there, up to a number that others can wait for; answers each whole
/// message before the next is read.
void NodeServer::received(const std::shared_ptr<Connection>& connection) {
  std::string buffer(max_datagram + 1, '\0');
  const int fd = connection->socket.native_handle();
  constexpr int most = 64;
  for (int taken = 0; taken < most; ++taken) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) return closed(connection);
    const std::string_view datagram(buffer.data(), static_cast<std::size_t>(got));
    if (connection->role == Connection::Role::device) continue;  // write() on a device: nothing
    if (connection->role == Connection::Role::smi) {
      if (datagram.size() == sizeof connection->smi_mask)
        std::memcpy(&connection->smi_mask, datagram.data(), datagram.size());
      continue;
    }
    try {
      const auto message = connection->assembler.add(datagram);
      if (!message) continue;
      const std::lock_guard lock(node_mutex_);
      Json reply;
      if (const Handler* aside = aside_of(*message)) {
        catch_up();
        reply = begin_aside(connection, *aside, *message);
        if (reply.is_null()) return;  // it is served again when the look has ended
      } else {
        reply = answer(*connection, *message);
      }
      // A device's peer reads an end of file: read() on it must not block.
      const int flags = ::fcntl(fd, F_GETFL);
      ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
      send_message(fd, reply);
      ::fcntl(fd, F_SETFL, flags);
      if (connection->role == Connection::Role::device) ::shutdown(fd, SHUT_WR);
    } catch (const ConnectionError& error) {
      // What came was no message, or what went was not taken. There is no going on from either.
      const std::string refusal = Json{{"errno", EINVAL}, {"error", error.what()}}.dump();
      static_cast<void>(::send(fd, refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
      return closed(connection);
    }
  }
  serve(connection);
}

void NodeServer::closed(const std::shared_ptr<Connection>& connection) {
  if (connection->role == Connection::Role::device) {
    const std::lock_guard lock(node_mutex_);
    node_.kernel.kfd.closed();
    if (connection->device == "/dev/kfd") node_.kernel.kfd.process_closed(connection->pid);
  }
  const auto client = clients_.find(connection->pid);
  if (client != clients_.end() && client->second->engine == connection.get())
    client_gone(connection->pid);
  connections_.erase(connection);
  if (connection->role == Connection::Role::packets) {
    const std::lock_guard lock(node_mutex_);
    heed_packet_watchers();
  }
}

/// The node knows what time it is and what programs wrote.
void NodeServer::catch_up() {
  node_.os.clock.advance_to(started_node_ns_ + (monotonic_ns() - started_ns_));
  node_.kernel.amdgpu.finish_resets();
  if (watcher_.drain()) settle(false);
}

const NodeServer::Handler* NodeServer::aside_of(const Json& request) const {
  const auto op = request.find("op");
  if (op == request.end() || !op->is_string()) return nullptr;
  const auto handler = aside_.find(op->get_ref<const std::string&>());
  return handler == aside_.end() ? nullptr : &handler->second;
}

Json NodeServer::answer(Connection& connection, const Json& request) {
  catch_up();
  const auto op_field = request.find("op");
  const std::string op =
      op_field != request.end() && op_field->is_string() ? op_field->get<std::string>() : "";
  try {
    adopt_environment(request);
    if (op == "open") return open_device(connection, request);
    if (op == "setattr") return set_attributes(request);
    if (op == "smi_events") return smi_events(connection, request);
    if (op == "watch_packets") return watch_packets(connection);
    if (const auto handler = handlers_.find(op); handler != handlers_.end()) {
      Json reply = handler->second(request, {connection.pid});
      settle(false);
      return reply;
    }
    return engine_request(connection, op, request);
  } catch (const Json::exception& error) {
    return {{"errno", EINVAL},
            {"error", "a field of the request is missing or wrong: " + std::string(error.what())}};
  } catch (const std::exception& error) {
    return {{"errno", EIO}, {"error", error.what()}};
  }
}

/// Files and clients follow the node. What device state alone changes (VRAM in use) is put off.
void NodeServer::settle(bool device_state_only) {
  if (!device_state_only) return node_changed();
  if (mount_ || settle_pending_) return;
  settle_pending_ = true;
  settle_timer_.expires_after(settle_delay);
  settle_timer_.async_wait([this](const boost::system::error_code& error) {
    settle_pending_ = false;
    if (error) return;
    const std::lock_guard lock(node_mutex_);
    node_changed();
  });
}

void NodeServer::node_changed() {
  // Everything that changes the node records an event; what devices hold counts for itself.
  const std::size_t seen = node_.os.timeline.size();
  const std::uint64_t held = node_.kernel.kfd.held_version();
  if (seen == synced_events_ && held == synced_held_) return push_facts();
  synced_events_ = seen;
  synced_held_ = held;
  exporter_.sync(true);
  watcher_.watch_directories();
  static_cast<void>(watcher_.drain());  // its own writes
  push_facts();
}

void NodeServer::push_facts() {
  const std::uint64_t epoch = node_.kernel.kfd.facts().epoch;
  if (epoch == facts_epoch_) return;
  facts_epoch_ = epoch;
  for (const auto& connection : connections_) {
    if (connection->role != Connection::Role::watch) continue;
    try {
      send_message(connection->socket.native_handle(), {{"event", "facts"}, {"epoch", epoch}});
    } catch (const ConnectionError&) {  // it ends by itself
    }
  }
}

void NodeServer::push_reset(const kernel::Kfd::ResetNotice& notice) {
  for (const auto& connection : connections_) {
    if (connection->role != Connection::Role::watch) continue;
    try {
      send_message(connection->socket.native_handle(),
                   {{"event", "reset"}, {"gpu_id", notice.gpu_id}, {"cause", notice.cause}});
    } catch (const ConnectionError&) {  // it ends by itself
    }
  }
}

void NodeServer::kill_clients() {
  for (const auto& [pid, client] : clients_) ::kill(pid, SIGKILL);
}

}  // namespace rocdrill::interpose
