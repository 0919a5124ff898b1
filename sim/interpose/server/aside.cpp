// Looks at the node: in a fork of the server, so that they may do what they like, leave nothing
// behind, and nobody waits for them.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "sim/interpose/server/connection.hpp"

namespace rocdrill::interpose {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr std::size_t most_asides = 4;
constexpr unsigned longest_aside = 20;  // seconds
/// Events of packets that are kept for windows which look at queues; then it is enough.
constexpr std::size_t most_packet_events = 20'000;

Json refusal(int error, std::string text) { return {{"errno", error}, {"error", std::move(text)}}; }

void set_blocking(int fd, bool blocking) {
  const int flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

}  // namespace

struct NodeServer::Aside {
  explicit Aside(boost::asio::io_context& io) : process(io) {}
  stream_descriptor process;  ///< pidfd
  int pid = 0;
  std::shared_ptr<Connection> connection;
};

/// In the fork: answers and ends.
void NodeServer::look_and_exit(const Handler& handler, Connection& connection,
                               const Json& request) {
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(longest_aside);
  leave_programs_alone();
  const int fd = connection.socket.native_handle();
  int code = 0;
  try {
    Json reply;
    try {
      reply = handler(request, {connection.pid});
    } catch (const std::exception& error) {
      reply = refusal(EINVAL, error.what());
    }
    set_blocking(fd, true);
    send_message(fd, reply);
  } catch (...) {
    code = 1;
  }
  std::_Exit(code);
}

Json NodeServer::begin_aside(const std::shared_ptr<Connection>& connection, const Handler& handler,
                             const Json& request) {
  if (asides_.size() >= most_asides)
    return refusal(EAGAIN, "too many looks at this node at once; ask again");
  const int pid = ::fork();
  if (pid < 0) return refusal(errno, std::string("fork: ") + std::strerror(errno));
  if (pid == 0) look_and_exit(handler, *connection, request);
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) {
    const int error = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return refusal(error, std::string("pidfd_open: ") + std::strerror(error));
  }
  auto aside = std::make_shared<Aside>(io_);
  aside->process.assign(pidfd);
  aside->pid = pid;
  aside->connection = connection;
  asides_.insert(aside);
  await(aside);
  return {};
}

void NodeServer::await(const std::shared_ptr<Aside>& aside) {
  aside->process.async_wait(stream_descriptor::wait_read,
                            [this, aside](const boost::system::error_code& error) {
                              if (!error) aside_ended(aside);
                            });
}

/// It has answered, or nobody has.
void NodeServer::aside_ended(const std::shared_ptr<Aside>& aside) {
  int status = 0;
  if (::waitpid(aside->pid, &status, WNOHANG) == 0) return await(aside);  // woken for nothing
  asides_.erase(aside);
  const auto& connection = aside->connection;
  if (!connections_.contains(connection)) return;
  const int fd = connection->socket.native_handle();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    // Part of an answer may have gone: there is no going on.
    const std::string text =
        refusal(EIO, WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                         ? "the look took longer than " + std::to_string(longest_aside) + " s"
                         : "the look at the node has failed")
            .dump();
    static_cast<void>(::send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    return closed(connection);
  }
  set_blocking(fd, false);
  serve(connection);
}

/// Programs tell of every packet while somebody looks at queues.
Json NodeServer::watch_packets(Connection& connection) {
  if (connection.role != Connection::Role::unknown)
    return refusal(EBUSY, "this connection is in use already");
  connection.role = Connection::Role::packets;
  heed_packet_watchers();
  return {{"errno", 0}, {"most_events", most_packet_events}};
}

void NodeServer::heed_packet_watchers() {
  const bool watched = std::ranges::any_of(connections_, [](const auto& connection) {
    return connection->role == Connection::Role::packets;
  });
  if (watched == packets_until_.has_value()) return;
  if (watched) {
    start_packet_events();
  } else {
    packets_until_.reset();
    set_packet_level(quiet_level_);
  }
}

void NodeServer::start_packet_events() {
  packets_until_ = node_.os.timeline.size() + most_packet_events;
  set_packet_level(std::max(quiet_level_, cp::EventLevel::transitions));
}

/// The state that came back has the level of its time, and another history.
void NodeServer::restore(const std::string& state) {
  node_.restore(state);
  if (packets_until_) {
    start_packet_events();
  } else {
    set_packet_level(quiet_level_);
  }
}

void NodeServer::set_packet_level(cp::EventLevel level) {
  if (node_.kernel.queue_events == level) return;
  node_.kernel.queue_events = level;
  node_.kernel.kfd.changed();
  push_facts();
}

/// Called for every event that a program tells.
void NodeServer::limit_packet_events() {
  if (!packets_until_ || node_.os.timeline.size() < *packets_until_ ||
      node_.kernel.queue_events == quiet_level_)
    return;
  node_.os.journal.record(Layer::host, Severity::debug, "packet.untold", "all queues",
                          {{field::got, static_cast<std::int64_t>(most_packet_events)},
                           {field::did, "events of packets are told no longer"}},
                          no_event);
  set_packet_level(quiet_level_);
}

}  // namespace rocdrill::interpose
