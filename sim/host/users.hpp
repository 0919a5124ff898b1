// Users and groups, as /etc/passwd and /etc/group say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/files.hpp"

namespace rocdrill::sim {

struct User {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string home;
};

struct Group {
  std::string name;
  std::uint32_t gid = 0;
  std::vector<std::string> members;
};

std::optional<User> find_user(const FileTree& files, std::string_view name);
std::optional<User> find_user(const FileTree& files, std::uint32_t uid);
std::optional<Group> find_group(const FileTree& files, std::string_view name);
std::optional<Group> find_group(const FileTree& files, std::uint32_t gid);
std::vector<Group> groups_of(const FileTree& files);

/// What login gives a session: the groups of the database at this moment.
std::optional<Identity> login(const FileTree& files, std::string_view user);

/// gpasswd -a / -d: false if there is no such group or nothing changes.
bool add_to_group(FileTree& files, std::string_view user, std::string_view group, EventId event);
bool remove_from_group(FileTree& files, std::string_view user, std::string_view group,
                       EventId event);

}  // namespace rocdrill::sim
