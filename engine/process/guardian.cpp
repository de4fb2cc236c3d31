#include "engine/process/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/blocked_signals.h"
#include "engine/base/error.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

// The guardian's only descriptors: from the second one on, those of its duty.
constexpr int kLifeline = 3;
constexpr char kReady = 0;  // when it has started; else errno
constexpr char kDone = 'd', kTriesAgain = 't';
constexpr long kPause_ns = 100 * long(kMs);
constexpr int kPatience_ms = 10'000;  // with a first attempt on a busy machine

// All below are called in the child: only async-signal-safe calls.

[[noreturn]] void fail(int lifeline) {
  const char error = static_cast<char>(errno);
  (void)!::send(lifeline, &error, 1, MSG_NOSIGNAL);
  ::_exit(1);
}

// Returns how many it keeps for its duty.
int keep_descriptors(int given_lifeline, std::array<int, 2> fds) {
  constexpr int kSafe = 10;  // above those to be replaced
  const int lifeline = ::fcntl(given_lifeline, F_DUPFD, kSafe);
  if (lifeline < 0) fail(given_lifeline);
  for (int& fd : fds)
    if (fd >= 0 && (fd = ::fcntl(fd, F_DUPFD, kSafe)) < 0) fail(given_lifeline);
  // Readers of our output must not wait for the guardian to end.
  for (int fd = 0; fd < kLifeline; ++fd) ::close(fd);
  ::dup2(lifeline, kLifeline);
  int kept = 0;
  for (const int fd : fds)
    if (fd >= 0) ::dup2(fd, kLifeline + ++kept);
  ::syscall(SYS_close_range, kLifeline + kept + 1, ~0u, 0);
  return kept;
}

void say(char what) { (void)!::send(kLifeline, &what, 1, MSG_NOSIGNAL); }

[[noreturn]] void guard(const GuardianDuty& duty, int lifeline) {
  ::setsid();
  drop_capabilities(duty.capabilities);
  ::prctl(PR_SET_NAME, "pipetop-guard");
  const int kept = keep_descriptors(lifeline, duty.fds);
  const int fds[] = {kept > 0 ? kLifeline + 1 : -1, kept > 1 ? kLifeline + 2 : -1};
  (void)!::chdir("/");
  say(kReady);
  char nothing = 0;
  while (::read(kLifeline, &nothing, 1) < 0 && errno == EINTR) continue;
  bool again = duty.attempt(duty.memory, fds);
  const uint64_t end_ns = monotonic_ns() + Guardian::kTries_ns;
  say(again ? kTriesAgain : kDone);
  while (again && monotonic_ns() < end_ns) {
    constexpr timespec kPause = {0, kPause_ns};
    ::nanosleep(&kPause, nullptr);
    again = duty.attempt(duty.memory, fds);
  }
  ::_exit(0);
}

}  // namespace

Guardian::Guardian(const GuardianDuty& duty) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw SystemError("socketpair", errno);
  lifeline_.reset(ends[0]);
  UniqueFd other_end(ends[1]);
  {
    const BlockedSignals blocked;
    pid_ = ::fork();
    if (pid_ == 0) {
      lifeline_.reset();  // or it would wait for itself
      guard(duty, other_end.get());
    }
  }
  const int error = errno;
  if (pid_ < 0) {
    pid_ = 0;
    throw SystemError("fork", error);
  }
  other_end.reset();
  char failure = kReady;
  ssize_t said = 0;
  while ((said = ::read(lifeline_.get(), &failure, 1)) < 0 && errno == EINTR) continue;
  if (said == 1 && failure == kReady) return;
  while (::waitpid(std::exchange(pid_, 0), nullptr, 0) < 0 && errno == EINTR) continue;
  if (said == 1) throw SystemError("start of the guardian", failure);
  throw Error("the guardian was killed when it started; try again", Exit::refused);
}

bool Guardian::is_there() const {
  pollfd end = {lifeline_.get(), POLLIN, 0};
  return pid_ != 0 && ::poll(&end, 1, 0) == 0;
}

bool Guardian::finish() {
  if (pid_ == 0) return false;
  ::shutdown(lifeline_.get(), SHUT_WR);
  pollfd answer = {lifeline_.get(), POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&answer, 1, kPatience_ms)) < 0 && errno == EINTR) continue;
  char said = ready > 0 ? kDone : kTriesAgain;  // nothing comes from one that was killed
  if (ready > 0) (void)!::read(lifeline_.get(), &said, 1);
  lifeline_.reset();
  if (said == kDone)
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  return said != kDone;
}

}  // namespace pipetop
