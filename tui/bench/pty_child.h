// A child process on a pseudo-terminal whose output is drained while it runs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "engine/base/unique_fd.h"

namespace pipetop::bench {

class PtyChild {
 public:
  // `body` runs in the child; its result is the exit status. Throws SystemError.
  PtyChild(int rows, int cols, const std::function<int()>& body);
  ~PtyChild();
  PtyChild(const PtyChild&) = delete;
  PtyChild& operator=(const PtyChild&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& keys);

  // Reads the child's output until `seconds` have passed or it ends; `done` is
  // called after every read with all the output, and can end it early.
  void drain(double seconds, const std::function<bool(const std::string&)>& done = {});

 private:
  pid_t pid_ = -1;
  UniqueFd master_;
  std::string output_;
};

}  // namespace pipetop::bench
