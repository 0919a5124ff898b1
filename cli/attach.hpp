// Nodes that programs attach to: starting their server, and starting programs on them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sim/interpose/protocol/message.hpp"

namespace rocdrill::cli {

/// Which node a server is to own.
struct AttachRequest {
  std::string node;                 ///< id, or
  std::string drill;                ///< id
  std::string name;                 ///< of the session; "" : made from the node or drill
  std::vector<std::string> faults;  ///< "ioctl=CREATE_QUEUE,nth=3,errno=ENOMEM"
};

/// --node, --drill, --fault, --name, --seed, --threads.
void add_attach_options(po::options_description& options);
AttachRequest attach_request(const po::variables_map& arguments);

/// The node that was asked for, booted, with its faults in it. Throws Failure (usage).
struct AttachedNode {
  std::unique_ptr<sim::Node> node;
  std::optional<scenarios::ResolvedDrill> drill;
};
AttachedNode make_attached_node(const po::variables_map& arguments, const AttachRequest& request);

/// A server in a process of its own.
struct StartedServer {
  std::string session;  ///< folder
  int pid = 0;
};
/// Forks it and waits until it answers. With `detach` it outlives us and its terminal. Throws
/// Failure with the server's own words if it does not come up.
StartedServer start_server(const po::variables_map& arguments, const AttachRequest& request,
                           bool detach);
/// Asks it to end and waits.
void stop_server(const StartedServer& server);

/// The environment of programs on the node, as "NAME=VALUE".
std::vector<std::string> node_environment(const std::string& session, bool login);
/// Runs a program on the node and waits: its exit status, 128 + signal, 127 if it cannot be found.
int run_on_node(const std::string& session, const std::vector<std::string>& argv,
                const std::vector<std::string>& environment);

/// The folder of the node that is meant: --session, $ROCDRILL_SESSION, or the only one that runs.
std::string session_folder(const po::variables_map& arguments);
/// Whether this program was started on a running node (in rocdrill shell).
bool on_a_node();
/// Of this process, as messages carry it.
interpose::Json own_environment();
/// One request. Throws Failure if the node is gone or refuses.
interpose::Json ask(const std::string& session, interpose::Json message);

/// "id=VALUE,key=value,...": the fault, its first parameter and others. Throws Failure (usage).
sim::FaultUse parse_fault(const std::string& text);

}  // namespace rocdrill::cli
