// rocdrill kernel: a code object's kernels on a simulated GPU, with no node around it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <fstream>
#include <iterator>

#include "cli/command.hpp"
#include "cli/kernel_counters.hpp"
#include "cli/terminal.hpp"
#include "sim/workbench/arguments.hpp"
#include "sim/workbench/workbench.hpp"

namespace rocdrill::cli {
namespace {

using workbench::Argument;
using workbench::Workbench;

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Failure{exit_unavailable, fmt::format("cannot read '{}': {}\n", path, errno_text(errno))};
  std::vector<std::byte> bytes;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
    bytes.push_back(static_cast<std::byte>(*at));
  return bytes;
}

std::unique_ptr<Workbench> open_bench(const po::variables_map& arguments) {
  const std::string path = required(arguments, "file");
  workbench::WorkbenchOptions options;
  if (arguments.contains("threads")) options.threads = arguments["threads"].as<unsigned>();
  const std::string target =
      arguments.contains("target") ? arguments["target"].as<std::string>() : std::string();
  const std::vector<std::byte> file = read_file(path);
  auto bench = Workbench::open(file, target, options);
  if (!bench) throw Failure{exit_failed, fmt::format("'{}': {}\n", path, bench.error())};
  return std::move(*bench);
}

const code_objects::Kernel& kernel_of(const po::variables_map& arguments, const Workbench& bench) {
  const auto& kernels = bench.code_object().kernels;
  const std::string wanted =
      arguments.contains("kernel") ? arguments["kernel"].as<std::string>() : std::string();
  if (wanted.empty() && kernels.size() == 1) return kernels.front();
  if (const code_objects::Kernel* found = bench.code_object().find_kernel(wanted)) return *found;
  std::string names;
  for (const code_objects::Kernel& one : kernels) names += "\n  " + one.name;
  throw Failure{exit_usage, wanted.empty()
                                ? "which kernel? --kernel is one of" + names + "\n"
                                : fmt::format("no kernel '{}'; there are{}\n", wanted, names)};
}

std::array<std::uint32_t, 3> three(const po::variables_map& arguments, const char* option,
                                   unsigned& dimensions) {
  std::array<std::uint32_t, 3> values{1, 1, 1};
  const std::string text = arguments[option].as<std::string>();
  std::size_t at = 0;
  for (unsigned n = 0; n < 3; ++n) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    std::size_t used = 0;
    unsigned long value = 0;
    try {
      value = std::stoul(part, &used, 0);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != part.size() || value == 0 || value > UINT32_MAX)
      throw Failure{exit_usage, fmt::format("--{} {}: up to three numbers from 1 on, as in 64,2\n",
                                            option, text)};
    values[n] = static_cast<std::uint32_t>(value);
    dimensions = std::max(dimensions, n + 1);
    at = comma + 1;
    if (at > text.size()) return values;
  }
  if (at <= text.size())
    throw Failure{exit_usage, fmt::format("--{} {}: more than three numbers\n", option, text)};
  return values;
}

struct Request {
  workbench::KernelLaunch launch;
  std::vector<Argument> arguments;
};

Request make_request(const po::variables_map& arguments, Workbench& bench) {
  const code_objects::Kernel& kernel = kernel_of(arguments, bench);
  Request request;
  request.launch.kernel = kernel.name;
  code_objects::Geometry& geometry = request.launch.geometry;
  geometry.grid = three(arguments, "grid", geometry.dimensions);
  const auto block = three(arguments, "block", geometry.dimensions);
  for (unsigned n = 0; n < 3; ++n) {
    if (block[n] > 1024)
      throw Failure{exit_usage, fmt::format("--block: {} work-items; at most 1024\n", block[n])};
    geometry.group[n] = static_cast<std::uint16_t>(block[n]);
  }
  const auto wanted = code_objects::explicit_arguments(kernel);
  const std::vector<std::string> given = arguments.contains("arg")
                                             ? arguments["arg"].as<std::vector<std::string>>()
                                             : std::vector<std::string>();
  if (given.size() != wanted.size()) {
    std::string list;
    for (const auto* one : wanted)
      list += fmt::format("\n  {} {} ({} bytes, {})", one->type_name, one->name, one->size,
                          one->value_kind);
    throw Failure{exit_usage, fmt::format("{} takes {} arguments, {} --arg given:{}\n", kernel.name,
                                          wanted.size(), given.size(), list)};
  }
  std::uint64_t lds = kernel.group_segment_fixed_size;
  for (std::size_t n = 0; n < given.size(); ++n) {
    lds = (lds + 15) / 16 * 16;
    auto parsed = workbench::parse_argument(given[n], *wanted[n], bench, lds);
    if (!parsed) throw Failure{exit_usage, fmt::format("--arg {}: {}\n", given[n], parsed.error())};
    lds += parsed->lds;
    request.launch.arguments.push_back(parsed->bytes);
    request.arguments.push_back(std::move(*parsed));
  }
  request.launch.dynamic_lds = lds - kernel.group_segment_fixed_size;
  if (arguments.contains("lds")) request.launch.dynamic_lds += arguments["lds"].as<std::uint32_t>();
  return request;
}

