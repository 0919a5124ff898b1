// lspci. Format: pciutils 3.9; names as in pci.ids.
#include <algorithm>
#include <charconv>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view root = "/sys/bus/pci/devices/";

struct Device {
  std::string bdf;  ///< "0000:1b:00.0"
  std::uint32_t vendor = 0, device = 0, subsystem_vendor = 0, subsystem_device = 0, revision = 0,
                class_code = 0;
  std::string driver;
  std::string modalias;
  std::string description;
};

std::optional<std::uint32_t> hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string attribute(Process& process, const std::string& bdf, std::string_view name) {
  std::string text =
      process.read_file(std::string(root) + bdf + "/" + std::string(name)).value_or("");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Device read_device(Call& call, const std::string& bdf) {
  Process& process = call.process();
  const auto number = [&](std::string_view name) {
    return hex(attribute(process, bdf, name)).value_or(0);
  };
  Device out{.bdf = bdf,
             .vendor = number("vendor"),
             .device = number("device"),
             .subsystem_vendor = number("subsystem_vendor"),
             .subsystem_device = number("subsystem_device"),
             .revision = number("revision"),
             .class_code = number("class"),
             .driver = {},
             .modalias = attribute(process, bdf, "modalias"),
             .description = {}};
  if (const auto link = process.readlink(std::string(root) + bdf + "/driver"))
    out.driver = basename(*link);
  for (const sim::PciDevice& device : call.node.os.pci.all()) {
    if (device.bdf.text() == bdf) out.description = device.description;
  }
  return out;
}

std::string_view class_name(std::uint32_t code) {
  switch (code >> 8) {
    case 0x0300:
      return "VGA compatible controller";
    case 0x0302:
      return "3D controller";
    case 0x0604:
      return "PCI bridge";
    case 0x0380:
      return "Display controller";
    case 0x1200:
      return "Processing accelerators";
    default:
      return "Class";
  }
}

/// -d [VENDOR]:[DEVICE]; nothing if it is malformed.
std::optional<bool> matches_ids(const Device& device, const std::string& filter) {
  const std::size_t colon = filter.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string vendor = filter.substr(0, colon), id = filter.substr(colon + 1);
  for (const std::string& part : {vendor, id}) {
    if (!part.empty() && part != "*" && !hex(part)) return std::nullopt;
  }
  const auto fits = [](const std::string& part, std::uint32_t value) {
    return part.empty() || part == "*" || hex(part) == value;
  };
  return fits(vendor, device.vendor) && fits(id, device.device);
}

/// -s [[DOMAIN:]BUS:][SLOT][.FUNCTION]
bool matches_slot(const Device& device, const std::string& filter) {
  const std::string& bdf = device.bdf;
  if (bdf == filter || bdf.substr(5) == filter) return true;
  if (filter.ends_with(':'))
    return bdf.substr(5, filter.size()) == filter || bdf.starts_with(filter);
  return filter.find('.') == std::string::npos &&
         (bdf.substr(0, bdf.find('.')) == filter || bdf.substr(5, 5) == filter);
}

/// Of -vvv the Access Control Services alone, as they are in configuration space.
void print_acs(Call& call, const Device& device) {
  const auto config = call.process().read_file(std::string(root) + device.bdf + "/config");
  if (!config || config->size() < 4096) return;
  const auto word = [&](std::size_t at) {
    return static_cast<unsigned char>((*config)[at]) | static_cast<unsigned char>((*config)[at + 1])
                                                           << 8;
  };
  for (std::size_t at = 0x100; at != 0;) {
    const int id = word(at), next = word(at + 2) >> 4;
    if (id == 0x000D) {
      static constexpr std::string_view names[] = {"SrcValid",   "TransBlk",    "ReqRedir",
                                                   "CmpltRedir", "UpstreamFwd", "EgressCtrl",
                                                   "DirectTrans"};
      const auto bits = [&](int value) {
        std::string text;
        for (std::size_t bit = 0; bit < std::size(names); ++bit)
          text += fmt::format("{}{}{}", bit == 0 ? "" : " ", names[bit],
                              (value >> bit & 1) != 0 ? '+' : '-');
        return text;
      };
      call.print("\tCapabilities: [{:x} v1] Access Control Services\n", at);
      call.print("\t\tACSCap:\t{}\n\t\tACSCtl:\t{}\n", bits(word(at + 4)), bits(word(at + 6)));
    }
    at = static_cast<std::size_t>(next);
  }
}

void print_device(Call& call, const Device& device, const Options& options, bool domain,
                  int numeric) {
  const std::string address = domain ? device.bdf : device.bdf.substr(5);
  const std::string ids = fmt::format("{:04x}:{:04x}", device.vendor, device.device);
  if (numeric == 1) {
    call.print("{} {:04x}: {}", address, device.class_code >> 8, ids);
  } else if (numeric == 2) {
    call.print("{} {} [{:04x}]: {} [{}]", address, class_name(device.class_code),
               device.class_code >> 8, device.description, ids);
  } else {
    call.print("{} {}: {}", address, class_name(device.class_code), device.description);
  }
  call.out += device.revision == 0 ? "\n" : fmt::format(" (rev {:02x})\n", device.revision);
  if (options.has("-vvv")) print_acs(call, device);
  if (!options.has("-k")) return;
  const std::string subsystem =
      fmt::format("{:04x}:{:04x}", device.subsystem_vendor, device.subsystem_device);
  if (numeric == 1) {
    call.print("\tSubsystem: {}\n", subsystem);
  } else {
    call.print("\tSubsystem: {}{}\n", device.description,
               numeric == 2 ? " [" + subsystem + "]" : "");
  }
  if (!device.driver.empty()) call.print("\tKernel driver in use: {}\n", device.driver);
  const auto modules =
      kernel::match_alias(call.node.os.files, call.node.os.kernel_release, device.modalias);
  std::vector<std::string> once;
  for (const std::string& module : modules) {
    if (std::ranges::find(once, module) == once.end()) once.push_back(module);
  }
  if (!once.empty()) call.print("\tKernel modules: {}\n", fmt::join(once, ", "));
}

int run_lspci(Call& call) {
  const auto options =
      parse(call, {{"-k"}, {"-n"}, {"-nn"}, {"-D"}, {"-vvv"}, {"-d", true}, {"-s", true}});
  if (!options) return 2;
  if (!options->operands.empty())
    return call.fail(1, "lspci: Unrecognized argument '{}'\n", options->operands.front());
  const auto names = call.process().list(root.substr(0, root.size() - 1));
  if (!names) return call.fail(1, "lspci: Cannot open /sys/bus/pci/devices\n");
  const bool domain = options->has("-D") || std::ranges::any_of(*names, [](const auto& bdf) {
                        return !bdf.starts_with("0000:");
                      });
  if (options->has("-vvv") && call.node.os.pci.redirects()) call.event = call.node.os.pci.why_acs();
  const int numeric = options->has("-nn") ? 2 : options->has("-n") ? 1 : 0;
  for (const std::string& bdf : *names) {
    const Device device = read_device(call, bdf);
    if (const auto ids = options->value("-d")) {
      const auto fits = matches_ids(device, *ids);
      if (!fits) return call.fail(1, "lspci: -d: ':' expected\n");
      if (!*fits) continue;
    }
    if (const auto slot = options->value("-s"); slot && !matches_slot(device, *slot)) continue;
    print_device(call, device, *options, domain, numeric);
  }
  return 0;
}

/// setpci -s PORT ECAP_ACS+0x6.w[=VALUE]
int run_setpci(Call& call) {
  const auto options = parse(call, {{"-s", true}, {"-v"}});
  if (!options) return 2;
  constexpr std::string_view name = "ECAP_ACS+0x6.w", short_name = "ECAP_ACS+6.w";
  const std::string word = options->operands.size() == 1 ? options->operands.front() : "";
  const std::string what = word.substr(0, word.find('='));
  if (what != name && what != short_name)
    return call.refuse("a register other than ECAP_ACS+0x6.w");
  if (!call.root()) return call.fail(1, "setpci: Warning: No devices selected for \"{}\".\n", word);
  PciBus& bus = call.node.os.pci;
  const std::string slot = options->value_or("-s", "");
  int found = 0;
  for (const PciDevice& port : bus.root_ports()) {
    const std::string bdf = port.bdf.text();
    if (!slot.empty() && slot != "*:*.*" && bdf != slot && bdf.substr(5) != slot) continue;
    ++found;
    if (word.size() == what.size()) {
      call.print("{:04x}\n", port.acs_control);
      continue;
    }
    const auto value = hex(word.substr(what.size() + 1));
    if (!value || *value > 0x7F) return call.fail(1, "setpci: Invalid value\n");
    bus.set_acs(port.bdf, static_cast<std::uint16_t>(*value), call.command_event());
  }
  if (found == 0) return call.fail(1, "setpci: Warning: No devices selected for \"{}\".\n", word);
  return 0;
}

constexpr Tool table[] = {
    {{"setpci", "setpci [-s PORT] ECAP_ACS+0x6.w[=VALUE]",
      "Reads or writes the Access Control Services of root ports.", true, true},
     run_setpci},
    {{"lspci", "lspci [-vvv] [-k] [-n|-nn] [-D] [-d [VENDOR]:[DEVICE]] [-s ADDRESS]",
      "Lists the PCI devices and their drivers."},
     run_lspci},
};

}  // namespace

std::span<const Tool> pci_tools() { return table; }

}  // namespace rocdrill::sim::tools
