// Identity calls that no tool shows.
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main() {
  uid_t real = 9, effective = 9, saved = 9;
  getresuid(&real, &effective, &saved);
  printf("%u %u %u\n", real, effective, saved);
  printf("same: %d\n", setuid(getuid()));
  const int result = setuid(0);
  printf("root: %d %s\n", result, strerror(errno));
  const int hostname = sethostname("x", 1);
  printf("sethostname: %d %s\n", hostname, strerror(errno));
  gid_t groups[16];
  int count = 16;
  printf("grouplist: %d\n", getgrouplist("op", 1000, groups, &count));
  char login[32] = "";
  getlogin_r(login, sizeof login);
  printf("login: %s\n", login);
  printf("processors: %ld of %ld\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
  return 0;
}
