#include "sim/provision.hpp"

#include "sim/distributed.hpp"
#include "sim/host/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "sim/device_code.hpp"
#include "sim/firmware/gates.hpp"
#include "sim/kernel/initramfs.hpp"
#include "sim/node.hpp"
#include "sim/silicon/catalogue.hpp"
#include "sim/silicon/telemetry.hpp"
#include "sim/wheel.hpp"

namespace rocdrill::sim {
namespace {

/// SplitMix64: the same numbers with every library.
std::uint64_t mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

PackageFile file(std::string path, std::string content, std::uint32_t mode = 0644) {
  return {std::move(path), Blob{std::move(content)}, mode, false};
}

std::string meta_suffix(const NodeSpec& spec) {
  return spec.distro == Distro::debian ? "amd64" : "generic";
}

/// "6.8.0-60-generic" -> "6.8.0-60"
std::string meta_version(const std::string& release) {
  return release.substr(0, release.rfind('-'));
}

Package headers_package(const KernelSpec& kernel) {
  Package package{.name = "linux-headers-" + kernel.release,
                  .version = meta_version(kernel.release),
                  .depends = {},
                  .files = {},
                  .summary = "Linux kernel headers"};
  const std::string tree = "/usr/src/linux-headers-" + kernel.release;
  package.files.push_back(file(tree + "/Makefile", "# headers of " + kernel.release + "\n"));
  package.files.push_back(file(tree + "/Module.symvers", kernel::symvers_text({})));
  package.files.push_back({"/lib/modules/" + kernel.release + "/build", Blob{tree}, 0777, true});
  return package;
}

PackageFile in_tree_module(const KernelSpec& kernel) {
  return file("/lib/modules/" + kernel.release + "/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko",
              kernel::module_text("amdgpu", kernel.release, "", {}, kernel::amdgpu_aliases()));
}

/// Publishes a kernel's packages. Ubuntu keeps amdgpu in linux-modules-extra, Debian in the image.
void publish_kernel(Packages& packages, const NodeSpec& spec, const KernelSpec& kernel) {
  Package image{.name = "linux-image-" + kernel.release,
                .version = meta_version(kernel.release),
                .depends = {},
                .files = {},
                .summary = "Linux kernel image"};
  image.files.push_back(file("/boot/vmlinuz-" + kernel.release, "kernel " + kernel.release + "\n"));
  image.files.push_back(file("/lib/modules/" + kernel.release + "/modules.builtin", ""));
  image.files.push_back(
      file("/lib/modules/" + kernel.release + "/kernel/drivers/vfio/pci/vfio-pci.ko",
           kernel::module_text("vfio_pci", kernel.release, "", {}, {})));
  Package extra{.name = "linux-modules-extra-" + kernel.release,
                .version = image.version,
                .depends = {},
                .files = {in_tree_module(kernel)},
                .summary = "Linux kernel extra modules"};
  if (spec.distro == Distro::debian) {
    if (kernel.in_tree_amdgpu) image.files.push_back(in_tree_module(kernel));
  } else {
    if (kernel.in_tree_amdgpu) image.depends.push_back(extra.name);
    packages.publish(std::move(extra));
  }
  packages.publish(std::move(image));
  packages.publish(headers_package(kernel));
}

void publish_meta(Packages& packages, const NodeSpec& spec, const KernelSpec& kernel) {
  for (const std::string prefix : {"linux-image-", "linux-headers-"}) {
    packages.publish({.name = prefix + meta_suffix(spec),
                      .version = meta_version(kernel.release),
                      .depends = {prefix + kernel.release},
                      .files = {},
                      .summary = "meta package"});
  }
}

void install_kernels(Node& node, const NodeSpec& spec) {
  Packages& packages = node.os.packages;
  const KernelSpec* newest = nullptr;
  for (const KernelSpec& kernel : spec.kernels) {
    publish_kernel(packages, spec, kernel);
    if (!kernel.installed) continue;
    newest = &kernel;
    if (spec.distro == Distro::ubuntu && kernel.in_tree_amdgpu) {
      packages.preinstall("linux-modules-extra-" + kernel.release);
    }
    packages.preinstall("linux-image-" + kernel.release);
    if (kernel.headers) packages.preinstall("linux-headers-" + kernel.release);
    kernel::depmod(node.os.files, kernel.release, no_event);
  }
  if (!newest) throw std::runtime_error("node '" + spec.id + "' has no installed kernel");
  publish_meta(packages, spec, *newest);
  packages.preinstall("linux-image-" + meta_suffix(spec));
  if (newest->headers) packages.preinstall("linux-headers-" + meta_suffix(spec));
  publish_meta(packages, spec, spec.kernels.back());
  node.os.update_grub(no_event);
  for (const std::string& release : node.os.installed_kernels())
    kernel::update_initramfs(node.os, release, no_event);
}

void install_driver(Node& node, const NodeSpec& spec) {
  const std::string& version = spec.driver.dkms_version;
  if (version.empty()) return;
  const std::string source = "/usr/src/amdgpu-" + version;
  node.os.packages.publish(
      {.name = "amdgpu-dkms",
       .version = version,
       .depends = {},
       .files = {file(source + "/dkms.conf",
                      fmt::format("PACKAGE_NAME=\"amdgpu\"\nPACKAGE_VERSION=\"{}\"\n"
                                  "AUTOINSTALL=\"yes\"\n",
                                  version)),
                 file(source + "/Makefile", "# amdgpu\n"),
                 file(source + "/amd/amdgpu/amdgpu.mod.imports", kernel::imports_text())},
       .summary = "amdgpu driver in DKMS format"});
  node.os.packages.preinstall("amdgpu-dkms");
  node.kernel.dkms.add(version, no_event);
  for (const KernelSpec& kernel : spec.kernels) {
    if (kernel.installed && kernel.headers)
      node.kernel.dkms.install(version, kernel.release, no_event);
  }
}

void install_firmware(Node& node, const NodeSpec& spec) {
  Package package{.name = spec.firmware.package,
                  .version = spec.firmware.version,
                  .depends = {},
                  .files = {},
                  .summary = "GPU firmware"};
  std::set<std::string_view> done;
  for (const silicon::Gpu& gpu : node.board.gpus()) {
    for (const FirmwareBlob& blob : gpu.product->firmware) {
      if (!done.insert(blob.file).second) continue;
      package.files.push_back(
          file(spec.firmware.directory + "/" + std::string(blob.file),
               firmware::blob_text({std::string(blob.file), blob.version,
                                    blob.block == "smu" ? firmware::smu_driver_interface : 0})));
    }
  }
  node.os.packages.publish(std::move(package));
  node.os.packages.preinstall(spec.firmware.package);
}

void install_rocm(Node& node, const NodeSpec& spec) {
  const RocmSpec& rocm = spec.rocm;
  const auto add = [&](const std::string& name, std::vector<PackageFile> files) {
    node.os.packages.publish({.name = name,
                              .version = rocm.version,
                              .depends = {},
                              .files = std::move(files),
                              .summary = "ROCm " + rocm.version});
    node.os.packages.preinstall(name);
  };
  const bool debian = rocm.prefix == "/usr";
  add(debian ? "libhsa-runtime64-1" : "hsa-rocr",
      {file(rocm.prefix + "/lib/libhsa-runtime64.so.1", rocm.version + "\n")});
  add(debian ? "libamdhip64-5" : "hip-runtime-amd",
      {file(rocm.prefix + "/lib/libamdhip64.so", rocm.version + "\n")});
  add("rocminfo", {file(rocm.prefix + "/bin/rocminfo", "", 0755)});
  std::vector<std::string> targets;
  if (const auto rccl = spec.code_objects.find("rccl"); rccl != spec.code_objects.end())
    for (const auto& [target, bytes] : rccl->second) targets.push_back(target);
  add(debian ? "librccl1" : "rccl",
      {file(rccl_library(spec), make_fat_binary(spec, "rccl", targets))});
  if (!debian) add("rocm-core", {file(rocm.prefix + "/.info/version", rocm.version + "\n")});
}

void install_torch(Node& node, const NodeSpec& spec) {
  if (!spec.torch.version.empty()) unpack_wheel(node, WheelKind::rocm, no_event);
}

void make_users(Node& node, const NodeSpec& spec) {
  std::string passwd = "root:x:0:0:root:/root:/bin/bash\n";
  std::map<std::string, std::string> members;
  for (const UserSpec& user : spec.users) {
    passwd += fmt::format("{0}:x:{1}:{1}::/home/{0}:/bin/bash\n", user.name, user.uid);
    for (const std::string& group : user.groups) {
      members[group] += (members[group].empty() ? "" : ",") + user.name;
    }
  }
  std::string group = "root:x:0:\n";
  const std::pair<const char*, int> system_groups[] = {
      {"adm", 4}, {"sudo", 27}, {"docker", 988}, {"render", 105}, {"video", 44}};
  for (const auto& [name, gid] : system_groups)
    group += fmt::format("{}:x:{}:{}\n", name, gid, members[name]);
  int next_gid = 200;  // a group that only the description names is made all the same
  for (const auto& [name, list] : members) {
    const auto known = std::ranges::find(
        system_groups, name, [](const auto& entry) { return std::string_view(entry.first); });
    if (known == std::end(system_groups))
      group += fmt::format("{}:x:{}:{}\n", name, next_gid++, list);
  }
  for (const UserSpec& user : spec.users) group += fmt::format("{}:x:{}:\n", user.name, user.uid);
  for (const UserSpec& user : spec.users) {
    const std::string home = "/home/" + user.name;
    node.os.files.make_directory(home, no_event);
    static_cast<void>(node.os.files.chown(home, user.uid, user.uid, no_event));
  }
  node.os.files.write("/etc/passwd", passwd, no_event);
  node.os.files.write("/etc/group", group, no_event);
  // useradd gives each account 65536 ids for the user namespaces of its containers.
  std::string subordinate;
  std::uint32_t first = 100000;
  for (const UserSpec& user : spec.users) {
    subordinate += fmt::format("{}:{}:65536\n", user.name, first);
    first += 65536;
  }
  for (const char* file : {"/etc/subuid", "/etc/subgid"})
    node.os.files.write(file, subordinate, no_event);
}

/// Those that stand on state of the node (Node::describe_units).
void make_units(FileTree& files, const NodeSpec& spec) {
  const std::string directory =
      spec.distro == Distro::debian ? "/lib/systemd/system/" : "/usr/lib/systemd/system/";
  files.write(directory + "systemd-modules-load.service",
              "[Unit]\nDescription=Load Kernel Modules\n"
              "Documentation=man:systemd-modules-load.service(8) man:modules-load.d(5)\n\n"
              "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
              "ExecStart=/lib/systemd/systemd-modules-load\n",
              no_event);
  files.write(directory + "systemd-udevd.service",
              "[Unit]\nDescription=Rule-based Manager for Device Events and Files\n"
              "Documentation=man:systemd-udevd.service(8) man:udev(7)\n\n"
              "[Service]\nType=notify\nExecStart=/lib/systemd/systemd-udevd\n",
              no_event);
  files.write(directory + "systemd-udev-trigger.service",
              "[Unit]\nDescription=Coldplug All udev Devices\n"
              "Documentation=man:udev(7) man:systemd-udevd.service(8)\n\n"
              "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
              "ExecStart=-udevadm trigger --type=all --action=add\n",
              no_event);
  files.symlink(directory + "kmod.service", "systemd-modules-load.service", no_event);
  files.symlink(directory + "udev.service", "systemd-udevd.service", no_event);
  files.make_directory("/etc/systemd/system", no_event);
}

/// The key that dkms signs with. Its owner may enroll it with mokutil; installers offer that only
/// where Secure Boot is on.
void make_signing_key(FileTree& files, const NodeSpec& spec) {
  if (spec.driver.dkms_version.empty()) return;
  const std::string name = spec.hostname + " Secure Boot Module Signature key";
  files.write(std::string(kernel::signing_key), name + "\n", no_event);
  files.write("/var/lib/shim-signed/mok/MOK.priv", "private key of " + name + "\n", no_event,
              {.mode = 0600});
}

void make_system_files(Node& node, const NodeSpec& spec) {
  FileTree& files = node.os.files;
  files.write("/lib/udev/rules.d/50-udev-default.rules",
              "SUBSYSTEM==\"drm\", KERNEL==\"renderD*\", GROUP=\"render\", MODE=\"0660\"\n"
              "SUBSYSTEM==\"drm\", KERNEL==\"card*\", GROUP=\"video\", MODE=\"0660\"\n"
              "SUBSYSTEM==\"kfd\", KERNEL==\"kfd\", GROUP=\"render\", MODE=\"0660\"\n",
              no_event);
  files.write("/etc/default/grub", fmt::format("GRUB_CMDLINE_LINUX=\"{}\"\n", spec.cmdline),
              no_event);
  files.write("/etc/hostname", spec.hostname + "\n", no_event);
  files.write(
      "/etc/os-release",
      spec.distro == Distro::debian
          ? fmt::format("PRETTY_NAME=\"Debian GNU/Linux {}\"\nID=debian\n", spec.distro_release)
          : fmt::format("PRETTY_NAME=\"Ubuntu {}\"\nID=ubuntu\n", spec.distro_release),
      no_event);
  const std::string address = host_address(spec.hostname);
  if (spec.distro == Distro::debian) {
    files.write("/etc/network/interfaces",
                "auto lo\niface lo inet loopback\n\nauto eno1\niface eno1 inet static\n"
                "    address " +
                    address + "/24\n",
                no_event);
  } else {
    files.write(
        "/etc/netplan/50-cloud-init.yaml",
        "network:\n  version: 2\n  ethernets:\n    eno1:\n      addresses: [" + address + "/24]\n",
        no_event);
  }
  files.make_directory("/etc/modprobe.d", no_event);
  files.write("/etc/initramfs-tools/modules",
              "# List of modules that you want to include in your initramfs.\n", no_event);
  make_signing_key(files, spec);
  files.make_directory("/lib/modprobe.d", no_event);
  // /etc/modules is read because a link of modules-load.d leads there.
  files.write("/etc/modules", "# Kernel modules to load at boot time, one name per line.\n",
              no_event);
  files.symlink("/etc/modules-load.d/modules.conf", "../modules", no_event);
  make_units(files, spec);
}

}  // namespace

void provision(Node& node, const NodeSpec& spec, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (const GpuSpec& gpu : spec.gpus) {
    silicon::Gpu made;
    made.product = &silicon::product_or_throw(gpu.product);
    made.bdf = gpu.bdf;
    made.numa_node = gpu.numa_node;
    made.unique_id = gpu.unique_id != 0 ? gpu.unique_id : mix(state) | 1;
    // Consumer boards show no unique id.
    if (!made.product->marketing_name.starts_with("AMD Instinct")) made.unique_id = gpu.unique_id;
    made.ifwi = silicon::ifwi_version(*made.product);
    node.board.add(std::move(made));
  }
  if (spec.xgmi) node.board.connect();
  node.os.hostname = spec.hostname;
  node.kernel.cpu = {spec.cpu_model, spec.cpu_sockets, spec.cpu_cores_per_socket,
                     spec.memory_bytes};
  make_system_files(node, spec);
  make_users(node, spec);
  install_kernels(node, spec);
  install_firmware(node, spec);
  install_driver(node, spec);
  install_rocm(node, spec);
  install_torch(node, spec);
  for (const AppSpec& app : spec.apps) {
    node.os.files.write(app.path, make_fat_binary(spec, app.source, app.targets), no_event,
                        {.mode = 0755});
  }
  install_training(node);
  for (const auto& [name, value] : spec.environment) node.os.session_environment[name] = value;
}

}  // namespace rocdrill::sim
