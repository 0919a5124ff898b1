#include "sim/kernel/initramfs.hpp"

#include <algorithm>

namespace rocdrill::kernel {
namespace {

using sim::Json;

constexpr std::string_view list_of_modules = "/etc/initramfs-tools/modules";

std::vector<std::string> modules_of(const std::string& text) {
  std::vector<std::string> modules;
  for (const std::string& line : sim::lines_of(text)) {
    const auto words = sim::words_of(line);
    if (words.empty() || words[0][0] == '#') continue;
    std::string name = words[0];
    std::ranges::replace(name, '-', '_');
    modules.push_back(std::move(name));
  }
  return modules;
}

Json read_image(const std::string& image) {
  Json content = Json::parse(image, nullptr, false);
  return content.is_object() && content.contains("modules") ? content : Json();
}

}  // namespace

std::string initramfs_path(const std::string& release) { return "/boot/initrd.img-" + release; }

EventId update_initramfs(sim::Os& os, const std::string& release, EventId cause) {
  Json image{{"modules", modules_of(os.files.text(list_of_modules))},
             {"files", Json::object()},
             {"events", Json::object()},
             {"kernel", release}};
  for (const std::string directory : {"/lib/modprobe.d", "/etc/modprobe.d"}) {
    const auto names = os.files.list(directory);
    if (!names) continue;
    for (const std::string& name : *names) {
      const std::string path = sim::join(directory, name);
      if (!name.ends_with(".conf")) continue;
      image["files"][path] = os.files.text(path);
      image["events"][path] = os.files.why(path);
    }
  }
  const std::string path = initramfs_path(release);
  const EventId event = os.journal.record(Layer::host, Severity::info, "initramfs.generated", path,
                                          {{field::see, "lsinitramfs"}}, cause);
  os.files.write(path, image.dump(), event);
  return event;
}

Initramfs read_initramfs(const sim::Os& os, const std::string& release) {
  Initramfs initramfs;
  const std::string path = initramfs_path(release);
  const Json image = read_image(os.files.text(path));
  if (image.is_null()) return initramfs;
  initramfs.event = os.files.why(path);
  initramfs.modules = image["modules"].get<std::vector<std::string>>();
  for (const auto& [name, text] : image["files"].items()) {
    // What was copied has the history of its original.
    const EventId copied = image["events"][name].get<EventId>();
    initramfs.files.write(name, text.get<std::string>(),
                          copied == no_event ? initramfs.event : copied);
  }
  return initramfs;
}

std::vector<std::string> list_initramfs(const std::string& text) {
  const Json image = read_image(text);
  std::vector<std::string> names;
  if (image.is_null()) return names;
  names = {".", "conf", "conf/modules", "init", "scripts"};
  for (const auto& [name, content] : image["files"].items()) names.push_back(name.substr(1));
  const std::string folder = "usr/lib/modules/" + image["kernel"].get<std::string>() + "/";
  for (const auto& module : image["modules"])
    names.push_back(folder + module.get<std::string>() + ".ko");
  std::ranges::sort(names);
  return names;
}

}  // namespace rocdrill::kernel
