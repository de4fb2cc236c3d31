#include "engine/process/worker_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/process/child.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/worker_pool.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

constexpr const char* kSelf = "/proc/self/exe";

void wait_for_end(const WorkerProcess& process) {
  pollfd end = {process.pidfd(), POLLIN, 0};
  ASSERT_EQ(::poll(&end, 1, static_cast<int>(kPatience_ns / 1'000'000)), 1);
}

TEST(WorkerProcess, RunsUntilToldToQuit) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
  publish_command(control.block(), {.order = Order::quit});
  wait_for_end(process);
  const auto end = process.poll();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->by_signal);
  EXPECT_EQ(end->code, 0);
  EXPECT_FALSE(process.alive());
}

TEST(WorkerProcess, TellsASignalFromAnExit) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::reader);
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.read_fd()});
  EXPECT_FALSE(process.poll());
  process.send(SIGKILL);
  wait_for_end(process);
  EXPECT_EQ(process.poll()->words(), "signal 9 (killed by somebody, or for lack of memory)");
}

// Ctrl-Z stops workers, also while they are being started.
TEST(WorkerProcess, OneThatIsStoppedAtItsStartDiesWithUs) {
  const ScratchDirectory scratch;
  const std::string program = scratch.file("stops");
  std::ofstream(program) << "#!/bin/sh\nkill -STOP $$\nsleep 60\n";
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // then the worker becomes our child
  TestPipe pid;
  Child starts([&] {
    PipeOwner pipe;
    ControlMemory control(WorkloadKind::pipe, Role::writer);
    const WorkerProcess process(program.c_str(), control.fd(), std::array{pipe.write_fd()});
    const pid_t worker = process.pid();
    siginfo_t stopped = {};
    ::waitid(P_PID, static_cast<id_t>(worker), &stopped, WSTOPPED);
    if (::write(pid.in.get(), &worker, sizeof worker) != sizeof worker) ::_exit(1);
    ::_exit(0);
    return 0;
  });
  pid_t worker = 0;
  ASSERT_EQ(::read(pid.out.get(), &worker, sizeof worker), ssize_t{sizeof worker});
  int status = 0;
  EXPECT_TRUE(eventually([&] { return ::waitpid(worker, &status, WNOHANG) == worker; }));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(WorkerProcess, AMissingProgramIsAnError) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  EXPECT_THROW(WorkerProcess("/nonexistent/program", control.fd(), std::array{pipe.write_fd()}),
               SystemError);
}

// All but `left` of those that we may have.
void use_up_descriptors(rlim_t most, int left) {
  const rlimit limit = {most, most};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  int last = -1;
  for (int fd = ::dup(STDERR_FILENO); fd >= 0; fd = ::dup(STDERR_FILENO)) last = fd;
  for (int i = 0; i < left; ++i) ::close(last - i);
}

// In a child, which has no other use for its limits.
template <class Function>
void expect_in_child(const Function& holds) {
  EXPECT_EQ(Child([&] { return holds() ? 0 : 1; }).wait(), 0);
}

// It would have no control block.
TEST(WorkerProcess, OneThatCannotHaveItsDescriptorsIsAnError) {
  expect_in_child([] {
    PipeOwner pipe;
    ControlMemory control(WorkloadKind::pipe, Role::writer);
    use_up_descriptors(64, 3);
    try {
      WorkerProcess(kSelf, control.fd(), std::array{pipe.write_fd()});
    } catch (const SystemError& error) {
      return error.error_number() == EMFILE;
    }
    return false;
  });
}

// As a sampler needs them on a large machine. The worker gets the usual limit back.
TEST(WorkerProcess, StartsFromAProcessWithMoreDescriptorsThanUsual) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 256) GTEST_SKIP() << "the hard limit is " << limit.rlim_max;
  limit.rlim_cur = 64;
  expect_in_child([&] {
    PipeOwner pipe;
    ControlMemory control(WorkloadKind::pipe, Role::writer);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    raise_descriptor_limit();
    for (int i = 0; i < 128; ++i) ::dup(STDERR_FILENO);
    WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
    publish_command(control.block(), {.order = Order::quit});
    wait_for_end(process);
    const auto end = process.poll();
    return end && !end->by_signal && end->code == 0;
  });
}

