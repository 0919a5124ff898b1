// rocdrill run: a real program on a simulated node.
#include <filesystem>

#include "cli/attach.hpp"
#include "sim/interpose/session_index.hpp"

namespace rocdrill::cli {
namespace {

int run(const po::variables_map& arguments) {
  if (arguments.count("command") == 0)
    throw Failure{exit_usage, "which program? rocdrill run --node mi210 -- rocminfo\n"};
  const auto command = arguments["command"].as<std::vector<std::string>>();
  std::vector<std::string> trace;
  if (arguments.count("trace") != 0) {
    const auto file = std::filesystem::absolute(arguments["trace"].as<std::string>());
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    trace.push_back("ROCDRILL_TRACE=" + file.string());
  }
  const auto start = [&](const std::string& session) {
    auto environment = node_environment(session, false);
    environment.insert(environment.end(), trace.begin(), trace.end());
    return run_on_node(session, command, environment);
  };
  const bool fresh = arguments.count("node") != 0 || arguments.count("drill") != 0;
  if (!fresh) {
    if (arguments.count("fault") != 0) {
      throw Failure{
          exit_usage,
          "--fault goes with --node or --drill; for a running node: rocdrill node inject\n"};
    }
    return start(session_folder(arguments));
  }
  AttachRequest request = attach_request(arguments);
  if (arguments.count("name") == 0) request.name += "." + std::to_string(::getpid());
  const StartedServer server = start_server(arguments, request, false);
  try {
    const int code = start(server.session);
    stop_server(server);
    return code;
  } catch (...) {
    stop_server(server);
    throw;
  }
}

}  // namespace

Command run_command() {
  Command command{
      .name = "run",
      .usage =
          "run (--node N | --drill D | [--session S]) [--fault F...] [--trace FILE] -- CMD [ARGS...]",
      .summary = "a real program on a simulated node; exits as the program does",
      .examples =
          {"rocdrill run --node mi210 -- rocminfo", "rocdrill run --drill stale-dkms -- rocm-smi",
           "rocdrill run --node mi210 --fault firmware-missing -- rocminfo",
           "rocdrill run --node mi210 --fault ioctl=CREATE_QUEUE,nth=3,errno=ENOMEM -- ./program",
           "rocdrill run --node mi210 --fault doorbell=lost --fault interrupt=lost,nth=5 -- ./program"
           "     (surgical faults: rocdrill fault list)",
           "rocdrill run --session mi210 -- lsmod     (a node of rocdrill node start)"},
      .options = po::options_description("options"),
      .positional = {"command..."},
      .run = run};
  add_attach_options(command.options);
  command.options.add_options()("session", po::value<std::string>()->value_name("S"),
                                "a node that runs already (rocdrill node start)")(
      "trace", po::value<std::string>()->value_name("FILE"),
      "record every ioctl and packet of the program in FILE");
  return command;
}

}  // namespace rocdrill::cli
