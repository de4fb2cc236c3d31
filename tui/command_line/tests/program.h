// pipetop as a child process, as a shell would start it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "engine/tests/run_tests.h"

namespace pipetop::tui {

// Untrustworthy: somebody took the machine's time. The result is printed all the same.
inline constexpr int kUntrustworthy = 7;
inline bool measured(int status) { return status == 0 || status == kUntrustworthy; }

// What the child's stdout is.
enum class Stdout { captured, closed, full, without_reader };
// And its stderr: on a terminal it tells how far it is.
enum class Stderr { captured, terminal };
// And its process group: its own, as a job of a shell has.
enum class Group { ours, its_own };

class Program {
 public:
  explicit Program(std::vector<std::string> arguments, Stdout out = Stdout::captured,
                   Stderr err = Stderr::captured);
  // Another program than the one that was built: a copy, or one that execs it.
  Program(const std::string& path, std::vector<std::string> arguments,
          Stdout out = Stdout::captured, Stderr err = Stderr::captured, Group group = Group::ours);
  ~Program();  // kills what still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;

  // Reads what has come by now.
  void catch_up();
  // Reads until out() and err() are so, or hold `text`; false when the program ended before.
  bool wait_until(const std::function<bool()>& is_so);
  bool wait_for(const std::string& text);
  // A child of the child with that name, and not `other_than`; 0 if the program ended before.
  pid_t wait_for_child(const std::string& name, pid_t other_than = 0);
  // One after the other, each when it has come; false if the program ended before.
  bool kill_children(const std::string& name, int times);
  // Closes our end of its stderr, as a terminal window does.
  void close_stderr() { err_fd_.reset(); }

  // The exit status, or minus the signal that ended it.
  int wait();

  // What was read; after wait(), all that there was.
  const std::string& out() const { return out_; }
  const std::string& err() const { return err_; }

 private:
  bool read_more(int timeout_ms);

  pid_t pid_ = 0;
  UniqueFd out_fd_, err_fd_;
  std::string out_, err_;
  const ToldOnFailure told_;
};

}  // namespace pipetop::tui
