// What decides about the next boot, and the boot: reboot, ipmitool, grub-set-default, update-grub,
// update-initramfs, lsinitramfs.
#include <algorithm>

#include "sim/kernel/initramfs.hpp"
#include "sim/silicon/telemetry.hpp"
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view grubenv = "/boot/grub/grubenv";

/// Whether the node has come up, or cannot, since the history had `before` events.
bool is_up(const Node& node, std::size_t before) {
  for (std::size_t id = before + 1; id <= node.os.timeline.size(); ++id) {
    const std::string_view kind = node.os.timeline.at(static_cast<EventId>(id)).kind;
    if (kind == "session.login" || kind == "session.refused" || kind == "boot.no_kernel")
      return true;
  }
  return false;
}

int boot_anew(Call& call, std::string_view kind) {
  Node& node = call.node;
  const EventId cause = call.command_event();
  std::size_t seen = node.os.timeline.size();
  node.schedule({std::string(kind), {{"cause", cause}}});
  while (node.step()) {
    if (is_up(node, std::exchange(seen, node.os.timeline.size()))) break;
  }
  if (node.os.kernel_release.empty()) {
    call.event = node.os.boot_event;
    return call.fail(255, "Connection to {} closed by remote host.\n", node.os.hostname);
  }
  return 0;
}

int run_reboot(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (!call.root())
    return call.fail(1, "Call to Reboot failed: Interactive authentication required.\n");
  return boot_anew(call, "reboot");
}

/// The board's management controller, through its local interface.
int run_ipmitool(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (!call.root())
    return call.fail(1,
                     "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: "
                     "Permission denied\n");
  const auto& words = options->operands;
  const std::string asked = fmt::format("{}", fmt::join(words, " "));
  const std::string power = asked.starts_with("chassis ") ? asked.substr(8) : asked;
  if (asked == "chassis status") {
    call.out += "System Power         : on\n";
    return 0;
  }
  if (power == "power status") {
    call.out += "Chassis Power is on\n";
    return 0;
  }
  if (power != "power cycle" && power != "power reset") return call.refuse("'" + asked + "'");
  const std::string& verb = words.back();
  call.print("Chassis Power Control: {}\n", verb == "cycle" ? "Cycle" : "Reset");
  return boot_anew(call, verb == "cycle" ? "power_cycle" : "reboot");
}

/// No program of a real node: whoever works in the data centre. They take the power away for it.
int run_remote_hands(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  const auto& words = options->operands;
  auto& gpus = call.node.board.gpus();
  if (words.size() == 2 && words[0] == "replace") {
    const auto gpu = std::ranges::find_if(
        gpus, [&](const silicon::Gpu& each) { return each.bdf.text() == words[1]; });
    if (gpu == gpus.end())
      return call.fail(1, "remote-hands: there is no GPU at {}; see lspci -d 1002:\n", words[1]);
    call.node.board.replace(static_cast<std::size_t>(gpu - gpus.begin()), call.command_event());
    call.print("The board at {} has been replaced; the node is powered on again.\n", words[1]);
    return boot_anew(call, "power_cycle");
  }
  if (words.size() == 1 && words[0] == "update-ifwi") {
    for (silicon::Gpu& gpu : gpus) {
      gpu.ifwi = silicon::ifwi_version(*gpu.product);
      gpu.ifwi_event = call.command_event();
    }
    call.print("{} boards have the current IFWI; the node is powered on again.\n", gpus.size());
    return boot_anew(call, "power_cycle");
  }
  if (words.size() == 1 && words[0] == "cooling") {
    for (silicon::Gpu& gpu : gpus) gpu.defects.hot.reset();
    call.print("Fans, ducts and heat sinks have been seen to; the node is powered on again.\n");
    return boot_anew(call, "power_cycle");
  }
  return call.fail(1, "Usage: remote-hands replace BDF | update-ifwi | cooling\n");
}

/// The release in "6.8.0-55-generic" or in a menu entry's title, which ends with it.
std::string release_of(const std::string& entry) {
  constexpr std::string_view before = "with Linux ";
  const std::size_t at = entry.rfind(before);
  return at == std::string::npos ? entry : entry.substr(at + before.size());
}

