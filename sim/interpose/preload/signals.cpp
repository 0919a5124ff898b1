#include "sim/interpose/preload/signals.hpp"

#include <signal.h>
#include <string.h>

#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/session.hpp"

// Both are used before they are defined as hooks.
ROCDRILL_HOOK(int, sigaction, int signal, const struct sigaction* action, struct sigaction* old);

namespace rocdrill::interpose {
namespace {

// The last few handlers stay readable: a fault on another thread may be running through one.
constexpr unsigned kept = 16;
struct Kept {
  struct sigaction actions[kept];
  unsigned newest = 0;

  struct sigaction current() const {
    return actions[__atomic_load_n(&newest, __ATOMIC_ACQUIRE) % kept];
  }
  void set(const struct sigaction& action) {
    const unsigned next = __atomic_load_n(&newest, __ATOMIC_RELAXED) + 1;
    actions[next % kept] = action;
    __atomic_store_n(&newest, next, __ATOMIC_RELEASE);
  }
};
Kept segv;
Kept bus;
// The engine's own, behind engine_fault().
Kept engine_segv;
Kept engine_bus;
bool engine_first = false;

Kept* kept_for(int signal) {
  if (!__atomic_load_n(&engine_first, __ATOMIC_ACQUIRE)) return nullptr;
  if (signal == SIGSEGV) return &segv;
  return signal == SIGBUS ? &bus : nullptr;
}

// The engine's handler runs on a thread of the program's: its calls are to pass through all the
// same.
void engine_fault(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const struct sigaction action = (signal == SIGSEGV ? engine_segv : engine_bus).current();
  ++depth;
  action.sa_sigaction(signal, info, context);
  --depth;
  errno = saved;
}

int set_engine_handler(int signal, const struct sigaction& action, struct sigaction* old) {
  (signal == SIGSEGV ? engine_segv : engine_bus).set(action);
  struct sigaction installed = action;
  installed.sa_sigaction = engine_fault;
  return ROCDRILL_REAL(sigaction)(signal, &installed, old);
}

void restore_default(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  ROCDRILL_REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace

void keep_program_handlers() {
  struct sigaction action;
  if (ROCDRILL_REAL(sigaction)(SIGSEGV, nullptr, &action) == 0) segv.set(action);
  if (ROCDRILL_REAL(sigaction)(SIGBUS, nullptr, &action) == 0) bus.set(action);
  __atomic_store_n(&engine_first, true, __ATOMIC_RELEASE);
}

void chain_signal(int signal, void* siginfo, void* context) {
  Kept* handlers = kept_for(signal);
  if (handlers == nullptr) return restore_default(signal);
  const struct sigaction action = handlers->current();
  // A fault of an instruction cannot be ignored: the kernel kills in both cases.
  if ((action.sa_flags & SA_SIGINFO) == 0 &&
      (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN))
    return restore_default(signal);
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    reset.sa_flags &= ~SA_SIGINFO;
    handlers->set(reset);
  }
  uint64_t mask = 0;
  uint64_t before = 0;
  memcpy(&mask, &action.sa_mask, sizeof mask);
  if ((action.sa_flags & SA_NODEFER) == 0) mask |= 1UL << (signal - 1);
  raw::call(SYS_rt_sigprocmask, SIG_BLOCK, raw::arg(&mask), raw::arg(&before), sizeof mask);
  // The program's code: its calls are the node's, even if the fault came out of the engine.
  const int saved = depth;
  depth = 0;
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, static_cast<siginfo_t*>(siginfo), context);
  else
    action.sa_handler(signal);
  depth = saved;
  raw::call(SYS_rt_sigprocmask, SIG_SETMASK, raw::arg(&before), 0, sizeof before);
}

namespace {

using Handler = void (*)(int);

Handler set_handler(int signal, Handler handler, int flags) {
  struct sigaction action;
  struct sigaction old;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (hook_sigaction(signal, &action, &old) != 0) return SIG_ERR;
  return old.sa_handler;
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

extern "C" int hook_sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  Kept* handlers = kept_for(signal);
  if (depth > 0 && handlers != nullptr && action != nullptr && (action->sa_flags & SA_SIGINFO) != 0)
    return set_engine_handler(signal, *action, old);
  if (depth > 0 || handlers == nullptr) return ROCDRILL_REAL(sigaction)(signal, action, old);
  const struct sigaction before = handlers->current();
  if (action != nullptr) handlers->set(*action);
  if (old != nullptr) *old = before;
  return 0;
}

ROCDRILL_HOOK(Handler, signal, int signal, Handler handler) {
  if (depth > 0 || kept_for(signal) == nullptr) return ROCDRILL_REAL(signal)(signal, handler);
  return set_handler(signal, handler, SA_RESTART);
}
ROCDRILL_ALIAS(bsd_signal, signal);
ROCDRILL_ALIAS(ssignal, signal);

ROCDRILL_HOOK(Handler, __sysv_signal, int signal, Handler handler) {
  if (depth > 0 || kept_for(signal) == nullptr)
    return ROCDRILL_REAL(__sysv_signal)(signal, handler);
  return set_handler(signal, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
ROCDRILL_ALIAS(sysv_signal, __sysv_signal);