TEST(WorkerProcess, SurvivesMovesOntoItself) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
  const pid_t pid = process.pid();
  auto& same = process;
  process = std::move(same);
  EXPECT_EQ(process.pid(), pid);
  WorkerProcess other = std::move(process);
  EXPECT_FALSE(process.alive());
  EXPECT_EQ(other.pid(), pid);
}

TEST(WorkerProcess, DiesFirstWhenMemoryRunsOut) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  const uint32_t generation = publish_command(control.block(), {.order = Order::hold});
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
  ASSERT_TRUE(eventually([&] { return read_report(control.block(), generation).has_value(); }));
  int score = 0;
  std::ifstream("/proc/" + std::to_string(process.pid()) + "/oom_score_adj") >> score;
  EXPECT_EQ(score, 1000);
}

// By number, what each descriptor of a process is: "pipe:[4711]".
using Descriptors = std::map<int, std::string>;

Descriptors descriptors_of(pid_t pid) {
  Descriptors found;
  for (const auto& fd :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code closed_meanwhile;
    found[std::stoi(fd.path().filename())] =
        std::filesystem::read_symlink(fd.path(), closed_meanwhile).string();
  }
  return found;
}

TEST(WorkerProcess, GetsNothingButItsTwoDescriptors) {
  PipeOwner pipe, other;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  const UniqueFd secret(::dup(other.read_fd()));  // not close-on-exec
  const uint32_t generation = publish_command(control.block(), {.order = Order::hold});
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
  // By then it has opened all that it ever will: the loader has its libraries.
  ASSERT_TRUE(eventually([&] { return read_report(control.block(), generation).has_value(); }));
  const Descriptors ours = descriptors_of(::getpid());
  ASSERT_TRUE(ours.at(secret.get()).starts_with("pipe:")) << ours.at(secret.get());
  EXPECT_EQ(descriptors_of(process.pid()),
            (Descriptors{{0, "/dev/null"},
                         {1, "/dev/null"},
                         {2, "/dev/null"},
                         {kWorkerControlFd, ours.at(control.fd())},
                         {kWorkerFirstFd, ours.at(pipe.write_fd())}}));
}

// A process that traces another: until it is gone, the end of that one is not told to its parent.
class Tracer {
 public:
  explicit Tracer(pid_t traced)
      : process_([&] {
          const bool seized = ::ptrace(PTRACE_SEIZE, traced, nullptr, nullptr) == 0;
          if (::write(pipe_.in.get(), &seized, sizeof seized) < 0) ::_exit(1);
        }) {
    EXPECT_EQ(::read(pipe_.out.get(), &seized_, sizeof seized_), ssize_t(sizeof seized_));
  }
  bool has_seized() const { return seized_; }

 private:
  TestPipe pipe_;
  ForeignProcess process_;
  bool seized_ = false;
};

// It stands in for one that sleeps in the kernel and cannot be killed yet.
TEST(WorkerProcess, OneThatCannotBeReapedDoesNotHoldUsUp) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
  const pid_t pid = process.pid();
  {
    const Tracer tracer(pid);
    if (!tracer.has_seized()) GTEST_SKIP() << "tracing is not allowed here";
    process = {};
    EXPECT_FALSE(process.alive());
    EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "it was not reaped";
  }
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

// As one does that gets no CPU: it must not stay a zombie for as long as we live.
TEST(WorkerPool, ReapsARemovedWorkerThatEndsLate) {
  PipeOwner pipe;
  EventLoop loop{{}};
  WorkerPool pool(WorkloadKind::pipe, kSelf, {}, loop, [](const WorkerEvent&) {});
  Worker& worker = pool.add(Role::writer, {pipe.write_fd()});
  const pid_t pid = worker.pid();
  {
    const Tracer tracer(pid);
    if (!tracer.has_seized()) GTEST_SKIP() << "tracing is not allowed here";
    pool.remove(worker);
    pool.reap();
    EXPECT_EQ(::kill(pid, 0), 0) << "it was reaped too early for this test";
  }
  EXPECT_TRUE(eventually([&] {
    pool.reap();
    return ::kill(pid, 0) != 0;
  }));
}

}  // namespace
}  // namespace pipetop
