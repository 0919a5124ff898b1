// Four threads that look at the node's files as fast as they can; every answer must be right.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 2500;

int look() {
  int wrong = 0;
  char text[16];
  for (int i = 0; i < rounds; ++i) {
    struct stat file{};
    wrong += stat("/dev/dri/renderD128", &file) != 0 || !S_ISCHR(file.st_mode);
    wrong += stat("/etc/modprobe.d/mine.conf", &file) != 0 || file.st_uid != 1000;
    wrong += access("/etc/modprobe.d/secret.conf", R_OK) == 0;
    const int fd = open("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", O_RDONLY);
    wrong += read(fd, text, sizeof text) != 6;
    close(fd);
  }
  return wrong;
}

}  // namespace

int main() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { wrong += look(); });
  for (std::thread& thread : threads) thread.join();
  printf("%d wrong of %d\n", wrong.load(), 4 * 4 * rounds);
  return 0;
}
