// Text: echo, true, false, grep, head, tail, wc. Texts: coreutils 9, grep 3.8.
#include <regex.h>

#include <algorithm>
#include <charconv>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int run_echo(Call& call) {
  const bool bare = !call.args.empty() && call.args[0] == "-n";
  if (!call.args.empty() && (call.args[0] == "-e" || call.args[0] == "-E"))
    return call.refuse_option(call.args[0]);
  call.out =
      fmt::format("{}{}", fmt::join(call.args.begin() + (bare ? 1 : 0), call.args.end(), " "),
                  bare ? "" : "\n");
  return 0;
}

int run_true(Call&) { return 0; }
int run_false(Call&) { return 1; }

/// A POSIX expression as grep compiles it: the C library's, with GNU's additions (\|, \s, \w).
class Pattern {
 public:
  Pattern(const std::string& text, int flags) : error_(regcomp(&compiled_, text.c_str(), flags)) {}
  ~Pattern() {
    if (error_ == 0) regfree(&compiled_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  /// "" if the expression is one.
  std::string error() const {
    char text[128] = "";
    if (error_ != 0) regerror(error_, &compiled_, text, sizeof text);
    return text;
  }
  bool found_in(const std::string& line) const {
    return regexec(&compiled_, line.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int error_ = 0;
};

/// For -F: every character stands for itself.
std::string literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(".[]*^$\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

struct Grep {
  Call& call;
  const Options& options;
  const Pattern& pattern;
  bool with_names = false;
  bool any = false;
  bool failed = false;

  void text(const std::string& name, const std::string& content) {
    if (content.find('\0') != std::string::npos) return binary(name, content);
    std::size_t count = 0, number = 0;
    const std::string prefix = with_names ? name + ":" : "";
    for (const std::string& line : lines_of(content)) {
      ++number;
      if (pattern.found_in(line) == options.has("-v")) continue;
      ++count;
      if (options.has("-q") || options.has("-c") || options.has("-l")) continue;
      call.print("{}{}{}\n", prefix, options.has("-n") ? std::to_string(number) + ":" : "", line);
    }
    any = any || count > 0;
    if (options.has("-q")) return;
    if (options.has("-c"))
      call.print("{}{}\n", prefix, count);
    else if (options.has("-l") && count > 0)
      call.print("{}\n", name);
  }

  void binary(const std::string& name, const std::string& content) {
    std::string text = content;
    std::ranges::replace(text, '\0', '\n');
    const bool found = std::ranges::any_of(
        lines_of(text), [&](const std::string& line) { return pattern.found_in(line); });
    any = any || found;
    if (found && !options.has("-q")) call.print("grep: {}: binary file matches\n", name);
  }

  void file(const std::string& name) {
    const std::string path = call.path(name);
    const auto stat = call.process().stat(path);
    if (stat && stat->type == FileType::directory) {
      if (!options.has("-r")) return complain(name, "Is a directory");
      for (const std::string& child :
           call.process().list(path).value_or(std::vector<std::string>{}))
        file(join(name, child));
      return;
    }
    const auto content = stat ? call.process().read_file(path)
                              : SysResult<std::string>(std::unexpected(stat.error()));
    if (content) return text(name, *content);
    call.event = content.error().event;
    complain(name, errno_text(content.error().error));
  }

  void complain(const std::string& name, std::string_view why) {
    if (!options.has("-s")) call.complain("grep: {}: {}\n", name, why);
    failed = true;
  }
};

constexpr Option grep_options[] = {
    {"-E"},
    {"-F"},
    {"-q"},
    {"-H"},
    {"-h"},
    {"-i"},
    {"-c"},
    {"-v"},
    {"-n"},
    {"-l"},
    {"-r"},
    {"-s"},
    {"-e", true},
    {"-R", false, "-r"},
    {"--extended-regexp", false, "-E"},
    {"--fixed-strings", false, "-F"},
    {"--quiet", false, "-q"},
    {"--ignore-case", false, "-i"},
    {"--count", false, "-c"},
    {"--recursive", false, "-r"},
    {"--invert-match", false, "-v"},
};

int run_grep(Call& call) {
  const auto options = parse(call, grep_options);
  if (!options) return 2;
  auto names = options->operands;
  if (names.empty() && !options->has("-e"))
    return call.fail(2, "Usage: grep [OPTION]... PATTERNS [FILE]...\n");
  const std::string given = options->has("-e") ? *options->value("-e") : names.front();
  if (!options->has("-e")) names.erase(names.begin());
  const bool fixed = options->has("-F");
  const bool extended = !fixed && (options->has("-E") || call.name == "egrep");
  const Pattern pattern(fixed ? literal(given) : given, REG_NOSUB | (extended ? REG_EXTENDED : 0) |
                                                            (options->has("-i") ? REG_ICASE : 0));
  if (!pattern.error().empty()) return call.fail(2, "grep: {}\n", pattern.error());
  Grep grep{call, *options, pattern};
  grep.with_names =
      options->has("-H") || (!options->has("-h") && (names.size() > 1 || options->has("-r")));
  if (names.empty() && options->has("-r")) return call.refuse("-r without a path");
  if (names.empty()) grep.text("(standard input)", call.input);
  for (const std::string& name : names) grep.file(name);
  if (grep.any && options->has("-q")) return 0;
  return grep.failed ? 2 : grep.any ? 0 : 1;
}

/// The text of the operands, or the input; nothing and a message if a file cannot be read.
std::optional<std::string> text_of(Call& call, const Options& options) {
  if (options.operands.empty()) return call.input;
  if (options.operands.size() > 1) {
    call.refuse("more than one file");
    return std::nullopt;
  }
  auto text = call.process().read_file(call.path(options.operands.front()));
  if (text) return std::move(*text);
  call.complain("{}: cannot open '{}' for reading: {}\n", call.name, options.operands.front(),
                errno_text(text.error().error));
  return std::nullopt;
}

int run_head_or_tail(Call& call) {
  const auto options = parse(call, {{"-n", true}, {"--lines", true, "-n"}});
  if (!options) return 2;
  const std::string word = options->value_or("-n", "10");
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc{} || end != word.data() + word.size())
    return call.refuse("line count '" + word + "'");
  const auto text = text_of(call, *options);
  if (!text) return call.event != no_event ? 2 : 1;
  const auto lines = lines_of(*text);
  count = std::min(count, lines.size());
  const std::size_t from = call.name == "head" ? 0 : lines.size() - count;
  for (std::size_t i = from; i < from + count; ++i) call.out += lines[i] + "\n";
  return 0;
}

int run_wc(Call& call) {
  const auto options = parse(call, {{"-l"}});
  if (!options) return 2;
  if (!options->has("-l")) return call.refuse("counting anything but lines (-l)");
  const auto text = text_of(call, *options);
  if (!text) return call.event != no_event ? 2 : 1;
  call.print("{}{}\n", std::ranges::count(*text, '\n'),
             options->operands.empty() ? "" : " " + options->operands.front());
  return 0;
}

constexpr std::string_view grep_usage = "grep [-E|-F] [-qHhicvnlrs] [-e] PATTERN [PATH...]";
constexpr std::string_view grep_does = "Prints the lines that match a regular expression.";

constexpr Tool table[] = {
    {{"echo", "echo [-n] [TEXT...]", "Prints its arguments."}, run_echo},
    {{"true", "true", "Succeeds."}, run_true},
    {{"false", "false", "Fails."}, run_false},
    {{"grep", grep_usage, grep_does}, run_grep},
    {{"egrep", grep_usage, grep_does}, run_grep},
    {{"head", "head [-n LINES] [FILE]", "Prints the first lines."}, run_head_or_tail},
    {{"tail", "tail [-n LINES] [FILE]", "Prints the last lines."}, run_head_or_tail},
    {{"wc", "wc -l [FILE]", "Counts lines."}, run_wc},
};

}  // namespace

std::span<const Tool> text_tools() { return table; }

}  // namespace rocdrill::sim::tools
