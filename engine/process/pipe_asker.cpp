#include "engine/process/pipe_asker.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "engine/base/error.h"
#include "engine/process/foreign_end.h"

namespace pipetop {
namespace {

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
