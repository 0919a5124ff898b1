#include "sim/containers/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::containers {
namespace {

using sim::Json;

/// 64 hexadecimal digits out of a text and the moment: the same in every run.
std::string make_id(std::string_view text, std::uint64_t moment) {
  std::uint64_t state = 0xCBF29CE484222325ull ^ moment;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  std::string id;
  while (id.size() < 64) {
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    id += fmt::format("{:016x}", z ^ z >> 31);
  }
  return id;
}

std::optional<Json> read_json(const sim::FileTree& files, const std::string& path) {
  Json json = Json::parse(files.text(path), nullptr, false);
  if (json.is_discarded() || !json.is_object()) return std::nullopt;
  return json;
}

/// Copies a directory of the tree; a rootless engine's files are its user's.
void copy_tree(sim::FileTree& files, const std::string& from, const std::string& to,
               const Identity& owner, EventId event) {
  for (const std::string& name : files.list(from).value_or(std::vector<std::string>{})) {
    const std::string source = sim::join(from, name), target = sim::join(to, name);
    const auto stat = files.lstat(source);
    if (!stat) continue;
    if (stat->type == FileType::directory) {
      files.make_directory(target, event, stat->mode);
      copy_tree(files, source, target, owner, event);
    } else if (stat->type == FileType::symlink) {
      files.symlink(target, files.readlink(source).value_or(""), event);
    } else {
      files.write(target, files.text(source), event, {stat->mode, owner.uid, owner.gid});
    }
  }
}

}  // namespace

std::string canonical(std::string image) {
  if (image.starts_with("docker.io/")) image.erase(0, 10);
  if (image.starts_with("library/")) image.erase(0, 8);
  const std::size_t slash = image.rfind('/');
  if (image.find(':', slash == std::string::npos ? 0 : slash) == std::string::npos)
    image += ":latest";
  return image;
}

std::string Engine::root() const {
  return owner_.rootless()             ? owner_.home + "/.local/share/containers/storage"
         : owner_.kind == Kind::podman ? "/var/lib/containers/storage"
                                       : "/var/lib/docker";
}

std::string Engine::config_of(const std::string& id) const {
  return root() + "/containers/" + id + "/config.json";
}

std::string Engine::files_of(const std::string& id) const {
  return root() + "/overlay2/" + id + "/merged";
}

std::vector<Image> Engine::images() const {
  std::vector<Image> list;
  const std::string folder = root() + "/image";
  for (const std::string& file : os_.files.list(folder).value_or(std::vector<std::string>{})) {
    if (const auto json = read_json(os_.files, sim::join(folder, file)))
      list.push_back(image_from(*json));
  }
  return list;
}

std::optional<Image> Engine::image(const std::string& name) const {
  const std::string wanted = canonical(name);
  for (Image& each : images()) {
    const bool by_id = name.size() >= 4 && each.id.starts_with(name);
    if (each.name == wanted || by_id) return std::move(each);
  }
  return std::nullopt;
}

void Engine::add(const Image& image, const std::vector<sim::PackageFile>& files, EventId event) {
  for (const sim::PackageFile& file : files) {
    const std::string path = files_of(image.id) + file.path;
    if (file.is_symlink)
      os_.files.symlink(path, file.content.bytes, event);
    else
      os_.files.write(path, file.content.bytes, event,
                      {file.mode, owner_.rootless() ? owner_.who.uid : 0,
                       owner_.rootless() ? owner_.who.gid : 0});
  }
  os_.files.write(root() + "/image/" + image.id.substr(0, 12) + ".json",
                  to_json(image).dump(2) + "\n", event, {.mode = 0600});
}

std::vector<Container> Engine::containers() const {
  std::vector<Container> list;
  const std::string folder = root() + "/containers";
  for (const std::string& id : os_.files.list(folder).value_or(std::vector<std::string>{})) {
    if (const auto json = read_json(os_.files, config_of(id)))
      list.push_back(container_from(*json));
  }
  std::ranges::stable_sort(list, {}, [&](const Container& each) { return why(each); });
  return list;
}

