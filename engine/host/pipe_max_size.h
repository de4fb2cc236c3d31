// The limit of a ring's size, /proc/sys/fs/pipe-max-size, raised for a while.
//
// It is the whole machine's, so it is put back whatever happens to us: by the
// destructor, or, when we are killed, by a guardian process that notices that we are
// gone. Neither touches a value that somebody else has set meanwhile.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "engine/base/unique_fd.h"

namespace pipetop {

inline constexpr const char* kPipeMaxSizeFile = "/proc/sys/fs/pipe-max-size";

class RaisedPipeMaxSize {
 public:
  // Does nothing when the limit is `bytes` or more. Throws Error when it is refused; the
  // limit is then as before. Not while there are other threads: it forks.
  explicit RaisedPipeMaxSize(uint64_t bytes, const std::string& file = kPipeMaxSizeFile);
  ~RaisedPipeMaxSize();
  RaisedPipeMaxSize(const RaisedPipeMaxSize&) = delete;
  RaisedPipeMaxSize& operator=(const RaisedPipeMaxSize&) = delete;

  uint64_t before_bytes() const { return before_bytes_; }
  uint64_t bytes() const { return bytes_; }     // in force, as the kernel rounded it
  pid_t guardian() const { return guardian_; }  // 0: nothing was raised

 private:
  void start_guardian();
  bool tell_guardian(uint64_t raised_bytes);  // 0: nothing; false with errno set
  void dismiss_guardian();

  UniqueFd file_;
  UniqueFd lifeline_;  // its end of file tells the guardian that we are gone
  uint64_t before_bytes_ = 0, bytes_ = 0;
  pid_t guardian_ = 0;
};

}  // namespace pipetop
