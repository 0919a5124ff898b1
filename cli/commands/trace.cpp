// rocdrill trace: what rocdrill run --trace recorded, as text, compared, and once more on another
// node.
#include <fcntl.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/attach.hpp"
#include "cli/terminal.hpp"
#include "sim/interpose/replay/replay.hpp"
#include "sim/interpose/trace/perfetto.hpp"
#include "sim/interpose/trace/reader.hpp"
#include "sim/interpose/trace/text.hpp"

namespace rocdrill::cli {
namespace {

trace::Trace read_trace(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw Failure{exit_unavailable,
                  fmt::format("{0}: cannot be read; a program that uses no device leaves no trace\n"
                              "  record one: rocdrill run --node mi210 --trace {0} -- rocminfo\n",
                              file)};
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto trace = trace::parse(text);
  if (!trace) throw Failure{exit_invalid, trace.error().text(file)};
  for (const std::string& warning : trace->warnings) std::cerr << file << ": " << warning << "\n";
  return std::move(*trace);
}

void keep_only(trace::Trace& trace, const po::variables_map& arguments, const std::string& file) {
  if (arguments.count("pid") == 0) return;
  const int pid = arguments["pid"].as<int>();
  std::string known;
  for (const trace::Process& process : trace.processes) known += fmt::format(" {}", process.pid);
  std::erase_if(trace.processes, [&](const trace::Process& process) { return process.pid != pid; });
  if (trace.processes.empty())
    throw Failure{exit_usage, fmt::format("{} has no process {}; it has:{}\n", file, pid, known)};
}

int show(const po::variables_map& arguments) {
  const std::string file = required(arguments, "file");
  trace::Trace trace = read_trace(file);
  keep_only(trace, arguments, file);
  std::vector<trace::ProcessText> texts;
  for (const trace::Process& process : trace.processes)
    texts.push_back(trace::describe(process, {.times = flag(arguments, "times")}));
  if (!flag(arguments, "json")) {
    print(printable(trace::text_of(texts)));
    return exit_ok;
  }
  Json processes = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Json sections = Json::array();
    for (const trace::Section& section : texts[i].sections)
      sections.push_back({{"title", section.title}, {"lines", section.lines}});
    processes.push_back({{"command", trace.processes[i].command},
                         {"kfd", trace.processes[i].kfd},
                         {"gpus", trace.processes[i].gpus.size()},
                         {"sections", std::move(sections)}});
    if (flag(arguments, "times")) processes.back()["pid"] = trace.processes[i].pid;
  }
  print_json({{"processes", std::move(processes)}});
  return exit_ok;
}

int diff(const po::variables_map& arguments) {
  const std::string left = required(arguments, "file");
  const std::string right = required(arguments, "other");
  const auto found = trace::first_difference(read_trace(left), read_trace(right));
  if (flag(arguments, "json")) {
    Json json = {{"equal", !found}};
    if (found) {
      json["where"] = found->where;
      json["before"] = found->before;
      json["left"] = found->left;
      json["right"] = found->right;
    }
    print_json(std::move(json));
    return found ? exit_failed : exit_ok;
  }
  if (!found) return exit_ok;
  std::string text = fmt::format("--- {}\n+++ {}\n{}\n", left, right, found->where);
  for (const std::string& line : found->before) text += "  " + line + "\n";
  text += "- " + (found->left.empty() ? "(no more)" : found->left) + "\n";
  text += "+ " + (found->right.empty() ? "(no more)" : found->right) + "\n";
  print(printable(text));
  return exit_failed;
}

std::string divergence_text(const replay::Divergence& found, const std::string& file) {
  return fmt::format(
      "{}:{}: record {} of process {} comes out otherwise\n  {}\n  recorded: {}\n  replayed: {}\n",
      file, found.line, found.seq, found.pid, found.what, found.recorded, found.replayed);
}

/// A program that may not open /dev/kfd makes no call: as the user who is logged in.
std::optional<replay::Divergence> open_kfd(sim::Node& node, const trace::Process& process) {
  const auto user = node.access.spawn(node.host().session());
  const auto opened = user->open("/dev/kfd", O_RDWR);
  if (opened) return std::nullopt;
  return replay::Divergence{process.pid,          0,         process.line,
                            "open(\"/dev/kfd\")", "success", errno_name(opened.error().error)};
}

replay::Outcome replay_one(sim::Node& node, const trace::Process& process) {
  try {
    return replay::replay(process, node.kernel.kfd, node.os);
  } catch (const replay::AddressTaken& taken) {
    throw Failure{
        exit_unavailable,
        fmt::format("{}\n  run it again: this program's memory lies elsewhere each time\n",
                    taken.what())};
  }
}

struct Replayed {
  std::optional<replay::Divergence> found;
  std::size_t calls = 0, packets = 0, skipped = 0;
};

/// One process after another: what they did to each other at the same time is not replayed.
Replayed replay_all(sim::Node& node, const trace::Trace& trace, const std::string& file) {
  Replayed all;
  for (const trace::Process& process : trace.processes) {
    all.found = open_kfd(node, process);
    if (all.found) break;
    const replay::Outcome outcome = replay_one(node, process);
    all.calls += outcome.calls;
    all.packets += outcome.packets;
    all.skipped += outcome.skipped;
    all.found = outcome.divergence;
    if (all.found) break;
    if (!outcome.stopped.empty()) {
      throw Failure{exit_unavailable, fmt::format("{}: equal up to here, and no further\n  {}\n",
                                                  file, outcome.stopped)};
    }
  }
  return all;
}

int replay_trace(const po::variables_map& arguments) {
  const std::string file = required(arguments, "file");
  const AttachRequest request = attach_request(arguments);
  if (request.node.empty() == request.drill.empty())
    throw Failure{
        exit_usage,
        "say which node: --node N or --drill D\n  see: rocdrill node list; rocdrill list\n"};
  trace::Trace trace = read_trace(file);
  keep_only(trace, arguments, file);
  const AttachedNode made = make_attached_node(arguments, request);
  const Replayed all = replay_all(*made.node, trace, file);
  if (flag(arguments, "json")) {
    Json json = {{"equal", !all.found},
                 {"calls", all.calls},
                 {"packets", all.packets},
                 {"not_replayed", all.skipped}};
    if (all.found) {
      json["divergence"] = {{"pid", all.found->pid},           {"seq", all.found->seq},
                            {"line", all.found->line},         {"what", all.found->what},
                            {"recorded", all.found->recorded}, {"replayed", all.found->replayed}};
    }
    print_json(std::move(json));
  } else if (all.found) {
    print(printable(divergence_text(*all.found, file)));
  } else {
    print(
        fmt::format("equal: {} calls, {} packets; not replayed: {} DRM queries and event streams\n",
                    all.calls, all.packets, all.skipped));
  }
  return all.found ? exit_failed : exit_ok;
}

/// FILE is a recorded trace, or the name of a drill, whose history is meant.
int export_trace(const po::variables_map& arguments) {
  const std::string what = required(arguments, "file");
  std::string text;
  if (std::filesystem::exists(what)) {
    trace::Trace trace = read_trace(what);
    keep_only(trace, arguments, what);
    text = trace::perfetto(trace);
  } else {
    const DrillRun run = run_drill(arguments, what);
    text = trace::perfetto(run.node->os.timeline, run.node->spec().id + ": " + run.drill.drill.id);
  }
  if (arguments.count("out") == 0) {
    print(text);
    return exit_ok;
  }
  const std::string out = arguments["out"].as<std::string>();
  std::ofstream file(out, std::ios::binary);
  if (!(file << text).flush()) {
    throw Failure{exit_unavailable,
                  fmt::format("{} cannot be written: {}\n", out, std::strerror(errno))};
  }
  std::cerr << out << ": open it at https://ui.perfetto.dev\n";
  return exit_ok;
}

int perform(const std::string& what, const po::variables_map& arguments) {
  if (what == "show") return show(arguments);
  if (what == "diff") return diff(arguments);
  if (what == "replay") return replay_trace(arguments);
  if (what == "export") return export_trace(arguments);
  const std::vector<std::string> actions{"show", "diff", "replay", "export"};
  throw Failure{exit_usage, fmt::format("there is no 'trace {}'; {}\n", what,
                                        scenarios::suggest(what, actions, "actions"))};
}

int run(const po::variables_map& arguments) {
  try {
    return perform(required(arguments, "action"), arguments);
  } catch (const trace::Json::exception& error) {
    throw Failure{exit_invalid,
                  fmt::format("a record is not as rocdrill writes it: {}\n  the file was changed: "
                              "record it again\n",
                              error.what())};
  }
}

}  // namespace

Command trace_command() {
  Command command{
      .name = "trace",
      .usage =
          "trace show FILE [--times] [--pid N] | diff FILE OTHER |\n"
          "                      replay FILE (--node N | --drill D) [--fault F...] |\n"
          "                      export FILE|DRILL [--out FILE]",
      .summary = "what run --trace recorded: as text, compared, replayed, or for Perfetto",
      .examples = {"rocdrill run --node mi210 --trace a.jsonl -- rocminfo",
                   "rocdrill trace show a.jsonl", "rocdrill trace diff a.jsonl b.jsonl",
                   "rocdrill trace replay a.jsonl --drill render-group-missing",
                   "rocdrill trace export stale-dkms --out stale-dkms.json"},
      .options = po::options_description("options"),
      .positional = {"action", "file", "other"},
      .run = run};
  add_attach_options(command.options);
  command.options.add_options()(
      "times",
      "times, pids, waits, doorbells as they were noticed: all that differs "
      "from run to run")("pid", po::value<int>()->value_name("N"), "one process")(
      "out", po::value<std::string>()->value_name("FILE"),
      "where export writes; else to its output")("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
