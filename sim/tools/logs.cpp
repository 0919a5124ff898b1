// The kernel's ring buffer: dmesg and journalctl -k; and what units said: journalctl -u.
// The node lets everybody read it (kernel.dmesg_restrict = 0). Wall-clock time is not modelled, so
// journalctl prints in its short-monotonic format.
#include <algorithm>
#include <set>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view levels[] = {"emerg", "alert",  "crit", "err",
                                       "warn",  "notice", "info", "debug"};

std::optional<int> level_of(std::string_view word) {
  if (word == "warning") word = "warn";
  const auto at = std::ranges::find(levels, word);
  if (at != std::end(levels)) return static_cast<int>(at - std::begin(levels));
  if (word.size() == 1 && word[0] >= '0' && word[0] <= '7') return word[0] - '0';
  return std::nullopt;
}

/// "err,warn"; nothing if one of the words is no level.
std::optional<std::set<int>> level_set(std::string words) {
  std::ranges::replace(words, ',', ' ');
  std::set<int> wanted;
  for (const std::string& word : words_of(words)) {
    const auto level = level_of(word);
    if (!level) return std::nullopt;
    wanted.insert(*level);
  }
  return wanted;
}

int run_dmesg(Call& call) {
  const auto options = parse(call, {{"-l", true},
                                    {"--level", true, "-l"},
                                    {"-t"},
                                    {"--notime", false, "-t"},
                                    {"-k"},
                                    {"--kernel", false, "-k"}});
  if (!options) return 2;
  std::optional<std::set<int>> wanted;
  if (const auto given = options->value("-l")) {
    wanted = level_set(*given);
    if (!wanted) return call.fail(1, "dmesg: unknown level '{}'\n", *given);
  }
  for (const Dmesg::Line& line : call.node.os.dmesg.lines()) {
    if (wanted && !wanted->contains(line.level)) continue;
    if (!options->has("-t")) {
      call.print("[{:5}.{:06}] ", line.time_ns / 1'000'000'000, line.time_ns / 1'000 % 1'000'000);
    }
    call.print("{}\n", line.text);
  }
  return 0;
}

bool may_read_journal(const Call& call) {
  if (call.root()) return true;
  for (const std::string_view name : {"adm", "systemd-journal"}) {
    const auto group = find_group(call.node.os.files, name);
    if (group && call.spec.identity.in_group(group->gid)) return true;
  }
  return false;
}

int print_unit(Call& call, const std::string& name, int limit) {
  const auto file = call.node.units.file(name);
  if (!file || !call.node.units.modelled(*file))
    return call.refuse(fmt::format("the journal of unit '{}'", name));
  const auto& lines = call.node.units.state(*file).lines;
  if (lines.empty()) call.print("-- No entries --\n");
  for (const UnitLine& line : lines) {
    if (line.level > limit) continue;
    call.print("[{:5}.{:06}] {} {}: {}\n", line.time_ns / 1'000'000'000,
               line.time_ns / 1'000 % 1'000'000, call.node.os.hostname, line.source, line.text);
  }
  return 0;
}

int run_journalctl(Call& call) {
  const auto options = parse(call, {{"-k"},
                                    {"--dmesg", false, "-k"},
                                    {"--no-pager"},
                                    {"-b"},
                                    {"--boot", false, "-b"},
                                    {"-q"},
                                    {"-o", true},
                                    {"--output", true, "-o"},
                                    {"-p", true},
                                    {"--priority", true, "-p"},
                                    {"-u", true},
                                    {"--unit", true, "-u"}});
  if (!options) return 2;
  const auto unit = options->value("-u");
  if (options->has("-k") == unit.has_value())
    return call.refuse("the journal of anything but the kernel (-k) or a unit (-u)");
  if (options->value_or("-o", "short-monotonic") != "short-monotonic")
    return call.refuse("output format '" + *options->value("-o") + "'");
  for (const std::string& word : options->operands) {
    if (word != "0") return call.refuse("an earlier boot");
  }
  if (!may_read_journal(call)) {
    return call.fail(1,
                     "Hint: You are currently not seeing messages from the system.\n"
                     "      Users in groups 'adm', 'systemd-journal' can see all messages.\n"
                     "      Pass -q to turn off this notice.\n"
                     "No journal files were opened due to insufficient permissions.\n");
  }
  const auto limit = level_of(options->value_or("-p", "debug"));
  if (!limit) return call.fail(1, "Unknown log level {}\n", *options->value("-p"));
  if (unit) return print_unit(call, *unit, *limit);
  for (const Dmesg::Line& line : call.node.os.dmesg.lines()) {
    if (line.level > *limit) continue;
    call.print("[{:5}.{:06}] {} kernel: {}\n", line.time_ns / 1'000'000'000,
               line.time_ns / 1'000 % 1'000'000, call.node.os.hostname, line.text);
  }
  return 0;
}

constexpr Tool table[] = {
    {{"dmesg", "dmesg [-t] [--level LEVEL[,LEVEL]]", "Prints the kernel's ring buffer."},
     run_dmesg},
    {{"journalctl", "journalctl -k|-u UNIT [-b] [-p LEVEL] [-o short-monotonic]",
      "Prints the kernel's or a unit's messages of this boot."},
     run_journalctl},
};

}  // namespace

std::span<const Tool> log_tools() { return table; }

}  // namespace rocdrill::sim::tools
