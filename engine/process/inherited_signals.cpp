#include "engine/process/inherited_signals.h"

#include <signal.h>

#include <array>

namespace pipetop {
namespace {

struct Inherited {
  int number;
  void (*ours)(int);
  struct sigaction theirs;
};

std::array<Inherited, 3> g_inherited = {
    {{SIGPIPE, SIG_IGN, {}}, {SIGXFSZ, SIG_IGN, {}}, {SIGCHLD, SIG_DFL, {}}}};
bool g_set = false;

}  // namespace

void set_own_signals() {
  for (Inherited& signal : g_inherited) {
    struct sigaction ours {};
    ours.sa_handler = signal.ours;
    ::sigaction(signal.number, &ours, &signal.theirs);
  }
  g_set = true;
}

void restore_inherited_signals() {
  if (!g_set) return;
  for (const Inherited& signal : g_inherited) ::sigaction(signal.number, &signal.theirs, nullptr);
}

}  // namespace pipetop
