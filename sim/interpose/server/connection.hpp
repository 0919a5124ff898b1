// Inside the node server: a connection, and a program that holds devices of the node.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>

#include "sim/interpose/server/node_server.hpp"

namespace rocdrill::interpose {

struct NodeServer::Connection {
  explicit Connection(boost::asio::io_context& io) : socket(io) {}
  boost::asio::posix::stream_descriptor socket;
  Assembler assembler;
  int pid = 0;  ///< of the peer when it connected
  enum class Role { unknown, device, engine, watch, smi, packets } role = Role::unknown;
  std::string device;          ///< path, of a device
  std::uint32_t smi_gpu = 0;   ///< gpu_id, of an SMI event file
  std::uint64_t smi_mask = 0;  ///< wanted events
};

/// A process with a process part. It ends with its engine's connection (exec closes that), and with
/// the process (pidfd): a child may have inherited sockets.
struct NodeServer::Client {
  explicit Client(boost::asio::io_context& io) : process(io) {}
  boost::asio::posix::stream_descriptor process;
  std::string command;
  const Connection* engine = nullptr;
};

}  // namespace rocdrill::interpose
