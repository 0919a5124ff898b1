// Files: cat, tee, test, readlink, rm. Texts: coreutils 9 in the C locale.
#include <fcntl.h>

#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int run_cat(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.empty()) call.out += call.input;
  int code = 0;
  for (const std::string& word : options->operands) {
    const std::string path = call.path(word);
    const auto stat = call.process().stat(path);
    if (stat && stat->type == FileType::directory) {
      code = call.fail(1, "cat: {}: Is a directory\n", word);
      continue;
    }
    const auto text = call.process().read_file(path);
    if (text) {
      call.out += *text;
    } else {
      call.event = text.error().event;
      code = call.fail(1, "cat: {}: {}\n", word, errno_text(text.error().error));
    }
  }
  return code;
}

int run_tee(Call& call) {
  const auto options = parse(call, {{"-a"}, {"--append", false, "-a"}});
  if (!options) return 2;
  call.out = call.input;
  int code = 0;
  FileTree& files = call.node.os.files;
  for (const std::string& word : options->operands) {
    const std::string path = call.path(word);
    if (path == "/dev/null") continue;
    const auto stat = files.stat(path);
    int error = stat                          ? (stat->type == FileType::directory         ? EISDIR
                                                 : permitted(*stat, call.spec.identity, 2) ? 0
                                                                                           : EACCES)
                : !files.exists(parent(path)) ? ENOENT
                : may_change_directory(call.node, call.spec.identity, path) ? 0
                                                                            : EACCES;
    const bool attribute = path.starts_with("/sys/");  // they say themselves what they take
    if (error == 0 && is_virtual(path) && !attribute) return call.refuse("writing to " + path);
    if (error == 0) {
      const std::string before =
          options->has("-a") && !attribute ? files.text(path) : std::string();
      const auto stored = files.store(path, before + call.input, call.command_event());
      if (!stored) error = stored.error().error;
      if (stored && !stat) {
        static_cast<void>(files.chown(path, call.spec.identity.uid, call.spec.identity.gid,
                                      call.command_event()));
      }
    }
    if (error != 0) code = call.fail(1, "tee: {}: {}\n", word, errno_text(error));
  }
  return code;
}

/// test -r and -w ask access(2), which knows of nothing but the mode here.
bool holds(Call& call, const std::string& test, const std::string& path) {
  if (test == "-L" || test == "-h") {
    const auto link = call.process().lstat(path);
    return link && link->type == FileType::symlink;
  }
  const auto stat = call.process().stat(path);
  if (!stat) return false;
  if (test == "-e") return true;
  if (test == "-f") return stat->type == FileType::regular;
  if (test == "-d") return stat->type == FileType::directory;
  if (test == "-c") return stat->type == FileType::character;
  if (test == "-s") return stat->size > 0;
  return permitted(*stat, call.spec.identity, test == "-r" ? 4 : test == "-w" ? 2 : 1);
}

int run_test(Call& call) {
  auto words = call.args;
  if (call.name == "[") {
    if (words.empty() || words.back() != "]") return call.fail(2, "bash: [: missing `]'\n");
    words.pop_back();
  }
  constexpr std::string_view tests[] = {"-r", "-w", "-x", "-e", "-f", "-d", "-c", "-s", "-L", "-h"};
  bool all = !words.empty();
  for (std::size_t i = 0; i < words.size();) {
    const bool negated = words[i] == "!";
    if (negated) ++i;
    if (i + 1 >= words.size() || std::ranges::find(tests, words[i]) == std::end(tests)) {
      return call.refuse(fmt::format("'{}'", i < words.size() ? words[i] : "!"));
    }
    all = all && holds(call, words[i], call.path(words[i + 1])) != negated;
    i += 2;
    if (i == words.size()) break;
    if (words[i] != "-a" || ++i == words.size())
      return call.refuse(fmt::format("'{}'", words[i - 1]));
  }
  return all ? 0 : 1;
}

int run_readlink(Call& call) {
  const auto options = parse(call, {{"-f"}});
  if (!options) return 2;
  int code = 0;
  for (const std::string& word : options->operands) {
    const std::string path = call.path(word);
    const auto target =
        options->has("-f") ? call.node.os.files.resolve(path) : call.process().readlink(path);
    if (target) call.print("{}\n", *target);
    if (!target) code = 1;
  }
  return code;
}

