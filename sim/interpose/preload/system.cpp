// What the kernel says of itself: names, release, processors.
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sim/interpose/preload/paths.hpp"
#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {
namespace {

void copy_text(char* out, size_t size, const char* text) { snprintf(out, size, "%s", text); }

// Processors of a list such as "0-3,8" in the node's sysfs; 0 if the node has no such file.
long processors(const char* file) {
  char path[folder_max + 64];
  snprintf(path, sizeof path, "%s/sys/devices/system/cpu/%s", the_session.root, file);
  const int fd = raw::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[4096];
  const long size = raw::read(fd, text, sizeof text - 1);
  raw::close(fd);
  if (size <= 0) return 0;
  text[size] = '\0';
  long count = 0;
  for (char* at = text; *at >= '0' && *at <= '9';) {
    const long first = strtol(at, &at, 10);
    const long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
    count += last - first + 1;
    if (*at == ',') ++at;
  }
  return count;
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, uname, utsname* out) {
  const long result = raw::call(SYS_uname, raw::arg(out));
  if (result == 0 && session() != nullptr) {
    const IndexUse index = newest_index();
    copy_text(out->nodename, sizeof out->nodename, index->text(index->header->hostname));
    copy_text(out->release, sizeof out->release, index->text(index->header->kernel_release));
    copy_text(out->version, sizeof out->version, index->text(index->header->kernel_version));
  }
  return static_cast<int>(answer(result));
}

ROCDRILL_HOOK(int, gethostname, char* out, size_t size) {
  if (session() == nullptr) return ROCDRILL_REAL(gethostname)(out, size);
  const IndexUse index = newest_index();
  const char* name = index->text(index->header->hostname);
  const size_t length = strlen(name) + 1;
  memcpy(out, name, length < size ? length : size);
  return static_cast<int>(answer(length <= size ? 0 : -ENAMETOOLONG));
}
ROCDRILL_HOOK(int, __gethostname_chk, char* out, size_t size, size_t room) {
  if (size > room) abort();
  return hook_gethostname(out, size);
}

ROCDRILL_HOOK(int, sethostname, const char* name, size_t size) {
  if (session() == nullptr) return ROCDRILL_REAL(sethostname)(name, size);
  return static_cast<int>(answer(-EPERM));
}

ROCDRILL_HOOK(int, get_nprocs, void) {
  const long count = session() == nullptr ? 0 : processors("online");
  return count > 0 ? static_cast<int>(count) : ROCDRILL_REAL(get_nprocs)();
}
ROCDRILL_HOOK(int, get_nprocs_conf, void) {
  const long count = session() == nullptr ? 0 : processors("present");
  return count > 0 ? static_cast<int>(count) : ROCDRILL_REAL(get_nprocs_conf)();
}
ROCDRILL_HOOK(long, sysconf, int name) {
  if (name == _SC_NPROCESSORS_ONLN) return hook_get_nprocs();
  if (name == _SC_NPROCESSORS_CONF) return hook_get_nprocs_conf();
  return ROCDRILL_REAL(sysconf)(name);
}
