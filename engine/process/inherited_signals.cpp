#include "engine/process/inherited_signals.h"

#include <signal.h>

#include <array>

namespace pipetop {
namespace {

struct Inherited {
  int number;
  struct sigaction action;
};

std::array<Inherited, 2> g_inherited = {{{SIGPIPE, {}}, {SIGXFSZ, {}}}};
bool g_ignored = false;

}  // namespace

void ignore_write_signals() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (Inherited& signal : g_inherited) ::sigaction(signal.number, &ignore, &signal.action);
  g_ignored = true;
}

void restore_write_signals() {
  if (!g_ignored) return;
  for (const Inherited& signal : g_inherited) ::sigaction(signal.number, &signal.action, nullptr);
}

}  // namespace pipetop
