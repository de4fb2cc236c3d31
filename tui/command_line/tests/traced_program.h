// A program and its privileges at each moment, as /proc/PID/status has them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pipetop::tui {

struct Privileges {
  uint64_t permitted = 0, effective = 0, inheritable = 0, bounding = 0;
  std::string uids, gids;  // real, effective, saved, of files
  std::string groups;
  bool no_new_privileges = false;
};

Privileges status_of_process(pid_t pid);

struct Moment {
  enum class What : uint8_t { exec, opened, read, exit };

  What what = What::exec;
  std::string path;  // of the file that was opened, or of which the first bytes were read
  Privileges privileges;
};

// Runs the program, without output, and stops it at each moment to look: when it was started, has
// opened a file, or read the first bytes of it, and when it is about to exit. Ends it after
// `is_last`.
std::vector<Moment> trace(const std::string& program, const std::vector<std::string>& arguments,
                          const std::function<bool(const Moment&)>& is_last = {});

}  // namespace pipetop::tui
