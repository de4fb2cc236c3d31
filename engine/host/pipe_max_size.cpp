#include "engine/host/pipe_max_size.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>

#include "engine/base/error.h"
#include "engine/host/host_files.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

// 0 when there is no number.
uint64_t read_bytes(int file) {
  std::array<char, 32> text;
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  uint64_t bytes = 0;
  if (got > 0) std::from_chars(text.data(), text.data() + got, bytes);
  return bytes;
}

// Returns 0 or errno. A sysctl takes its value in one write at offset 0; in a regular file the
// newline ends a shorter value than before.
int write_bytes(int file, uint64_t bytes) {
  std::array<char, 32> text;
  char* end = std::to_chars(text.data(), text.data() + text.size() - 1, bytes).ptr;
  *end++ = '\n';
  return ::pwrite(file, text.data(), size_t(end - text.data()), 0) < 0 ? errno : 0;
}

struct Limits {
  uint64_t raised_bytes = 0, before_bytes = 0;
};

// Whether it was still as we raised it, and is restored.
bool put_back(int file, int record, const Limits& limits) {
  const bool ours = read_bytes(file) == limits.raised_bytes;
  const bool restored = ours && write_bytes(file, limits.before_bytes) == 0;
  if (restored || !ours) (void)!::ftruncate(record, 0);
  return restored;
}

// False, with errno set, if another process holds the lock. A child shares it, and holds it on.
bool lock(const UniqueFd& record) {
  return record && ::flock(record.get(), LOCK_EX | LOCK_NB) == 0;
}

// With the lock held: what a process that was killed has recorded.
bool restore_recorded(int file, int record) {
  Limits limits;
  if (::pread(record, &limits, sizeof limits, 0) != sizeof limits) return false;
  return put_back(file, record, limits);
}

// The only descriptors of the guardian.
constexpr int kLifeline = 3, kFile = 4, kRecord = 5;

// In the child: only async-signal-safe calls. Does not return.
[[noreturn]] void guard(int lifeline, int file, int record) {
  // Signals to our group, session or terminal are not for the guardian, and all signals are
  // blocked; only SIGKILL to itself ends it early.
  ::setsid();
  drop_capabilities();  // writing the sysctl needs the user root, and no capability
  ::prctl(PR_SET_NAME, "pipetop-guard");
  constexpr int kSafe = 10;  // above the descriptors to be replaced
  lifeline = ::fcntl(lifeline, F_DUPFD, kSafe);
  file = ::fcntl(file, F_DUPFD, kSafe);
  record = ::fcntl(record, F_DUPFD, kSafe);
  // Readers of our output must not wait for the guardian to end.
  for (int fd = 0; fd <= 2; ++fd) ::close(fd);
  ::dup2(lifeline, kLifeline);
  ::dup2(file, kFile);
  ::dup2(record, kRecord);
  ::syscall(SYS_close_range, kRecord + 1, ~0u, 0);
  (void)!::chdir("/");

  constexpr char kReady = 'r';
  (void)!::write(kLifeline, &kReady, 1);
  Limits limits, told;
  ssize_t got = 0;
  while ((got = ::read(kLifeline, &told, sizeof told)) != 0) {
    if (got == sizeof told) limits = told;
    if (got < 0 && errno != EINTR) break;
  }
  if (limits.raised_bytes != 0) put_back(kFile, kRecord, limits);
  ::_exit(0);
}

}  // namespace

std::optional<uint64_t> repair_pipe_max_size(const std::string& file, const std::string& record) {
  const UniqueFd limit(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  const UniqueFd recorded(::open(record.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!limit || !lock(recorded) || !restore_recorded(limit.get(), recorded.get())) return {};
  return read_bytes(limit.get());
}

RaisedPipeMaxSize::RaisedPipeMaxSize(uint64_t bytes, const std::string& file,
                                     const std::string& record) {
  const auto open = [](const std::string& path, int flags) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
    if (!fd) throw SystemError("raising the limit: " + path, errno);
    return fd;
  };
  before_bytes_ = bytes_ = static_cast<uint64_t>(read_number(file, 0));
  if (before_bytes_ >= bytes && ::access(record.c_str(), R_OK | W_OK) != 0) return;
  file_ = open(file, 0);
  if (before_bytes_ == 0) throw Error(file + " does not contain a number", Exit::unsupported);
  record_ = open(record, O_CREAT | O_NOFOLLOW);
  // It would be lowered under us.
  if (!lock(record_))
    throw Error("another pipetop has raised " + file + ": wait until it ends", Exit::refused);
  restore_recorded(file_.get(), record_.get());
  before_bytes_ = bytes_ = read_bytes(file_.get());
  if (before_bytes_ < bytes)
    raise(std::bit_ceil(bytes), file);  // as the kernel does
  else
    record_.reset();
}

void RaisedPipeMaxSize::raise(uint64_t bytes, const std::string& file) {
  start_guardian();
  const Limits limits = {bytes, before_bytes_};
  const bool recorded = ::pwrite(record_.get(), &limits, sizeof limits, 0) == sizeof limits;
  // Tells the guardian first: if we die in between, it still restores the value.
  const int error = recorded && tell_guardian(bytes) ? write_bytes(file_.get(), bytes) : errno;
  if (error != 0) {
    dismiss_guardian();
    (void)!::ftruncate(record_.get(), 0);
    throw SystemError(fmt::format("raising {} to {}", file, bytes), error);
  }
  bytes_ = read_bytes(file_.get());
}

// Returns when the guardian is ready.
void RaisedPipeMaxSize::start_guardian() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw SystemError("socketpair", errno);
  lifeline_.reset(ends[0]);
  UniqueFd other_end(ends[1]);
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  guardian_ = ::fork();
  const int error = errno;
  if (guardian_ == 0) {
    lifeline_.reset();  // or it would wait for itself
    guard(other_end.get(), file_.get(), record_.get());
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (guardian_ < 0) {
    guardian_ = 0;
    throw SystemError("fork", error);
  }
  other_end.reset();
  char ready = 0;
  while (::read(lifeline_.get(), &ready, 1) < 0 && errno == EINTR) {
  }
}

bool RaisedPipeMaxSize::tell_guardian(uint64_t raised_bytes) {
  const Limits limits = {raised_bytes, before_bytes_};
  return ::send(lifeline_.get(), &limits, sizeof limits, MSG_NOSIGNAL) == sizeof limits;
}

// The guardian must not restore again: somebody else may have set the value since.
void RaisedPipeMaxSize::dismiss_guardian() {
  (void)tell_guardian(0);
  lifeline_.reset();
  while (::waitpid(guardian_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guardian_ = 0;
}

RaisedPipeMaxSize::~RaisedPipeMaxSize() {
  if (guardian_ == 0) return;
  put_back(file_.get(), record_.get(), {bytes_, before_bytes_});
  dismiss_guardian();
}

}  // namespace pipetop
