// amd-smi partition, set and reset: they read and write the attributes of the driver like anybody
// else. Texts: amdsmi_cli and AMD's GPU partitioning guide (troubleshooting).
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "sim/silicon/partitions.hpp"
#include "sim/tools/amd_smi.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view compute_file = "current_compute_partition";
constexpr std::string_view memory_file = "current_memory_partition";

/// Columns as wide as their headings and two blanks.
struct Table {
  std::vector<std::string> headings;

  void print(Call& call, const std::vector<std::string>& row) const {
    std::string line;
    for (std::size_t i = 0; i < headings.size(); ++i)
      line += fmt::format("{:<{}}", i < row.size() ? row[i] : "", headings[i].size() + 2);
    while (line.ends_with(' ')) line.pop_back();
    call.out += line + "\n";
  }
  void print_headings(Call& call) const { print(call, headings); }
};

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Position in amd-smi's list of profiles; nullopt for "N/A".
std::optional<std::size_t> profile_of(const GpuProduct& product, std::string_view mode) {
  for (std::size_t i = 0; i < product.partitions.size(); ++i) {
    if (name(product.partitions[i].mode) == mode) return i;
  }
  return std::nullopt;
}

void print_profiles(Call& call, const std::vector<SmiDevice>& devices) {
  const Table table{{"GPU_ID", "PROFILE_INDEX", "MEMORY_PARTITION_CAPS", "ACCELERATOR_TYPE",
                     "PARTITION_ID", "NUM_PARTITIONS", "NUM_RESOURCES", "RESOURCE_INDEX",
                     "RESOURCE_TYPE", "RESOURCE_INSTANCES", "RESOURCES_SHARED"}};
  table.print_headings(call);
  std::size_t resource = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const GpuProduct& product = *devices[i].gpu->product;
    if (!devices[i].primary() || product.partitions.empty()) {
      table.print(call,
                  {std::to_string(i), "N/A", "N/A", "N/A", std::to_string(devices[i].partition),
                   "N/A", "N/A", "N/A", "N/A", "N/A", "N/A"});
      continue;
    }
    const std::string current = devices[i].attribute(call, compute_file);
    for (std::size_t profile = 0; profile < product.partitions.size(); ++profile) {
      const ComputePartition& mode = product.partitions[profile];
      const silicon::PartitionShape shape = silicon::partition_shape(product, mode.mode);
      std::string caps;
      for (const MemoryMode memory : mode.memory_modes) {
        if (std::ranges::find(product.memory_modes, memory) == product.memory_modes.end()) continue;
        caps += (caps.empty() ? "" : ",") + std::string(name(memory));
      }
      struct Resource {
        std::string_view type;
        std::uint32_t all;
      };
      const silicon::MediaEngines media = silicon::media_engines(product);
      const Resource resources[] = {{"XCC", product.xcc_count},
                                    {"DECODER", media.decoders},
                                    {"DMA", product.sdma_engines + product.sdma_xgmi_engines},
                                    {"JPEG", media.jpeg}};
      bool first = true;
      for (const Resource& each : resources) {
        const bool fewer = each.all < shape.devices;
        const std::string type(name(mode.mode));
        std::vector<std::string> row(7);
        if (first) {
          row = {profile == 0 ? std::to_string(i) : "",
                 std::to_string(profile),
                 caps,
                 type == current ? type + "*" : type,
                 type == current ? "0" : "N/A",
                 std::to_string(shape.devices),
                 "4"};
        }
        row.push_back(std::to_string(resource++));
        row.emplace_back(each.type);
        row.push_back(each.all == 0 ? "N/A" : std::to_string(fewer ? 1 : each.all / shape.devices));
        row.push_back(each.all == 0 ? "N/A" : std::to_string(fewer ? shape.devices / each.all : 1));
        table.print(call, row);
        first = false;
      }
    }
  }
  call.print("\nLegend:\n  * = Current mode\n");
}

SysResult<void> write_attribute(Call& call, const SmiDevice& device, std::string_view file,
                                const std::string& text) {
  Process& process = call.process();
  const auto fd = process.open(fmt::format("{}/{}", device.directory, file), O_WRONLY);
  if (!fd) return std::unexpected(fd.error());
  const auto written = process.write(*fd, std::as_bytes(std::span(text.data(), text.size())));
  static_cast<void>(process.close(*fd));
  if (!written) return std::unexpected(written.error());
  return {};
}

