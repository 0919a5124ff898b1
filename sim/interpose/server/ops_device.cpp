// What the preload library and the engines of programs ask.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "sim/interpose/protocol/facts.hpp"
#include "sim/interpose/server/connection.hpp"
#include "sim/kernel/drm_info.hpp"
#include "sim/silicon/telemetry.hpp"

namespace rocdrill::interpose {
namespace {

Json error_reply(int error, EventId event) { return {{"errno", error}, {"event", event}}; }

Json reply_of(const SysResult<void>& result) {
  return result ? error_reply(0, no_event)
                : error_reply(result.error().error, result.error().event);
}

/// "user:uid:gid:gid,gid": what a program claims to be.
std::optional<Identity> parse_identity(const std::string& text) {
  Identity identity;
  std::size_t at = text.find(':');
  if (at == std::string::npos) return std::nullopt;
  identity.user = text.substr(0, at);
  int read = 0;
  if (std::sscanf(text.c_str() + at, ":%u:%u:%n", &identity.uid, &identity.gid, &read) != 2 ||
      read == 0)
    return std::nullopt;
  at += static_cast<std::size_t>(read);
  while (at < text.size()) {
    char* end = nullptr;
    identity.groups.push_back(
        static_cast<std::uint32_t>(std::strtoul(text.c_str() + at, &end, 10)));
    at = static_cast<std::size_t>(end - text.c_str()) + 1;
  }
  return identity;
}

Severity severity_of(const Json& json) {
  return severity_from_name(json.get<std::string>()).value_or(Severity::info);
}

cp::Access access_of(const Json& json) {
  const auto number = json.get<std::int64_t>();
  if (number < 0 || number > static_cast<int>(cp::Access::execute))
    throw std::invalid_argument("there is no access " + std::to_string(number));
  return static_cast<cp::Access>(number);
}

cp::Unit unit_of(const Json& json) {
  const auto number = json.get<std::int64_t>();
  if (number < 0 || number > static_cast<int>(cp::Unit::instruction_cache))
    throw std::invalid_argument("there is no unit " + std::to_string(number));
  return static_cast<cp::Unit>(number);
}

kernel::HardwareError::Kind error_kind_of(const Json& json) {
  using Kind = kernel::HardwareError::Kind;
  const auto number = json.get<std::int64_t>();
  if (number < 0 || number > static_cast<int>(Kind::preemption_failed))
    throw std::invalid_argument("there is no hardware error " + std::to_string(number));
  return static_cast<Kind>(number);
}

Layer layer_of(const Json& json) {
  const auto number = json.get<std::int64_t>();
  if (number < 0 || number > static_cast<int>(Layer::framework))
    throw std::invalid_argument("there is no layer " + std::to_string(number));
  return static_cast<Layer>(number);
}

}  // namespace

Identity NodeServer::identity_of(const Json& request) const {
  const auto text = request.value("identity", std::string());
  return parse_identity(text).value_or(node_.os.session);
}

Json NodeServer::open_device(Connection& connection, const Json& request) {
  if (connection.role != Connection::Role::unknown)
    return {{"errno", EBUSY}, {"error", "this connection is in use already"}};
  const auto path = request.at("path").get<std::string>();
  ProcessSpec spec;
  spec.command = request.value("comm", std::string("program"));
  spec.identity = identity_of(request);
  const auto process = node_.access.spawn(spec);
  const auto stat = process->stat(path);
  if (stat && stat->type != FileType::character)
    return {{"errno", ENXIO}, {"error", path + " is no device of this node"}};
  const auto opened = process->open(path, request.value("flags", O_RDWR));
  if (!opened) return error_reply(opened.error().error, opened.error().event);
  static_cast<void>(process->close(*opened));
  connection.role = Connection::Role::device;
  connection.device = path;
  node_.kernel.kfd.opened();
  if (path == "/dev/kfd") node_.kernel.kfd.process_opened(connection.pid);
  return error_reply(0, no_event);
}

Json NodeServer::set_attributes(const Json& request) {
  const auto path = request.at("path").get<std::string>();
  const Identity who = identity_of(request);
  const auto stat = node_.os.files.lstat(path);
  if (!stat) return error_reply(stat.error().error, stat.error().event);
  const bool owner_changes = request.contains("uid") || request.contains("gid");
  if (who.uid != 0 && (owner_changes || who.uid != stat->uid)) return error_reply(EPERM, no_event);
  const bool device = path.starts_with("/dev/");
  const EventId event = node_.os.journal.record(
      device ? Layer::access : Layer::host, Severity::info, owner_changes ? "chown" : "chmod", path,
      {{"user", std::string_view(who.user)}}, no_event);
  SysResult<void> result;
  auto& devices = node_.access.devices();
  auto& files = node_.os.files;
  if (request.contains("mode")) {
    const auto mode = request.at("mode").get<std::uint32_t>() & 07777;
    result = device ? devices.set_mode(path, mode, event) : files.chmod(path, mode, event);
  }
  if (result && owner_changes) {
    const auto uid = request.value("uid", stat->uid);
    const auto gid = request.value("gid", stat->gid);
    result = device ? devices.set_owner(path, uid, gid, event) : files.chown(path, uid, gid, event);
  }
  settle(false);
  return reply_of(result);
}

/// False if the process has ended before its first words were read.
bool NodeServer::new_client(const Connection& connection, const Json& request) {
  const int pid = connection.pid;
  if (clients_.contains(pid)) client_gone(pid);  // what an exec, or an earlier process, left
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return false;
  auto client = std::make_unique<Client>(io_);
  client->process.assign(pidfd);
  client->command = request.value("comm", std::string("program"));
  client->engine = &connection;
  client->process.async_wait(
      boost::asio::posix::stream_descriptor::wait_read,
      [this, pid, ended = client.get()](const boost::system::error_code& error) {
        const auto at = clients_.find(pid);
        if (!error && at != clients_.end() && at->second.get() == ended) client_gone(pid);
      });
  node_.os.processes[pid] = {client->command, identity_of(request).uid};
  clients_[pid] = std::move(client);
  return true;
}

/// The end of a process frees everything that it held.
void NodeServer::client_gone(int pid) {
  const std::lock_guard lock(node_mutex_);
  node_.kernel.kfd.detach(pid);
  node_.os.processes.erase(pid);
  clients_.erase(pid);
  settle(true);
}

Json NodeServer::engine_request(Connection& connection, const std::string& op,
                                const Json& request) {
  kernel::Kfd& kfd = node_.kernel.kfd;
  const int pid = connection.pid;
  if (op == "hello") {
    if (connection.role != Connection::Role::unknown)
      return {{"errno", EBUSY}, {"error", "this connection is in use already"}};
    if (!new_client(connection, request)) return error_reply(ESRCH, no_event);
    connection.role = Connection::Role::engine;
    return {{"errno", 0}, {"facts", to_json(kfd.facts())}};
  }
  if (op == "watch") {
    if (connection.role != Connection::Role::unknown)
      return {{"errno", EBUSY}, {"error", "this connection is in use already"}};
    connection.role = Connection::Role::watch;
    return {{"errno", 0}, {"epoch", kfd.facts().epoch}};
  }
  if (op == "facts") return {{"errno", 0}, {"facts", to_json(kfd.facts())}};
  if (op == "drm_version") return drm_version_reply(request);
  if (op == "drm_info") return drm_info_reply(request);
  const auto client = clients_.find(pid);
  const bool holds = client != clients_.end() && client->second->engine == &connection;
  if (connection.role == Connection::Role::engine && !holds) return error_reply(ESRCH, no_event);
  if (connection.role != Connection::Role::engine)
    return {{"errno", ENOTTY}, {"error", "this node does not know the request '" + op + "'"}};
  if (op == "record") {
    std::vector<std::pair<std::string, std::string>> texts;
    std::vector<Field> fields;
    const Json& given = request.at("fields");
    texts.reserve(given.size());
    for (const auto& [key, value] : given.items()) {
      texts.emplace_back(key, value.is_string() ? value.get<std::string>() : "");
      if (value.is_number()) {
        fields.push_back({texts.back().first, value.get<std::int64_t>()});
      } else {
        fields.push_back({texts.back().first, std::string_view(texts.back().second)});
      }
    }
    const auto kind = request.at("kind").get<std::string>();
    const auto subject = request.at("subject").get<std::string>();
    EventId cause = request.at("cause");
    if (cause > node_.os.timeline.size()) cause = no_event;
    const EventId event = node_.os.timeline.record({.time_ns = node_.os.clock.now(),
                                                    .layer = layer_of(request.at("layer")),
                                                    .severity = severity_of(request.at("severity")),
                                                    .kind = kind,
                                                    .subject = subject,
                                                    .fields = fields,
                                                    .cause = cause});
    limit_packet_events();
    return {{"errno", 0}, {"event", event}};
  }
  const std::uint32_t gpu_id = request.at("gpu_id");
  if (op == "attach") {
    const auto attached = kfd.attach(pid, gpu_id);
    if (attached)
      kfd.set_thread(pid, gpu_id, request.value("tid", pid), request.value("thread", ""));
    return reply_of(attached);
  }
  if (op == "fault") {
    const EventId event =
        kfd.page_fault(pid, {.gpu_id = gpu_id,
                             .doorbell = request.at("doorbell"),
                             .address = request.at("address"),
                             .access = access_of(request.at("access")),
                             .mapped = request.at("mapped"),
                             .by = {unit_of(request.at("unit")), request.at("xcc")},
                             .packet = request.at("packet")});
    return error_reply(0, event);
  }
  if (op == "hardware_error") {
    const EventId event =
        kfd.hardware_error(pid, {.kind = error_kind_of(request.at("kind")),
                                 .gpu_id = gpu_id,
                                 .doorbell = request.at("doorbell"),
                                 .page = request.at("page"),
                                 .memory_of = request.at("memory_of"),
                                 .by = {unit_of(request.at("unit")), request.at("xcc")}});
    settle(false);
    return error_reply(0, event);
  }
  if (op == "store_lost") {
    const auto facts = kfd.facts();
    const kernel::GpuFacts* gpu = facts.find(gpu_id);
    const kernel::UnreachablePeer* peer =
        gpu ? gpu->unreachable_peer(request.at("owner").get<std::uint32_t>()) : nullptr;
    if (!peer) return error_reply(EINVAL, no_event);
    const EventId event = kfd.store_lost(pid, gpu_id, *peer);
    settle(false);
    return error_reply(0, event);
  }
  if (op == "available_vram") return {{"errno", 0}, {"bytes", kfd.available_vram(gpu_id)}};
  if (op == "release_doorbell") {
    kfd.release_doorbell(pid, gpu_id, request.at("index"));
    settle(true);
    return error_reply(0, no_event);
  }
  if (op == "take_doorbell") {
    const auto index =
        kfd.take_doorbell(pid, gpu_id,
                          {request.at("id"), request.at("type"), request.at("ring_bytes"),
                           request.value("sdma_engine", 0u)});
    if (!index) return error_reply(index.error().error, index.error().event);
    settle(true);
    return {{"errno", 0}, {"index", *index}};
  }
  if (op == "reserve_vram") {
    settle(true);
    const auto extents = kfd.reserve_vram(pid, gpu_id, request.at("bytes"));
    if (!extents) return error_reply(extents.error().error, extents.error().event);
    return {{"errno", 0}, {"extents", to_json(*extents)}};
  }
  if (op == "release_vram") {
    kfd.release_vram(pid, gpu_id, extents_of(request.at("extents")));
    settle(true);
    return error_reply(0, no_event);
  }
  return {{"errno", ENOTTY}, {"error", "this node does not know the request '" + op + "'"}};
}

const kernel::GpuDevice* NodeServer::drm_device(const Json& request) const {
  const auto minor = request.at("minor").get<std::uint32_t>();
  const auto& devices = node_.kernel.amdgpu.devices();
  const auto device = std::ranges::find_if(devices, [&](const kernel::GpuDevice& one) {
    return node_.kernel.amdgpu.partition_of(one, minor).has_value();
  });
  return device == devices.end() ? nullptr : &*device;
}

Json NodeServer::drm_version_reply(const Json& request) {
  const kernel::LoadedModule* module = node_.kernel.modules.find("amdgpu");
  const kernel::GpuDevice* device = drm_device(request);
  if (!module || !device) return error_reply(ENODEV, no_event);
  const auto version = kernel::drm_version(node_.os.kernel_release, module->version);
  return {{"errno", 0},
          {"major", version.major},
          {"version_minor", version.minor},
          {"name", std::string(version.name)},
          {"date", std::string(version.date)},
          {"description", std::string(version.description)},
          {"bus_id", "pci:" + node_.board.gpus()[device->gpu].bdf.text()}};
}

Json NodeServer::drm_info_reply(const Json& request) {
  const kernel::GpuDevice* device = drm_device(request);
  if (!device) return error_reply(ENODEV, no_event);
  kernel::DrmUsage usage;
  const silicon::Gpu& gpu = node_.board.gpus()[device->gpu];
  usage.vram_bytes = silicon::reserved_vram(*gpu.product);
  for (const kernel::KfdNode& node : node_.kernel.kfd.nodes_of(device->gpu))
    usage.vram_bytes += node_.kernel.kfd.used_vram(node.gpu_id);
  usage.gtt_size = node_.kernel.cpu.memory_bytes / 2;
  usage.driver_time_ns = node_.os.clock.now();
  drm::InfoRequest asked{};
  asked.return_size = request.at("size");
  asked.query = request.at("query");
  const auto words = request.at("argument").get<std::vector<std::uint32_t>>();
  std::copy_n(words.begin(), std::min(words.size(), std::size(asked.argument)), asked.argument);
  std::string reply;
  bool modelled = true;
  const int error =
      kernel::answer_info(kernel::drm_device_info(gpu, *device, usage), asked, reply, modelled);
  if (!modelled) {
    return error_reply(
        error, node_.os.journal.unmodelled(Layer::kernel,
                                           fmt::format("DRM_AMDGPU_INFO query {:#x}", asked.query),
                                           errno_name(error), device->event));
  }
  if (error != 0) return error_reply(error, no_event);
  return {{"errno", 0}, {"bytes", std::vector<std::uint8_t>(reply.begin(), reply.end())}};
}

/// An SMI event file is a connection: one datagram is one line.
void NodeServer::smi_event(std::uint32_t gpu_id, kfd::SmiEvent event, const std::string& line) {
  const std::uint64_t bit = std::uint64_t{1} << (std::to_underlying(event) - 1);
  for (const auto& connection : connections_) {
    if (connection->role != Connection::Role::smi || connection->smi_gpu != gpu_id) continue;
    if ((connection->smi_mask & bit) == 0) continue;
    static_cast<void>(::send(connection->socket.native_handle(), line.data(), line.size(),
                             MSG_NOSIGNAL | MSG_DONTWAIT));  // a full file loses events, as KFD's
  }
}

Json NodeServer::smi_events(Connection& connection, const Json& request) {
  const std::uint32_t gpu_id = request.at("gpu_id");
  if (!node_.kernel.kfd.facts().find(gpu_id)) return error_reply(EINVAL, no_event);
  if (connection.role != Connection::Role::unknown) return error_reply(EBUSY, no_event);
  connection.role = Connection::Role::smi;
  connection.smi_gpu = gpu_id;
  return error_reply(0, no_event);
}

}  // namespace rocdrill::interpose
