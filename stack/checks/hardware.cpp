// What a node says of its own hardware: errors that GPUs count, limits that hold them back, the
// firmware on their boards.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <optional>

#include "stack/checks/context.hpp"

namespace rocdrill::checks {
namespace {

constexpr std::size_t most_lines = 4;

/// Lines of the kernel's log that contain one of `parts`; nullopt if the log cannot be read.
std::optional<std::vector<std::string>> logged(Context& context,
                                               std::initializer_list<std::string_view> parts) {
  const CommandResult dmesg = context.run({"dmesg"});
  if (!dmesg.found || dmesg.exit_code != 0) return std::nullopt;
  std::vector<std::string> found;
  for (const std::string_view part : parts) {
    for (std::string& line : lines_with(dmesg.out, part)) found.push_back(std::move(line));
  }
  if (found.size() > most_lines) found.resize(most_lines);
  return found;
}

Finding no_log() {
  return {Status::not_reached, "the kernel's log cannot be read", "sudo dmesg", no_event};
}

std::uint64_t number(Context& context, const std::string& path) {
  return std::strtoull(context.process->read_file(path).value_or("0").c_str(), nullptr, 10);
}

}  // namespace

/// Errors that were corrected are nobody's business; those that were not are.
Finding hardware_errors(Context& context) {
  for (const std::string& bdf : context.amd_gpus) {
    const std::string folder = "/sys/bus/pci/devices/" + bdf + "/ras";
    for (const std::string& name :
         context.process->list(folder).value_or(std::vector<std::string>{})) {
      if (!name.ends_with("_err_count")) continue;
      const std::string text = context.process->read_file(folder + "/" + name).value_or("");
      if (!text.starts_with("ue: ") || text.starts_with("ue: 0\n")) continue;
      return {Status::fail,
              fmt::format("{} {}: {}", bdf, name.substr(0, name.find("_err_count")),
                          text.substr(0, text.find('\n'))),
              "rocm-smi --showrasinfo; sudo dmesg", context.process->why(folder)};
    }
  }
  const auto lines = logged(context, {"firmware load failed at boot time",
                                      "exceed threshold:", "(ERREVENT_ATHUB_INTERRUPT) detected",
                                      "poison is consumed by client", "RAS poison consumption",
                                      "unsuccessful queues preemption"});
  if (!lines) return no_log();
  if (lines->empty()) return {Status::pass, "none is reported", "", no_event};
  return {Status::fail, fmt::format("{}", fmt::join(*lines, "\n")), "sudo dmesg", no_event};
}

Finding clock_limits(Context& context) {
  const auto throttled =
      logged(context, {"WARN: GPU is throttled", "WARN: GPU thermal throttling"});
  for (const std::string& bdf : context.amd_gpus) {
    const std::string device = "/sys/bus/pci/devices/" + bdf;
    for (const std::string& hwmon :
         context.process->list(device + "/hwmon").value_or(std::vector<std::string>{})) {
      for (const char* sensor : {"temp2", "temp3"}) {
        const std::string path = fmt::format("{}/hwmon/{}/{}", device, hwmon, sensor);
        const std::uint64_t critical = number(context, path + "_crit");
        const std::uint64_t is = number(context, path + "_input");
        if (critical == 0 || is < critical) continue;
        return {Status::fail,
                fmt::format("{}: {} is at {} degrees, its limit is {}", bdf, sensor, is / 1000,
                            critical / 1000),
                "amd-smi metric", context.process->why(device + "/pp_dpm_sclk")};
      }
    }
    for (const std::string& line : throttled.value_or(std::vector<std::string>())) {
      if (line.find(bdf) == std::string::npos) continue;
      return {Status::fail, line, "amd-smi metric", context.process->why(device + "/pp_dpm_sclk")};
    }
  }
  if (!throttled) return no_log();
  return {Status::pass, "no GPU is held back", "", no_event};
}

/// The memory mode that is planned may be more than the boards' firmware can do.
Finding firmware_modes(Context& context) {
  const auto refused = logged(context, {"PSP request failed to change to"});
  if (!refused) return no_log();
  if (refused->empty()) return {Status::pass, "no mode was refused", "", no_event};
  for (const std::string& bdf : context.amd_gpus) {
    const std::string device = "/sys/bus/pci/devices/" + bdf;
    const auto offered = context.process->read_file(device + "/available_memory_partition");
    if (!offered || refused->front().find(bdf) == std::string::npos) continue;
    return {Status::fail,
            fmt::format("{}\n{} offers {}", refused->front(), bdf,
                        offered->substr(0, offered->find('\n'))),
            "amd-smi static", context.process->why(device + "/current_memory_partition")};
  }
  return {Status::fail, refused->front(), "amd-smi static", no_event};
}

}  // namespace rocdrill::checks
