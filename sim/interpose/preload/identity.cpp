// Who the process is on the node: user and group ids.
#include "sim/interpose/preload/identity.hpp"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

bool Identity::member_of(gid_t group, bool effective) const {
  if (group == (effective ? effective_gid : gid)) return true;
  for (uint32_t i = 0; i < group_count; ++i)
    if (groups[i] == group) return true;
  return false;
}

namespace {

Identity who;
enum { not_read, being_read, ready } state = not_read;
bool changed = false;

bool number(const char*& at, uint32_t& out) {
  char* end = nullptr;
  const unsigned long value = strtoul(at, &end, 10);
  if (end == at || value > UINT32_MAX) return false;
  at = end;
  out = static_cast<uint32_t>(value);
  return true;
}

// "user:uid:gid:gid,gid,..."
bool parse(const char* text) {
  const char* colon = strchr(text, ':');
  if (colon == nullptr || colon == text || static_cast<size_t>(colon - text) >= sizeof who.user)
    return false;
  memcpy(who.user, text, static_cast<size_t>(colon - text));
  who.user[colon - text] = '\0';
  const char* at = colon + 1;
  if (!number(at, who.uid) || *at++ != ':' || !number(at, who.gid)) return false;
  who.group_count = 0;
  if (*at == ':') ++at;
  while (*at != '\0' && who.group_count < groups_max) {
    if (!number(at, who.groups[who.group_count])) return false;
    ++who.group_count;
    if (*at == ',') ++at;
  }
  return true;
}

void from_login() {
  const IndexUse index = newest_index();
  const IndexHeader& header = *index->header;
  snprintf(who.user, sizeof who.user, "%s", index->text(header.user));
  who.uid = header.uid;
  who.gid = header.gid;
  who.group_count = header.group_count < groups_max ? header.group_count : groups_max;
  for (uint32_t i = 0; i < who.group_count; ++i) who.groups[i] = index->numbers(header.groups)[i];
}

bool known_uid(uid_t id) { return id == who.uid || id == who.effective_uid || id == who.saved_uid; }
bool known_gid(gid_t id) { return id == who.gid || id == who.effective_gid || id == who.saved_gid; }
bool keep(uint32_t id) { return id == UINT32_MAX; }

int set_uids(uid_t real, uid_t effective, uid_t saved) {
  identity();
  if (who.effective_uid != 0)
    for (const uid_t id : {real, effective, saved})
      if (!keep(id) && !known_uid(id)) return static_cast<int>(answer(-EPERM));
  if (!keep(real)) who.uid = real;
  if (!keep(effective)) who.effective_uid = effective;
  if (!keep(saved)) who.saved_uid = saved;
  changed = true;
  return 0;
}

int set_gids(gid_t real, gid_t effective, gid_t saved) {
  identity();
  if (who.effective_uid != 0)
    for (const gid_t id : {real, effective, saved})
      if (!keep(id) && !known_gid(id)) return static_cast<int>(answer(-EPERM));
  if (!keep(real)) who.gid = real;
  if (!keep(effective)) who.effective_gid = effective;
  if (!keep(saved)) who.saved_gid = saved;
  changed = true;
  return 0;
}

}  // namespace

Identity& identity() {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == ready) return who;
  // Both of two threads would write the same.
  const char* text = getenv(identity_variable);
  if (text == nullptr || !parse(text)) from_login();
  who.effective_uid = who.saved_uid = who.uid;
  who.effective_gid = who.saved_gid = who.gid;
  __atomic_store_n(&state, ready, __ATOMIC_RELEASE);
  return who;
}

bool identity_changed() { return changed; }

// Before main(): a program may clear its environment before it calls any hook (env -i).
__attribute__((constructor)) void read_environment() {
  if (session() != nullptr) identity();
}

size_t identity_text(char* out, size_t size) {
  const Identity& me = identity();
  auto length = static_cast<size_t>(
      snprintf(out, size, "%s:%u:%u:", me.user, me.effective_uid, me.effective_gid));
  for (uint32_t i = 0; i < me.group_count && length + 12 < size; ++i)
    length += static_cast<size_t>(
        snprintf(out + length, size - length, i == 0 ? "%u" : ",%u", me.groups[i]));
  return length;
}

}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

