// pipetop as a child process, as a shell would start it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "engine/unique_fd.h"

namespace pipetop::tui {

// What the child's stdout is.
enum class Stdout { captured, closed, full, without_reader };

class Program {
 public:
  explicit Program(std::vector<std::string> arguments, Stdout where = Stdout::captured);
  // Another program than the one that was built: a copy, or one that execs it.
  Program(const std::string& path, std::vector<std::string> arguments,
          Stdout where = Stdout::captured);
  ~Program();  // kills what still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;
  // Waits, at most 5 s, for a child of the child with that name; 0 if none came.
  pid_t wait_for_child(const std::string& name) const;
  // The exit status, or minus the signal that ended it.
  int wait();

  const std::string& out() const { return out_; }  // after wait()
  const std::string& err() const { return err_; }

 private:
  pid_t pid_ = 0;
  UniqueFd out_fd_, err_fd_;
  std::string out_, err_;
};

}  // namespace pipetop::tui