/// Said of an access near address 0 by a kernel that can ask for a service of the host: the
/// services' buffers are null.
std::string service_hint(const code_objects::Kernel& kernel, std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  if (address >= page) return {};
  for (const code_objects::KernelArgument& argument : kernel.arguments) {
    if (argument.value_kind == "hidden_hostcall_buffer" ||
        argument.value_kind == "hidden_printf_buffer" || argument.value_kind == "hidden_heap_v1")
      return "\n  not modelled here: device printf, assert and malloc. If the kernel uses one of them, "
             "this is why:\n  the buffer that it asks for (" +
             argument.value_kind + ") is null";
  }
  return {};
}

/// What ended it; empty if it completed.
std::string end_text(const isa::Outcome& outcome, Workbench& bench,
                     const code_objects::Kernel& kernel) {
  const std::string where =
      fmt::format("at {:#x} ({}), workgroup {},{},{} wave {}", outcome.va - bench.image_va(),
                  bench.disassemble_at(outcome.va).text, outcome.workgroup[0], outcome.workgroup[1],
                  outcome.workgroup[2], outcome.wave);
  switch (outcome.end) {
    case isa::End::completed:
      return {};
    case isa::End::cancelled:
    case isa::End::hung:
      return "stopped";
    case isa::End::unmodelled:
      return outcome.text == bench.disassemble_at(outcome.va).text
                 ? fmt::format("not modelled: {}", where)
                 : fmt::format("not modelled: {} {}", outcome.text, where);
    case isa::End::exception:
      break;
  }
  if (outcome.exception.code == cp::KfdException::wave_memory_violation) {
    constexpr std::string_view accesses[] = {"read", "write", "instruction fetch"};
    return fmt::format("memory violation: {} of address {:#x} {}{}",
                       accesses[static_cast<std::size_t>(outcome.exception.access)],
                       outcome.exception.address, where,
                       service_hint(kernel, outcome.exception.address));
  }
  return fmt::format("{} {}", cp::name(outcome.exception.code), where);
}

std::string elements(const Argument& argument, std::size_t most) {
  std::string text;
  for (std::size_t n = 0; n < std::min(argument.count, most); ++n)
    text += (n == 0 ? "" : " ") + workbench::element_text(argument, n);
  if (argument.count > most) text += fmt::format(" ... ({} in all)", argument.count);
  return text;
}

void write_outputs(const po::variables_map& arguments, const Request& request) {
  if (!arguments.contains("out")) return;
  for (const std::string& one : arguments["out"].as<std::vector<std::string>>()) {
    const std::size_t equals = one.find('=');
    std::size_t number = 0;
    try {
      number = std::stoul(one.substr(0, equals));
    } catch (const std::exception&) {
      number = SIZE_MAX;
    }
    if (equals == std::string::npos || number >= request.arguments.size() ||
        !request.arguments[number].is_buffer)
      throw Failure{exit_usage,
                    fmt::format("--out {}: N=FILE, where argument N (from 0) is a buffer\n", one)};
    const auto bytes = request.arguments[number].buffer.bytes();
    std::ofstream file(one.substr(equals + 1), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file)
      throw Failure{exit_unavailable, fmt::format("cannot write '{}'\n", one.substr(equals + 1))};
  }
}

/// Dispatches it `--repeat` times; `ns`: their estimated durations.
isa::Outcome dispatch(const po::variables_map& arguments, const Request& request, Workbench& bench,
                      std::vector<std::uint64_t>& ns) {
  for (unsigned n = 1;; ++n) {
    auto outcome = bench.run(request.launch);
    if (!outcome) throw Failure{exit_usage, outcome.error() + "\n"};
    ns.push_back(estimate(bench, outcome->counters).ns);
    if (n >= arguments["repeat"].as<unsigned>() || outcome->end != isa::End::completed)
      return std::move(*outcome);
  }
}

