#include "sim/libraries/rccl.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/host/packages.hpp"

namespace rocdrill::libraries::rccl {
namespace {

/// NCCL's versions in ROCm's releases, newest first (RCCL's change log).
constexpr std::pair<std::string_view, std::string_view> versions[] = {
    {"7.1", "2.27.7"}, {"7.0", "2.26.6"}, {"6.4", "2.22.3"}, {"6.3", "2.21.5"}, {"6.2", "2.20.5"},
    {"6.1", "2.18.6"}, {"6.0", "2.18.3"}, {"5.7", "2.17.1"}, {"5.4", "2.13.4"}, {"0", "2.12.10"}};

/// Channels of a ring that does not go over xGMI.
constexpr std::size_t plain_channels = 2;

bool is_set(const Process& process, std::string_view name) {
  const std::string value = process.env(name);
  return !value.empty() && value != "0";
}

/// "eno1,eth0" by prefix, "=eno1" by name, "^docker,lo" all but these.
std::vector<sim::Interface> matching(const std::vector<sim::Interface>& all, std::string filter) {
  const bool without = filter.starts_with('^');
  if (without) filter.erase(0, 1);
  const bool exact = filter.starts_with('=');
  if (exact) filter.erase(0, 1);
  std::vector<sim::Interface> list;
  for (const sim::Interface& one : all) {
    bool named = false;
    for (std::size_t at = 0; at <= filter.size();) {
      const std::size_t end = std::min(filter.find(',', at), filter.size());
      const std::string word = filter.substr(at, end - at);
      named = named || (exact ? one.name == word : !word.empty() && one.name.starts_with(word));
      at = end + 1;
    }
    if (named != without) list.push_back(one);
  }
  return list;
}

/// How far apart GPUs may be for P2P: NCCL_P2P_LEVEL by name or by number.
PathType p2p_level(const Process& process) {
  const std::string value = process.env("NCCL_P2P_LEVEL");
  for (const PathType type : {PathType::loc, PathType::pix, PathType::pxb, PathType::phb})
    if (value == name(type)) return type;
  if (value == "NVL" || value == "XGMI") return PathType::xgmi;
  if (value == "0") return PathType::loc;
  if (value == "1") return PathType::pix;
  if (value == "2") return PathType::pxb;
  if (value == "3") return PathType::phb;
  return PathType::sys;
}

std::string segment_name(int pid, std::size_t channel) {  // six characters, as mkstemp makes them
  static constexpr std::string_view digits =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::uint64_t state = static_cast<std::uint64_t>(pid) * 0x9E3779B97F4A7C15ull + channel;
  std::string text = "/dev/shm/nccl-";
  for (int i = 0; i < 6; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    text += digits[state >> 33u & 63u ? (state >> 33u) % digits.size() : 0];
  }
  return text;
}

}  // namespace

std::string version_of(std::string_view rocm) {
  for (const auto& [release, version] : versions)
    if (sim::compare_versions(std::string(rocm), std::string(release)) >= 0)
      return std::string(version);
  return {};
}

bool Bootstrap::complete() const { return missing().empty(); }

std::vector<std::size_t> Bootstrap::missing() const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < present_.size(); ++rank)
    if (!present_[rank]) ranks.push_back(rank);
  return ranks;
}

Result<void> Rank::fail(std::string_view kind, std::string_view got, std::string text,
                        EventId cause) {
  const EventId event = journal_.record(
      Layer::libraries, Severity::error, kind, fmt::format("rank {}", setup_.rank),
      {{field::got, got}, {field::shows, std::string_view(text)}, {field::see, "NCCL_DEBUG=INFO"}},
      cause);
  return std::unexpected(LibraryFailure{std::move(text), event});
}

Result<void> Rank::check_network() {
  const std::string wanted = process_.env("NCCL_SOCKET_IFNAME");
  if (!wanted.empty()) {
    log_.info(Subsystem::env, fmt::format("NCCL_SOCKET_IFNAME set by environment to {}", wanted));
  }
  auto found = matching(setup_.interfaces, wanted.empty() ? "^docker,lo" : wanted);
  if (found.empty() && wanted.empty()) found = matching(setup_.interfaces, "lo");
  if (found.empty()) {
    log_.warn("", "Bootstrap : no socket interface found");
    return fail("rccl.no_interface", "NCCL_SOCKET_IFNAME=" + wanted,
                "Bootstrap : no socket interface found", process_.why_env("NCCL_SOCKET_IFNAME"));
  }
  log_.info(Subsystem::init,
            fmt::format("Bootstrap : Using {}:{}<0>", found.front().name, found.front().address));
  log_.info(Subsystem::init | Subsystem::net,
            "NET/Plugin: No plugin found (librccl-net.so), using internal implementation");
  return {};
}

