// Runs command lines: for `watch -- COMMAND`, as if it ran alone; for a scene of a talk, until the
// scene is left; and for what they print.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/base/handles.h"

namespace pipetop {

class WatchedCommand {
 public:
  // As `sh -c` when it is one word. Started in our process group, with our stdin, stdout, stderr,
  // working directory, environment and privileges as they are at this moment, and signals as we got
  // them: those that were ignored or blocked are. Descendants whose parent exits become our
  // children (PR_SET_CHILD_SUBREAPER), so that the pipeline is known to its end. Throws Error:
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

struct ShellOutput {
  std::string text;  // of its stdout
  int status = 0;    // its exit code, or 128 + signal
};

// As `sh -c`, with all but its stdout as WatchedCommand has it. When `signal_fd` is readable it
// asks whether it `goes_on`; else it ends the command by SIGTERM, as when it has written more than
// `most_bytes`. Returns then, or when nobody can write to its stdout any more. Throws SystemError.
ShellOutput output_of_shell(const std::string& command, size_t most_bytes, int signal_fd,
                            const std::function<bool()>& goes_on);

class SceneCommand {
 public:
  // As `sh -c`, in a process group of its own, with /dev/null as its stdin and stdout, and a file
  // in memory as its stderr; without any capability, and as the user who called sudo. A process of
  // ours keeps it, which ends all of it if we die. Throws Error.
  explicit SceneCommand(const std::string& line);
  // Ends all that it has started and that has not left its group: by SIGTERM, and by SIGKILL after
  // a third of a second.
  ~SceneCommand();
  SceneCommand(const SceneCommand&) = delete;
  SceneCommand& operator=(const SceneCommand&) = delete;

  // The process that keeps it: all of it descends from there.
  pid_t keeper() const { return pid_; }
  // The exit code, or 128 + signal, once all of it has ended.
  std::optional<int> exit_code();
  // The first line of what it wrote to stderr, printable; "" if there is none.
  std::string first_error() const;

 private:
  pid_t pid_ = 0;
  UniqueFd pidfd_, errors_;
  std::optional<int> exit_code_;
};

}  // namespace pipetop
