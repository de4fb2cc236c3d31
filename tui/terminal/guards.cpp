#include "tui/terminal/guards.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

bool write_all(int fd, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;  // the terminal is gone; the event loop handles this
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

// Sends what was written to the file since its beginning, which is then overwritten.
// Async-signal-safe.
void send_all(int memory, int to) {
  std::array<char, 16384> bytes;
  const off_t total = lseek(memory, 0, SEEK_CUR);
  for (off_t done = 0; done < total;) {
    const size_t want = std::min(bytes.size(), static_cast<size_t>(total - done));
    const ssize_t got = pread(memory, bytes.data(), want, done);
    if (got <= 0 || !write_all(to, bytes.data(), static_cast<size_t>(got))) break;
    done += got;
  }
  lseek(memory, 0, SEEK_SET);
}

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

GatheredOutput::GatheredOutput() : memory_(memfd_create("pipetop-frame", MFD_CLOEXEC)) {
  UniqueFd terminal(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  file_ = memory_ && terminal ? fdopen(terminal.get(), "w") : nullptr;
  if (!file_) throw SystemError("reopening the terminal", errno);
  terminal.release();  // closed with the file
}

GatheredOutput::~GatheredOutput() { std::fclose(file_); }

void GatheredOutput::begin() const { dup3(memory_.get(), fileno(file_), O_CLOEXEC); }

void GatheredOutput::end() const {
  dup3(STDOUT_FILENO, fileno(file_), O_CLOEXEC);
  send_all(memory_.get(), STDOUT_FILENO);
}

ParkedStderr::ParkedStderr() {
  if (isatty(STDERR_FILENO) == 0) return;
  original_ = UniqueFd(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  memory_ = UniqueFd(memfd_create("pipetop-stderr", MFD_CLOEXEC));
  if (original_.get() < 0 || memory_.get() < 0)
    throw SystemError("keeping standard error off the screen", errno);
  park();
}

ParkedStderr::~ParkedStderr() { release(); }

void ParkedStderr::park() const {
  if (memory_.get() >= 0) dup2(memory_.get(), STDERR_FILENO);
}

void ParkedStderr::release() const {
  if (memory_.get() < 0) return;
  dup2(original_.get(), STDERR_FILENO);
  send_all(memory_.get(), STDERR_FILENO);
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
