// What a node is made of before anything goes wrong: the content of a scenarios/nodes file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/host/pci.hpp"

namespace rocdrill::sim {

/// In which container the user's job runs: {"engine": "docker", "name": "train"}, or "podman" with
/// the "user" whose it is, or "kubernetes" with the pod's name. Absent: in none.
inline constexpr const char* job_place = "/srv/job/place.json";
/// How the site wants its GPUs divided: checks::Deployment::partition_plan.
inline constexpr const char* partition_plan = "/etc/gpu-partition.conf";
/// What the user's PyTorch job loads: {"weights_gib": 131}.
inline constexpr const char* job_model = "/srv/job/model.json";

struct GpuSpec {
  std::string product;  ///< key of the catalogue: "MI300X"
  Bdf bdf;
  std::uint32_t numa_node = 0;
  std::uint64_t unique_id = 0;  ///< 0: drawn from the seed
};

enum class Distro : std::uint8_t { debian, ubuntu };

struct KernelSpec {
  std::string release;          ///< "6.8.0-60-generic"
  bool installed = true;        ///< else only published: an upgrade may bring it
  bool headers = true;          ///< installed with its headers (always published)
  bool in_tree_amdgpu = false;  ///< whether its module package contains amdgpu
};

struct UserSpec {
  std::string name;
  std::uint32_t uid = 1000;
  std::vector<std::string> groups;
};

struct DriverSpec {
  /// "" if the kernel's own amdgpu is used; else the dkms version, "6.10.5-2125197.24.04".
  std::string dkms_version;
};

struct FirmwareSpec {
  std::string package;  ///< "amdgpu-dkms-firmware", "firmware-amd-graphics"
  std::string version;
  std::string directory;  ///< "/lib/firmware/updates/amdgpu" or "/lib/firmware/amdgpu"
};

struct RocmSpec {
  std::string version;  ///< "6.3.3"
  std::string prefix;   ///< "/opt/rocm-6.3.3", "/usr"
};

struct TorchSpec {
  std::string version;               ///< "2.6.0+rocm6.3"; "" if not installed
  std::string hip_version;           ///< torch.version.hip
  std::string directory;             ///< site-packages/torch
  std::vector<std::string> targets;  ///< what the wheel's code objects were built for
};

/// A HIP program of the user.
struct AppSpec {
  std::string path;    ///< "/srv/job/saxpy"
  std::string source;  ///< device code it was built from: "saxpy"
  std::vector<std::string> targets;
};

struct NodeSpec {
  std::string id;
  std::string title;
  std::string hostname;
  Distro distro = Distro::ubuntu;
  std::string distro_release;  ///< "24.04", "12"
  std::string cpu_model;
  std::uint32_t cpu_sockets = 1;
  std::uint32_t cpu_cores_per_socket = 8;  ///< logical CPUs
  std::uint64_t memory_bytes = 0;
  std::string cmdline;  ///< GRUB_CMDLINE_LINUX
  std::vector<GpuSpec> gpus;
  bool xgmi = true;  ///< the GPUs that have ports for it are linked; false: slots without bridges
  std::vector<KernelSpec> kernels;  ///< oldest first
  std::vector<UserSpec> users;
  std::string user;  ///< who is logged in
  DriverSpec driver;
  FirmwareSpec firmware;
  RocmSpec rocm;
  TorchSpec torch;
  std::vector<AppSpec> apps;
  std::map<std::string, std::string> environment;  ///< of the user's job
  /// Bytes of real code objects: source name -> target -> ELF. Filled by whoever loads the spec.
  std::map<std::string, std::map<std::string, std::string>> code_objects;
};

}  // namespace rocdrill::sim
