// One ioctl of /dev/kfd fails, or is late.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/faults/surgical.hpp"
#include "sim/kernel/process/kfd_process.hpp"
#include "stack/formats/kfd_uapi.hpp"
#include "stack/suggest.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::string_view prefix = "AMDKFD_IOC_";

std::string short_name(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

const kfd::IoctlInfo* find(const std::string& given) {
  const auto all = kfd::ioctls();
  const auto at = std::ranges::find_if(all, [name = short_name(given)](const kfd::IoctlInfo& one) {
    return short_name(one.name) == name;
  });
  return at == all.end() ? nullptr : &*at;
}

std::string unknown(const ParameterValue& value) {
  const auto& given = std::get<std::string>(value);
  if (find(given) != nullptr) return {};
  std::vector<std::string> names;
  for (const kfd::IoctlInfo& one : kfd::ioctls()) names.push_back(short_name(one.name));
  return fmt::format("KFD has no ioctl '{}'; {}", given,
                     suggest(short_name(given), names, "ioctls"));
}

class IoctlFault final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "ioctl",
        .layer = Layer::kernel,
        .title = "an ioctl of /dev/kfd fails or is late",
        .changes = "the driver answers one ioctl with an error, or after a delay",
        .parameters = {{"ioctl",
                        std::string("CREATE_QUEUE"),
                        "its name in linux/kfd_ioctl.h without AMDKFD_IOC_, in any case",
                        {},
                        unknown},
                       surgical::nth_parameter("each process's calls"),
                       surgical::errno_parameter("", true),
                       surgical::delay_parameter("how late it is, in microseconds", 0)},
        .sources = {"https://github.com/torvalds/linux/blob/v6.8/include/uapi/linux/kfd_ioctl.h",
                    "https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_chardev.c"},
        .surgical = true};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const kfd::IoctlInfo& ioctl = *find(parameters.text("ioctl"));
    if (parameters.text("errno").empty() && parameters.integer("delay_us") == 0)
      return "say errno, delay_us or both: without them nothing would happen";
    if (node.kernel.kfd.present() && !kernel::driver_knows(ioctl, node.kernel.era()))
      return fmt::format("its driver is without {}", ioctl.name);
    return {};
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const kfd::IoctlInfo& ioctl = *find(parameters.text("ioctl"));
    surgical::change(node, [&](kernel::Injections& all) {
      all.ioctls.push_back({.nr = static_cast<std::uint32_t>(ioctl.nr),
                            .nth = surgical::nth(parameters),
                            .error = surgical::error_number(parameters),
                            .delay_ns = surgical::delay_ns(parameters),
                            .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_list(node, &kernel::Injections::ioctls);
  }
};

const FaultRegistration registration{std::make_unique<IoctlFault>()};

}  // namespace
}  // namespace rocdrill::sim
