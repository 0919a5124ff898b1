// Silicon, firmware, kernel driver.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "stack/checks/context.hpp"

namespace rocdrill::checks {
namespace {

bool is_gpu_class(const std::string& text) {
  return text.starts_with("0x03") || text.starts_with("0x12");
}

}  // namespace

Finding pci_devices(Context& context) {
  Process& process = *context.process;
  const std::string root = "/sys/bus/pci/devices";
  auto names = process.list(root);
  if (!names)
    return {Status::fail, root + ": " + errno_text(names.error().error), "lspci",
            names.error().event};
  for (const std::string& bdf : *names) {
    const std::string vendor = process.read_file(root + "/" + bdf + "/vendor").value_or("");
    const std::string kind = process.read_file(root + "/" + bdf + "/class").value_or("");
    if (vendor.starts_with("0x1002") && is_gpu_class(kind)) context.amd_gpus.push_back(bdf);
  }
  const std::size_t count = context.amd_gpus.size();
  const std::size_t expected = context.deployment.expected_gpus;
  Finding found{Status::pass,
                fmt::format("{} AMD GPU{}: {}", count, count == 1 ? "" : "s",
                            fmt::join(context.amd_gpus, " ")),
                "", no_event};
  if (count == 0 || count < expected) {
    found.status = Status::fail;
    if (expected > 0) found.evidence += fmt::format(" ({} expected)", expected);
    found.next = "lspci -d 1002:";
    found.event = process.why(root);
  }
  return found;
}

Finding firmware_blobs(Context& context) {
  if (!context.process->exists("/sys/module/amdgpu")) {
    return {Status::not_reached, "amdgpu is not loaded, so nothing asked for firmware", "lsmod",
            no_event};
  }
  const CommandResult dmesg = context.run({"dmesg"});
  if (!dmesg.found || dmesg.exit_code != 0) {
    return {Status::not_reached, Context::shown({"dmesg"}, dmesg), "sudo dmesg", no_event};
  }
  auto missing = lines_with(dmesg.out, "Direct firmware load for amdgpu/");
  const auto blocks = lines_with(dmesg.out, "*ERROR* early_init of IP block");
  if (blocks.empty()) return {Status::pass, "no IP block lacks its firmware", "", no_event};
  missing.insert(missing.end(), blocks.begin(), blocks.end());
  if (missing.size() > 4) missing.resize(4);
  return {Status::fail, fmt::format("{}", fmt::join(missing, "\n")),
          "ls /lib/firmware/updates/amdgpu /lib/firmware/amdgpu", no_event};
}

Finding kernel_module(Context& context) {
  const std::vector<std::string> command{"lsmod"};
  const CommandResult lsmod = context.run(command);
  const auto loaded = lines_with(lsmod.out, "amdgpu ");
  if (!loaded.empty()) return {Status::pass, loaded.front(), "", no_event};
  return {Status::fail, "$ lsmod | grep amdgpu\n(nothing)", "modprobe amdgpu",
          context.process->why("/sys/module/amdgpu")};
}

Finding kernel_dkms(Context& context) {
  const std::vector<std::string> command{"dkms", "status"};
  const CommandResult dkms = context.run(command);
  if (!dkms.found || (dkms.out.empty() && dkms.err.empty())) {
    return {Status::pass, "no dkms driver: the kernel's own amdgpu is used", "", no_event};
  }
  const std::string release = context.backend.host().kernel_release();
  for (const std::string& line : lines_with(dkms.out, "amdgpu")) {
    if (line.find(release + ",") != std::string::npos &&
        line.find(": installed") != std::string::npos) {
      return {Status::pass, line, "", no_event};
    }
  }
  return {Status::fail, "$ uname -r\n" + release + "\n" + Context::shown(command, dkms),
          "dkms install amdgpu -k " + release,
          context.process->why("/lib/modules/" + release + "/updates/dkms/amdgpu.ko")};
}

Finding kernel_probe(Context& context) {
  std::vector<std::string> without;
  EventId event = no_event;
  for (const std::string& bdf : context.amd_gpus) {
    const auto driver = context.process->readlink("/sys/bus/pci/devices/" + bdf + "/driver");
    if (driver && driver->ends_with("/amdgpu")) {
      ++context.bound;
    } else {
      without.push_back(driver ? fmt::format("{} ({})", bdf, driver->substr(driver->rfind('/') + 1))
                               : bdf);
      event = std::max(event, context.process->why("/sys/bus/pci/devices/" + bdf + "/uevent"));
    }
  }
  if (without.empty())
    return {Status::pass, fmt::format("{} of {} bound", context.bound, context.amd_gpus.size()), "",
            no_event};
  return {Status::fail, fmt::format("no amdgpu on {}", fmt::join(without, " ")), "dmesg", event};
}

Finding kernel_topology(Context& context) {
  Process& process = *context.process;
  const std::string root = "/sys/class/kfd/kfd/topology/nodes";
  auto nodes = process.list(root);
  if (!nodes) {
    return {Status::fail, "/sys/class/kfd is absent: KFD never started", "dmesg",
            nodes.error().event};
  }
  std::size_t cpus = 0;
  for (const std::string& node : *nodes) {
    const std::string id = process.read_file(root + "/" + node + "/gpu_id").value_or("0\n");
    (id == "0\n" ? cpus : context.gpu_nodes) += 1;
    const std::string properties =
        process.read_file(root + "/" + node + "/properties").value_or("");
    constexpr std::string_view key = "drm_render_minor ";
    for (const std::string& line : lines_with(properties, key))
      context.render_nodes.insert("renderD" + line.substr(key.size()));
  }
  if (context.gpu_nodes > 0)
    return {Status::pass, fmt::format("{} GPU nodes, {} CPU nodes", context.gpu_nodes, cpus), "",
            no_event};
  return {Status::fail, fmt::format("the topology is empty: {} CPU nodes, no GPU node", cpus),
          "dmesg", process.why(root)};
}

Finding kernel_partitions(Context& context) {
  const std::string& plan = context.deployment.partition_plan;
  if (plan.empty()) return {Status::pass, "nothing is planned", "", no_event};
  Process& process = *context.process;
  std::map<std::string, std::string> wanted{{"compute", "SPX"}, {"memory", "NPS1"}};
  const std::string text = process.read_file(plan).value_or("");
  for (auto& [key, mode] : wanted) {
    for (const std::string& line : lines_with(text, key + "=")) mode = line.substr(key.size() + 1);
  }
  std::string seen;
  std::size_t divisible = 0;
  EventId event = no_event;
  for (const std::string& bdf : context.amd_gpus) {
    for (const auto& [key, mode] : wanted) {
      const std::string path = "/sys/bus/pci/devices/" + bdf + "/current_" + key + "_partition";
      auto is = process.read_file(path);
      if (!is) continue;
      ++divisible;
      while (is->ends_with('\n')) is->pop_back();
      if (*is == mode) continue;
      seen += fmt::format("{}: {} {}, planned is {}\n", bdf, key, *is, mode);
      event = process.why(path);
    }
  }
  if (divisible == 0) return {Status::pass, "no GPU can be divided", "", no_event};
  if (seen.empty())
    return {Status::pass, fmt::format("{}, {}", wanted["compute"], wanted["memory"]), "", no_event};
  seen.pop_back();
  return {Status::fail, seen, "sudo amd-smi partition", event};
}

/// Nine tenths in use by others leave nothing to work with.
Finding kernel_vram(Context& context) {
  Process& process = *context.process;
  std::uint64_t most = 0;
  for (const std::string& bdf : context.amd_gpus) {
    const std::string device = "/sys/bus/pci/devices/" + bdf;
    const auto total = process.read_file(device + "/mem_info_vram_total");
    const auto used = process.read_file(device + "/mem_info_vram_used");
    if (!total || !used) continue;
    const std::uint64_t all = std::strtoull(total->c_str(), nullptr, 10);
    const std::uint64_t taken = std::strtoull(used->c_str(), nullptr, 10);
    if (all == 0) continue;
    const std::uint64_t percent = taken / std::max<std::uint64_t>(all / 100, 1);
    most = std::max(most, percent);
    if (percent < 90) continue;
    return {Status::fail,
            fmt::format("{}: {} of {} MiB of VRAM are in use", bdf, taken >> 20, all >> 20),
            "rocm-smi --showpids", process.why(device + "/mem_info_vram_used")};
  }
  return {Status::pass, fmt::format("at most {}% of a GPU's VRAM are in use", most), "", no_event};
}

}  // namespace rocdrill::checks
