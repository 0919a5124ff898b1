// Docker's daemon, and podman without one: images and containers as files of the node, and what
// starting a container makes of its options.
#pragma once

#include <expected>
#include <functional>
#include <optional>

#include "sim/containers/container.hpp"
#include "sim/host/os.hpp"

namespace rocdrill::containers {

enum class Kind : std::uint8_t { docker, podman };

/// Whose containers: docker's are root's, podman's those of who asks.
struct Owner {
  Kind kind = Kind::docker;
  Identity who;      ///< of podman: the user, with the groups of the session
  std::string home;  ///< of podman

  bool rootless() const { return kind == Kind::podman && who.uid != 0; }
};

/// Why an engine does not do what it was asked: its own words, without the command's name.
struct Refusal {
  std::string text;
  int code = 125;
  EventId event = no_event;
};
template <class T>
using Outcome = std::expected<T, Refusal>;

class Engine {
 public:
  Engine(sim::Os& os, Owner owner) : os_(os), owner_(std::move(owner)) {}

  const Owner& owner() const { return owner_; }

  std::vector<Image> images() const;
  /// "rocm/pytorch" means "rocm/pytorch:latest".
  std::optional<Image> image(const std::string& name) const;
  /// Unpacks an image into the store.
  void add(const Image& image, const std::vector<sim::PackageFile>& files, EventId event);

  std::vector<Container> containers() const;  ///< in the order of their creation
  std::optional<Container> find(const std::string& name_or_id) const;
  /// Its files, and the event that made its configuration what it is.
  EventId why(const Container& container) const { return os_.files.why(config_of(container.id)); }

  Outcome<Container> create(std::string name, const std::string& image,
                            std::vector<std::string> command, Options options, EventId cause);
  /// Devices, groups and user are looked up now, as the engine does it.
  Outcome<void> start(Container& container, EventId cause);
  void stop(Container& container, EventId cause);
  void finish(Container& container, int exit_code, std::string log, EventId cause);
  void remove(const Container& container, EventId cause);
  /// What runs after a boot is what has a restart policy. A policy is tried again at every look.
  void catch_up();

  /// A process in a running container: its own, or one of `exec`.
  ProcessSpec process(const Container& container) const;
  /// The user that `user` ("name", "1000", "1000:109") is in the container, with its groups.
  Outcome<Identity> resolve_user(const Container& container, const std::string& user) const;

 private:
  std::string root() const;  ///< of the store
  std::string config_of(const std::string& id) const;
  std::string files_of(const std::string& id) const;
  void store(const Container& container, EventId event);
  Outcome<void> find_devices(Container& container) const;
  std::vector<IdRange> map(std::uint32_t own, std::string_view subordinate,
                           const Options& options) const;

  sim::Os& os_;
  Owner owner_;
};

/// "rocm/pytorch" -> "rocm/pytorch:latest"; a registry's name at the front goes.
std::string canonical(std::string image);

}  // namespace rocdrill::containers
