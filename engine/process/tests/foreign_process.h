// Whether descriptors of other processes can be copied here.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/tests/support/child.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {

// Why no copy of another process's descriptor can be made here; 0 if it can.
inline int refusal_of_copies() {
  const TestPipe pipe;
  const ForeignProcess process;
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid(), 0)));
  if (!pidfd) return errno;
  const UniqueFd copy(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), pipe.in.get(), 0)));
  return copy ? 0 : errno;
}

#define PIPETOP_NEED_COPIES()                                    \
  do {                                                           \
    if (const int refused = ::pipetop::refusal_of_copies())      \
      GTEST_SKIP() << "pidfd_getfd: " << std::strerror(refused); \
  } while (false)

}  // namespace pipetop
