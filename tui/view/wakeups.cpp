#include "tui/view/wakeups.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "engine/base/clock.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRepeat_ns = 5 * kMs;

std::atomic<bool> g_pending, g_asked, g_resized, g_continued, g_changed, g_line_is_open;
static_assert(std::atomic<bool>::is_always_lock_free, "for signal handlers");
std::atomic<void (*)()> g_at_end;
// Used by the handlers once g_has_timer is set.
timer_t g_timer;
std::atomic<bool> g_has_timer;

timespec timespec_of(uint64_t ns) { return {time_t(ns / kSecond), long(ns % kSecond)}; }

// Async-signal-safe.
void set_wake_timer(uint64_t first_ns, uint64_t repeat_ns) {
  if (!g_has_timer) return;
  const itimerspec spec{timespec_of(repeat_ns), timespec_of(first_ns)};
  ::timer_settime(g_timer, 0, &spec, nullptr);
}

void on_timer(int) { g_pending = true; }

void on_request(int number) {
  const int error = errno;
  (number == SIGUSR1    ? g_asked
   : number == SIGUSR2  ? g_changed
   : number == SIGWINCH ? g_resized
                        : g_continued) = true;
  g_pending = true;
  set_wake_timer(kRepeat_ns, kRepeat_ns);
  errno = error;
}

// Its action is the usual one again, and comes when we return.
void on_end(int number) {
  if (g_line_is_open) (void)!::write(STDERR_FILENO, "\n", 1);
  if (void (*const at_end)() = g_at_end.exchange(nullptr)) at_end();
  ::raise(number);
}

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;  // no SA_RESTART
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

void handle_unless_ignored(int number, void (*handler)(int), int flags) {
  struct sigaction before {};
  ::sigaction(number, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(number, handler, flags);
}

constexpr int kRequests[] = {SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};
constexpr int kEnds[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGXCPU,
                         SIGPROF, SIGVTALRM, SIGPOLL, SIGPWR,  SIGSTKFLT};

}  // namespace

Wakeups::Wakeups(void (*at_end)()) {
  g_at_end = at_end;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  // Without one there is no progress, but the data still gets through.
  g_has_timer = ::timer_create(CLOCK_MONOTONIC, &event, &g_timer) == 0;
  handle(SIGALRM, on_timer, 0);
  for (const int number : kRequests) handle(number, on_request, 0);
  for (const int number : kEnds) handle_unless_ignored(number, on_end, int(SA_RESETHAND));
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGALRM, SIGUSR1, SIGUSR2}) sigaddset(&ours, number);
  ::sigprocmask(SIG_UNBLOCK, &ours, nullptr);
}

Wakeups::~Wakeups() {
  if (g_has_timer.exchange(false)) ::timer_delete(g_timer);
  set_line_is_open(false);
  g_at_end = nullptr;
  for (const int number : {SIGALRM, SIGUSR1, SIGUSR2}) handle(number, SIG_IGN, 0);
  for (const int number : {SIGWINCH, SIGCONT}) handle(number, SIG_DFL, 0);
}

bool Wakeups::pending() const { return g_pending.load(std::memory_order_relaxed); }

Wakeup Wakeups::take() {
  g_pending = false;
  set_wake_timer(0, 0);
  return {.asked = g_asked.exchange(false),
          .resized = g_resized.exchange(false),
          .continued = g_continued.exchange(false),
          .changed = g_changed.exchange(false)};
}

void Wakeups::wake_after(uint64_t ns) {
  set_wake_timer(ns, ns == 0 ? 0 : kRepeat_ns);
  // A signal that has come since take() had set it, too.
  if (pending()) set_wake_timer(kRepeat_ns, kRepeat_ns);
}

void Wakeups::set_line_is_open(bool open) { g_line_is_open = open; }

}  // namespace pipetop::tui