int exception(Call& call, int number, std::string_view status, std::string_view meaning,
              std::string_view then) {
  return call.fail(1,
                   "amdsmi.amdsmi_exception.AmdSmiLibraryException: Error code:\n\t{} | {} - {}\n"
                   "{}\n",
                   number, status, meaning, then);
}

int no_permission(Call& call) {
  return exception(call, 10, "AMDSMI_STATUS_NO_PERM", "Permission Denied",
                   "PermissionError: Command requires elevation");
}

/// "SPX", or the index of a profile.
std::string mode_of(const GpuProduct& product, const std::string& given) {
  std::size_t profile = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), profile);
  const bool number = error == std::errc{} && end == given.data() + given.size();
  if (number && profile < product.partitions.size())
    return std::string(name(product.partitions[profile].mode));
  std::string upper = given;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

int set_compute(Call& call, const SmiDevice& device, std::size_t index, const std::string& given) {
  const GpuProduct& product = *device.gpu->product;
  const std::string mode = mode_of(product, given);
  const std::string place = fmt::format("GPU ID: {} BDF:{}", index, device.bdf);
  const auto profile = profile_of(product, mode);
  const std::string named = profile ? fmt::format("{} (profile #{}", mode, *profile) : mode;
  if (!device.primary() || product.partitions.empty()) {
    return exception(call, 2, "AMDSMI_STATUS_NOT_SUPPORTED", "Feature not supported",
                     fmt::format("ValueError: [AMDSMI_STATUS_NOT_SUPPORTED] Unable to set "
                                 "accelerator partition to {} on {}",
                                 mode, place));
  }
  if (!profile) {
    return exception(
        call, 1, "AMDSMI_STATUS_INVAL", "Invalid parameters",
        fmt::format("ValueError: Unable to set accelerator partition to {} on {}", mode, place));
  }
  const auto written = write_attribute(call, device, compute_file, mode);
  if (written) {
    call.print(
        "GPU: {}\n    ACCELERATOR_PARTITION: Successfully set accelerator partition to {})\n",
        index, named);
    return 0;
  }
  call.event = written.error().event;
  switch (written.error().error) {
    case EACCES:
    case EPERM:
      return no_permission(call);
    case EBUSY:
      return exception(
          call, 30, "AMDSMI_STATUS_BUSY", "Device busy",
          fmt::format("ValueError: Unable to set accelerator partition to {} on {}", mode, place));
    default:
      call.complain(
          "Attempted to set accelerator partition to {} on {}\n"
          "[AMDSMI_STATUS_SETTING_UNAVAILABLE] Please check amd-smi partition --memory "
          "--accelerator for available profiles.\n"
          "Users may need to switch memory partition to another mode in order to enable the "
          "desired accelerator partition.\n",
          named, place);
      return exception(call, 55, "AMDSMI_STATUS_SETTING_UNAVAILABLE", "Setting is not available",
                       fmt::format("ValueError: [AMDSMI_STATUS_SETTING_UNAVAILABLE] Unable to set "
                                   "accelerator partition to {} on {}",
                                   mode, place));
  }
}

/// modprobe -r and modprobe, as the tool calls them.
bool reload(Call& call) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"modprobe", "-r", "amdgpu"}, {"modprobe", "amdgpu"}}) {
    const CommandResult result = run_words(call.node, words, call.spec, {});
    call.err += result.err;
    if (result.exit_code == 0) continue;
    call.event = result.event;
    return false;
  }
  return true;
}

int set_memory(Call& call, const SmiDevice& device, std::size_t index, const std::string& given) {
  const std::string mode = mode_of({}, given);
  const std::string place = fmt::format("GPU ID: {} BDF:{}", index, device.bdf);
  const std::string offered = device.attribute(call, "available_memory_partition");
  if (!device.primary() || offered.find(mode) == std::string::npos) {
    return call.fail(1,
                     "GPU: {}\n    MEMORY_PARTITION: [AMDSMI_STATUS_NOT_SUPPORTED] Device does not "
                     "support setting memory partition to {} on {}\n",
                     index, mode, place);
  }
  const auto written = write_attribute(call, device, memory_file, mode);
  if (!written) {
    call.event = written.error().event;
    if (written.error().error == EACCES) return no_permission(call);
    return exception(
        call, 1, "AMDSMI_STATUS_INVAL", "Invalid parameters",
        fmt::format("ValueError: Unable to set memory partition to {} on {}", mode, place));
  }
  call.print("GPU: {}\n    MEMORY_PARTITION: Successfully set memory partition to {}\n", index,
             mode);
  return 0;
}

