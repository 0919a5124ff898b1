// An engine that says what it was asked, and handles a fault at one known address.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/interpose/engine_abi.hpp"

using namespace rocdrill::interpose;

namespace {

const EngineHost* host;
void* trapped = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (trapped != nullptr && info->si_addr == trapped) {
    if (access("/opt/rocm-lab", F_OK) == 0) _exit(9);  // that is on the node alone
    mprotect(trapped, 4096, PROT_READ | PROT_WRITE);
    return;
  }
  host->chain_signal(signal, info, context);
}

int64_t do_ioctl(const char* device, int, uint64_t request, void* argument) {
  switch (request & 0xFF) {
    case 1:  // fills in what it knows
      snprintf(static_cast<char*>(argument), _IOC_SIZE(request), "%s as %s", device,
               host->identity);
      return 0;
    case 2:  // sees this machine, not the node
      return access("/dev/kfd", F_OK) == 0 || access("/etc/hostname", F_OK) != 0 ? -EIO : 7;
    default:
      return -ENOTTY;
  }
}

int64_t do_mmap(const char*, int, void* address, size_t length, int, int flags, uint64_t offset) {
  if (offset == 0x5000) return -ENOMEM;
  void* map =
      mmap(address, length, PROT_NONE, (flags & MAP_FIXED) | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  trapped = map;
  return reinterpret_cast<int64_t>(map);
}

void say(const char* text) { (void)!write(1, text, strlen(text)); }

const Engine engine{engine_abi_version, do_ioctl, do_mmap, [] { say("engine forked\n"); },
                    [] { say("engine stopped\n"); }};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Engine* rocdrill_engine_start(
    const EngineHost* given) {
  host = given;
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  return &engine;
}
