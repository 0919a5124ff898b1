// Which node, which kernel, who: uname, hostname, id, groups, whoami.
// Formats: coreutils 9; the kernel's build string (uname -v) is not modelled, "#1 SMP" stands for
// it.
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int run_uname(Call& call) {
  const auto options = parse(call, {{"-a"},
                                    {"--all", false, "-a"},
                                    {"-r"},
                                    {"--kernel-release", false, "-r"},
                                    {"-n"},
                                    {"--nodename", false, "-n"},
                                    {"-s"},
                                    {"-m"},
                                    {"-o"}});
  if (!options) return 2;
  const std::string& release = call.node.os.kernel_release;
  const std::string host = call.spec.hostname.empty() ? call.node.os.hostname : call.spec.hostname;
  if (options->has("-a")) {
    const bool debian = call.node.spec().distro == Distro::debian;
    call.print("Linux {} {} #1 SMP PREEMPT_DYNAMIC {} GNU/Linux\n", host, release,
               debian ? "x86_64" : "x86_64 x86_64 x86_64");
    return 0;
  }
  std::vector<std::string> words;
  const std::pair<const char*, std::string> parts[] = {
      {"-s", "Linux"}, {"-n", host}, {"-r", release}, {"-m", "x86_64"}, {"-o", "GNU/Linux"}};
  for (const auto& [option, word] : parts) {
    if (options->has(option)) words.push_back(word);
  }
  if (words.empty()) words.emplace_back("Linux");
  call.print("{}\n", fmt::join(words, " "));
  return 0;
}

int run_hostname(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (!options->operands.empty()) return call.refuse("setting the host's name");
  call.print("{}\n", call.spec.hostname.empty() ? call.node.os.hostname : call.spec.hostname);
  return 0;
}

std::string group_name(Call& call, std::uint32_t gid) {
  const auto group = find_group(call.accounts(), gid);
  return group ? group->name : std::string();
}

/// "105(render)", or "105" for a group without a name.
std::string labelled(std::uint32_t id, const std::string& name) {
  return name.empty() ? std::to_string(id) : fmt::format("{}({})", id, name);
}

/// Own group first. getgroups() gives a session's in order of number, getgrouplist() a user's in
/// the order of the group file.
std::vector<std::uint32_t> groups_in_order(const Identity& who, bool of_session) {
  std::vector<std::uint32_t> groups = who.groups;
  std::erase(groups, who.gid);
  if (of_session) std::ranges::sort(groups);
  groups.insert(groups.begin(), who.gid);
  return groups;
}

/// The ids of the process as its user namespace has them.
Identity seen_inside(Call& call) {
  Identity who = call.spec.identity;
  who.uid = id_inside(call.spec.uid_map, who.uid);
  who.gid = id_inside(call.spec.gid_map, who.gid);
  for (std::uint32_t& group : who.groups) group = id_inside(call.spec.gid_map, group);
  return who;
}

/// The session's identity, or what the database says of a user; nothing and a message if there is
/// no such user.
std::optional<Identity> identity_of(Call& call, const Options& options) {
  if (options.operands.empty()) return seen_inside(call);
  const std::string& name = options.operands.front();
  auto identity = login(call.accounts(), name);
  if (!identity) call.complain("{}: '{}': no such user\n", call.name, name);
  return identity;
}

int run_id(Call& call) {
  const auto options = parse(call, {{"-u"},
                                    {"-g"},
                                    {"-G"},
                                    {"-n"},
                                    {"--user", false, "-u"},
                                    {"--group", false, "-g"},
                                    {"--groups", false, "-G"},
                                    {"--name", false, "-n"}});
  if (!options) return 2;
  const auto who = identity_of(call, *options);
  if (!who) return 1;
  const auto groups = groups_in_order(*who, options->operands.empty());
  std::vector<std::string> words;
  const bool names = options->has("-n");
  const auto word = [&](std::uint32_t id, const std::string& name) {
    return names && !name.empty() ? name : std::to_string(id);
  };
  if (options->has("-u")) {
    call.print("{}\n", word(who->uid, who->user));
  } else if (options->has("-g")) {
    call.print("{}\n", word(who->gid, group_name(call, who->gid)));
  } else if (options->has("-G")) {
    for (const std::uint32_t gid : groups) words.push_back(word(gid, group_name(call, gid)));
    call.print("{}\n", fmt::join(words, " "));
  } else if (names) {
    return call.fail(1, "id: cannot print only names or real IDs in default format\n");
  } else {
    for (const std::uint32_t gid : groups) words.push_back(labelled(gid, group_name(call, gid)));
    call.print("uid={} gid={} groups={}\n", labelled(who->uid, who->user),
               labelled(who->gid, group_name(call, who->gid)), fmt::join(words, ","));
  }
  return 0;
}

int run_groups(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  const auto who = identity_of(call, *options);
  if (!who) return 1;
  std::vector<std::string> words;
  for (const std::uint32_t gid : groups_in_order(*who, options->operands.empty())) {
    const std::string name = group_name(call, gid);
    words.push_back(name.empty() ? std::to_string(gid) : name);
  }
  if (!options->operands.empty()) call.print("{} : ", who->user);
  call.print("{}\n", fmt::join(words, " "));
  return 0;
}

int run_whoami(Call& call) {
  if (!parse(call, {})) return 2;
  const std::string& user = call.spec.identity.user;
  if (user.empty()) {
    return call.fail(1, "whoami: cannot find name for user ID {}\n",
                     id_inside(call.spec.uid_map, call.spec.identity.uid));
  }
  call.print("{}\n", user);
  return 0;
}

constexpr Tool table[] = {
    {{"uname", "uname [-a] [-snrmo]", "Prints the running kernel and the node's name."}, run_uname},
    {{"hostname", "hostname", "Prints the node's name."}, run_hostname},
    {{"id", "id [-u|-g|-G] [-n] [USER]",
      "Prints the session's ids, or those that a user has in the database."},
     run_id},
    {{"groups", "groups [USER]", "Prints the session's groups, or a user's in the database."},
     run_groups},
    {{"whoami", "whoami", "Prints the user's name."}, run_whoami},
};

}  // namespace

std::span<const Tool> identity_tools() { return table; }

}  // namespace rocdrill::sim::tools