int run_kernel(const po::variables_map& arguments) {
  const auto bench = open_bench(arguments);
  Request request = make_request(arguments, *bench);
  request.launch.counts_traffic = flag(arguments, "counters") || flag(arguments, "stats");
  std::vector<std::uint64_t> ns;
  const auto begin = std::chrono::steady_clock::now();
  const isa::Outcome outcome = dispatch(arguments, request, *bench, ns);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  const std::string end = end_text(outcome, *bench, kernel_of(arguments, *bench));
  const std::size_t most = arguments["print"].as<std::size_t>();
  write_outputs(arguments, request);
  const isa::DispatchCounters& counters = outcome.counters;
  if (flag(arguments, "json")) {
    Json buffers = Json::array();
    for (std::size_t n = 0; n < request.arguments.size(); ++n)
      if (request.arguments[n].is_buffer)
        buffers.push_back({{"argument", n}, {"values", elements(request.arguments[n], most)}});
    Json out{{"kernel", request.launch.kernel},
             {"target", bench->code_object().target.text()},
             {"end", end.empty() ? "completed" : end},
             {"milliseconds", took.count()},
             {"dispatches", ns.size()},
             {"workgroups", counters.workgroups},
             {"waves", counters.waves},
             {"buffers", std::move(buffers)}};
    out.update(counters_json(*bench, counters));
    print_json(std::move(out));
    return end.empty() ? exit_ok : exit_failed;
  }
  if (flag(arguments, "stats")) {
    print(stats_csv(request.launch.kernel, ns));
  } else {
    for (std::size_t n = 0; n < request.arguments.size(); ++n)
      if (request.arguments[n].is_buffer && most != 0)
        print(fmt::format("arg {}: {}\n", n, elements(request.arguments[n], most)));
    print(fmt::format("{} on {}: {} workgroups, {} waves, {} instructions, {:.3f} ms\n",
                      request.launch.kernel, bench->code_object().target.text(),
                      counters.workgroups, counters.waves, counters.total(), took.count()));
    if (flag(arguments, "counters")) print(counters_text(*bench, counters));
  }
  if (end.empty()) return exit_ok;
  throw Failure{exit_failed, end + "\n"};
}

int list_kernels(const po::variables_map& arguments) {
  const auto bench = open_bench(arguments);
  Json list = Json::array();
  for (const code_objects::Kernel& kernel : bench->code_object().kernels) {
    std::vector<std::string> parameters;
    for (const auto* one : code_objects::explicit_arguments(kernel))
      parameters.push_back(fmt::format("{}{}{}",
                                       one->type_name.empty() ? one->value_kind : one->type_name,
                                       one->name.empty() ? "" : " ", one->name));
    if (flag(arguments, "json")) {
      list.push_back({{"name", kernel.name},
                      {"arguments", parameters},
                      {"vgprs", kernel.vgpr_count},
                      {"agprs", kernel.agpr_count},
                      {"sgprs", kernel.sgpr_count},
                      {"lds_bytes", kernel.group_segment_fixed_size},
                      {"scratch_bytes", kernel.private_segment_fixed_size},
                      {"max_workgroup", kernel.max_flat_workgroup_size}});
      continue;
    }
    const std::uint64_t waves = (kernel.max_flat_workgroup_size + 63) / 64;
    print(
        fmt::format("{}({})\n  {} VGPRs, {} AccVGPRs, {} SGPRs, {} bytes of LDS, {} bytes of "
                    "scratch per work-item, blocks up to {}; {}\n",
                    paint(kernel.name, Colour::bold), fmt::join(parameters, ", "),
                    kernel.vgpr_count, kernel.agpr_count, kernel.sgpr_count,
                    kernel.group_segment_fixed_size, kernel.private_segment_fixed_size,
                    kernel.max_flat_workgroup_size, occupancy_text(*bench, kernel, waves)));
  }
  if (flag(arguments, "json"))
    print_json({{"target", bench->code_object().target.text()}, {"kernels", std::move(list)}});
  return exit_ok;
}

int disassemble(const po::variables_map& arguments) {
  const auto bench = open_bench(arguments);
  for (const Workbench::Line& line : bench->disassemble(kernel_of(arguments, *bench)))
    print(fmt::format("{:#8x}  {}{}\n", line.offset, line.text.text,
                      line.text.executed || !line.text.legal ? "" : "   ; not executed"));
  return exit_ok;
}

// --- step
// -----------------------------------------------------------------------------------------

