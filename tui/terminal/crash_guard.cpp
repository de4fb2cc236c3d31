#include "tui/terminal/crash_guard.h"

#include <unistd.h>

#include <array>
#include <atomic>

namespace pipetop::tui {
namespace {

constexpr std::array kFatalSignals = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGQUIT};

// The handler's data; set before it can run, never freed while it can.
struct Restore {
  termios saved;
  std::string bytes;
  const ParkedStderr* parked;
};
Restore g_restore;
std::atomic<bool> g_armed{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// A stack overflow leaves no stack to handle it on.
alignas(16) char g_handler_stack[32 * 1024];

extern "C" void on_fatal_signal(int number) {
  if (g_armed.exchange(false)) {
    (void)!write(STDOUT_FILENO, g_restore.bytes.data(), g_restore.bytes.size());
    tcsetattr(STDIN_FILENO, TCSANOW, &g_restore.saved);
    g_restore.parked->release();
  }
  // SA_RESETHAND has restored the default action, SA_NODEFER lets the signal through.
  raise(number);
}

}  // namespace

SavedActions::SavedActions(std::span<const int> signals) {
  for (const int number : signals) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    before_.emplace_back(number, action);
  }
}

SavedActions::~SavedActions() {
  for (const auto& [number, action] : before_) sigaction(number, &action, nullptr);
}

CrashGuard::CrashGuard(const termios& saved, std::string restore_bytes, const ParkedStderr& parked)
    : before_(kFatalSignals) {
  g_restore = {saved, std::move(restore_bytes), &parked};
  g_armed = true;
  stack_t stack{};
  stack.ss_sp = g_handler_stack;
  stack.ss_size = sizeof g_handler_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  for (const int number : kFatalSignals) sigaction(number, &action, nullptr);
}

// When disarmed, the handler only triggers the default action.
CrashGuard::~CrashGuard() {
  g_armed = false;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace pipetop::tui
