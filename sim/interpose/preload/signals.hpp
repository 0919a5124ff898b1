// SIGSEGV and SIGBUS: the engine's handlers stay first, the program's are kept here.
#pragma once

namespace rocdrill::interpose {

/// Before the engine starts: remembers the program's handlers; sigaction() then changes only these.
void keep_program_handlers();

/// EngineHost::chain_signal.
void chain_signal(int signal, void* siginfo, void* context);

}  // namespace rocdrill::interpose
