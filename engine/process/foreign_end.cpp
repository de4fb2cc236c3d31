#include "engine/process/foreign_end.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string>

#include "engine/base/error.h"
#include "engine/process/threads.h"

namespace pipetop {
namespace {

std::string end_text(PipeId pipe, const PipeEnd& end) {
  return fmt::format("pipe {} of process {}, descriptor {}", pipe.inode, end.process.pid, end.fd);
}

// For a FIFO on these, stat shows another device than BPF sees, which is the superblock's.
bool has_devices_of_its_own(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return false;
  return system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC;
}

bool is_still(int fd, PipeId pipe) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode) || status.st_ino != pipe.inode)
    return false;
  const auto device = static_cast<uint32_t>(status.st_dev);
  if (device == pipe.device) return true;
  const uint32_t nameless = device_of_nameless_pipes();
  return device != nameless && pipe.device != nameless && has_devices_of_its_own(fd);
}

// At once: that many fit a message.
constexpr size_t kMostQuestions = 64;
// Who doesn't answer for so long was stopped by somebody. Then it is killed, which closes its copy.
constexpr timeval kPatience = {.tv_sec = 1, .tv_usec = 0};

using Answers = std::array<std::optional<PipeAsker::Answer>, kMostQuestions>;

std::optional<PipeAsker::Answer> answer_to(const PipeAsker::Question& question) {
  try {
    const ForeignEnd copy(question.pipe, question.end);
    return PipeAsker::Answer{copy.capacity(), copy.queued()};
  } catch (const SystemError&) {
    return {};
  }
}

// Holds nothing of ours, such as the pipe that our standard output may be.
[[noreturn]] void answer_all(int socket, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(0);
  ::setsid();
  if (::dup2(socket, 0) != 0 || ::syscall(SYS_close_range, 1u, ~0u, 0u) != 0) _exit(1);
  std::array<PipeAsker::Question, kMostQuestions> questions;
  Answers answers;
  while (true) {
    const ssize_t bytes = ::recv(0, questions.data(), sizeof questions, 0);
    if (bytes <= 0) _exit(0);
    const size_t count = static_cast<size_t>(bytes) / sizeof questions[0];
    std::transform(questions.begin(), questions.begin() + count, answers.begin(), answer_to);
    if (::send(0, answers.data(), count * sizeof answers[0], MSG_NOSIGNAL) < 0) _exit(0);
  }
}

}  // namespace

uint32_t device_of_nameless_pipes() {
  static std::atomic<uint32_t> known = 0;
  if (known != 0) return known;
  const PipeEnds pipe = open_pipe();
  if (!pipe) return 0;
  struct stat status = {};
  if (::fstat(pipe.read.get(), &status) == 0) known = static_cast<uint32_t>(status.st_dev);
  return known;
}

// The start time is read when we have the pidfd: from then on it can't be another process's.
int copy_end(PipeId pipe, const PipeEnd& end, UniqueFd& copy) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, end.process.pid, 0)));
  if (!process) return errno;
  if (const int error = look_for(end.process)) return error;
  copy.reset(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), end.fd, 0)));
  if (!copy) return errno;
  if (is_still(copy.get(), pipe)) return 0;
  copy.reset();
  return EBADF;
}

ForeignEnd::ForeignEnd(PipeId pipe, const PipeEnd& end) {
  if (const int error = copy_end(pipe, end, copy_)) throw SystemError(end_text(pipe, end), error);
}

uint64_t ForeignEnd::capacity() const {
  const int bytes = ::fcntl(copy_.get(), F_GETPIPE_SZ);
  if (bytes < 0) throw SystemError("F_GETPIPE_SZ", errno);
  return static_cast<uint64_t>(bytes);
}

uint64_t ForeignEnd::queued() const {
  int bytes = 0;
  if (::ioctl(copy_.get(), FIONREAD, &bytes) != 0) throw SystemError("FIONREAD", errno);
  return static_cast<uint64_t>(bytes);
}

uint64_t ForeignEnd::resize(uint64_t bytes) {
  if (bytes == 0 || bytes > INT_MAX) throw SystemError("F_SETPIPE_SZ", EINVAL);
  const int granted = ::fcntl(copy_.get(), F_SETPIPE_SZ, static_cast<int>(bytes));
  if (granted < 0) throw SystemError("F_SETPIPE_SZ", errno);
  return static_cast<uint64_t>(granted);
}

bool PipeAsker::begin() {
  if (child_ > 0) return true;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  UniqueFd ours(ends[0]), theirs(ends[1]);
  ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) answer_all(theirs.get(), parent);
  if (child < 0) return false;
  child_ = child;
  pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  socket_ = std::move(ours);
  return true;
}

// By pidfd: whoever waits for all of our children has perhaps waited for this one.
void PipeAsker::end() {
  if (child_ <= 0) return;
  socket_.reset();
  if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  ::waitpid(child_, nullptr, 0);
  pidfd_.reset();
  child_ = 0;
}

std::vector<std::optional<PipeAsker::Answer>> PipeAsker::ask(std::span<const Question> questions) {
  std::vector<std::optional<Answer>> all;
  all.reserve(questions.size());
  for (size_t first = 0; first < questions.size() && begin(); first += kMostQuestions) {
    const auto some = questions.subspan(first, std::min(kMostQuestions, questions.size() - first));
    Answers answers;
    const size_t expected = some.size() * sizeof answers[0];
    if (::send(socket_.get(), some.data(), some.size_bytes(), MSG_NOSIGNAL) < 0 ||
        ::recv(socket_.get(), answers.data(), sizeof answers, 0) != ssize_t(expected)) {
      end();
      break;
    }
    all.insert(all.end(), answers.begin(), answers.begin() + ssize_t(some.size()));
  }
  all.resize(questions.size());
  return all;
}

}  // namespace pipetop
