#include "sim/interpose/preload/environment.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/interpose/preload/identity.hpp"

namespace rocdrill::interpose {
namespace {

constexpr char preload_variable[] = "LD_PRELOAD=";
constexpr size_t preload_size = sizeof preload_variable - 1;

bool is_variable(const char* entry, const char* name) {
  const size_t size = strlen(name);
  return strncmp(entry, name, size) == 0 && entry[size] == '=';
}

const char* value_of(char* const* envp, const char* name) {
  for (; envp != nullptr && *envp != nullptr; ++envp)
    if (is_variable(*envp, name)) return strchr(*envp, '=') + 1;
  return nullptr;
}

bool separator(char c) { return c == ':' || c == ' ' || c == '\0'; }

// This library first, then the other entries of `old` in their order.
bool preload_value(const Session& session, const char* old, char* out, size_t size) {
  auto used = static_cast<size_t>(snprintf(out, size, "%s", session.preload));
  const size_t own = used;
  while (old != nullptr && *old != '\0') {
    size_t length = 0;
    while (!separator(old[length])) ++length;
    const bool ours = length == own && memcmp(old, session.preload, own) == 0;
    if (length > 0 && !ours) {
      if (used + length + 2 > size) return false;
      out[used++] = ':';
      memcpy(out + used, old, length);
      used += length;
      out[used] = '\0';
    }
    old += old[length] == '\0' ? length : length + 1;
  }
  return true;
}

// Has the program asked for another identity than the one that this process began with?
bool keeps_identity(const char* value) {
  if (value == nullptr) return false;
  if (!identity_changed()) return true;
  const char* started_with = getenv(identity_variable);
  return started_with == nullptr || strcmp(started_with, value) != 0;
}

}  // namespace

size_t Environment::env_room(char* const* envp) {
  size_t count = 0;
  while (envp != nullptr && envp[count] != nullptr) ++count;
  return count + 4;
}

Environment::Environment(const Session& session, char* const* envp, char** room) : list_(envp) {
  const char* left = value_of(envp, session_variable);
  if (left != nullptr && left[0] == '\0') return;
  const char* old = value_of(envp, "LD_PRELOAD");
  memcpy(preload_, preload_variable, preload_size);
  const bool fits =
      preload_value(session, old, preload_ + preload_size, sizeof preload_ - preload_size);
  const bool same_preload = !fits || (old != nullptr && strcmp(old, preload_ + preload_size) == 0);
  const bool same_identity = keeps_identity(value_of(envp, identity_variable));
  if (same_preload && left != nullptr && same_identity) return;
  char** at = room;
  for (; envp != nullptr && *envp != nullptr; ++envp) {
    if (!same_preload && is_variable(*envp, "LD_PRELOAD")) continue;
    if (!same_identity && is_variable(*envp, identity_variable)) continue;
    *at++ = *envp;
  }
  if (!same_preload) *at++ = preload_;
  if (left == nullptr) {
    snprintf(session_, sizeof session_, "%s=%s", session_variable, session.folder);
    *at++ = session_;
  }
  if (!same_identity) {
    const int size = snprintf(identity_, sizeof identity_, "%s=", identity_variable);
    identity_text(identity_ + size, sizeof identity_ - static_cast<size_t>(size));
    *at++ = identity_;
  }
  *at = nullptr;
  list_ = room;
}

void mend_own_environment(const Session& session) {
  const size_t count = Environment::env_room(environ);
  auto** room = static_cast<char**>(malloc(count * sizeof(char*)));
  if (room == nullptr) return;
  const Environment wanted(session, environ, room);
  if (wanted.get() == room)
    for (char* const* entry = room; *entry != nullptr; ++entry)
      for (const char* name : {"LD_PRELOAD", session_variable, identity_variable})
        if (is_variable(*entry, name)) setenv(name, strchr(*entry, '=') + 1, 1);
  free(room);
}

}  // namespace rocdrill::interpose