int set_all_memory(Call& call, const std::vector<SmiDevice>& devices,
                   const std::vector<std::size_t>& chosen, const std::string& mode) {
  int code = 0;
  for (const std::size_t i : chosen) {
    if (chosen.size() > 1 && !devices[i].primary()) continue;
    if (const int one = set_memory(call, devices[i], i, mode); one != 0) code = one;
  }
  if (code != 0) return code;
  // From 7.0 on the request is all; before, the tool asked and reloaded the driver itself.
  if (compare_versions(call.rocm().version, "7.0") >= 0) return 0;
  call.complain(
      "rocdrill: amd-smi asks here whether to reload the driver; taken as answered with Y\n");
  if (reload(call)) return 0;
  return call.fail(1,
                   "GPU: {0}\n    MEMORY_PARTITION: [AMDSMI_STATUS_AMDGPU_RESTART_ERR] Could not "
                   "successfully restart driver after applying {1} on GPU ID: {0}\n",
                   chosen.front(), mode);
}

}  // namespace

int amd_smi_partition(Call& call, const std::vector<SmiDevice>& devices) {
  const Table current{
      {"GPU_ID", "MEMORY", "ACCELERATOR_TYPE", "ACCELERATOR_PROFILE_INDEX", "PARTITION_ID"}};
  call.print("CURRENT_PARTITION:\n");
  current.print_headings(call);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const SmiDevice& is = devices[i];
    const std::string mode = is.primary() ? is.attribute(call, compute_file) : "N/A";
    const auto profile = profile_of(*is.gpu->product, mode);
    current.print(call,
                  {std::to_string(i), is.primary() ? is.attribute(call, memory_file) : "N/A", mode,
                   profile ? std::to_string(*profile) : "N/A", std::to_string(is.partition)});
  }
  const Table memory{{"GPU_ID", "MEMORY_PARTITION_CAPS", "CURRENT_MEMORY_PARTITION"}};
  call.print("\nMEMORY_PARTITION:\n");
  memory.print_headings(call);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const SmiDevice& is = devices[i];
    const bool has = is.primary();
    memory.print(call,
                 {std::to_string(i),
                  has ? without_blanks(is.attribute(call, "available_memory_partition")) : "N/A",
                  has ? is.attribute(call, memory_file) : "N/A"});
  }
  call.print("\nACCELERATOR_PARTITION_PROFILES:\n");
  if (!call.root()) {
    call.print(
        "***************************************************************************\n"
        "** WARNING: this table requires sudo/root permissions to run              **\n"
        "***************************************************************************\n");
    return 0;
  }
  print_profiles(call, devices);
  return 0;
}

int amd_smi_set(Call& call, const std::vector<SmiDevice>& devices, const Options& options) {
  const auto compute = options.value("-C"), memory = options.value("-M");
  if (!compute && !memory) return call.refuse("'set' without -C or -M");
  if (!call.root()) return no_permission(call);
  const auto chosen = chosen_devices(call, options, devices.size());
  if (!chosen) return 1;
  static_cast<void>(call.command_event());
  if (memory) {
    if (const int code = set_all_memory(call, devices, *chosen, mode_of({}, *memory)); code != 0)
      return code;
  }
  for (const std::size_t i : compute ? *chosen : std::vector<std::size_t>{}) {
    if (chosen->size() > 1 && !devices[i].primary()) continue;
    if (const int code = set_compute(call, devices[i], i, *compute); code != 0) return code;
  }
  return 0;
}

int amd_smi_reset(Call& call, const Options& options) {
  if (!options.has("-r")) return call.refuse("'reset' without -r");
  if (compare_versions(call.rocm().version, "7.0") < 0)  // came with 7.0
    return call.fail(2, "amd-smi: error: unrecognized arguments: -r\n");
  if (!call.root()) return no_permission(call);
  if (!reload(call)) return 1;
  call.print("Successfully reloaded driver\n");
  return 0;
}

}  // namespace rocdrill::sim::tools