#define ROCDRILL_ID(type, name, field)                                         \
  ROCDRILL_HOOK(type, name, void) {                                            \
    if (session() == nullptr) return static_cast<type>(raw::call(SYS_##name)); \
    return identity().field;                                                   \
  }
ROCDRILL_ID(uid_t, getuid, uid)
ROCDRILL_ID(uid_t, geteuid, effective_uid)
ROCDRILL_ID(gid_t, getgid, gid)
ROCDRILL_ID(gid_t, getegid, effective_gid)

ROCDRILL_HOOK(int, getresuid, uid_t* real, uid_t* effective, uid_t* saved) {
  if (session() == nullptr) return ROCDRILL_REAL(getresuid)(real, effective, saved);
  const Identity& me = identity();
  *real = me.uid;
  *effective = me.effective_uid;
  *saved = me.saved_uid;
  return 0;
}
ROCDRILL_HOOK(int, getresgid, gid_t* real, gid_t* effective, gid_t* saved) {
  if (session() == nullptr) return ROCDRILL_REAL(getresgid)(real, effective, saved);
  const Identity& me = identity();
  *real = me.gid;
  *effective = me.effective_gid;
  *saved = me.saved_gid;
  return 0;
}
ROCDRILL_HOOK(int, getgroups, int size, gid_t* list) {
  if (session() == nullptr) return ROCDRILL_REAL(getgroups)(size, list);
  const Identity& me = identity();
  const int count = static_cast<int>(me.group_count);
  if (size == 0) return count;
  if (size < count) return static_cast<int>(answer(-EINVAL));
  memcpy(list, me.groups, me.group_count * sizeof(gid_t));
  return count;
}
ROCDRILL_HOOK(int, __getgroups_chk, int size, gid_t* list, size_t room) {
  if (size > 0 && static_cast<size_t>(size) * sizeof(gid_t) > room) abort();
  return hook_getgroups(size, list);
}

ROCDRILL_HOOK(int, setuid, uid_t id) {
  if (session() == nullptr) return ROCDRILL_REAL(setuid)(id);
  return identity().effective_uid == 0 ? set_uids(id, id, id)
                                       : set_uids(UINT32_MAX, id, UINT32_MAX);
}
ROCDRILL_HOOK(int, setgid, gid_t id) {
  if (session() == nullptr) return ROCDRILL_REAL(setgid)(id);
  return identity().effective_uid == 0 ? set_gids(id, id, id)
                                       : set_gids(UINT32_MAX, id, UINT32_MAX);
}
ROCDRILL_HOOK(int, seteuid, uid_t id) {
  if (session() == nullptr) return ROCDRILL_REAL(seteuid)(id);
  return set_uids(UINT32_MAX, id, UINT32_MAX);
}
ROCDRILL_HOOK(int, setegid, gid_t id) {
  if (session() == nullptr) return ROCDRILL_REAL(setegid)(id);
  return set_gids(UINT32_MAX, id, UINT32_MAX);
}
ROCDRILL_HOOK(int, setreuid, uid_t real, uid_t effective) {
  if (session() == nullptr) return ROCDRILL_REAL(setreuid)(real, effective);
  return set_uids(real, effective, keep(real) ? UINT32_MAX : effective);
}
ROCDRILL_HOOK(int, setregid, gid_t real, gid_t effective) {
  if (session() == nullptr) return ROCDRILL_REAL(setregid)(real, effective);
  return set_gids(real, effective, keep(real) ? UINT32_MAX : effective);
}
ROCDRILL_HOOK(int, setresuid, uid_t real, uid_t effective, uid_t saved) {
  if (session() == nullptr) return ROCDRILL_REAL(setresuid)(real, effective, saved);
  return set_uids(real, effective, saved);
}
ROCDRILL_HOOK(int, setresgid, gid_t real, gid_t effective, gid_t saved) {
  if (session() == nullptr) return ROCDRILL_REAL(setresgid)(real, effective, saved);
  return set_gids(real, effective, saved);
}
ROCDRILL_HOOK(int, setgroups, size_t count, const gid_t* list) {
  if (session() == nullptr) return ROCDRILL_REAL(setgroups)(count, list);
  Identity& me = identity();
  if (me.effective_uid != 0) return static_cast<int>(answer(-EPERM));
  if (count > groups_max) return static_cast<int>(answer(-EINVAL));
  memcpy(me.groups, list, count * sizeof(gid_t));
  me.group_count = static_cast<uint32_t>(count);
  changed = true;
  return 0;
}

// The login, which sudo and su do not change.
ROCDRILL_HOOK(int, getlogin_r, char* out, size_t size) {
  if (session() == nullptr) return ROCDRILL_REAL(getlogin_r)(out, size);
  const IndexUse index = newest_index();
  const char* login = index->text(index->header->user);
  const size_t room = strlen(login) + 1;
  if (room > size) return ERANGE;
  memcpy(out, login, room);
  return 0;
}
ROCDRILL_HOOK(char*, getlogin, void) {
  if (session() == nullptr) return ROCDRILL_REAL(getlogin)();
  static char name[64];
  return hook_getlogin_r(name, sizeof name) == 0 ? name : nullptr;
}
ROCDRILL_HOOK(char*, cuserid, char* out) {
  if (session() == nullptr) return ROCDRILL_REAL(cuserid)(out);
  static char name[64];
  if (out == nullptr) out = name;
  snprintf(out, 9, "%s", identity().user);
  return out;
}
