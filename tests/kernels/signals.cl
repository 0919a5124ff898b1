// What a kernel tells the host before it ends.
#include "kernel.h"

/// Stores `value` to a signal (amd_signal_t: value, event_mailbox_ptr, event_id) as device libraries
/// do: then its event's mailbox, then an interrupt. `rounds` later than it could.
kernel void notify(global ulong* signal, ulong value, uint rounds) {
#pragma clang loop unroll(disable)
  for (uint k = 0; k < rounds; ++k) __asm__ volatile("s_nop 0");
  if (global_id(0) != 0) return;
  ((volatile global ulong*)signal)[1] = value;
  volatile global ulong* mailbox = (volatile global ulong*)signal[2];
  const uint event = ((global uint*)signal)[6];
  if (mailbox == 0) return;
  *mailbox = event;
  __builtin_amdgcn_s_waitcnt(0);
  __builtin_amdgcn_s_sendmsg(1, __builtin_amdgcn_readfirstlane(event) & 0xFFFFFF);
}
