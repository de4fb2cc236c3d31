#include "engine/process/exec_report.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace pipetop {
namespace {

// What is said of a child that does this before it execs.
int reported(const std::function<void()>& before_exec, const char* program = "/bin/true") {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  const UniqueFd reports(ends[0]);
  UniqueFd report(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    before_exec();
    ::execl(program, program, nullptr);
    report_failed_exec(report.get());
  }
  report.reset();
  const int error_number = wait_for_exec(reports, child);
  ::waitpid(child, nullptr, 0);
  return error_number;
}

TEST(ExecReport, SaysWhetherExecSucceeded) {
  EXPECT_EQ(reported([] {}), 0);
  EXPECT_EQ(reported([] {}, "/no/such/program"), ENOENT);
  EXPECT_EQ(reported([] { ::_exit(0); }), 0);
}

// Ctrl-Z reaches a child that has not left our process group yet.
TEST(ExecReport, AStoppedChildIsContinued) {
  EXPECT_EQ(reported([] { ::raise(SIGSTOP); }), 0);
  EXPECT_EQ(reported([] { ::raise(SIGSTOP); }, "/no/such/program"), ENOENT);
}

}  // namespace
}  // namespace pipetop