std::optional<Container> Engine::find(const std::string& name_or_id) const {
  for (Container& each : containers()) {
    if (each.name == name_or_id || (!name_or_id.empty() && each.id.starts_with(name_or_id)))
      return std::move(each);
  }
  return std::nullopt;
}

Outcome<Container> Engine::create(std::string name, const std::string& image_name,
                                  std::vector<std::string> command, Options options,
                                  EventId cause) {
  const auto used = image(image_name);
  if (!used) return std::unexpected(Refusal{"No such image: " + canonical(image_name)});
  Container container;
  container.id = make_id(name + used->id, os_.clock.now() * 64 + os_.timeline.size());
  if (name.empty()) name = "gpu_" + container.id.substr(60);
  if (const auto other = find(name); other && other->name == name) {
    const std::string text =
        owner_.kind == Kind::podman
            ? fmt::format(
                  "creating container storage: the container name \"{}\" is already in use "
                  "by {}. You have to remove that container to be able to reuse that name: "
                  "that name is already in use",
                  name, other->id)
            : fmt::format(
                  "Conflict. The container name \"/{}\" is already in use by container "
                  "\"{}\". You have to remove (or rename) that container to be able to "
                  "reuse that name.",
                  name, other->id);
    return std::unexpected(Refusal{text});
  }
  container.name = std::move(name);
  container.image = image_name;
  container.image_id = used->id;
  container.command = command.empty() ? used->command : std::move(command);
  if (options.hostname.empty()) options.hostname = container.short_id();
  Environment environment = used->environment;
  for (const auto& [key, value] : options.environment) environment.insert_or_assign(key, value);
  options.environment = std::move(environment);
  container.options = std::move(options);
  container.boot = os_.boots;
  const EventId event = os_.journal.record(
      Layer::host, Severity::info, "container.created", container.name,
      {{"image", std::string_view(container.image)}, {field::see, "docker inspect"}}, cause);
  copy_tree(os_.files, files_of(used->id), files_of(container.id),
            owner_.rootless() ? owner_.who : Identity{"root", 0, 0, {}}, event);
  store(container, event);
  return container;
}

void Engine::store(const Container& container, EventId event) {
  os_.files.write(config_of(container.id), to_json(container).dump(2) + "\n", event,
                  {.mode = 0600,
                   .uid = owner_.rootless() ? owner_.who.uid : 0,
                   .gid = owner_.rootless() ? owner_.who.gid : 0});
}

void Engine::stop(Container& container, EventId cause) {
  container.state = State::exited;
  container.exit_code = 137;  // sleep and the like do not end by SIGTERM as process 1
  store(container, os_.journal.record(Layer::host, Severity::info, "container.stopped",
                                      container.name, {}, cause));
}

void Engine::finish(Container& container, int exit_code, std::string log, EventId cause) {
  container.state = State::exited;
  container.exit_code = exit_code;
  container.log = std::move(log);
  store(container, why(container) != no_event ? why(container) : cause);
}

void Engine::remove(const Container& container, EventId cause) {
  const EventId event = os_.journal.record(Layer::host, Severity::info, "container.removed",
                                           container.name, {}, cause);
  os_.files.remove(root() + "/containers/" + container.id, event);
  os_.files.remove(root() + "/overlay2/" + container.id, event);
  os_.files.explain_absence(root() + "/containers", event);
}

void Engine::catch_up() {
  if (os_.kernel_release.empty()) return;
  for (Container& container : containers()) {
    if (container.boot == os_.boots) continue;
    const std::string& policy = container.options.restart;
    const bool ran = container.state == State::running;
    if (!ran && policy != "always") continue;
    if (ran) {
      container.state = State::exited;
      container.exit_code = 255;
    }
    container.boot = os_.boots;
    if (policy == "always" || policy == "unless-stopped") {
      static_cast<void>(start(container, os_.boot_event));
    } else {
      store(container, why(container));
    }
  }
}

}  // namespace rocdrill::containers
