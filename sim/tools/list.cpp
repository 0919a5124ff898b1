// ls. Format: coreutils 9, not on a terminal: one name per line, names in order of bytes.
// Times of files are not modelled: "Jan  1 00:00" stands for all of them.
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view time_of_files = "Jan  1 00:00";

struct Entry {
  std::string shown;  ///< as it is printed
  std::string path;
  FileStat stat;
};

std::string mode_text(const FileStat& stat) {
  std::string text = stat.type == FileType::directory   ? "d"
                     : stat.type == FileType::symlink   ? "l"
                     : stat.type == FileType::character ? "c"
                                                        : "-";
  for (int shift = 6; shift >= 0; shift -= 3) {
    const std::uint32_t bits = stat.mode >> shift;
    text += (bits & 4) != 0 ? 'r' : '-';
    text += (bits & 2) != 0 ? 'w' : '-';
    text += (bits & 1) != 0 ? 'x' : '-';
  }
  if ((stat.mode & 01000) != 0) text.back() = text.back() == 'x' ? 't' : 'T';
  return text;
}

std::uint64_t size_of(const Entry& entry) {
  return entry.stat.type == FileType::directory && !is_virtual(entry.path) ? 4096 : entry.stat.size;
}

std::string user_name(Call& call, std::uint32_t outside) {
  const std::uint32_t uid = id_inside(call.spec.uid_map, outside);
  const auto user = find_user(call.accounts(), uid);
  return user ? user->name : std::to_string(uid);
}

std::string group_name(Call& call, std::uint32_t outside) {
  const std::uint32_t gid = id_inside(call.spec.gid_map, outside);
  const auto group = find_group(call.accounts(), gid);
  return group ? group->name : std::to_string(gid);
}

void print_long(Call& call, const std::vector<Entry>& entries) {
  std::size_t owner = 0, group = 0, size = 0, major = 0, minor = 0;
  for (const Entry& entry : entries) {
    owner = std::max(owner, user_name(call, entry.stat.uid).size());
    group = std::max(group, group_name(call, entry.stat.gid).size());
    if (entry.stat.type == FileType::character) {
      major = std::max(major, std::to_string(entry.stat.rdev_major).size());
      minor = std::max(minor, std::to_string(entry.stat.rdev_minor).size());
    } else {
      size = std::max(size, std::to_string(size_of(entry)).size());
    }
  }
  if (major > 0) size = std::max(size, major + 2 + minor);
  for (const Entry& entry : entries) {
    const bool device = entry.stat.type == FileType::character;
    const std::string amount = device ? fmt::format("{:>{}}, {:>{}}", entry.stat.rdev_major,
                                                    size - minor - 2, entry.stat.rdev_minor, minor)
                                      : fmt::format("{:>{}}", size_of(entry), size);
    call.print("{} {} {:<{}} {:<{}} {} {} {}", mode_text(entry.stat),
               entry.stat.type == FileType::directory ? 2 : 1, user_name(call, entry.stat.uid),
               owner, group_name(call, entry.stat.gid), group, amount, time_of_files, entry.shown);
    if (entry.stat.type == FileType::symlink)
      call.print(" -> {}", call.process().readlink(entry.path).value_or("?"));
    call.print("\n");
  }
}

void print_entries(Call& call, const std::vector<Entry>& entries, bool is_long) {
  if (is_long) return print_long(call, entries);
  for (const Entry& entry : entries) call.print("{}\n", entry.shown);
}

int list_directory(Call& call, const Entry& directory, const Options& options) {
  auto names = call.process().list(directory.path);
  if (!names) {
    return call.fail(2, "ls: cannot open directory '{}': {}\n", directory.shown,
                     errno_text(names.error().error));
  }
  if (options.has("-a")) names->insert(names->begin(), {".", ".."});
  std::vector<Entry> entries;
  std::uint64_t blocks = 0;
  for (const std::string& name : *names) {
    if (name.starts_with('.') && !options.has("-a")) continue;
    Entry entry{name, join(directory.path, name), {}};
    const auto stat = call.process().lstat(entry.path);
    if (!stat) continue;  // hidden from this view
    entry.stat = *stat;
    if (stat->type == FileType::regular || stat->type == FileType::directory)
      blocks += (size_of(entry) + 4095) / 4096 * 4;
    entries.push_back(std::move(entry));
  }
  if (options.has("-l")) call.print("total {}\n", is_virtual(directory.path) ? 0 : blocks);
  print_entries(call, entries, options.has("-l"));
  return 0;
}

int run_ls(Call& call) {
  const auto options = parse(
      call, {{"-l"}, {"-d"}, {"--directory", false, "-d"}, {"-a"}, {"--all", false, "-a"}, {"-1"}});
  if (!options) return 2;
  auto words = options->operands;
  if (words.empty()) words.push_back(call.path("."));
  std::ranges::sort(words);
  std::vector<Entry> files, directories;
  int code = 0;
  for (const std::string& word : words) {
    Entry entry{word, call.path(word), {}};
    const bool follow = !options->has("-d") && !options->has("-l");
    auto stat = call.process().lstat(entry.path);
    if (stat && stat->type == FileType::symlink && (follow || word.ends_with('/'))) {
      if (const auto target = call.process().stat(entry.path);
          target && target->type == FileType::directory)
        stat = target;
    }
    if (!stat) {
      call.event = stat.error().event;
      code = call.fail(2, "ls: cannot access '{}': {}\n", word, errno_text(stat.error().error));
      continue;
    }
    entry.stat = *stat;
    (stat->type == FileType::directory && !options->has("-d") ? directories : files)
        .push_back(std::move(entry));
  }
  print_entries(call, files, options->has("-l"));
  for (const Entry& directory : directories) {
    if (words.size() > 1) call.print("{}{}:\n", call.out.empty() ? "" : "\n", directory.shown);
    code = std::max(code, list_directory(call, directory, *options));
  }
  return code;
}

constexpr Tool table[] = {
    {{"ls", "ls [-l] [-a] [-d] [-1] [PATH...]", "Lists files with their modes and owners."},
     run_ls},
};

}  // namespace

std::span<const Tool> list_tools() { return table; }

}  // namespace rocdrill::sim::tools
