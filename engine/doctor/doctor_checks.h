// The checks of diagnose() that have files of their own, and what all checks use.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/unique_fd.h"
#include "engine/doctor/doctor.h"

namespace pipetop {

using Checks = std::vector<Check>;

Checks check_memory();
Checks check_observers();

// The message of an errno.
std::string errno_text(int error_number);

// A pipe that is not blocking.
struct ScratchPipe {
  UniqueFd read_end, write_end;
  int error_number = 0;  // why there is none

  ScratchPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
      error_number = errno;
      return;
    }
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
};

inline Check works(std::string name, std::string found) {
  return {std::move(name), CheckResult::works, std::move(found), {}, {}};
}

}  // namespace pipetop