/// What an instruction changed of a wave.
class Watcher {
 public:
  Watcher(Workbench& bench, std::size_t first, std::size_t count)
      : bench_(bench), first_(first), count_(count) {}

  /// Before each instruction, and at the end: prints the one before.
  bool look(const isa::Wave& wave, std::uint64_t va) {
    if (known_ && step_ >= first_) print_last(wave);
    if (known_) ++step_;
    if (step_ >= first_ + count_) return false;
    remember(wave, va);
    return true;
  }

 private:
  static std::size_t vector_bytes(const isa::Wave& wave) {
    return std::size_t{wave.vgprs} * isa::vgpr_bytes;
  }
  void remember(const isa::Wave& wave, std::uint64_t va) {
    known_ = true;
    va_ = va;
    std::ranges::copy(wave.s, scalars_.begin());
    scc_ = wave.scc;
    const std::byte* registers = wave.bases[static_cast<unsigned>(isa::Kind::vgpr)];
    vectors_.assign(registers, registers + vector_bytes(wave));
  }
  void print_last(const isa::Wave& wave) {
    std::string changes;
    for (unsigned n = 0; n < isa::reg::exec; ++n)
      if (wave.s[n] != scalars_[n]) changes += fmt::format("  {}={:#x}", scalar_name(n), wave.s[n]);
    if (wave.scc != scc_) changes += fmt::format("  scc={}", wave.scc);
    if (wave.s[126] != scalars_[126] || wave.s[127] != scalars_[127])
      changes += fmt::format("  exec={:#018x}", wave.exec());
    for (unsigned n = 0; n < wave.vgprs; ++n) changes += vector_change(wave, n);
    print(fmt::format("{:#8x}  {}{}\n", va_ - bench_.image_va(), bench_.disassemble_at(va_).text,
                      changes.empty() ? "" : paint("\n          " + changes, Colour::grey)));
  }
  std::string vector_change(const isa::Wave& wave, unsigned number) const {
    const std::size_t at = std::size_t{number} * isa::vgpr_bytes;
    const std::byte* now = wave.bases[static_cast<unsigned>(isa::Kind::vgpr)] + at;
    if (std::equal(now, now + isa::vgpr_bytes, vectors_.begin() + static_cast<long>(at))) return {};
    const auto* lanes = reinterpret_cast<const std::uint32_t*>(now);
    const int first = std::countr_zero(wave.exec() | 1ull << 63);
    const bool same =
        std::all_of(lanes, lanes + 64, [&](std::uint32_t v) { return v == lanes[first]; });
    return fmt::format("  v{}={:#x}{}", number, lanes[first],
                       same ? "" : fmt::format(" (lane {}; others differ)", first));
  }
  static std::string scalar_name(unsigned number) {
    switch (number) {
      case 102:
        return "flat_scratch_lo";
      case 103:
        return "flat_scratch_hi";
      case 106:
        return "vcc_lo";
      case 107:
        return "vcc_hi";
      case 124:
        return "m0";
      default:
        return fmt::format("s{}", number);
    }
  }

  Workbench& bench_;
  std::size_t first_;
  std::size_t count_;
  std::size_t step_ = 0;
  bool known_ = false;
  std::uint64_t va_ = 0;
  std::array<std::uint32_t, 128> scalars_{};
  std::uint32_t scc_ = 0;
  std::vector<std::byte> vectors_;
};

int step_kernel(const po::variables_map& arguments) {
  const auto bench = open_bench(arguments);
  const Request request = make_request(arguments, *bench);
  Watcher watcher(*bench, arguments["skip"].as<std::size_t>(),
                  arguments["count"].as<std::size_t>());
  const auto outcome = bench->step(
      request.launch, arguments["workgroup"].as<std::uint64_t>(), arguments["wave"].as<unsigned>(),
      [&](const isa::Wave& wave, std::uint64_t va) { return watcher.look(wave, va); });
  if (!outcome) throw Failure{exit_usage, outcome.error() + "\n"};
  const std::string end = end_text(*outcome, *bench, kernel_of(arguments, *bench));
  if (outcome->end == isa::End::completed || outcome->end == isa::End::cancelled) return exit_ok;
  throw Failure{exit_failed, end + "\n"};
}

int run(const po::variables_map& arguments) {
  const std::string action = required(arguments, "action");
  if (action == "run") return run_kernel(arguments);
  if (action == "list") return list_kernels(arguments);
  if (action == "disasm") return disassemble(arguments);
  if (action == "step") return step_kernel(arguments);
  throw Failure{exit_usage, fmt::format("kernel {}: list, run, disasm or step\n", action)};
}

}  // namespace