/// What the library reads of the host: advice, which it prints on healthy hosts, too.
void Rank::check_host() {
  const std::string release = process_.read_file("/proc/sys/kernel/osrelease").value_or("");
  if (!release.empty()) {
    log_.info(Subsystem::init,
              fmt::format("Kernel version: {}", release.substr(0, release.find('\n'))));
  }
  const std::string cmdline = process_.read_file("/proc/cmdline").value_or("");
  if (cmdline.find("iommu=pt") == std::string::npos) {
    log_.warn("",
              "Missing \"iommu=pt\" from kernel command line which can lead to system instablity "
              "or hang!");
  }
}

Result<void> Rank::start() {
  if (setup_.rank == 0 && log_.shows_version()) {
    log_.banner(
        fmt::format("RCCL version : {}\nROCm version : {}\nHostname     : {}\n"
                    "Librccl path : {}\n",
                    version_of(setup_.rocm), setup_.rocm, setup_.hostname, setup_.library));
  }
  if (auto network = check_network(); !network) return network;
  check_host();
  auto device = dynamic_cast<hip::HsaInterop&>(hip_).hsa(setup_.device);
  if (!device) {
    const std::string text = rocdrill::text(device.error().error);
    log_.warn("", fmt::format("HIP failure '{}'", text));
    auto failed = fail("rccl.hip_failed", text,
                       "unhandled cuda error (run with NCCL_DEBUG=INFO "
                       "for details)",
                       device.error().event);
    failed.error().unmodelled = device.error().unmodelled;
    return failed;
  }
  device_ = *device;
  const AgentInfo& agent = device_.runtime->agents()[device_.agent];
  log_.info(Subsystem::init | Subsystem::net, "Using network Socket");
  event_ = journal_.record(Layer::libraries, Severity::info, "rccl.rank_starts",
                           fmt::format("rank {}", setup_.rank), {{field::see, "NCCL_DEBUG=INFO"}},
                           device_.event);
  bootstrap_.announce(setup_.rank,
                      {process_.pid(), setup_.device, agent.node, (agent.bdf >> 8) << 12, event_});
  return {};
}

std::size_t Rank::position(std::size_t channel) const {
  const Ring& ring = rings_[channel];
  return static_cast<std::size_t>(std::ranges::find(ring, setup_.rank) - ring.begin());
}
std::size_t Rank::before(std::size_t channel) const {
  const Ring& ring = rings_[channel];
  return ring[(position(channel) + ring.size() - 1) % ring.size()];
}
std::size_t Rank::after(std::size_t channel) const {
  const Ring& ring = rings_[channel];
  return ring[(position(channel) + 1) % ring.size()];
}

/// P2P where it is allowed and possible, else shared memory.
Result<Transport> Rank::choose(std::size_t from, std::size_t to) {
  const Path& path = topology_.path(from, to);
  const bool near = path.type <= p2p_level(process_);
  if (!is_set(process_, "NCCL_P2P_DISABLE") && path.peer_access && near) return Transport::p2p;
  if (!is_set(process_, "NCCL_SHM_DISABLE")) return Transport::shm;
  const EventId event =
      journal_.unmodelled(Layer::libraries, "RCCL over sockets between GPUs of one host",
                          "ncclSystemError", process_.why_env("NCCL_SHM_DISABLE"));
  LibraryFailure failure{"unhandled system error", event};
  failure.unmodelled = true;
  return std::unexpected(std::move(failure));
}

