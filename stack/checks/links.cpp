// What several GPUs need together: links, ports, the IOMMU, shared memory, RCCL.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "stack/checks/context.hpp"
#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::checks {
namespace {

constexpr std::string_view nodes_folder = "/sys/class/kfd/kfd/topology/nodes";

/// Of a check: a node that is divided has more devices.
constexpr int most_ranks = 8;

std::vector<kfd::IoLink> links_of(Context& context, std::string_view kind) {
  std::vector<kfd::IoLink> links;
  const std::string root(nodes_folder);
  for (const std::string& node : context.process->list(root).value_or(std::vector<std::string>{})) {
    const std::string folder = fmt::format("{}/{}/{}", root, node, kind);
    for (const std::string& link :
         context.process->list(folder).value_or(std::vector<std::string>{})) {
      const auto text = context.process->read_file(folder + "/" + link + "/properties");
      if (const auto is = text ? kfd::parse_io_link(*text) : std::nullopt) links.push_back(*is);
    }
  }
  return links;
}

bool has_pcie_peers(Context& context) { return !links_of(context, "p2p_links").empty(); }

/// The end of a command that is part of a job: whatever it printed.
Finding judged(Context& context, const std::vector<std::string>& command,
               const CommandResult& result, std::string passed) {
  if (!result.found)
    return {Status::not_reached, command.front() + " is not installed", "", no_event};
  if (result.exit_code == 0) return {Status::pass, std::move(passed), "", no_event};
  const Timeline* timeline = context.backend.timeline();
  for (const EventId id : timeline&& result.event != no_event ? timeline->cause_chain(result.event)
                                                              : std::vector<EventId>{}) {
    if (timeline->at(id).severity == Severity::unmodelled)
      return {Status::not_modelled, "what it asks for is not modelled on this backend", "",
              result.event};
  }
  std::string shown = Context::shown(command, result);
  if (result.waits_for_ever) shown += "\n(does not end)";
  return {Status::fail, std::move(shown), "NCCL_DEBUG=INFO " + command.front(), result.event};
}

}  // namespace

/// Peers of a hive have one hop between them (weight 15), and no link counts errors.
Finding silicon_links(Context& context) {
  std::size_t direct = 0;
  for (const kfd::IoLink& link : links_of(context, "io_links")) {
    if (link.type != kfd::LinkType::xgmi) continue;
    ++direct;
    if (link.weight <= 15) continue;
    return {Status::fail,
            fmt::format("nodes {} and {} have no xGMI link of their own (weight {})",
                        link.node_from, link.node_to, link.weight),
            "rocm-smi --showtopo",
            context.process->why(fmt::format("{}/{}", nodes_folder, link.node_from))};
  }
  for (const std::string& bdf : context.amd_gpus) {
    const std::string file = "/sys/bus/pci/devices/" + bdf + "/xgmi_error";
    const std::string errors = context.process->read_file(file).value_or("0\n");
    if (errors.starts_with("0")) continue;
    return {Status::fail, file + ": " + errors.substr(0, errors.find('\n')), "amd-smi xgmi",
            context.process->why(file)};
  }
  if (direct == 0) return {Status::not_reached, "no xGMI link", "", no_event};
  return {Status::pass, fmt::format("{} xGMI links, no errors", direct / 2), "", no_event};
}

Finding silicon_acs(Context& context) {
  if (!has_pcie_peers(context)) return {Status::not_reached, "no peers over PCIe", "", no_event};
  const CommandResult lspci = context.run({"lspci", "-vvv"});
  const auto on = lines_with(lspci.out, "ACSCtl:\tSrcValid+");
  if (on.empty())
    return {Status::pass, "no port sends requests between peers to the root complex", "", no_event};
  return {Status::fail, fmt::format("{} ports with\n{}", on.size(), on.front()),
          "lspci -vvv | grep ACSCtl", lspci.event};
}

Finding kernel_iommu(Context& context) {
  if (!has_pcie_peers(context)) return {Status::not_reached, "no peers over PCIe", "", no_event};
  const std::string cmdline = context.process->read_file("/proc/cmdline").value_or("");
  // Of words with the same name the last one counts.
  std::map<std::string, std::string> last;
  std::istringstream words(cmdline);
  for (std::string word; words >> word;) last[word.substr(0, word.find('='))] = word;
  for (const std::string_view wanted :
       {"iommu=pt", "iommu.passthrough=1", "amd_iommu=off", "iommu=off"}) {
    const auto is = last.find(std::string(wanted.substr(0, wanted.find('='))));
    if (is != last.end() && is->second == wanted)
      return {Status::pass, fmt::format("{} on the kernel's command line", wanted), "", no_event};
  }
  return {Status::fail, "/proc/cmdline has no iommu=pt: " + cmdline.substr(0, cmdline.find('\n')),
          "cat /proc/cmdline", context.process->why("/boot/grub/grub.cfg")};
}

/// RCCL takes 9637892 bytes for a connection through shared memory, two of which a rank has.
Finding access_shm(Context& context) {
  if (context.gpu_nodes < 2) return {Status::not_reached, "one GPU", "", no_event};
  const std::vector<std::string> command{"df", "/dev/shm"};
  const CommandResult df = context.run(command);
  if (!df.found || df.exit_code != 0)
    return {Status::not_reached, "df does not know /dev/shm", "", no_event};
  const auto lines = lines_with(df.out, "/dev/shm");
  const std::uint64_t kib =
      lines.empty() ? 0 : std::strtoull(lines.front().c_str() + 5, nullptr, 10);
  const std::uint64_t wanted = context.gpu_nodes * 2 * 9637892 / 1024;
  if (kib >= wanted) return {Status::pass, fmt::format("{} KiB", kib), "", no_event};
  return {Status::fail, fmt::format("{} KiB; {} ranks may want {}", kib, context.gpu_nodes, wanted),
          "df -h /dev/shm", df.event};
}

Finding rccl_connects(Context& context) {
  if (context.devices < 2) return {Status::not_reached, "one GPU", "", no_event};
  if (!context.backend.capabilities().has(Capability::collectives))
    return {Status::not_modelled, "collectives do not run on this backend", "", no_event};
  const int ranks = std::min(context.devices, most_ranks);
  const std::vector<std::string> command{"all_reduce_perf",    "-b", "1K", "-e", "1K", "-g",
                                         std::to_string(ranks)};
  const Finding ends =
      judged(context, command, context.run(command),
             fmt::format("all_reduce_perf over {} GPUs ends with correct sums", ranks));
  constexpr std::string_view variable = "NCCL_P2P_DISABLE";
  const std::string disabled = context.process->env(variable);
  if (ends.status != Status::pass || disabled.empty() || disabled == "0") return ends;
  return {Status::fail,
          fmt::format("{}={}: it ends, and every transfer goes through the host's memory", variable,
                      disabled),
          "NCCL_DEBUG=INFO all_reduce_perf -g 2", context.process->why_env(variable)};
}

Finding collectives(Context& context) {
  if (context.deployment.training.empty())
    return {Status::not_reached, "no training was named", "", no_event};
  if (static_cast<std::size_t>(context.devices) < context.deployment.expected_gpus)
    return {Status::not_reached,
            fmt::format("the job sees {} of {} GPUs", context.devices,
                        context.deployment.expected_gpus),
            "", no_event};
  if (!context.backend.capabilities().has(Capability::collectives))
    return {Status::not_modelled, "collectives do not run on this backend", "", no_event};
  const std::vector<std::string>& command = context.deployment.training;
  return judged(context, command, context.run(command), "the training ends");
}

}  // namespace rocdrill::checks
