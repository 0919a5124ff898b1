// Who may do what: sudo, su, newgrp, usermod, gpasswd. Texts: sudo 1.9, shadow 4.13, util-linux.
// Passwords are not modelled: whoever is asked for one knows it.
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

Identity identity_of(const Node& node, std::string_view user) {
  return login(node.os.files, user).value_or(Identity{"root", 0, 0, {}});
}

bool may_sudo(const Call& call) {
  if (call.root()) return true;
  const auto group = find_group(call.node.os.files, "sudo");
  return group && call.spec.identity.in_group(group->gid);
}

int run_sudo(Call& call) {
  const auto options = parse(
      call, {{"-u", true}, {"--user", true, "-u"}, {"-n"}, {"-E"}, {"--preserve-env", false, "-E"}},
      true);
  if (!options) return 2;
  if (options->operands.empty())
    return call.fail(1, "usage: sudo [-En] [-u user] [VAR=value] [command [arg ...]]\n");
  const std::string user = options->value_or("-u", "root");
  if (!find_user(call.node.os.files, user)) {
    return call.fail(
        1, "sudo: unknown user {0}\nsudo: error initializing audit plugin sudoers_audit\n", user);
  }
  if (!may_sudo(call))
    return call.fail(1, "{} is not in the sudoers file.\n", call.spec.identity.user);
  const std::string& command = options->operands.front();
  if (command == "export" || command == "unset" ||
      command == "newgrp") {  // of the shell, or of no use
    return call.fail(1, "sudo: {}: command not found\n", command);
  }
  ProcessSpec spec = call.spec;
  spec.identity = identity_of(call.node, user);
  if (!options->has("-E")) {  // env_reset
    spec.environment.clear();
    spec.environment_events.clear();
  }
  CommandResult result =
      run_words(call.node, options->operands, std::move(spec), std::move(call.input));
  call.out = std::move(result.out);
  call.err = std::move(result.err);
  call.event = result.event;
  call.waits_for_ever = result.waits_for_ever;
  if (result.found) return result.exit_code;
  call.err = fmt::format("sudo: {}: command not found\n", command);
  return 1;
}

int run_su(Call& call) {
  const auto options = parse(call, {{"-l"}, {"--login", false, "-l"}});
  if (!options) return 2;
  auto words = options->operands;
  bool login_shell = options->has("-l");
  if (!words.empty() && words.front() == "-") {
    login_shell = true;
    words.erase(words.begin());
  }
  const std::string user = words.empty() ? "root" : words.front();
  if (words.size() > 1) return call.refuse("a command for su");
  if (!find_user(call.node.os.files, user)) {
    return call.fail(
        1,
        "su: user {} does not exist or the user entry does not contain all the required fields\n",
        user);
  }
  if (user != call.node.spec().user) return call.refuse("a shell of another user than the node's");
  if (!login_shell) return call.refuse("su without '-'");
  call.node.log_in(call.command_event());
  return 0;
}

/// Starts a shell with the groups of the database, which is how the session gets a group that was
/// given after its login.
int run_newgrp(Call& call) {
  const auto options = parse(call, {{"-"}});
  if (!options) return 2;
  const std::string name = options->operands.empty() ? "" : options->operands.back();
  const auto group = find_group(call.node.os.files, name);
  if (!name.empty() && !group) return call.fail(1, "newgrp: group '{}' does not exist\n", name);
  const Identity& who = call.spec.identity;
  if (group && who.uid != 0 && group->gid != who.gid &&
      std::ranges::find(group->members, who.user) == group->members.end()) {
    return call.fail(1, "newgrp: failed to crypt password with previous salt: Invalid argument\n");
  }
  if (who.user != call.node.spec().user)
    return call.refuse("a shell of another user than the node's");
  call.node.log_in(call.command_event());
  return 0;
}

/// What of `names` is no group: "usermod: group 'x' does not exist".
bool all_groups_exist(Call& call, const std::vector<std::string>& names) {
  bool all = true;
  for (const std::string& name : names) {
    if (find_group(call.node.os.files, name)) continue;
    call.complain("usermod: group '{}' does not exist\n", name);
    all = false;
  }
  return all;
}

int run_usermod(Call& call) {
  const auto options =
      parse(call, {{"-a"}, {"--append", false, "-a"}, {"-G", true}, {"--groups", true, "-G"}});
  if (!options) return 2;
  if (options->operands.size() != 1 || !options->has("-G")) {
    return call.fail(2, "Usage: usermod [options] LOGIN\n");
  }
  const std::string& user = options->operands.front();
  FileTree& files = call.node.os.files;
  if (!find_user(files, user)) return call.fail(6, "usermod: user '{}' does not exist\n", user);
  std::string list = *options->value("-G");
  std::ranges::replace(list, ',', ' ');
  const auto wanted = words_of(list);
  if (!all_groups_exist(call, wanted)) return 6;
  if (!call.root()) {
    return call.fail(
        1, "usermod: Permission denied.\nusermod: cannot lock /etc/passwd; try again later.\n");
  }
  const EventId event = call.command_event();
  for (const std::string& name : wanted) add_to_group(files, user, name, event);
  if (options->has("-a")) return 0;
  for (const Group& group : groups_of(files)) {  // without -a the list is all that is left
    if (std::ranges::find(wanted, group.name) == wanted.end())
      remove_from_group(files, user, group.name, event);
  }
  return 0;
}

int run_gpasswd(Call& call) {
  const auto options =
      parse(call, {{"-a", true}, {"--add", true, "-a"}, {"-d", true}, {"--delete", true, "-d"}});
  if (!options) return 2;
  const bool add = options->has("-a");
  if (options->operands.size() != 1 || add == options->has("-d"))
    return call.fail(2, "Usage: gpasswd [option] GROUP\n");
  const std::string& name = options->operands.front();
  const std::string user = *options->value(add ? "-a" : "-d");
  FileTree& files = call.node.os.files;
  const auto group = find_group(files, name);
  if (!group) return call.fail(3, "gpasswd: group '{}' does not exist in /etc/group\n", name);
  if (!find_user(files, user)) return call.fail(3, "gpasswd: user '{}' does not exist\n", user);
  if (!call.root()) return call.fail(1, "gpasswd: Permission denied.\n");
  if (add) {
    call.print("Adding user {} to group {}\n", user, name);
    add_to_group(files, user, name, call.command_event());
    return 0;
  }
  call.print("Removing user {} from group {}\n", user, name);
  if (std::ranges::find(group->members, user) == group->members.end()) {
    return call.fail(3, "gpasswd: user '{}' is not a member of '{}'\n", user, name);
  }
  remove_from_group(files, user, name, call.command_event());
  return 0;
}

constexpr Tool table[] = {
    {{"sudo", "sudo [-E] [-n] [-u USER] [VAR=VALUE...] COMMAND...",
      "Runs a command as root, for members of group sudo."},
     run_sudo},
    {{"su", "su - USER", "Logs the node's user in again, with the groups of the database.", true},
     run_su},
    {{"newgrp", "newgrp [GROUP]", "Gives the session the groups of the database.", true},
     run_newgrp},
    {{"usermod", "usermod [-a] -G GROUP[,GROUP] USER", "Puts a user into groups.", true, true},
     run_usermod},
    {{"gpasswd", "gpasswd -a|-d USER GROUP", "Puts a user into a group, or out of it.", true, true},
     run_gpasswd},
};

}  // namespace

std::span<const Tool> session_tools() { return table; }

}  // namespace rocdrill::sim::tools