int remove_one(Call& call, const std::string& word, const Options& options) {
  const std::string asked = call.path(word);
  const auto stat = call.process().lstat(asked);
  if (!stat) {
    if (options.has("-f") && stat.error().error == ENOENT) return 0;
    return call.fail(1, "rm: cannot remove '{}': {}\n", word, errno_text(stat.error().error));
  }
  if (stat->type == FileType::directory && !options.has("-r")) {
    return call.fail(1, "rm: cannot remove '{}': Is a directory\n", word);
  }
  const auto above = call.node.os.files.resolve(parent(asked));
  const std::string path = join(above.value_or("/"), basename(asked));
  if (path == "/") return call.refuse("removing /");
  if (!may_change_directory(call.node, call.spec.identity, path)) {
    return call.fail(1, "rm: cannot remove '{}': Permission denied\n", word);
  }
  if (is_virtual(path)) return call.refuse("removing " + path);
  call.node.os.remove_file(path, call.command_event());
  return 0;
}

int run_rm(Call& call) {
  const auto options = parse(call, {{"-f"},
                                    {"--force", false, "-f"},
                                    {"-r"},
                                    {"-R", false, "-r"},
                                    {"--recursive", false, "-r"}});
  if (!options) return 2;
  if (options->operands.empty())
    return options->has("-f") ? 0 : call.fail(1, "rm: missing operand\n");
  int code = 0;
  for (const std::string& word : options->operands)
    code = std::max(code, remove_one(call, word, *options));
  return code;
}

/// One file. -p and -a keep its owner, as far as the caller may give files away.
int run_cp(Call& call) {
  const auto options = parse(call, {{"-p"}, {"-a"}, {"-f"}, {"--force", false, "-f"}});
  if (!options) return 2;
  if (options->operands.size() != 2) {
    return options->operands.size() > 2 ? call.refuse("more than one file")
                                        : call.fail(1, "cp: missing file operand\n");
  }
  const std::string& from = options->operands[0];
  const auto stat = call.process().stat(call.path(from));
  const auto content = call.process().read_file(call.path(from));
  if (stat && stat->type == FileType::directory)
    return call.fail(1, "cp: -r not specified; omitting directory '{}'\n", from);
  if (!stat)
    return call.fail(1, "cp: cannot stat '{}': {}\n", from, errno_text(stat.error().error));
  if (!content)
    return call.fail(1, "cp: cannot open '{}' for reading: {}\n", from,
                     errno_text(content.error().error));
  FileTree& files = call.node.os.files;
  std::string to = call.path(options->operands[1]);
  if (const auto there = files.stat(to); there && there->type == FileType::directory)
    to = join(to, basename(call.path(from)));
  if (to == call.path(from))
    return call.fail(1, "cp: '{}' and '{}' are the same file\n", from, options->operands[1]);
  const auto before = files.stat(to);
  const bool may = before ? permitted(*before, call.spec.identity, 2)
                          : may_change_directory(call.node, call.spec.identity, to);
  if (!may)
    return call.fail(1, "cp: cannot create regular file '{}': Permission denied\n",
                     options->operands[1]);
  if (is_virtual(to)) return call.refuse("writing to " + to);
  const auto stored = files.store(to, *content, call.command_event());
  if (!stored) {
    return call.fail(1, "cp: cannot create regular file '{}': {}\n", options->operands[1],
                     errno_text(stored.error().error));
  }
  const bool keeps = options->has("-p") || options->has("-a");
  const EventId event = call.command_event();
  if (keeps || !before) static_cast<void>(files.chmod(to, stat->mode, event));
  if (keeps && call.root()) {
    static_cast<void>(files.chown(to, stat->uid, stat->gid, event));
  } else if (!before) {
    static_cast<void>(files.chown(to, call.spec.identity.uid, call.spec.identity.gid, event));
  }
  return 0;
}

constexpr ToolInfo test_info{"test", "test [!] -r|-w|-x|-e|-f|-d|-c|-s|-L FILE [-a ...]",
                             "Looks at a file; the exit status is the answer."};

constexpr Tool table[] = {
    {{"cat", "cat [FILE...]", "Prints files."}, run_cat},
    {{"tee", "tee [-a] FILE...", "Writes its input to files.", true}, run_tee},
    {test_info, run_test},
    {{"[", "[ ... ]", test_info.does}, run_test},
    {{"readlink", "readlink [-f] PATH...", "Prints where a symbolic link leads."}, run_readlink},
    {{"cp", "cp [-a] [-f] [-p] FILE PATH", "Copies a file.", true}, run_cp},
    {{"rm", "rm [-f] [-r] PATH...", "Removes files.", true}, run_rm},
};

}  // namespace

std::span<const Tool> file_tools() { return table; }

}  // namespace rocdrill::sim::tools
