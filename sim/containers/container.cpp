#include "sim/containers/container.hpp"

namespace rocdrill::containers {
namespace {

using sim::Json;

Json environment_list(const Environment& environment) {
  Json list = Json::array();
  for (const auto& [name, value] : environment) list.push_back(name + "=" + value);
  return list;
}

Environment environment_from(const Json& list) {
  Environment environment;
  for (const std::string line : list) {
    const std::size_t equals = line.find('=');
    environment[line.substr(0, equals)] =
        equals == std::string::npos ? "" : line.substr(equals + 1);
  }
  return environment;
}

Json identity_json(const Identity& who) {
  return {{"User", who.user}, {"Uid", who.uid}, {"Gid", who.gid}, {"Groups", who.groups}};
}

Identity identity_from(const Json& json) {
  return {json.at("User"), json.at("Uid"), json.at("Gid"),
          json.at("Groups").get<std::vector<std::uint32_t>>()};
}

const char* name(State state) {
  return state == State::created ? "created" : state == State::running ? "running" : "exited";
}

State state_from(const std::string& text) {
  return text == "running" ? State::running : text == "exited" ? State::exited : State::created;
}

Json host_config(const Options& options) {
  Json devices = Json::array(), binds = Json::array();
  for (const DeviceOption& device : options.devices) {
    devices.push_back({{"PathOnHost", device.source},
                       {"PathInContainer", device.inside},
                       {"CgroupPermissions", device.permissions}});
  }
  for (const BindMount& bind : options.binds) binds.push_back(bind.source + ":" + bind.inside);
  return {{"Binds", binds},
          {"NetworkMode", options.network},
          {"RestartPolicy", {{"Name", options.restart}}},
          {"AutoRemove", options.remove},
          {"CapAdd", options.capabilities},
          {"GroupAdd", options.groups},
          {"IpcMode", options.ipc},
          {"Privileged", options.privileged},
          {"SecurityOpt", options.security},
          {"UsernsMode", options.userns},
          {"ShmSize", options.shm_bytes},
          {"Devices", devices},
          {"Ulimits", options.ulimits}};
}

Options options_from(const Json& host, const Json& config) {
  Options options;
  options.user = config.at("User");
  options.environment = environment_from(config.at("Env"));
  options.workdir = config.at("WorkingDir");
  options.hostname = config.at("Hostname");
  for (const Json& device : host.at("Devices")) {
    options.devices.push_back(
        {device.at("PathOnHost"), device.at("PathInContainer"), device.at("CgroupPermissions")});
  }
  for (const std::string bind : host.at("Binds")) {
    const std::size_t colon = bind.find(':');
    options.binds.push_back({bind.substr(colon + 1), bind.substr(0, colon)});
  }
  options.network = host.at("NetworkMode");
  options.restart = host.at("RestartPolicy").at("Name");
  options.remove = host.at("AutoRemove");
  options.capabilities = host.at("CapAdd").get<std::vector<std::string>>();
  options.groups = host.at("GroupAdd").get<std::vector<std::string>>();
  options.ipc = host.at("IpcMode");
  options.privileged = host.at("Privileged");
  options.security = host.at("SecurityOpt").get<std::vector<std::string>>();
  options.userns = host.at("UsernsMode");
  options.shm_bytes = host.at("ShmSize");
  options.ulimits = host.at("Ulimits").get<std::vector<std::string>>();
  return options;
}

}  // namespace

Json to_json(const Container& container) {
  const Options& options = container.options;
  return {{"Id", container.id},
          {"Name", "/" + container.name},
          {"Image", "sha256:" + container.image_id},
          {"State",
           {{"Status", name(container.state)},
            {"Running", container.state == State::running},
            {"ExitCode", container.exit_code},
            {"Boot", container.boot}}},
          {"Config",
           {{"Hostname", options.hostname},
            {"User", options.user},
            {"Env", environment_list(options.environment)},
            {"Cmd", container.command},
            {"Image", container.image},
            {"WorkingDir", options.workdir}}},
          {"HostConfig", host_config(options)},
          {"Log", container.log},
          {"Process",
           {{"Devices", container.devices},
            {"DeniedDevices", container.denied_devices},
            {"Node", identity_json(container.identity)},
            {"Inside", identity_json(container.inside)}}}};
}

Container container_from(const Json& json) {
  Container container;
  container.id = json.at("Id");
  container.name = json.at("Name").get<std::string>().substr(1);
  container.image_id = json.at("Image").get<std::string>().substr(7);
  const Json& state = json.at("State");
  container.state = state_from(state.at("Status"));
  container.exit_code = state.at("ExitCode");
  container.boot = state.at("Boot");
  const Json& config = json.at("Config");
  container.image = config.at("Image");
  container.command = config.at("Cmd").get<std::vector<std::string>>();
  container.options = options_from(json.at("HostConfig"), config);
  container.log = json.at("Log");
  const Json& process = json.at("Process");
  container.devices = process.at("Devices").get<std::vector<std::string>>();
  container.denied_devices = process.at("DeniedDevices").get<std::vector<std::string>>();
  container.identity = identity_from(process.at("Node"));
  container.inside = identity_from(process.at("Inside"));
  return container;
}

Json to_json(const Image& image) {
  return {{"Name", image.name},
          {"Id", image.id},
          {"User", image.user},
          {"Cmd", image.command},
          {"Env", environment_list(image.environment)},
          {"Size", image.bytes}};
}

Image image_from(const Json& json) {
  return {json.at("Name"),
          json.at("Id"),
          json.at("User"),
          json.at("Cmd").get<std::vector<std::string>>(),
          environment_from(json.at("Env")),
          json.at("Size")};
}

}  // namespace rocdrill::containers
