#include "sim/interpose/preload/server.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

Message::Message(const char* op) {
  put("{", 1);
  text("op", op);
  char comm[16] = "";
  raw::call(SYS_prctl, PR_GET_NAME, raw::arg(comm));
  text("comm", comm);
  char who[2048];
  identity_text(who, sizeof who);
  text("identity", who);
}

void Message::put(const char* bytes, size_t size) {
  if (size_ + size > sizeof data_) {
    fits_ = false;
    return;
  }
  memcpy(data_ + size_, bytes, size);
  size_ += size;
}

void Message::key(const char* name) {
  if (size_ > 1) put(",", 1);
  put("\"", 1);
  put(name, strlen(name));
  put("\":", 2);
}

void Message::text(const char* name, const char* value) {
  key(name);
  put("\"", 1);
  for (; *value != '\0'; ++value) {
    const auto byte = static_cast<unsigned char>(*value);
    if (byte >= 0x20 && byte != '"' && byte != '\\') {
      put(value, 1);
      continue;
    }
    char escape[8];
    put(escape, static_cast<size_t>(snprintf(escape, sizeof escape, "\\u%04x", byte)));
  }
  put("\"", 1);
}

void Message::number(const char* name, int64_t value) {
  key(name);
  char digits[24];
  put(digits, static_cast<size_t>(snprintf(digits, sizeof digits, "%ld", value)));
}

bool Message::finish() {
  put("}", 1);
  return fits_;
}

namespace {

int gone() {
  complain("the node of session %s is gone: its server does not answer", the_session.folder);
  return -ENXIO;
}

int connect_server(int fd) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int size =
      snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", the_session.folder);
  if (size >= static_cast<int>(sizeof address.sun_path)) return -ENAMETOOLONG;
  long result = -EINTR;
  while (result == -EINTR) result = raw::call(SYS_connect, fd, raw::arg(&address), sizeof address);
  return static_cast<int>(result);
}

// Sends the message and waits for the answer's errno; negative, 0, or -ENXIO.
int exchange(int fd, Message& message) {
  if (!message.finish()) return -ENAMETOOLONG;
  long result = -EINTR;
  while (result == -EINTR)
    result = raw::call(SYS_sendto, fd, raw::arg(message.data()), static_cast<long>(message.size()),
                       MSG_NOSIGNAL);
  if (result < 0) return gone();
  char reply[1024];
  result = -EINTR;
  while (result == -EINTR) result = raw::read(fd, reply, sizeof reply - 1);
  if (result <= 0) return gone();
  reply[result] = '\0';
  const char* at = strstr(reply, "\"errno\"");
  if (at != nullptr) at = strchr(at, ':');
  if (at == nullptr) {
    complain("the node's server answers what this library does not know: %s", reply);
    return -EPROTO;
  }
  return -static_cast<int>(strtol(at + 1, nullptr, 10));
}

// The abstract name that says what the socket is. The server sees it when it accepts.
int name_socket(int fd, const char* device) {
  static unsigned count = 0;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int size = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s%08x/%s/%ld.%u",
                              device_socket_prefix, the_session.hash, device, raw::getpid(),
                              __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
    const long result = raw::call(SYS_bind, fd, raw::arg(&address),
                                  static_cast<long>(offsetof(sockaddr_un, sun_path)) + 1 + size);
    // Another pid namespace may have a process of this number.
    if (result != -EADDRINUSE) return static_cast<int>(result);
  }
  return -EADDRINUSE;
}

int new_socket(int flags) {
  return static_cast<int>(raw::call(SYS_socket, AF_UNIX, SOCK_SEQPACKET | flags, 0));
}

}  // namespace

int ask(Message& message) {
  const int fd = new_socket(SOCK_CLOEXEC);
  if (fd < 0) return fd;
  int result = connect_server(fd) < 0 ? gone() : exchange(fd, message);
  raw::close(fd);
  return result;
}

int open_device(const char* path, const char* device, int flags) {
  const int fd = new_socket((flags & O_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0);
  if (fd < 0) return fd;
  int result = name_socket(fd, device);
  if (result == 0) {
    Message message("open");
    message.text("path", path);
    message.number("flags", flags);
    result = connect_server(fd) < 0 ? gone() : exchange(fd, message);
  }
  if (result == 0) {
    if ((flags & O_NONBLOCK) != 0) raw::call(SYS_fcntl, fd, F_SETFL, O_RDWR | O_NONBLOCK);
    return fd;
  }
  raw::close(fd);
  return result;
}

bool device_of_descriptor(int fd, char (&device)[32]) {
  sockaddr_un address;
  socklen_t size = sizeof address;
  if (raw::call(SYS_getsockname, fd, raw::arg(&address), raw::arg(&size)) < 0) return false;
  constexpr size_t prefix = sizeof device_socket_prefix - 1;
  constexpr size_t start = prefix + 9;  // "\0rocdrill/" is prefix + 1 bytes, then 8 digits
  const size_t length =
      size > offsetof(sockaddr_un, sun_path) ? size - offsetof(sockaddr_un, sun_path) : 0;
  if (address.sun_family != AF_UNIX || length < start + 3 || address.sun_path[0] != '\0' ||
      memcmp(address.sun_path + 1, device_socket_prefix, prefix) != 0)
    return false;
  char digits[9];
  snprintf(digits, sizeof digits, "%08x", the_session.hash);
  if (memcmp(address.sun_path + 1 + prefix, digits, 8) != 0) return false;
  size_t at = start + 1;
  size_t used = 0;
  while (at < length && address.sun_path[at] != '/' && used + 1 < sizeof device)
    device[used++] = address.sun_path[at++];
  device[used] = '\0';
  return used > 0;
}

}  // namespace rocdrill::interpose