Command kernel_command() {
  Command command{
      .name = "kernel",
      .usage = "kernel list|run|disasm|step FILE [--kernel NAME] [options]",
      .summary = "runs a code object's kernels on a simulated GPU",
      .examples = {"rocdrill kernel list saxpy.co",
                   "rocdrill kernel run saxpy.co --grid 1024 --block 256 --arg 1024 --arg 2.0 \\\n"
                   "      --arg 'f32[1024]=iota' --arg 'f32[1024]=one' --print 4",
                   "rocdrill kernel disasm app --target gfx90a --kernel _Z5saxpyifPfS_",
                   "rocdrill kernel step saxpy.co --grid 64 --block 64 --arg ... --count 20"},
      .options = po::options_description(
          "options (FILE: a code object, an offload bundle, or a program with .hip_fatbin)"),
      .positional = {"action", "file"},
      .run = run};
  auto add = command.options.add_options();
  add("kernel", po::value<std::string>(), "its name; may be left out if there is one only");
  add("target", po::value<std::string>(), "which code object of a bundle: gfx90a, gfx942, ...");
  add("grid", po::value<std::string>()->default_value("64"),
      "work-items in x[,y[,z]], as the AQL packet has it");
  add("block", po::value<std::string>()->default_value("64"), "work-items of a workgroup");
  add("arg", po::value<std::vector<std::string>>(),
      "once per argument: 7, 2.5, f32:2.5, f32[N], f32[N]=iota|zero|one|random[:SEED]|VALUE|@FILE, "
      "lds:BYTES, null (types i8 to u64, f16, f32, f64)");
  add("lds", po::value<std::uint32_t>(), "bytes of dynamic LDS");
  add("print", po::value<std::size_t>()->default_value(8), "elements shown of each buffer");
  add("out", po::value<std::vector<std::string>>(), "N=FILE: writes the buffer of argument N");
  add("counters",
      "run: instructions by class, bytes moved, LDS bank conflicts, an estimated duration");
  add("stats", "run: the estimated durations as rocprofv3 --kernel-trace --stats has them");
  add("repeat", po::value<unsigned>()->default_value(1), "run: dispatches it N times");
  add("threads", po::value<unsigned>(), "host threads (default: one per core)");
  add("workgroup", po::value<std::uint64_t>()->default_value(0), "step: which one, by number");
  add("wave", po::value<unsigned>()->default_value(0), "step: which of its waves");
  add("skip", po::value<std::size_t>()->default_value(0), "step: instructions not shown");
  add("count", po::value<std::size_t>()->default_value(200), "step: instructions shown");
  add("json", "machine-readable (list, run)");
  return command;
}

// --- isa
// ------------------------------------------------------------------------------------------

namespace {

int coverage(const po::variables_map& arguments) {
  if (required(arguments, "action") != "coverage")
    throw Failure{exit_usage, "isa: coverage FILE\n"};
  const auto bench = open_bench(arguments);
  std::map<std::string, std::size_t> missing;
  std::size_t total = 0;
  std::size_t illegal = 0;
  for (const Workbench::Line& line : bench->disassemble_all()) {
    ++total;
    if (!line.text.legal) ++illegal;
    if (line.text.legal && !line.text.executed) ++missing[line.text.mnemonic];
  }
  if (flag(arguments, "json")) {
    Json list = Json::object();
    for (const auto& [mnemonic, count] : missing) list[mnemonic] = count;
    print_json({{"target", bench->code_object().target.text()},
                {"instructions", total},
                {"illegal", illegal},
                {"missing", std::move(list)}});
  } else {
    print(fmt::format("{}: {} instructions, {} mnemonics not executed{}\n",
                      bench->code_object().target.text(), total, missing.size(),
                      illegal == 0 ? "" : fmt::format(", {} words are no instruction", illegal)));
    for (const auto& [mnemonic, count] : missing)
      print(fmt::format("  {:<32} {}\n", mnemonic, count));
  }
  return missing.empty() ? exit_ok : exit_failed;
}

}  // namespace

Command isa_command() {
  Command command{.name = "isa",
                  .usage = "isa coverage FILE [--target TARGET] [--json]",
                  .summary = "which instructions of a code object are not executed",
                  .examples = {"rocdrill isa coverage saxpy.co"},
                  .options = po::options_description("options"),
                  .positional = {"action", "file"},
                  .run = coverage};
  command.options.add_options()("target", po::value<std::string>(),
                                "which code object of a bundle")("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
