// chmod, chown, chgrp: of files, and of device nodes, where the change lasts until udev makes the
// node anew. Texts: coreutils 9 in the C locale.
#include <algorithm>
#include <charconv>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

std::optional<std::uint32_t> number(std::string_view text, int base) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One clause of a symbolic mode: "u+rw", "go-w", "a=r".
std::optional<std::uint32_t> apply_clause(std::string_view clause, std::uint32_t mode) {
  const std::size_t operation = clause.find_first_of("+-=");
  if (operation == std::string_view::npos) return std::nullopt;
  std::uint32_t who = operation == 0 ? 0777 : 0;
  for (const char c : clause.substr(0, operation)) {
    if (c != 'u' && c != 'g' && c != 'o' && c != 'a') return std::nullopt;
    who |= c == 'u' ? 0700u : c == 'g' ? 0070u : c == 'o' ? 0007u : 0777u;
  }
  std::uint32_t bits = 0;
  for (const char c : clause.substr(operation + 1)) {
    if (c != 'r' && c != 'w' && c != 'x') return std::nullopt;
    bits |= c == 'r' ? 0444u : c == 'w' ? 0222u : 0111u;
  }
  bits &= who;
  if (clause[operation] == '+') return mode | bits;
  if (clause[operation] == '-') return mode & ~bits;
  return (mode & ~who) | bits;
}

std::optional<std::uint32_t> apply_mode(std::string_view text, std::uint32_t mode) {
  if (const auto octal = number(text, 8); octal && *octal <= 07777) return octal;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto next = apply_clause(text.substr(0, comma), mode);
    if (!next) return std::nullopt;
    mode = *next;
    if (comma == text.size()) return mode;
    text.remove_prefix(comma + 1);
  }
}

bool is_device(const FileStat& stat) { return stat.type == FileType::character; }

/// What stands behind a word: the file's stat, following symlinks, and its path.
struct Subject {
  std::string path;
  FileStat stat;
};

std::optional<Subject> subject_of(Call& call, const std::string& word) {
  const auto path = call.node.os.files.resolve(call.path(word));
  const auto stat =
      path ? call.process().stat(*path) : SysResult<FileStat>(std::unexpected(path.error()));
  if (stat) return Subject{*path, *stat};
  call.complain("{}: cannot access '{}': {}\n", call.name, word, errno_text(stat.error().error));
  return std::nullopt;
}

bool is_fixed(const Subject& subject) {
  return is_virtual(subject.path) && !is_device(subject.stat);
}

int run_chmod(Call& call) {
  // A mode may begin with '-': "-w".
  if (call.args.size() < 2) return call.fail(1, "chmod: missing operand\n");
  const std::string& mode = call.args[0];
  if (mode.starts_with("--") || mode == "-R" || mode == "-v" || mode == "-c" || mode == "-f")
    return call.refuse_option(mode);
  int code = 0;
  for (std::size_t i = 1; i < call.args.size(); ++i) {
    const auto subject = subject_of(call, call.args[i]);
    if (!subject) {
      code = 1;
      continue;
    }
    const auto bits = apply_mode(mode, subject->stat.mode);
    if (!bits) return call.fail(1, "chmod: invalid mode: '{}'\n", mode);
    if (!call.root() && call.spec.identity.uid != subject->stat.uid) {
      code = call.fail(1, "chmod: changing permissions of '{}': Operation not permitted\n",
                       call.args[i]);
      continue;
    }
    if (is_fixed(*subject)) return call.refuse("changing " + subject->path);
    const EventId event = call.command_event();
    const auto done = is_device(subject->stat)
                          ? call.node.access.devices().set_mode(subject->path, *bits, event)
                          : call.node.os.files.chmod(subject->path, *bits, event);
    if (!done)
      code = call.fail(1, "chmod: changing permissions of '{}': {}\n", call.args[i],
                       errno_text(done.error().error));
  }
  return code;
}

struct Owner {
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
};

std::optional<std::uint32_t> gid_of(Call& call, const std::string& name) {
  if (const auto group = find_group(call.node.os.files, name)) return group->gid;
  const auto gid = number(name, 10);
  if (!gid) call.complain("{}: invalid group: '{}'\n", call.name, name);
  return gid;
}

/// "USER", "USER:GROUP", ":GROUP" of chown, "GROUP" of chgrp.
std::optional<Owner> owner_of(Call& call, const std::string& word) {
  Owner owner;
  std::string user = call.name == "chgrp" ? "" : word, group = call.name == "chgrp" ? word : "";
  if (const std::size_t colon = user.find(':'); colon != std::string::npos) {
    group = user.substr(colon + 1);
    user.resize(colon);
  }
  if (!user.empty()) {
    const auto known = find_user(call.node.os.files, user);
    owner.uid = known ? std::optional(known->uid) : number(user, 10);
    if (!owner.uid) {
      call.complain("chown: invalid user: '{}'\n", word);
      return std::nullopt;
    }
  }
  if (!group.empty()) {
    owner.gid = gid_of(call, group);
    if (!owner.gid) return std::nullopt;
  }
  return owner;
}

/// An owner may give a file to a group that he is in; all else is root's.
bool may_chown(const Call& call, const FileStat& stat, const Owner& owner) {
  if (call.root()) return true;
  const Identity& who = call.spec.identity;
  return who.uid == stat.uid && (!owner.uid || *owner.uid == stat.uid) &&
         (!owner.gid || who.in_group(*owner.gid));
}

int run_chown(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.size() < 2) return call.fail(1, "{}: missing operand\n", call.name);
  const auto owner = owner_of(call, options->operands.front());
  if (!owner) return 1;
  const std::string_view what = owner->uid ? "ownership" : "group";
  int code = 0;
  for (std::size_t i = 1; i < options->operands.size(); ++i) {
    const std::string& word = options->operands[i];
    const auto subject = subject_of(call, word);
    if (!subject) {
      code = 1;
      continue;
    }
    if (!may_chown(call, subject->stat, *owner)) {
      code =
          call.fail(1, "{}: changing {} of '{}': Operation not permitted\n", call.name, what, word);
      continue;
    }
    if (is_fixed(*subject)) return call.refuse("changing " + subject->path);
    const std::uint32_t uid = owner->uid.value_or(subject->stat.uid),
                        gid = owner->gid.value_or(subject->stat.gid);
    const EventId event = call.command_event();
    const auto done = is_device(subject->stat)
                          ? call.node.access.devices().set_owner(subject->path, uid, gid, event)
                          : call.node.os.files.chown(subject->path, uid, gid, event);
    if (!done)
      code = call.fail(1, "{}: changing {} of '{}': {}\n", call.name, what, word,
                       errno_text(done.error().error));
  }
  return code;
}

constexpr Tool table[] = {
    {{"chmod", "chmod MODE PATH...", "Changes the permissions of files and device nodes.", true},
     run_chmod},
    {{"chown", "chown [USER][:GROUP] PATH...", "Changes the owner of files and device nodes.",
      true},
     run_chown},
    {{"chgrp", "chgrp GROUP PATH...", "Changes the group of files and device nodes.", true},
     run_chown},
};

}  // namespace

std::span<const Tool> permission_tools() { return table; }

}  // namespace rocdrill::sim::tools
