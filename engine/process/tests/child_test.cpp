#include "engine/process/child.h"

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
  const StartedChild child = start_child([&](int) {
    before_exec();
    ::execl(program, program, nullptr);
  });
  ::waitpid(child.pid, nullptr, 0);
  return child.exec_error;
}

TEST(StartChild, SaysWhetherExecSucceeded) {
  EXPECT_EQ(reported([] {}), 0);
  EXPECT_EQ(reported([] {}, "/no/such/program"), ENOENT);
  EXPECT_EQ(reported([] { ::_exit(0); }), 0);
}

// Ctrl-Z reaches a child that has not left our process group yet.
TEST(StartChild, AStoppedChildIsContinued) {
  EXPECT_EQ(reported([] { ::raise(SIGSTOP); }), 0);
  EXPECT_EQ(reported([] { ::raise(SIGSTOP); }, "/no/such/program"), ENOENT);
}

}  // namespace
}  // namespace pipetop