int run_grub_set_default(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.size() != 1)
    return call.fail(1, "Usage: grub-set-default [OPTION] MENU_ENTRY\n");
  if (!call.root())
    return call.fail(
        1,
        "/usr/bin/grub-editenv: error: cannot open `/boot/grub/grubenv.new': Permission denied.\n");
  std::string text = "# GRUB Environment Block\n";
  if (const std::string release = release_of(options->operands.front()); !release.empty()) {
    text += "saved_entry=" + release + "\n";
  }
  call.node.os.write_file(std::string(grubenv), std::move(text), call.command_event());
  return 0;
}

int run_update_grub(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (!call.root()) return call.fail(1, "grub-mkconfig: You must run this as root\n");
  const FileTree& files = call.node.os.files;
  call.complain("Sourcing file `/etc/default/grub'\n");
  const std::string directory = "/etc/default/grub.d";
  for (const std::string& name : files.list(directory).value_or(std::vector<std::string>{})) {
    if (name.ends_with(".cfg")) call.complain("Sourcing file `{}/{}'\n", directory, name);
  }
  call.complain("Generating grub configuration file ...\n");
  call.node.os.update_grub(call.command_event());
  auto kernels = call.node.os.installed_kernels();
  std::ranges::reverse(kernels);
  for (const std::string& release : kernels) {
    call.complain("Found linux image: /boot/vmlinuz-{}\n", release);
    if (files.exists(kernel::initramfs_path(release)))
      call.complain("Found initrd image: {}\n", kernel::initramfs_path(release));
  }
  call.complain("done\n");
  return 0;
}

int run_update_initramfs(Call& call) {
  const auto options = parse(call, {{"-u"}, {"-k", true}});
  if (!options) return 2;
  if (!options->has("-u")) return call.fail(1, "You must specify at least one of -c, -u, or -d.\n");
  const auto kernels = call.node.os.installed_kernels();
  // Without -k it is the newest kernel's, not the running one's.
  const std::string wanted = options->value_or("-k", kernels.empty() ? "" : kernels.back());
  if (wanted != "all" && std::ranges::find(kernels, wanted) == kernels.end()) {
    return call.fail(1, "update-initramfs: failed for /boot/initrd.img-{} with 1.\n", wanted);
  }
  if (!call.root())
    return call.fail(
        1, "/usr/sbin/update-initramfs: cannot create /boot/initrd.img-{}.new: Permission denied\n",
        wanted);
  const EventId cause = call.command_event();
  for (const std::string& release : kernels) {
    if (wanted != "all" && wanted != release) continue;
    kernel::update_initramfs(call.node.os, release, cause);
    call.print("update-initramfs: Generating {}\n", kernel::initramfs_path(release));
  }
  return 0;
}

int run_lsinitramfs(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.size() != 1) return call.fail(1, "Usage: lsinitramfs <initramfs file>\n");
  const std::string path = call.path(options->operands.front());
  const auto image = call.process().read_file(path);
  if (!image) {
    call.event = image.error().event;
    return call.fail(1, "cpio: {}: {}\n", path, errno_text(image.error().error));
  }
  for (const std::string& name : kernel::list_initramfs(*image)) call.print("{}\n", name);
  return 0;
}

constexpr Tool table[] = {
    {{"reboot", "reboot", "Boots the node anew and waits until it is up.", true, true}, run_reboot},
    {{"grub-set-default", "grub-set-default RELEASE|''",
      "Chooses the kernel of the next boots; '' means the newest.", true, true},
     run_grub_set_default},
    {{"update-grub", "update-grub", "Writes grub.cfg, which decides at boot.", true, true},
     run_update_grub},
    {{"update-initramfs", "update-initramfs -u [-k RELEASE|all]",
      "Writes an initramfs: modules that load early, and modprobe's configuration.", true, true},
     run_update_initramfs},
    {{"lsinitramfs", "lsinitramfs FILE", "Lists what is in an initramfs."}, run_lsinitramfs},
    {{"ipmitool", "ipmitool chassis power status|reset|cycle",
      "Asks the board's controller to reset the node, or to cut its power.", true, true},
     run_ipmitool},
    {{"remote-hands", "remote-hands replace BDF | update-ifwi | cooling",
      "Rocdrill's own: asks the people in the data centre to work on the GPUs.", true, true},
     run_remote_hands},
};

}  // namespace

std::span<const Tool> boot_tools() { return table; }

}  // namespace rocdrill::sim::tools