Result<void> Rank::offer() {
  const std::size_t size = bootstrap_.size();
  std::vector<std::uint32_t> nodes;
  for (std::size_t rank = 0; rank < size; ++rank) nodes.push_back(bootstrap_.of(rank).node);
  log_.info(Subsystem::init, fmt::format("ncclCommInitRank comm {:#x} rank {} nranks {} cudaDev {} "
                                         "busId {:x} - Init START",
                                         0x55d0a0000000u + setup_.rank * 0x1000, setup_.rank, size,
                                         setup_.device, bootstrap_.of(setup_.rank).bus_id));
  topology_ = Topology::read(process_, nodes);
  rings_ = find_rings(topology_);
  if (rings_.size() == 1) rings_.resize(plain_channels, rings_.front());
  if (setup_.rank == 0) {
    for (std::size_t channel = 0; channel < rings_.size(); ++channel) {
      log_.info(Subsystem::init, fmt::format("Channel {:02}/{:02} : {:>4}", channel, rings_.size(),
                                             fmt::join(rings_[channel], " ")));
    }
  }
  for (std::size_t channel = 0; size > 1 && channel < rings_.size(); ++channel) {
    auto transport = choose(before(channel), setup_.rank);
    if (!transport) return std::unexpected(transport.error());
    const std::size_t bytes = Window::bytes(size, (max_count + size - 1) / size);
    Window window;
    if (*transport == Transport::p2p) {
      auto made = make_p2p_window(device_, bytes);
      // Drivers without IPC handles: hipIpcGetMemHandle fails, and shared memory is what is left.
      if (!made) {
        log_.warn("", "hipIpcGetMemHandle failed : invalid argument");
        transport = Transport::shm;
      } else {
        window = *made;
      }
    }
    if (*transport == Transport::shm) {
      const std::string segment = segment_name(process_.pid(), channel);
      auto made = make_shm_window(process_, device_, segment, bytes);
      if (!made) {
        const std::string error =
            fmt::format("{} ({})", errno_text(made.error().error), made.error().error);
        log_.warn("misc/shmutils.cc:88",
                  fmt::format("Error: failed to extend {} to {} bytes, error: {}", segment,
                              Window::segment_bytes + 4, error));
        log_.warn("misc/shmutils.cc:132",
                  fmt::format("Error while creating shared memory segment {} (size {}), error: {}",
                              segment, Window::segment_bytes, error));
        return fail("rccl.no_shared_memory", errno_name(made.error().error), log_.last_warning(),
                    made.error().event);
      }
      window = std::move(*made);
    }
    window.arm(size);
    bootstrap_.offers[{setup_.rank, channel}] = window.offer;
    receives_.push_back(std::move(window));
  }
  return load_program();
}

Result<void> Rank::connect() {
  const std::size_t size = bootstrap_.size();
  const auto gpu = [&](std::size_t rank) {
    return fmt::format("{}[{:x}]", rank, bootstrap_.of(rank).bus_id);
  };
  for (std::size_t channel = 0; size > 1 && channel < rings_.size(); ++channel) {
    const std::size_t to = after(channel);
    auto opened = open_window(process_, device_, bootstrap_.offers.at({to, channel}));
    if (!opened)
      return fail("rccl.connect_failed", rocdrill::text(opened.error().status),
                  "unhandled system error", opened.error().event);
    log_.info(Subsystem::init |
                  (opened->offer.transport == Transport::p2p ? Subsystem::p2p : Subsystem::shm),
              fmt::format("Channel {:02}/0 : {} -> {} via {}", channel, gpu(setup_.rank), gpu(to),
                          name(opened->offer.transport)));
    sends_.push_back(std::move(*opened));
  }
  log_.info(Subsystem::init, "Connected all rings");
  log_.info(Subsystem::init,
            fmt::format("{} coll channels, {} p2p channels, 1 p2p channels per peer", rings_.size(),
                        rings_.size()));
  log_.info(Subsystem::init,
            fmt::format("comm {:#x} rank {} nranks {} cudaDev {} busId {:x} - Init COMPLETE",
                        0x55d0a0000000u + setup_.rank * 0x1000, setup_.rank, size, setup_.device,
                        bootstrap_.of(setup_.rank).bus_id));
  const std::string channels = fmt::format("{} channels", rings_.size());
  event_ = journal_.record(Layer::libraries, Severity::info, "rccl.connected",
                           fmt::format("rank {}", setup_.rank),
                           {{field::got, std::string_view(channels)},
                            {"transport", size > 1 ? name(sends_.front().offer.transport) : "none"},
                            {field::see, "NCCL_DEBUG=INFO"}},
                           event_);
  return {};
}

}  // namespace rocdrill::libraries::rccl
