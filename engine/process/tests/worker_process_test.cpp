#include "engine/process/worker_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "engine/error.h"
#include "engine/process/pipe_owner.h"

namespace pipetop {
namespace {

constexpr const char* kSelf = "/proc/self/exe";

void wait_for_end(const WorkerProcess& process) {
  pollfd end = {process.pidfd(), POLLIN, 0};
  ASSERT_EQ(::poll(&end, 1, 10'000), 1);
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
  EXPECT_EQ(process.poll()->words(), "signal 9 (Killed)");
}

TEST(WorkerProcess, AMissingProgramIsAnError) {
  PipeOwner pipe;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  EXPECT_THROW(WorkerProcess("/nonexistent/program", control.fd(), std::array{pipe.write_fd()}),
               SystemError);
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

std::string target_of(const std::filesystem::path& link) {
  std::error_code gone;
  return std::filesystem::read_symlink(link, gone).string();
}

TEST(WorkerProcess, GetsNothingButItsTwoDescriptors) {
  PipeOwner pipe, other;
  ControlMemory control(WorkloadKind::pipe, Role::writer);
  const UniqueFd secret(::dup(other.read_fd()));  // not close-on-exec
  WorkerProcess process(kSelf, control.fd(), std::array{pipe.write_fd()});
  const std::string ours = target_of("/proc/self/fd/" + std::to_string(secret.get()));
  ASSERT_TRUE(ours.starts_with("pipe:")) << ours;
  for (const auto& fd :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process.pid()) + "/fd"))
    EXPECT_NE(target_of(fd.path()), ours) << fd.path();
}

}  // namespace
}  // namespace pipetop
