#include "sim/kernel/sysfs.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>

#include "sim/kernel/kernel.hpp"
#include "sim/silicon/catalogue.hpp"

namespace rocdrill::kernel {
namespace {

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

SysFs::SysFs(sim::Os& os, const Kernel& kernel) : os_(os), kernel_(kernel) {
  for (const char* prefix : {"/proc", "/sys/module", "/sys/class/kfd", "/sys/class/drm"}) {
    os.files.mount(prefix, *this);
  }
}

SysFs::Node SysFs::look(std::string_view path) const {
  const Parts parts = split(path);
  if (parts.size() >= 1 && parts[0] == "proc") return proc({parts.begin() + 1, parts.end()});
  if (parts.size() < 2) return {};
  if (parts[1] == "module") return module({parts.begin() + 2, parts.end()});
  if (parts.size() < 3) return {};
  if (parts[2] == "kfd") return class_kfd({parts.begin() + 3, parts.end()});
  return class_drm({parts.begin() + 3, parts.end()});
}

SysResult<FileStat> SysFs::lstat(std::string_view path) {
  const Node node = look(path);
  if (node.directory) return FileStat{.type = FileType::directory, .mode = 0755};
  if (node.target) return FileStat{.type = FileType::symlink, .mode = 0777};
  if (node.content) return FileStat{.type = FileType::regular, .mode = 0444, .size = 4096};
  return fail(ENOENT, node.why);
}

SysResult<std::string> SysFs::read(std::string_view path) {
  const Node node = look(path);
  if (node.content) return node.content();
  return fail(node.directory ? EISDIR : ENOENT, node.why);
}

SysResult<std::vector<std::string>> SysFs::list(std::string_view path) {
  Node node = look(path);
  if (node.directory) return std::move(*node.directory);
  return fail(node.content ? ENOTDIR : ENOENT, node.why);
}

SysResult<std::string> SysFs::readlink(std::string_view path) {
  const Node node = look(path);
  if (node.target) return *node.target;
  return fail(EINVAL);
}

EventId SysFs::why(std::string_view path) const {
  if (!path.starts_with("/sys/")) return os_.boot_event;
  return kernel_.kfd.present() ? kernel_.kfd.event() : kernel_.driver_event();
}

SysFs::Node SysFs::proc(const Parts& parts) const {
  Node node;
  if (parts.empty()) {
    node.directory =
        std::vector<std::string>{"cmdline", "cpuinfo", "meminfo", "modules", "version"};
    return node;
  }
  if (parts.size() > 1) return node;
  const Kernel& kernel = kernel_;
  if (parts[0] == "cmdline") node.content = [this] { return os_.cmdline + "\n"; };
  if (parts[0] == "version") {
    node.content = [this] { return "Linux version " + os_.kernel_release + " SMP\n"; };
  }
  if (parts[0] == "meminfo") {
    node.content = [&kernel] {
      return fmt::format("MemTotal:       {:8} kB\n", kernel.cpu.memory_bytes / 1024);
    };
  }
  if (parts[0] == "cpuinfo") {
    node.content = [&kernel] {
      std::string text;
      const std::uint32_t count = kernel.cpu.sockets * kernel.cpu.cores_per_socket;
      for (std::uint32_t i = 0; i < count; ++i) {
        fmt::format_to(
            std::back_inserter(text),
            "processor\t: {0}\nvendor_id\t: AuthenticAMD\nmodel name\t: {1}\napicid\t\t: {0}\n\n",
            i, kernel.cpu.model);
      }
      return text;
    };
  }
  if (parts[0] == "modules") {
    node.content = [&kernel] {
      std::string text;
      for (const LoadedModule& module : kernel.modules.all()) {
        std::string users;
        for (const std::string& user : module.used_by) users += user + ",";
        fmt::format_to(std::back_inserter(text), "{} {} {} {} Live 0x0000000000000000{}\n",
                       module.name, module.size, module.used_by.size(), users.empty() ? "-" : users,
                       module.in_tree ? "" : " (OE)");
      }
      return text;
    };
  }
  return node;
}

SysFs::Node SysFs::module(const Parts& parts) const {
  Node node;
  node.why = kernel_.driver_event();
  if (parts.empty()) {
    node.directory.emplace();
    for (const LoadedModule& module : kernel_.modules.all()) node.directory->push_back(module.name);
    return node;
  }
  const LoadedModule* module = kernel_.modules.find(parts[0]);
  if (!module) return node;
  if (parts.size() == 1) {
    node.directory = {"initstate", "parameters", "refcnt"};
    // Only the out-of-tree driver has a version.
    if (!module->version.empty()) node.directory->push_back("version");
    return node;
  }
  if (parts.size() == 2 && parts[1] == "initstate") {
    node.content = [module] { return module->initstate + "\n"; };
  } else if (parts.size() == 2 && parts[1] == "refcnt") {
    node.content = [module] { return fmt::format("{}\n", module->used_by.size()); };
  } else if (parts.size() == 2 && parts[1] == "version" && !module->version.empty()) {
    node.content = [module] { return module->version + "\n"; };
  } else if (parts.size() == 2 && parts[1] == "parameters") {
    node.directory.emplace();
    for (const auto& [name, value] : module->parameters) node.directory->push_back(name);
  } else if (parts.size() == 3 && parts[1] == "parameters") {
    const auto parameter = module->parameters.find(std::string(parts[2]));
    if (parameter != module->parameters.end()) {
      node.content = [parameter] { return parameter->second + "\n"; };
    }
  }
  return node;
}

SysFs::Node SysFs::class_kfd(const Parts& parts) const {
  Node node;
  node.why = kernel_.driver_event();
  if (!kernel_.kfd.present()) return node;
  const std::size_t cpus = kernel_.cpu.sockets;
  const std::size_t count = cpus + kernel_.kfd.nodes().size();
  if (parts.empty()) {
    node.directory = {"kfd"};
  } else if (parts[0] != "kfd") {
    return node;
  } else if (parts.size() == 1) {
    node.directory = {"topology"};
  } else if (parts[1] != "topology") {
    return node;
  } else if (parts.size() == 2) {
    node.directory = {"generation_id", "nodes", "system_properties"};
  } else if (parts[2] == "generation_id" && parts.size() == 3) {
    node.content = [this] { return fmt::format("{}\n", kernel_.kfd.generation()); };
  } else if (parts[2] == "system_properties" && parts.size() == 3) {
    node.content = [] { return std::string("platform_oem 0\nplatform_id 0\nplatform_rev 0\n"); };
  } else if (parts[2] == "nodes" && parts.size() == 3) {
    node.directory.emplace();
    for (std::size_t i = 0; i < count; ++i) node.directory->push_back(std::to_string(i));
  } else if (parts[2] == "nodes") {
    const auto index = number<std::size_t>(parts[3]);
    if (index && *index < count) return topology_node(*index, {parts.begin() + 4, parts.end()});
  }
  return node;
}

SysFs::Node SysFs::class_drm(const Parts& parts) const {
  Node node;
  if (parts.empty()) {
    node.directory.emplace();
    for (const GpuDevice& device : kernel_.amdgpu.devices()) {
      if (device.state != GpuDevice::State::bound) continue;
      node.directory->push_back(fmt::format("card{}", device.card_minor));
      node.directory->push_back(fmt::format("renderD{}", device.render_minor));
    }
    return node;
  }
  for (const GpuDevice& device : kernel_.amdgpu.devices()) {
    if (device.state != GpuDevice::State::bound) continue;
    if (parts[0] != fmt::format("card{}", device.card_minor) &&
        parts[0] != fmt::format("renderD{}", device.render_minor)) {
      continue;
    }
    const silicon::Gpu& gpu = kernel_.board().gpus()[device.gpu];
    if (parts.size() == 1) node.directory = {"dev", "device"};
    if (parts.size() == 2 && parts[1] == "device") {
      node.target = "/sys/bus/pci/devices/" + gpu.bdf.text();
    }
    if (parts.size() == 2 && parts[1] == "dev") {
      const std::uint32_t minor =
          parts[0].starts_with("card") ? device.card_minor : device.render_minor;
      node.content = [minor] { return fmt::format("226:{}\n", minor); };
    }
  }
  return node;
}

}  // namespace rocdrill::kernel
