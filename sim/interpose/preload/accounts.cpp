// passwd and group, from the node's files: libc reads its own through NSS, past the hooks.
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/paths.hpp"

namespace rocdrill::interpose {
namespace {

// A file of the node, opened past the permission checks; nullptr if this machine's is to be used.
FILE* open_database(const char* path) {
  const Session* s = session();
  if (s == nullptr) return nullptr;
  Place place;
  locate(*s, AT_FDCWD, path, place);
  if (!place.on_node()) return nullptr;
  const PassThrough real;
  return fopen(place.real(), "re");
}

bool served(const char* path) {
  const Session* s = session();
  if (s == nullptr) return false;
  Place place;
  locate(*s, AT_FDCWD, path, place);
  return place.on_node();
}

constexpr char passwd_file[] = "/etc/passwd";
constexpr char group_file[] = "/etc/group";

int read_entry(FILE* file, passwd* out, char* buffer, size_t size, passwd** result) {
  return fgetpwent_r(file, out, buffer, size, result);
}
int read_entry(FILE* file, group* out, char* buffer, size_t size, group** result) {
  return fgetgrent_r(file, out, buffer, size, result);
}

// The first record that `matches` says yes to, in the form of getpwnam_r.
template <typename Record, typename Matches>
int find(const char* path, Record* out, char* buffer, size_t size, Record** result,
         Matches matches) {
  *result = nullptr;
  FILE* file = open_database(path);
  if (file == nullptr) return 0;
  const int saved = errno;
  int error = 0;
  while ((error = read_entry(file, out, buffer, size, result)) == 0)
    if (matches(*out)) break;
  fclose(file);
  errno = saved;  // a name that is not there is no error
  if (error == 0) return 0;
  *result = nullptr;
  return error == ENOENT ? 0 : error;
}

constexpr size_t buffer_size = 65536;
// Each function has a record of its own, as in glibc: rocminfo hands the name that getgrgid() gave
// it to getgrnam().
template <typename Record>
struct Static {
  Record record;
  char buffer[buffer_size];
};
Static<passwd> of_getpwnam, of_getpwuid, of_getpwent;
Static<group> of_getgrnam, of_getgrgid, of_getgrent;
FILE* passwd_walk = nullptr;
FILE* group_walk = nullptr;

template <typename Record>
Record* or_error(int error, Record* result) {
  if (error != 0) errno = error;
  return result;
}

template <typename Record>
int next(const char* path, FILE*& walk, Record* out, char* buffer, size_t size, Record** result) {
  *result = nullptr;
  if (walk == nullptr) walk = open_database(path);
  return walk == nullptr ? ENOENT : read_entry(walk, out, buffer, size, result);
}

void end(FILE*& walk) {
  if (walk != nullptr) fclose(walk);
  walk = nullptr;
}

bool same(const char* a, const char* b) { return strcmp(a, b) == 0; }

// Calls `add` for every group that lists the user.
template <typename Add>
void for_groups_of(const char* user, Add add) {
  FILE* file = open_database(group_file);
  if (file == nullptr) return;
  auto* buffer = static_cast<char*>(malloc(buffer_size));
  group record;
  group* found = nullptr;
  while (buffer != nullptr && fgetgrent_r(file, &record, buffer, buffer_size, &found) == 0)
    for (char** member = record.gr_mem; *member != nullptr; ++member)
      if (same(*member, user)) {
        add(record.gr_gid);
        break;
      }
  free(buffer);
  fclose(file);
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, getpwnam_r, const char* name, passwd* out, char* buffer, size_t size,
              passwd** result) {
  if (!served(passwd_file)) return ROCDRILL_REAL(getpwnam_r)(name, out, buffer, size, result);
  return find(passwd_file, out, buffer, size, result,
              [&](const passwd& record) { return same(record.pw_name, name); });
}
ROCDRILL_HOOK(int, getpwuid_r, uid_t uid, passwd* out, char* buffer, size_t size, passwd** result) {
  if (!served(passwd_file)) return ROCDRILL_REAL(getpwuid_r)(uid, out, buffer, size, result);
  return find(passwd_file, out, buffer, size, result,
              [&](const passwd& record) { return record.pw_uid == uid; });
}
ROCDRILL_HOOK(passwd*, getpwnam, const char* name) {
  if (!served(passwd_file)) return ROCDRILL_REAL(getpwnam)(name);
  passwd* result = nullptr;
  const int error =
      hook_getpwnam_r(name, &of_getpwnam.record, of_getpwnam.buffer, buffer_size, &result);
  return or_error(error, result);
}
ROCDRILL_HOOK(passwd*, getpwuid, uid_t uid) {
  if (!served(passwd_file)) return ROCDRILL_REAL(getpwuid)(uid);
  passwd* result = nullptr;
  const int error =
      hook_getpwuid_r(uid, &of_getpwuid.record, of_getpwuid.buffer, buffer_size, &result);
  return or_error(error, result);
}
ROCDRILL_HOOK(void, setpwent, void) {
  if (!served(passwd_file)) return ROCDRILL_REAL(setpwent)();
  end(passwd_walk);
}
ROCDRILL_HOOK(void, endpwent, void) {
  if (!served(passwd_file)) return ROCDRILL_REAL(endpwent)();
  end(passwd_walk);
}
ROCDRILL_HOOK(int, getpwent_r, passwd* out, char* buffer, size_t size, passwd** result) {
  if (!served(passwd_file)) return ROCDRILL_REAL(getpwent_r)(out, buffer, size, result);
  return next(passwd_file, passwd_walk, out, buffer, size, result);
}
ROCDRILL_HOOK(passwd*, getpwent, void) {
  if (!served(passwd_file)) return ROCDRILL_REAL(getpwent)();
  passwd* result = nullptr;
  next(passwd_file, passwd_walk, &of_getpwent.record, of_getpwent.buffer, buffer_size, &result);
  return result;
}

ROCDRILL_HOOK(int, getgrnam_r, const char* name, group* out, char* buffer, size_t size,
              group** result) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrnam_r)(name, out, buffer, size, result);
  return find(group_file, out, buffer, size, result,
              [&](const group& record) { return same(record.gr_name, name); });
}
ROCDRILL_HOOK(int, getgrgid_r, gid_t gid, group* out, char* buffer, size_t size, group** result) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrgid_r)(gid, out, buffer, size, result);
  return find(group_file, out, buffer, size, result,
              [&](const group& record) { return record.gr_gid == gid; });
}
ROCDRILL_HOOK(group*, getgrnam, const char* name) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrnam)(name);
  group* result = nullptr;
  const int error =
      hook_getgrnam_r(name, &of_getgrnam.record, of_getgrnam.buffer, buffer_size, &result);
  return or_error(error, result);
}
ROCDRILL_HOOK(group*, getgrgid, gid_t gid) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrgid)(gid);
  group* result = nullptr;
  const int error =
      hook_getgrgid_r(gid, &of_getgrgid.record, of_getgrgid.buffer, buffer_size, &result);
  return or_error(error, result);
}
ROCDRILL_HOOK(void, setgrent, void) {
  if (!served(group_file)) return ROCDRILL_REAL(setgrent)();
  end(group_walk);
}
ROCDRILL_HOOK(void, endgrent, void) {
  if (!served(group_file)) return ROCDRILL_REAL(endgrent)();
  end(group_walk);
}
ROCDRILL_HOOK(int, getgrent_r, group* out, char* buffer, size_t size, group** result) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrent_r)(out, buffer, size, result);
  return next(group_file, group_walk, out, buffer, size, result);
}
ROCDRILL_HOOK(group*, getgrent, void) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrent)();
  group* result = nullptr;
  next(group_file, group_walk, &of_getgrent.record, of_getgrent.buffer, buffer_size, &result);
  return result;
}

ROCDRILL_HOOK(int, getgrouplist, const char* user, gid_t first, gid_t* list, int* count) {
  if (!served(group_file)) return ROCDRILL_REAL(getgrouplist)(user, first, list, count);
  int found = 0;
  const auto add = [&](gid_t gid) {
    if (found > 0 && gid == first) return;
    if (found < *count) list[found] = gid;
    ++found;
  };
  add(first);
  for_groups_of(user, add);
  const bool fits = found <= *count;
  *count = found;
  return fits ? found : -1;
}

ROCDRILL_HOOK(int, initgroups, const char* user, gid_t first) {
  if (!served(group_file)) return ROCDRILL_REAL(initgroups)(user, first);
  if (identity().effective_uid != 0) return static_cast<int>(answer(-EPERM));
  gid_t list[groups_max];
  int count = groups_max;
  if (hook_getgrouplist(user, first, list, &count) < 0) return static_cast<int>(answer(-EINVAL));
  return setgroups(static_cast<size_t>(count), list);
}
