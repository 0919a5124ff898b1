// What decides about the next boot, and the boot: reboot, grub-set-default, update-grub,
// update-initramfs.
#include <algorithm>

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

int run_reboot(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (!call.root())
    return call.fail(1, "Call to Reboot failed: Interactive authentication required.\n");
  Node& node = call.node;
  const EventId cause = call.command_event();
  std::size_t seen = node.os.timeline.size();
  node.schedule({"reboot", {{"cause", cause}}});
  while (node.step()) {
    if (is_up(node, std::exchange(seen, node.os.timeline.size()))) break;
  }
  if (node.os.kernel_release.empty()) {
    call.event = node.os.boot_event;
    return call.fail(255, "Connection to {} closed by remote host.\n", node.os.hostname);
  }
  return 0;
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
  call.command_event();
  call.complain("Sourcing file `/etc/default/grub'\nGenerating grub configuration file ...\n");
  auto kernels = call.node.os.installed_kernels();
  std::ranges::reverse(kernels);
  for (const std::string& release : kernels)
    call.complain("Found linux image: /boot/vmlinuz-{}\n", release);
  call.complain(
      "done\nrocdrill: grub.cfg is not modelled; /etc/default/grub is read at the next boot\n");
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
    const std::string image = "/boot/initrd.img-" + release;
    call.node.os.journal.record(Layer::host, Severity::info, "initramfs.generated", image, {},
                                cause);
    call.print("update-initramfs: Generating {}\n", image);
  }
  call.complain("rocdrill: initramfs contents are not modelled\n");
  return 0;
}

constexpr Tool table[] = {
    {{"reboot", "reboot", "Boots the node anew and waits until it is up.", true, true}, run_reboot},
    {{"grub-set-default", "grub-set-default RELEASE|''",
      "Chooses the kernel of the next boots; '' means the newest.", true, true},
     run_grub_set_default},
    {{"update-grub", "update-grub", "Would write grub.cfg, which is not modelled.", true, true},
     run_update_grub},
    {{"update-initramfs", "update-initramfs -u [-k RELEASE|all]",
      "Would write the initramfs, whose contents are not modelled.", true, true},
     run_update_initramfs},
};

}  // namespace

std::span<const Tool> boot_tools() { return table; }

}  // namespace rocdrill::sim::tools
