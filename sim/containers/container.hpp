// A container as its engine keeps it: what was asked for, and what became of it at its start.
#pragma once

#include <string>
#include <vector>

#include "sim/host/archive.hpp"
#include "stack/process.hpp"

namespace rocdrill::containers {

/// What a registry or an engine's store knows of an image besides its files.
struct Image {
  std::string name;  ///< "rocm/dev-ubuntu-24.04:6.3.3"
  std::string id;    ///< 64 hexadecimal digits
  std::string user;  ///< USER of its Dockerfile; "" is root
  std::vector<std::string> command;
  Environment environment;
  std::uint64_t bytes = 0;  ///< as `docker images` shows it
};

/// "--device /dev/dri:/dev/dri:rwm".
struct DeviceOption {
  std::string source;
  std::string inside;
  std::string permissions = "rwm";
};

struct Options {
  std::string user;  ///< -u; "" as the image says
  std::vector<std::string> groups;
  std::vector<DeviceOption> devices;
  std::vector<BindMount> binds;  ///< -v, in order
  Environment environment;       ///< -e
  std::vector<std::string> security;
  std::vector<std::string> capabilities;
  std::vector<std::string> ulimits;
  bool privileged = false;
  std::string ipc = "private";
  std::string network = "bridge";
  std::string userns;                     ///< podman: "keep-id"
  std::uint64_t shm_bytes = 64ull << 20;  ///< the engines' default
  std::string restart = "no";
  std::string workdir = "/";
  std::string hostname;  ///< "" is the short id
  bool remove = false;   ///< --rm
};

enum class State : std::uint8_t { created, running, exited };

struct Container {
  std::string id;
  std::string name;
  std::string image;
  std::string image_id;
  std::vector<std::string> command;
  Options options;

  State state = State::created;
  int exit_code = 0;
  int boot = 0;  ///< the node's boot in which it was started
  std::string log;
  // Found out at its start:
  std::vector<std::string> devices;         ///< in its /dev
  std::vector<std::string> denied_devices;  ///< of those, what its device cgroup denies
  Identity identity;                        ///< ids of the node
  Identity inside;                          ///< ids of the image, which are those of docker inspect

  std::string short_id() const { return id.substr(0, 12); }
};

/// As `docker inspect` shows it, and as it is kept.
sim::Json to_json(const Container& container);
/// Throws nlohmann::json::exception for what is no container.
Container container_from(const sim::Json& json);
sim::Json to_json(const Image& image);
Image image_from(const sim::Json& json);

}  // namespace rocdrill::containers
