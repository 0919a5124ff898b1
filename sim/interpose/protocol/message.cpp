#include "sim/interpose/protocol/message.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rocdrill::interpose {
namespace {

void send_datagram(int fd, std::string_view data) {
  while (true) {
    const ssize_t sent = ::send(fd, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(data.size())) return;
    if (sent < 0 && errno == EINTR) continue;
    throw ConnectionError(std::string("the connection is gone: ") + std::strerror(errno));
  }
}

Json parse(std::string_view text) {
  Json message = Json::parse(text, nullptr, false);
  if (!message.is_object()) throw ConnectionError("what came is no message");
  return message;
}

}  // namespace

void send_message(int fd, const Json& message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= max_datagram) return send_datagram(fd, text);
  for (std::size_t at = 0; at < text.size(); at += max_datagram) {
    const bool last = text.size() - at <= max_datagram;
    send_datagram(fd, (last ? "." : "+") + text.substr(at, max_datagram));
  }
}

std::optional<Json> Assembler::add(std::string_view datagram, std::size_t limit) {
  if (datagram.empty()) throw ConnectionError("an empty datagram");
  if (datagram.front() == '{' && pending_.empty()) return parse(datagram);
  if (datagram.front() != '+' && datagram.front() != '.')
    throw ConnectionError("what came is no message");
  if (pending_.size() + datagram.size() > limit) {
    pending_ = {};
    throw ConnectionError("the message is too long");
  }
  pending_ += datagram.substr(1);
  if (datagram.front() == '+') return std::nullopt;
  const std::string whole = std::exchange(pending_, {});
  return parse(whole);
}

std::optional<Json> receive_message(int fd) {
  Assembler assembler;
  std::string buffer(max_datagram + 1, '\0');
  while (true) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw ConnectionError(std::string("the connection is gone: ") + std::strerror(errno));
    if (got == 0) return std::nullopt;
    if (auto message = assembler.add({buffer.data(), static_cast<std::size_t>(got)}))
      return message;
  }
}

int connect_to_session(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/socket";
  if (path.size() >= sizeof address.sun_path)
    throw ConnectionError("the session's path is too long for a socket: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) throw ConnectionError(std::string("no socket: ") + std::strerror(errno));
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(fd);
    throw ConnectionError("no node answers at " + path + ": " + std::strerror(error));
  }
  return fd;
}

Json request(int fd, const Json& message) {
  send_message(fd, message);
  auto reply = receive_message(fd);
  if (!reply) throw ConnectionError("the node has ended");
  return std::move(*reply);
}

}  // namespace rocdrill::interpose
