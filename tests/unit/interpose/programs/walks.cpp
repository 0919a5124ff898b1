// The walks that libc does by itself, and the positions of a merged stream.
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace {

int only_sys(const dirent* entry) { return strcmp(entry->d_name, "sys") == 0; }

void scan(const char* label, const char* path, int (*filter)(const dirent*)) {
  dirent** list = nullptr;
  const int count = scandir(path, &list, filter, alphasort);
  printf("%s", label);
  for (int i = 0; i < count; ++i) printf(" %s", list[i]->d_name);
  printf("\n");
}

int visit(const char* path, const struct stat*, int kind, FTW*) {
  printf(" %s%s", path, kind == FTW_SL ? "@" : "");
  return 0;
}

int count(DIR* directory) {
  int entries = 0;
  while (readdir(directory) != nullptr) ++entries;
  return entries;
}

// The merged listing of /dev has "kfd" in its second part.
bool finds_again(DIR* directory) {
  rewinddir(directory);
  long at = telldir(directory);
  for (const dirent* entry; (entry = readdir(directory)) != nullptr; at = telldir(directory)) {
    if (strcmp(entry->d_name, "kfd") != 0) continue;
    readdir(directory);
    seekdir(directory, at);
    entry = readdir(directory);
    return entry != nullptr && strcmp(entry->d_name, "kfd") == 0;
  }
  return false;
}

}  // namespace

int main() {
  scan("scandir:", "/dev/dri", nullptr);
  scan("scandir /:", "/", only_sys);
  glob_t found{};
  glob("/sys/class/kfd/kfd/topology/nodes/*/gpu_id", 0, nullptr, &found);
  printf("glob:");
  for (size_t i = 0; i < found.gl_pathc; ++i) printf(" %s", found.gl_pathv[i]);
  printf("\nnftw:");
  nftw("/sys/class/kfd", visit, 8, FTW_PHYS);
  printf("\n");
  DIR* dri = opendir("/dev/dri");
  const int first = count(dri);
  rewinddir(dri);
  printf("rewind: %d %d\n", first, count(dri));
  DIR* dev = opendir("/dev");
  printf("seek: %s\n", finds_again(dev) ? "kfd" : "lost");
  closedir(dev);
  closedir(dri);
  return 0;
}
