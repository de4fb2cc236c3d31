// Runs a command line for `watch -- COMMAND`, as `sh -c` when it is one word.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "engine/base/unique_fd.h"

namespace pipetop {

class WatchedCommand {
 public:
  // Started in our process group, with our stdin, stdout, stderr, working directory, environment
  // and privileges as they are at this moment, and signals as we got them, but none is
  // blocked. Descendants whose parent exits become
  // our children (PR_SET_CHILD_SUBREAPER), so that the pipeline is known to its end. Throws Error:
  // Exit::not_found, Exit::not_executable; SystemError.
  explicit WatchedCommand(std::span<const std::string> words);
  ~WatchedCommand();  // leaves it running
  WatchedCommand(const WatchedCommand&) = delete;
  WatchedCommand& operator=(const WatchedCommand&) = delete;

  pid_t pid() const { return pid_; }
  int fd() const { return pidfd_.get(); }  // readable when it has exited

  // Its exit code, or 128 + signal, once it has exited. Reaps descendants that exited, too, and any
  // other child of ours: there must be none that somebody waits for.
  std::optional<int> exit_code();
  int signal() const { return signal_; }  // that ended it; 0 if none did

 private:
  pid_t pid_ = 0;
  UniqueFd pidfd_;
  std::optional<int> exit_code_;
  int signal_ = 0;
};

}  // namespace pipetop
