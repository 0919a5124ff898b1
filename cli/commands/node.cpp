#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/attach.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/interpose/server/session.hpp"
#include "sim/silicon/catalogue.hpp"

namespace rocdrill::cli {
namespace {

int list(const po::variables_map& arguments) {
  const auto data = data_path(arguments);
  Json nodes = Json::array();
  std::string text;
  std::string problems;
  for (const std::string& id : data.list_nodes()) {
    auto spec = scenarios::load_node(data, id, scenarios::built_in_knowledge());
    if (!spec) {
      problems += scenarios::text(spec.error());
      continue;
    }
    nodes.push_back({{"id", id}, {"title", spec->title}, {"gpus", spec->gpus.size()}});
    text += fmt::format("{:<18} {}\n", id, spec->title);
  }
  if (flag(arguments, "json")) {
    print_json({{"nodes", std::move(nodes)}});
  } else {
    print(text);
  }
  if (!problems.empty()) throw Failure{exit_invalid, problems};
  return exit_ok;
}

int show(const po::variables_map& arguments, const std::string& id) {
  const auto data = data_path(arguments);
  const sim::NodeSpec spec = load_node(arguments, id);
  Json gpus = Json::array();
  std::string text = paint(spec.title, Colour::bold) + "\n";
  text += fmt::format("  host      {} ({} {}), {} x {} CPUs, {} GiB\n", spec.hostname,
                      spec.distro == sim::Distro::debian ? "Debian" : "Ubuntu", spec.distro_release,
                      spec.cpu_sockets, spec.cpu_cores_per_socket, spec.memory_bytes >> 30);
  std::vector<std::string> kernels;
  for (const sim::KernelSpec& kernel : spec.kernels) {
    kernels.push_back(kernel.release + (kernel.installed ? "" : " (published)") +
                      (kernel.in_tree_amdgpu ? " +amdgpu" : ""));
  }
  text += fmt::format("  kernels   {}\n", fmt::join(kernels, ", "));
  text += fmt::format("  driver    {}\n", spec.driver.dkms_version.empty()
                                              ? "the kernel's own"
                                              : "amdgpu-dkms " + spec.driver.dkms_version);
  text += fmt::format("  firmware  {} {}\n", spec.firmware.package, spec.firmware.version);
  text += fmt::format("  ROCm      {} in {}\n", spec.rocm.version, spec.rocm.prefix);
  if (!spec.torch.version.empty())
    text += fmt::format("  PyTorch   {} for {}\n", spec.torch.version,
                        fmt::join(spec.torch.targets, " "));
  for (const auto& [variable, value] : spec.environment)
    text += fmt::format("  job sets  {}={}\n", variable, value);
  for (const sim::GpuSpec& gpu : spec.gpus) {
    const GpuProduct& product = silicon::product_or_throw(gpu.product);
    text += fmt::format("  {}  {} ({}), {} CUs, {} GiB, NUMA {}\n", gpu.bdf.text(),
                        product.marketing_name, product.gfx, product.active_cus,
                        (product.vram_bytes + (1u << 29)) >> 30, gpu.numa_node);
    gpus.push_back({{"bdf", gpu.bdf.text()},
                    {"product", product.product},
                    {"gfx", product.gfx},
                    {"compute_units", product.active_cus},
                    {"vram_bytes", product.vram_bytes}});
  }
  if (flag(arguments, "json")) {
    print_json({{"id", spec.id},
                {"title", spec.title},
                {"hostname", spec.hostname},
                {"kernels", kernels},
                {"dkms", spec.driver.dkms_version},
                {"rocm", spec.rocm.version},
                {"torch", spec.torch.version},
                {"gpus", std::move(gpus)}});
  } else {
    print(text);
  }
  return exit_ok;
}

int start(const po::variables_map& arguments) {
  AttachRequest request = attach_request(arguments);
  if (arguments.count("name-or-id") != 0) {
    if (!request.node.empty() || !request.drill.empty())
      throw Failure{exit_usage, "either NODE, or --node N, or --drill D\n"};
    request.node = arguments["name-or-id"].as<std::string>();
    if (request.name.empty()) request.name = request.node;
  }
  const StartedServer server = start_server(arguments, request, true);
  if (flag(arguments, "json")) {
    print_json({{"name", request.name}, {"path", server.session}, {"server_pid", server.pid}});
  } else {
    print(
        fmt::format("{} runs\n  a program on it:  rocdrill run --session {} -- rocminfo\n"
                    "  a shell on it:    rocdrill shell --session {}\n"
                    "  end it:           rocdrill node stop {}\n",
                    request.name, request.name, request.name, request.name));
  }
  return exit_ok;
}

/// The running node that is meant: by name, or the only one.
std::string running(const po::variables_map& arguments, bool by_position = true) {
  std::optional<std::string> name;
  if (by_position && arguments.count("name-or-id") != 0)
    name = arguments["name-or-id"].as<std::string>();
  if (arguments.count("session") != 0) name = arguments["session"].as<std::string>();
  try {
    return interpose::find_session(name).path.string();
  } catch (const std::runtime_error& error) {
    throw Failure{exit_unavailable, std::string(error.what()) + "\n"};
  }
}

int stop(const po::variables_map& arguments) {
  const std::string session = running(arguments);
  ask(session, {{"op", "stop"}});
  constexpr int tries = 200;
  for (int i = 0; i < tries && std::filesystem::exists(session); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::error_code ignored;
  std::filesystem::remove(session + ".log", ignored);
  return exit_ok;
}

int status(const po::variables_map& arguments) {
  if (arguments.count("name-or-id") == 0 && arguments.count("session") == 0 && !on_a_node()) {
    Json list = Json::array();
    std::string text;
    for (const auto& session : interpose::running_sessions()) {
      const auto told = ask(session.path.string(), {{"op", "status"}});
      list.push_back(Json::parse(told.dump()));
      text += fmt::format("{:<24} {:<14} {} GPUs, {} programs\n", session.name,
                          told.at("hostname").get<std::string>(), told.at("gpus").get<int>(),
                          told.at("clients").size());
    }
    if (flag(arguments, "json")) {
      print_json({{"nodes", std::move(list)}});
    } else {
      print(text.empty() ? "no node is running\n" : text);
    }
    return exit_ok;
  }
  const auto told = ask(running(arguments), {{"op", "status"}});
  if (flag(arguments, "json")) {
    print_json(Json::parse(told.dump()));
    return exit_ok;
  }
  print(fmt::format("{}: {} ({}), kernel {}\n", told.at("name").get<std::string>(),
                    told.at("hostname").get<std::string>(), told.at("node").get<std::string>(),
                    told.at("kernel").get<std::string>()));
  print(fmt::format("  {} GPUs in KFD's topology, {} queues, {} open device files, {} events\n",
                    told.at("gpus").get<int>(), told.at("queues").get<int>(),
                    told.at("open_devices").get<int>(), told.at("events").get<int>()));
  print(fmt::format("  /sys: {}\n", told.at("live_sysfs").get<bool>()
                                        ? "live (FUSE)"
                                        : "files; writes take effect without their errors"));
  for (const auto& client : told.at("clients")) {
    print(fmt::format("  pid {:<8} {}\n", client.at("pid").get<int>(),
                      printable(client.at("command").get<std::string>())));
  }
  return exit_ok;
}

int inject(const po::variables_map& arguments) {
  const sim::FaultUse use = parse_fault(required(arguments, "name-or-id"));
  interpose::Json parameters = interpose::Json::object();
  for (const auto& [name, value] : use.parameters)
    std::visit([&](const auto& is) { parameters[name] = is; }, value);
  ask(running(arguments, false),
      {{"op", "inject"}, {"id", use.id}, {"parameters", std::move(parameters)}});
  return exit_ok;
}

int clear(const po::variables_map& arguments) {
  ask(running(arguments, false), {{"op", "clear"}, {"id", required(arguments, "name-or-id")}});
  return exit_ok;
}

int log(const po::variables_map& arguments) {
  const auto told = ask(running(arguments), {{"op", "log"}});
  if (flag(arguments, "json")) {
    print(told.at("lines").get<std::string>());
    return exit_ok;
  }
  const auto timeline = Timeline::from_json_lines(told.at("lines").get<std::string>());
  if (!timeline) throw Failure{exit_internal, timeline.error() + "\n"};
  for (EventId id = 1; id <= timeline->size(); ++id) {
    const EventView event = timeline->at(id);
    if (event.severity == Severity::debug) continue;
    const std::string status = event.text(field::status);
    print(fmt::format("{:>12} {:<9} {:<24} {}{}\n", seconds(event.time_ns), name(event.layer),
                      event.kind, printable(event.subject),
                      status.empty() ? "" : "  " + printable(status)));
  }
  return exit_ok;
}

int run(const po::variables_map& arguments) {
  const std::string what = required(arguments, "action");
  if (what == "list") return list(arguments);
  if (what == "show") return show(arguments, required(arguments, "name-or-id"));
  if (what == "start") return start(arguments);
  if (what == "stop") return stop(arguments);
  if (what == "status") return status(arguments);
  if (what == "inject") return inject(arguments);
  if (what == "clear") return clear(arguments);
  if (what == "log") return log(arguments);
  const std::vector<std::string> actions{"list",   "show",   "start", "stop",
                                         "status", "inject", "clear", "log"};
  throw Failure{exit_usage, fmt::format("there is no 'node {}'; {}\n", what,
                                        scenarios::suggest(what, actions, "actions"))};
}

}  // namespace

Command node_command() {
  Command command{
      .name = "node",
      .usage =
          "node list | show NODE | start [NODE | --drill D] | stop [S] | status [S] |\n"
          "                     inject FAULT | clear FAULT | log [S]",
      .summary = "the nodes there are, and those that run",
      .examples = {"rocdrill node list", "rocdrill node show mi300x-8", "rocdrill node start mi210",
                   "rocdrill node start --drill stale-dkms --name lab",
                   "rocdrill node inject ioctl=CREATE_QUEUE,nth=3,errno=ENOMEM",
                   "rocdrill node log --json", "rocdrill node stop mi210"},
      .options = po::options_description("options"),
      .positional = {"action", "name-or-id"},
      .run = run};
  add_attach_options(command.options);
  command.options.add_options()("session", po::value<std::string>()->value_name("S"),
                                "the running node that is meant, where several run")(
      "json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
