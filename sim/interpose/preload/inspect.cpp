#include "sim/interpose/preload/inspect.hpp"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/interpose/preload/paths.hpp"
#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {
namespace {

// Programs of this machine that act on this machine's kernel, packages, users or services. The node
// has commands of its own in <session>/bin for those that it models.
constexpr const char* acting[] = {"apt",
                                  "apt-get",
                                  "apt-mark",
                                  "aptitude",
                                  "chroot",
                                  "containerd",
                                  "ctr",
                                  "depmod",
                                  "dkms",
                                  "dmesg",
                                  "docker",
                                  "dpkg",
                                  "dpkg-reconfigure",
                                  "gpasswd",
                                  "groupadd",
                                  "groupdel",
                                  "groupmod",
                                  "halt",
                                  "init",
                                  "insmod",
                                  "journalctl",
                                  "kexec",
                                  "kubectl",
                                  "loginctl",
                                  "mkinitramfs",
                                  "mokutil",
                                  "mount",
                                  "newgidmap",
                                  "newgrp",
                                  "newuidmap",
                                  "nsenter",
                                  "passwd",
                                  "pkexec",
                                  "podman",
                                  "poweroff",
                                  "reboot",
                                  "rmmod",
                                  "modprobe",
                                  "runuser",
                                  "service",
                                  "setpriv",
                                  "sg",
                                  "shutdown",
                                  "snap",
                                  "su",
                                  "sudo",
                                  "sudoedit",
                                  "swapoff",
                                  "swapon",
                                  "sysctl",
                                  "systemctl",
                                  "systemd-run",
                                  "telinit",
                                  "udevadm",
                                  "umount",
                                  "unshare",
                                  "update-grub",
                                  "update-initramfs",
                                  "useradd",
                                  "userdel",
                                  "usermod"};
constexpr const char* system_folders[] = {"/usr/bin", "/usr/sbin",      "/bin",
                                          "/sbin",    "/usr/local/bin", "/usr/local/sbin"};

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool acts_on_machine(const char* name) {
  for (const char* known : acting)
    if (strcmp(known, name) == 0) return true;
  return false;
}

bool in_system_folder(const char* path) {
  const auto size = static_cast<size_t>(base_name(path) - path);
  for (const char* folder : system_folders)
    if (size == strlen(folder) + 1 && strncmp(folder, path, size - 1) == 0) return true;
  return false;
}

// Is the file one of the session's own commands?
bool of_session(const Session& session, const char* path) {
  if (strncmp(path, session.folder, session.folder_length) != 0) return false;
  const char* rest = path + session.folder_length;
  return strncmp(rest, "/bin/", 5) == 0 || strncmp(rest, "/libexec/", 9) == 0 ||
         strncmp(rest, "/lib/", 5) == 0;
}

// ROCDRILL_ALLOW=name[:name...] or "all".
bool allowed(const char* path, char* const* envp) {
  const char* list = nullptr;
  for (; envp != nullptr && *envp != nullptr; ++envp)
    if (strncmp(*envp, "ROCDRILL_ALLOW=", 15) == 0) list = *envp + 15;
  if (list == nullptr) return false;
  const char* name = base_name(path);
  const size_t size = strlen(name);
  while (*list != '\0') {
    const char* end = strchrnul(list, ':');
    const auto length = static_cast<size_t>(end - list);
    if ((length == 3 && memcmp(list, "all", 3) == 0) ||
        (length == size && memcmp(list, name, size) == 0))
      return true;
    list = *end == '\0' ? end : end + 1;
  }
  return false;
}

void refuse(const char* path, const char* why) {
  const IndexUse index = newest_index();
  complain("%s %s, not the node %s. Refused; ROCDRILL_ALLOW=%s runs it all the same.", path, why,
           index->text(index->header->hostname), base_name(path));
}

void refuse_acting(const char* path, const char* name) {
  const IndexUse index = newest_index();
  complain(
      "%s would act on this machine, not the node %s. Refused; use the node's own '%s' if it "
      "has one (it is first in PATH); ROCDRILL_ALLOW=%s runs this one all the same.",
      path, index->text(index->header->hostname), name, name);
}

bool canonical(int fd, char (&out)[PATH_MAX]) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long size = raw::readlink_at(AT_FDCWD, link, out, sizeof out - 1);
  if (size <= 0) return false;
  out[size] = '\0';
  return true;
}

// Follows the last component's links one by one: /usr/sbin/modprobe is a link to /bin/kmod, and
// the name that was asked for decides what it does.
const char* acting_name(const char* path, char* const* argv) {
  static constexpr int links_max = 8;
  char at[PATH_MAX];
  if (strlen(path) >= sizeof at) return nullptr;
  strcpy(at, path);
  const char* found = nullptr;
  for (int i = 0; i < links_max; ++i) {
    if (in_system_folder(at) && acts_on_machine(base_name(at))) {
      for (const char* known : acting)
        if (strcmp(known, base_name(at)) == 0) found = known;
      return found;
    }
    char target[PATH_MAX];
    const long size = raw::readlink_at(AT_FDCWD, at, target, sizeof target - 1);
    if (size <= 0) break;
    target[size] = '\0';
    char next[2 * PATH_MAX];
    if (target[0] == '/')
      snprintf(next, sizeof next, "%s", target);
    else
      snprintf(next, sizeof next, "%.*s%s", static_cast<int>(base_name(at) - at), at, target);
    if (strlen(next) >= sizeof at) break;
    strcpy(at, next);
  }
  // One program with many names.
  const char* name = base_name(at);
  if (argv == nullptr || (strcmp(name, "kmod") != 0 && strcmp(name, "busybox") != 0))
    return nullptr;
  for (int i = 0; i < 2 && argv[i] != nullptr; ++i)
    for (const char* known : acting)
      if (strcmp(known, base_name(argv[i])) == 0) return known;
  return nullptr;
}

