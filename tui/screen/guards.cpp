#include "tui/screen/guards.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

// Sends the file from `sent` to its end, which is then overwritten from its beginning. False if
// `to` takes no more for now. Async-signal-safe.
bool send_rest(int memory, off_t& sent, int to) {
  std::array<char, 16384> bytes;
  const off_t total = lseek(memory, 0, SEEK_CUR);
  while (sent < total) {
    const size_t want = std::min(bytes.size(), static_cast<size_t>(total - sent));
    const ssize_t got = pread(memory, bytes.data(), want, sent);
    if (got <= 0) break;
    const ssize_t written = write(to, bytes.data(), static_cast<size_t>(got));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return false;
    if (written <= 0) break;  // the terminal is gone; the event loop handles this
    sent += written;
  }
  sent = lseek(memory, 0, SEEK_SET);
  return true;
}

// A frame takes no longer. Keys, signals and workers wait meanwhile.
constexpr uint64_t kLongestFrame = 100 * kMs;

// The terminal behind `out`, not blocking: opened again, because that would hold for the shell,
// too. One of another user cannot be opened; then writes block.
UniqueFd reopened_terminal(int out) {
  const std::string path = fmt::format("/proc/self/fd/{}", out);
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return fd ? std::move(fd) : UniqueFd(fcntl(out, F_DUPFD_CLOEXEC, 3));
}

UniqueFd made_memory(const char* name) {
  UniqueFd memory(memfd_create(name, MFD_CLOEXEC));
  if (!memory) throw SystemError("memfd_create", errno);
  return memory;
}

// Those that end a process which has asked for nothing else: all but those that stop it, continue
// it or do nothing; and but for those that a screen takes from a descriptor.
std::vector<int> fatal_signals() {
  constexpr std::array kOthers = {SIGKILL, SIGSTOP,  SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD,
                                  SIGURG,  SIGWINCH, SIGHUP,  SIGINT,  SIGQUIT, SIGTERM};
  std::vector<int> fatal;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    const bool is_libc_s = number > SIGSYS && number < SIGRTMIN;
    struct sigaction action {};
    const bool is_ignored =
        sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_libc_s && !is_ignored && std::ranges::find(kOthers, number) == kOthers.end())
      fatal.push_back(number);
  }
  return fatal;
}

// The handler's data; set before it can run, never freed while it can.
struct Restore {
  TerminalFiles files;
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
    (void)!write(g_restore.files.out, g_restore.bytes.data(), g_restore.bytes.size());
    tcsetattr(g_restore.files.in, TCSANOW, &g_restore.saved);
    g_restore.parked->release();
  }
  // SA_RESETHAND has restored the default action, SA_NODEFER lets the signal through.
  raise(number);
}

}  // namespace

GatheredOutput::GatheredOutput(int out)
    : out_(out), memory_(made_memory("pipetop-frame")), terminal_(reopened_terminal(out)) {
  UniqueFd terminal(fcntl(out, F_DUPFD_CLOEXEC, 3));
  file_ = terminal ? fdopen(terminal.get(), "w") : nullptr;
  if (!file_) throw SystemError("reopening the terminal", errno);
  terminal.release();  // closed with the file
}

GatheredOutput::~GatheredOutput() { std::fclose(file_); }

void GatheredOutput::begin() const { dup3(memory_.get(), fileno(file_), O_CLOEXEC); }

void GatheredOutput::end() {
  dup3(out_, fileno(file_), O_CLOEXEC);
  const uint64_t begin_ns = monotonic_ns();
  for (uint64_t waited = 0; !send() && waited < kLongestFrame; waited = monotonic_ns() - begin_ns) {
    pollfd room{terminal_.get(), POLLOUT, 0};
    poll(&room, 1, static_cast<int>((kLongestFrame - waited) / kMs));
  }
}

bool GatheredOutput::send() { return send_rest(memory_.get(), sent_, terminal_.get()); }

void GatheredOutput::make_room() {
  if (send()) return;
  tcflush(out_, TCOFLUSH);
  sent_ = lseek(memory_.get(), 0, SEEK_SET);
}

ParkedStderr::ParkedStderr() {
  if (isatty(STDERR_FILENO) == 0) return;
  original_ = UniqueFd(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!original_) throw SystemError("keeping standard error off the screen", errno);
  memory_ = made_memory("pipetop-stderr");
  park();
}

ParkedStderr::~ParkedStderr() { release(); }

void ParkedStderr::park() const {
  if (memory_.get() >= 0) dup2(memory_.get(), STDERR_FILENO);
}

void ParkedStderr::release() const {
  if (memory_.get() < 0) return;
  dup2(original_.get(), STDERR_FILENO);
  off_t sent = 0;
  send_rest(memory_.get(), sent, STDERR_FILENO);
}

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

CrashGuard::CrashGuard(const TerminalFiles& files, const termios& saved, std::string restore_bytes,
                       const ParkedStderr& parked)
    : before_(fatal_signals()) {
  g_restore = {files, saved, std::move(restore_bytes), &parked};
  g_armed = true;
  stack_t stack{};
  stack.ss_sp = g_handler_stack;
  stack.ss_size = sizeof g_handler_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  for (const int number : fatal_signals()) sigaction(number, &action, nullptr);
}

// When disarmed, the handler only triggers the default action.
CrashGuard::~CrashGuard() {
  g_armed = false;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace pipetop::tui
