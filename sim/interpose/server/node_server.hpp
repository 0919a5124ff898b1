// The node server: one simulated node, shared by every program, tool and window that is attached to
// it. It owns the device part; clients hold process parts.
//
// One thread runs the event loop. Requests are served in order of arrival; before each the server
// takes note of what programs wrote into root/, and moves the node's clock on to the present.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "sim/interpose/protocol/message.hpp"
#include "sim/interpose/server/exporter.hpp"
#include "sim/interpose/server/session.hpp"
#include "sim/interpose/server/watcher.hpp"
#include "sim/node.hpp"

namespace rocdrill::interpose {

class SysMount;

struct ServerOptions {
  std::filesystem::path libraries;  ///< folder of the preload library and the engine
  std::filesystem::path tool;       ///< the program that stands for every command of the node
  std::filesystem::path rocdrill;   ///< the rocdrill command, for the node's PATH
  bool use_fuse = true;             ///< serve /sys by FUSE where that works
};

/// A request that a person or tool made, and who.
struct Asker {
  int pid = 0;
};

class NodeServer {
 public:
  /// Makes the session's files. Throws std::runtime_error or std::system_error.
  NodeServer(sim::Node& node, SessionFolder session, ServerOptions options);
  ~NodeServer();

  /// Serves until stop(), a "stop" request, SIGTERM or SIGINT.
  void run();
  /// From any thread.
  void stop();

  const SessionFolder& session() const { return session_; }
  /// Whether writes to /sys reach the model at once, with their errors (FUSE).
  bool live_sysfs() const { return mount_ != nullptr; }

  /// A request that whoever runs the server answers ("check", "hint", ...). The handler may change
  /// the node.
  using Handler = std::function<Json(const Json& request, const Asker& who)>;
  void handle(const std::string& op, Handler handler) { handlers_[op] = std::move(handler); }

  /// One that only looks: the handler runs in a fork of the server, may do with the node what it
  /// likes, and nothing of that remains. A few at a time; others are served meanwhile.
  void handle_aside(const std::string& op, Handler handler) { aside_[op] = std::move(handler); }

  /// Called before a command of a person may change the node, with its words: for undo.
  void before_change(std::function<void(const std::vector<std::string>&)> hook) {
    before_change_ = std::move(hook);
  }

  sim::Node& node() { return node_; }
  /// Brings files and clients up to date after the node was changed from outside a request.
  void node_changed();
  /// Kills every program that has a device of the node open: what a reboot does to them.
  void kill_clients();
  /// To a state that was saved, for undo.
  void restore(const std::string& state);
  std::size_t client_count() const { return clients_.size(); }

 private:
  struct Connection;
  struct Client;
  struct Aside;

  void accept();
  void notice_writes();
  void admit(int fd);
  void serve(const std::shared_ptr<Connection>& connection);
  void received(const std::shared_ptr<Connection>& connection);
  void closed(const std::shared_ptr<Connection>& connection);
  void catch_up();
  const Handler* aside_of(const Json& request) const;
  Json answer(Connection& connection, const Json& request);
  void settle(bool device_state_only);
  void push_facts();
  void push_reset(const kernel::Kfd::ResetNotice& notice);
  void leave_programs_alone();

  // aside.cpp: what windows ask
  /// Empty if the answer comes from a fork.
  Json begin_aside(const std::shared_ptr<Connection>& connection, const Handler& handler,
                   const Json& request);
  [[noreturn]] void look_and_exit(const Handler& handler, Connection& connection,
                                  const Json& request);
  void await(const std::shared_ptr<Aside>& aside);
  void aside_ended(const std::shared_ptr<Aside>& aside);
  Json watch_packets(Connection& connection);
  void heed_packet_watchers();
  void start_packet_events();
  void set_packet_level(cp::EventLevel level);
  void limit_packet_events();

  // ops_device.cpp: what preload library and engine ask
  Json open_device(Connection& connection, const Json& request);
  Json set_attributes(const Json& request);
  Json engine_request(Connection& connection, const std::string& op, const Json& request);
  bool new_client(const Connection& connection, const Json& request);
  void client_gone(int pid);
  void smi_event(std::uint32_t gpu_id, kfd::SmiEvent event, const std::string& line);
  Json smi_events(Connection& connection, const Json& request);
  const kernel::GpuDevice* drm_device(const Json& request) const;
  Json drm_version_reply(const Json& request);
  Json drm_info_reply(const Json& request);

  // ops_person.cpp: what people and tools ask
  Json run_command(const Json& request, const Asker& who);
  Json run_in_node(const std::vector<std::string>& words, const ProcessSpec& spec,
                   const Json& request);
  void adopt_environment(const Json& request);
  ProcessSpec spec_of(const Json& request);
  Json elevate(const Json& request, const Asker& who);
  Json log(const Json& request);
  Json status();
  Json inject(const Json& request);
  Json clear(const Json& request);
  void add_handlers();
  Identity identity_of(const Json& request) const;
  void link_commands();

  sim::Node& node_;
  SessionFolder session_;
  ServerOptions options_;
  std::recursive_mutex node_mutex_;  ///< the FUSE thread reads the node, too
  std::unique_ptr<SysMount> mount_;
  Exporter exporter_;
  Watcher watcher_;
  boost::asio::io_context io_;
  boost::asio::posix::stream_descriptor listener_{io_};
  boost::asio::posix::stream_descriptor written_{io_};
  boost::asio::signal_set signals_{io_};
  boost::asio::steady_timer settle_timer_{io_};
  boost::asio::steady_timer accept_timer_{io_};
  bool settle_pending_ = false;
  std::size_t synced_events_ = 0;  ///< of the timeline, at the last sync of files
  std::uint64_t synced_held_ = 0;
  std::set<std::shared_ptr<Connection>> connections_;
  std::map<int, std::unique_ptr<Client>> clients_;  ///< by pid
  std::map<std::string, Handler> handlers_;
  std::map<std::string, Handler> aside_;
  std::set<std::shared_ptr<Aside>> asides_;
  cp::EventLevel quiet_level_ = cp::EventLevel::errors;  ///< while nobody looks at queues
  std::optional<std::size_t> packets_until_;             ///< so many events; none: nobody looks
  std::function<void(const std::vector<std::string>&)> before_change_;
  std::uint64_t facts_epoch_ = 0;  ///< last told
  std::uint64_t started_ns_ = 0;   ///< CLOCK_MONOTONIC at the node's time `started_node_ns_`
  std::uint64_t started_node_ns_ = 0;
};

}  // namespace rocdrill::interpose