bool is_loader(const char* path) {
  const char* name = base_name(path);
  return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-2.", 5) == 0 ||
         strcmp(name, "ld.so") == 0;
}

// A note named "Go" (.note.go.buildid) in a PT_NOTE segment: Go's own file, or one linked with cgo.
bool has_go_note(int fd, const Elf64_Phdr& segment) {
  char notes[1024];
  const size_t size = segment.p_filesz < sizeof notes ? segment.p_filesz : sizeof notes;
  const long got = raw::pread(fd, notes, size, static_cast<long>(segment.p_offset));
  for (size_t at = 0; got > 0 && at + sizeof(Elf64_Nhdr) + 4 <= static_cast<size_t>(got);) {
    Elf64_Nhdr note;
    memcpy(&note, notes + at, sizeof note);
    if (note.n_namesz == 4 && memcmp(notes + at + sizeof note, "Go\0\0", 4) == 0) return true;
    at += sizeof note + ((note.n_namesz + 3) & ~3u) + ((note.n_descsz + 3) & ~3u);
  }
  return false;
}

// Why the ELF file cannot be covered, or nullptr.
const char* uncovered_elf(int fd, const char* head, size_t size, const char* path) {
  Elf64_Ehdr header;
  if (size < sizeof header) return nullptr;
  memcpy(&header, head, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    return "is a 32-bit program: it would see this machine";
  bool interpreter = false;
  for (unsigned i = 0; i < header.e_phnum && i < 64; ++i) {
    Elf64_Phdr segment;
    const long offset = static_cast<long>(header.e_phoff + i * sizeof segment);
    if (static_cast<size_t>(offset) + sizeof segment <= size)
      memcpy(&segment, head + offset, sizeof segment);
    else if (raw::pread(fd, &segment, sizeof segment, offset) != sizeof segment)
      return nullptr;
    if (segment.p_type == PT_INTERP) interpreter = true;
    if (segment.p_type == PT_NOTE && has_go_note(fd, segment))
      return "is a Go program, which asks the kernel past libc: it would see this machine";
  }
  if (interpreter || is_loader(path)) return nullptr;
  return "is statically linked: it would see this machine";
}

bool may_start_at(const Session& session, int fd, const char* path, char* const* argv,
                  char* const* envp, int nested);

// "#! /bin/sh -e": the interpreter is what runs.
bool may_start_script(const Session& session, const char* head, char* const* envp, int nested) {
  const char* at = head + 2;
  while (*at == ' ' || *at == '\t') ++at;
  char interpreter[PATH_MAX];
  size_t size = 0;
  while (*at != '\0' && *at != '\n' && *at != ' ' && *at != '\t' && size + 1 < sizeof interpreter)
    interpreter[size++] = *at++;
  interpreter[size] = '\0';
  const int fd = raw::open(interpreter, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  const bool may = may_start_at(session, fd, interpreter, nullptr, envp, nested + 1);
  raw::close(fd);
  return may;
}

bool may_start_at(const Session& session, int fd, const char* path, char* const* argv,
                  char* const* envp, int nested) {
  char target[PATH_MAX];
  struct stat file;
  if (nested > 4 || !canonical(fd, target) || raw::fstat(fd, &file) < 0 || !S_ISREG(file.st_mode) ||
      allowed(path, envp))
    return true;
  if (!of_session(session, target)) {
    if (const char* name = acting_name(path, argv)) {
      refuse_acting(path, name);
      return false;
    }
  }
  const bool capable = raw::call(SYS_fgetxattr, fd, raw::arg("security.capability"), 0, 0) > 0;
  if ((file.st_mode & (S_ISUID | S_ISGID)) != 0 || capable) {
    refuse(path,
           "runs with rights of its own and drops preloaded libraries: it would see this "
           "machine");
    return false;
  }
  char head[1025];
  const long size = raw::pread(fd, head, sizeof head - 1, 0);
  if (size < 4) return true;
  head[size] = '\0';
  if (head[0] == '#' && head[1] == '!') return may_start_script(session, head, envp, nested);
  if (memcmp(head, ELFMAG, SELFMAG) != 0) return true;
  const char* why = uncovered_elf(fd, head, static_cast<size_t>(size), target);
  if (why == nullptr) return true;
  refuse(path, why);
  return false;
}

}  // namespace

bool may_start(const Session& session, const char* path, char* const* argv, char* const* envp) {
  const int fd = raw::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  // A relative name ("./mount" in /usr/bin) is judged by where it lies.
  char whole[2 * PATH_MAX];
  snprintf(whole, sizeof whole, "%s", path);
  if (path[0] != '/') {
    const long size = raw::getcwd(whole, PATH_MAX);
    if (size > 0)
      snprintf(whole + size - 1, PATH_MAX, "/%s", strncmp(path, "./", 2) == 0 ? path + 2 : path);
  }
  const bool may = may_start_at(session, fd, whole, argv, envp, 0);
  raw::close(fd);
  return may;
}

bool may_start_descriptor(const Session& session, int fd, char* const* argv, char* const* envp) {
  char path[PATH_MAX];
  if (!canonical(fd, path)) return true;
  const int readable = raw::open(path, O_RDONLY | O_CLOEXEC);
  if (readable < 0) return true;
  const bool may = may_start_at(session, readable, path, argv, envp, 0);
  raw::close(readable);
  return may;
}

}  // namespace rocdrill::interpose
