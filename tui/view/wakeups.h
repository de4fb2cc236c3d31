// What interrupts a copy: a timer, and signals. Each only ends a system call that waits; the
// data is moved without asking for the time.
#pragma once

#include <cstdint>

namespace pipetop::tui {

struct Wakeup {
  bool asked = false;      // SIGUSR1: tell how far it is
  bool resized = false;    // SIGWINCH
  bool continued = false;  // SIGCONT
  bool changed = false;    // SIGUSR2: there are other flags
};

// One at a time: handlers have no owner.
class Wakeups {
 public:
  // From here on SIGUSR1 and SIGUSR2 no longer end us. Neither they nor SIGALRM is left blocked by
  // our parent. A signal that ends us calls `at_end` first, which is async-signal-safe.
  explicit Wakeups(void (*at_end)());
  ~Wakeups();
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  // Something has happened since take(). As cheap as reading a variable.
  bool pending() const;
  Wakeup take();

  // Once, after that time; 0: never. Repeated soon, until take(), for a signal may come just before
  // a system call that then waits.
  void wake_after(uint64_t ns);

  // A signal that ends us writes a newline to stderr first, so that the shell's prompt doesn't
  // stand in the progress.
  void set_line_is_open(bool open);
};

}  // namespace pipetop::tui
