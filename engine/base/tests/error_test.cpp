// What messages say about calls that fail.
#include "engine/base/error.h"

#include <gtest/gtest.h>

#include <new>
#include <string>

namespace pipetop {
namespace {

std::string words(const std::string& operation, int error_number) {
  return SystemError(operation, error_number).what();
}

TEST(SystemErrorTest, AShortageHasTheSameRemedyWhateverLacksIt) {
  for (const char* operation : {"fork", "list of pipes", "/proc/7/stat"}) {
    EXPECT_EQ(words(operation, EMFILE), std::string(operation) +
                                            ": Too many open files; raise the limit of open files "
                                            "(ulimit -n)");
    EXPECT_NE(words(operation, ENFILE).find("; too many files are open on this machine"),
              std::string::npos);
    EXPECT_NE(words(operation, ENOMEM).find("; free memory"), std::string::npos);
  }
}

TEST(SystemErrorTest, WhoRefusesACallIsNamed) {
  for (const char* call : {"memfd_create", "fork", "pidfd_open", "pipe2", "epoll_create1",
                           "epoll_ctl", "timerfd_create", "signalfd", "F_ADD_SEALS"}) {
    EXPECT_NE(words(call, EPERM).find("; a seccomp filter"), std::string::npos) << call;
    EXPECT_NE(words(call, ENOSYS).find("; a seccomp filter"), std::string::npos) << call;
  }
  EXPECT_NE(words("pidfd_open", ENOSYS).find("older than Linux 5.3"), std::string::npos);
  EXPECT_NE(words("fork", EAGAIN).find("; raise the limit of processes (ulimit -u"),
            std::string::npos);
}

TEST(SystemErrorTest, WhatAFileRefusesIsTheFiles) {
  EXPECT_EQ(words("/etc/shadow", EACCES), "/etc/shadow: Permission denied");
  EXPECT_EQ(words("/etc/passwd", EPERM), "/etc/passwd: Operation not permitted");
  EXPECT_EQ(words("stdout", EAGAIN), "stdout: Resource temporarily unavailable");
}

TEST(FailureOf, AnythingThatIsThrownHasWords) {
  EXPECT_EQ(failure_of([] {}), "");
  EXPECT_EQ(failure_of([] { throw Error("why; remedy"); }), "why; remedy");
  EXPECT_TRUE(failure_of([] { throw std::bad_alloc(); }).starts_with("out of memory: "));
  const std::error_code no_thread = make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_TRUE(
      failure_of([&] { throw std::system_error(no_thread); }).starts_with("starting a thread: "));
  EXPECT_EQ(failure_of([] { throw std::logic_error("x"); }), "unexpected: x");
}

}  // namespace
}  // namespace pipetop
