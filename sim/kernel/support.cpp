#include "sim/kernel/support.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/kernel/process/kfd_process.hpp"

namespace rocdrill::kernel {

std::string kfd_support_markdown() {
  std::string text =
      "# The ioctls of /dev/kfd\n\n"
      "Made from the dispatch table in sim/kernel/process/kfd_ioctl.cpp; the test layers.Docs.KfdSupport keeps it\n"
      "true (run it with ROCDRILL_UPDATE_DOCS=1 to write it anew). A number that is not handled is refused\n"
      "with EINVAL, as is one that the driver of that era does not know, and leaves an `unmodelled` event.\n\n"
      "| number | name | bytes | since KFD | handled | note |\n|---|---|---|---|---|---|\n";
  const auto table = ioctl_table();
  for (const kfd::IoctlInfo& info : kfd::ioctls()) {
    const auto entry = std::ranges::find(table, info.nr, &IoctlEntry::number);
    const bool handled = entry != table.end();
    text += fmt::format(
        "| {:#04x} | {} | {} | {} | {} | {} |\n", static_cast<unsigned>(info.nr), info.name,
        info.size, info.since == 0 ? std::string("out of tree") : fmt::format("1.{}", info.since),
        handled ? "yes" : "no", handled ? entry->note : "refused by name");
  }
  return text;
}

}  // namespace rocdrill::kernel
