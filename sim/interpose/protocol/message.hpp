// Messages between a node server and its clients: JSON objects over a SOCK_SEQPACKET socket.
//
// A datagram that begins with '{' is a whole message. A longer one comes in pieces: '+' and data
// for each but the last, '.' and data for the last.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace rocdrill::interpose {

using Json = nlohmann::json;

inline constexpr std::size_t max_datagram = 60 * 1024;
inline constexpr std::size_t max_message = 64 * 1024 * 1024;

/// The peer is gone, or sent what is no message.
class ConnectionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Blocks. Throws ConnectionError. Never raises SIGPIPE.
void send_message(int fd, const Json& message);
/// Blocks until a whole message is there; nullopt at the end of the connection. Throws
/// ConnectionError for what is no message or too long.
std::optional<Json> receive_message(int fd);

/// Puts pieces together, for who reads datagrams himself. Throws ConnectionError.
class Assembler {
 public:
  /// The message, once its last piece has come.
  std::optional<Json> add(std::string_view datagram, std::size_t limit = max_message);

 private:
  std::string pending_;
};

/// A connected socket to `<folder>/socket`. Throws ConnectionError that says what is wrong.
int connect_to_session(const std::string& folder);
/// Sends and waits for the answer. Throws ConnectionError; the end of the connection is one, too.
Json request(int fd, const Json& message);

}  // namespace rocdrill::interpose
