#include "sim/host/users.hpp"

#include <algorithm>
#include <charconv>

namespace rocdrill::sim {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

template <class Match>
std::optional<User> find_user_if(const FileTree& files, Match match) {
  for (const std::string& line : lines_of(files.text("/etc/passwd"))) {
    const auto part = split(line, ':');
    if (part.size() != 7) continue;
    const auto uid = number(part[2]);
    const auto gid = number(part[3]);
    if (!uid || !gid) continue;
    User user{part[0], *uid, *gid, part[5]};
    if (match(user)) return user;
  }
  return std::nullopt;
}

template <class Match>
std::optional<Group> find_group_if(const FileTree& files, Match match) {
  for (Group& group : groups_of(files)) {
    if (match(group)) return std::move(group);
  }
  return std::nullopt;
}

void store_groups(FileTree& files, const std::vector<Group>& groups, EventId event) {
  std::string text;
  for (const Group& group : groups) {
    text += group.name + ":x:" + std::to_string(group.gid) + ":";
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      text += (i == 0 ? "" : ",") + group.members[i];
    }
    text += '\n';
  }
  files.write("/etc/group", std::move(text), event);
}

}  // namespace

std::optional<User> find_user(const FileTree& files, std::string_view name) {
  return find_user_if(files, [&](const User& user) { return user.name == name; });
}
std::optional<User> find_user(const FileTree& files, std::uint32_t uid) {
  return find_user_if(files, [&](const User& user) { return user.uid == uid; });
}
std::optional<Group> find_group(const FileTree& files, std::string_view name) {
  return find_group_if(files, [&](const Group& group) { return group.name == name; });
}
std::optional<Group> find_group(const FileTree& files, std::uint32_t gid) {
  return find_group_if(files, [&](const Group& group) { return group.gid == gid; });
}

std::vector<Group> groups_of(const FileTree& files) {
  std::vector<Group> groups;
  for (const std::string& line : lines_of(files.text("/etc/group"))) {
    const auto part = split(line, ':');
    if (part.size() != 4) continue;
    const auto gid = number(part[2]);
    if (!gid) continue;
    Group group{part[0], *gid, {}};
    for (std::string& member : split(part[3], ',')) {
      if (!member.empty()) group.members.push_back(std::move(member));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::optional<Identity> login(const FileTree& files, std::string_view name) {
  const auto user = find_user(files, name);
  if (!user) return std::nullopt;
  Identity identity{user->name, user->uid, user->gid, {}};
  for (const Group& group : groups_of(files)) {
    if (group.gid != user->gid && has(group.members, user->name)) {
      identity.groups.push_back(group.gid);
    }
  }
  return identity;
}

bool add_to_group(FileTree& files, std::string_view user, std::string_view name, EventId event) {
  auto groups = groups_of(files);
  for (Group& group : groups) {
    if (group.name != name) continue;
    if (has(group.members, user)) return false;
    group.members.emplace_back(user);
    store_groups(files, groups, event);
    return true;
  }
  return false;
}

bool remove_from_group(FileTree& files, std::string_view user, std::string_view name,
                       EventId event) {
  auto groups = groups_of(files);
  for (Group& group : groups) {
    if (group.name != name) continue;
    if (std::erase(group.members, user) == 0) return false;
    store_groups(files, groups, event);
    return true;
  }
  return false;
}

}  // namespace rocdrill::sim
