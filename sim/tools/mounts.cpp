// df and mount, as far as /dev/shm goes. Texts: coreutils 9, util-linux 2.38.
#include "sim/host/shared_memory.hpp"
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

/// "63M", "754G": rounded up, as df -h does.
std::string human(std::uint64_t kib) {
  static constexpr std::string_view units = "KMGT";
  std::size_t unit = 0;
  while (kib >= 1024 && unit + 1 < units.size()) {
    kib = (kib + 1023) / 1024;
    ++unit;
  }
  return fmt::format("{}{}", kib, units[unit]);
}

int run_df(Call& call) {
  const auto options = parse(call, {{"-h"}});
  if (!options) return 2;
  if (options->operands.size() != 1 || options->operands.front() != "/dev/shm")
    return call.refuse("another file system than /dev/shm");
  const SharedMemory& shm = call.node.os.shm;
  const std::uint64_t size = shm.size() / 1024, used = (shm.used() + 1023) / 1024;
  const std::uint64_t free = size > used ? size - used : 0;
  const std::string percent =
      size == 0 ? std::string("-") : fmt::format("{}%", (used * 100 + size - 1) / size);
  call.event = shm.why_size();
  if (options->has("-h")) {
    call.print("Filesystem      Size  Used Avail Use% Mounted on\n");
    call.print("tmpfs           {:>4} {:>5} {:>5} {:>4} /dev/shm\n", human(size),
               used == 0 ? "0" : human(used), human(free), percent);
    return 0;
  }
  call.print("Filesystem     1K-blocks  Used Available Use% Mounted on\n");
  call.print("tmpfs {:>18} {:>5} {:>9} {:>4} /dev/shm\n", size, used, free, percent);
  return 0;
}

/// mount -o remount,size=SIZE /dev/shm
int run_mount(Call& call) {
  const auto options = parse(call, {{"-o", true}});
  if (!options) return 2;
  const std::string what = options->value_or("-o", "");
  constexpr std::string_view remount = "remount,size=";
  if (options->operands.size() != 1 || options->operands.front() != "/dev/shm" ||
      !what.starts_with(remount))
    return call.refuse("anything but -o remount,size=SIZE /dev/shm");
  if (!call.root()) return call.fail(1, "mount: /dev/shm: must be superuser to use mount.\n");
  const std::uint64_t bytes =
      tmpfs_size(what.substr(remount.size()), call.node.kernel.cpu.memory_bytes);
  if (bytes == 0) {
    return call.fail(32,
                     "mount: /dev/shm: mount point not mounted or bad option.\n"
                     "       dmesg(1) may have more information after failed mount system call.\n");
  }
  call.node.os.shm.mount(bytes, call.command_event());
  return 0;
}

constexpr Tool table[] = {
    {{"df", "df [-h] /dev/shm", "Shows how large /dev/shm is and how much of it is used."}, run_df},
    {{"mount", "mount -o remount,size=SIZE /dev/shm", "Gives /dev/shm another size.", true, true},
     run_mount},
};

}  // namespace

std::span<const Tool> mount_tools() { return table; }

}  // namespace rocdrill::sim::tools
