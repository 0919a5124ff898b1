#include "scenarios/engine/evidence.hpp"

#include <array>

#include "scenarios/engine/command_line.hpp"
#include "sim/host/files.hpp"

namespace rocdrill::scenarios {
namespace {

using Commands = std::array<std::string_view, 4>;

constexpr Commands of_silicon{"lspci -d 1002:", "lspci -nn -d 1002:", "dmesg"};
constexpr Commands of_firmware{"dmesg", "ls /lib/firmware/updates/amdgpu",
                               "ls /lib/firmware/amdgpu"};
constexpr Commands of_kernel{"lsmod", "dkms status", "uname -r", "dmesg"};
constexpr Commands of_access{"ls -l /dev/kfd /dev/dri", "id"};
constexpr Commands of_runtime{"rocminfo", "rocm_agent_enumerator", "env"};
constexpr Commands of_hip{"hipInfo", "rocm-smi", "env"};
constexpr Commands of_framework{"python3 -c 'import torch; print(torch.cuda.is_available())'"};

/// Up to the first empty one.
std::span<const std::string_view> used(const Commands& commands) {
  std::size_t count = 0;
  while (count < commands.size() && !commands[count].empty()) ++count;
  return {commands.data(), count};
}

/// Without the escape sequences that colour it on a terminal.
std::string without_colours(const std::string& line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1B' && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    } else {
      plain += line[i];
    }
  }
  return plain;
}

}  // namespace

std::optional<Evidence> look(Host& host, std::string_view command, const EventView* about) {
  const auto argv = split_command(command);
  if (!argv || argv->empty()) return std::nullopt;
  const CommandResult result = host.run(*argv, host.session());
  if (!result.found || result.exit_code == 127) return std::nullopt;
  Evidence evidence{.command = std::string(command), .exit_code = result.exit_code, .lines = {}};
  const std::string shows = about ? about->text(field::shows).substr(0, 40) : std::string();
  for (const std::string& printed : sim::lines_of(result.out + result.err)) {
    std::string line = without_colours(printed);
    const bool telling = about && ((!about->subject.empty() && line.contains(about->subject)) ||
                                   (!shows.empty() && line.contains(shows)));
    evidence.lines.push_back({std::move(line), telling});
  }
  return evidence;
}

std::span<const std::string_view> looks_at(Layer layer) {
  switch (layer) {
    case Layer::silicon:
      return used(of_silicon);
    case Layer::firmware:
      return used(of_firmware);
    case Layer::host:
    case Layer::kernel:
      return used(of_kernel);
    case Layer::access:
      return used(of_access);
    case Layer::runtime:
      return used(of_runtime);
    case Layer::hip:
      return used(of_hip);
    case Layer::framework:
      return used(of_framework);
    case Layer::code_objects:
    case Layer::libraries:
      break;
  }
  return {};
}

}  // namespace rocdrill::scenarios
