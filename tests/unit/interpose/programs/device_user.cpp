// A program that uses an open device in the ways that programs do; prints one line for each.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned long ask_name = _IOC(_IOC_READ, 'K', 1, 128);
constexpr unsigned long ask_machine = _IOC(_IOC_READ, 'K', 2, 0);
constexpr unsigned long ask_unknown = _IOC(_IOC_READ, 'K', 99, 0);

sigjmp_buf back;
void on_fault(int) { siglongjmp(back, 1); }

void name(const char* what, int fd) {
  char text[128] = "nothing";
  const int result = ioctl(fd, ask_name, text);
  printf("%s: %d %s\n", what, result, result == 0 ? text : strerror(errno));
}

void maps(int fd) {
  auto* fixed = static_cast<char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  fixed[0] = 'k';
  void* refused = mmap(fixed, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0x5000);
  printf("mmap refused: %d %s, kept %c\n", refused == MAP_FAILED, strerror(errno), fixed[0]);
  auto* map = static_cast<char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  printf("mmap: %d\n", map != MAP_FAILED);
  signal(SIGSEGV, on_fault);
  map[0] = 'x';  // the engine's fault
  printf("engine's fault: %c\n", map[0]);
  if (sigsetjmp(back, 1) == 0)
    *reinterpret_cast<volatile char*>(8) = 'x';
  else
    printf("program's fault: handled\n");
  struct sigaction mine{};
  sigaction(SIGSEGV, nullptr, &mine);
  printf("own handler: %d\n", mine.sa_handler == on_fault);
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  if (argc > 1 && strcmp(argv[1], "inherited") == 0) {
    name("inherited", 9);
    return 0;
  }
  const int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    printf("open: %s\n", strerror(errno));
    return 1;
  }
  struct stat file{};
  fstat(fd, &file);
  printf("fstat: %o %u:%u gid %u\n", file.st_mode, major(file.st_rdev), minor(file.st_rdev),
         file.st_gid);
  char link[64] = "";
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  link[readlink(path, link, sizeof link - 1)] = '\0';
  printf("link: %s\n", link);
  name("ioctl", fd);
  name("dup", dup(fd));
  name("render", open("/dev/dri/renderD128", O_RDWR));
  printf("machine: %d\n", ioctl(fd, ask_machine));
  const int unknown = ioctl(fd, ask_unknown);
  printf("unknown: %d %s\n", unknown, strerror(errno));
  printf("not ours: %d\n", ioctl(0, ask_name, path));
  maps(fd);
  if (fork() == 0) _exit(0);
  wait(nullptr);
  dup2(fd, 9);
  if (fork() == 0) {
    execl(argv[0], argv[0], "inherited", nullptr);
    _exit(1);
  }
  wait(nullptr);
  return 0;
}
