// Temporarily raises the limit of a ring's size, /proc/sys/fs/pipe-max-size.
//
// The limit is machine-wide, so it is always restored: by the destructor or, if we are killed, by a
// guardian process (engine/process/guardian.h). If both are killed, the next one to raise the limit
// or `doctor` finds the record of it. None of them touches a value that somebody else has set in
// between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/handles.h"
#include "engine/process/guardian.h"

namespace pipetop {

inline constexpr const char* kPipeMaxSizeFile = "/proc/sys/fs/pipe-max-size";
// What the limit was raised to, and from. Empty while it is not raised; locked by whoever will
// restore it.
inline constexpr const char* kPipeMaxSizeRecord = "/run/pipetop-pipe-max-size";

// Restores a limit that nobody else will restore. The limit in effect then; nothing if there was
// nothing to restore, or no permission.
std::optional<uint64_t> repair_pipe_max_size(const std::string& file = kPipeMaxSizeFile,
                                             const std::string& record = kPipeMaxSizeRecord);

class RaisedPipeMaxSize {
 public:
  struct Limits {
    uint64_t raised_bytes = 0, before_bytes = 0;  // raised to 0: it isn't
  };

  // Does nothing if the limit is `bytes` or more. Throws Error on failure, with the limit
  // unchanged, also if another process has raised it. Needs a single-threaded process: it forks.
  explicit RaisedPipeMaxSize(uint64_t bytes, const std::string& file = kPipeMaxSizeFile,
                             const std::string& record = kPipeMaxSizeRecord);
  ~RaisedPipeMaxSize();
  RaisedPipeMaxSize(const RaisedPipeMaxSize&) = delete;
  RaisedPipeMaxSize& operator=(const RaisedPipeMaxSize&) = delete;

  uint64_t before_bytes() const { return before_bytes_; }
  uint64_t bytes() const { return bytes_; }  // in effect, as the kernel rounded it
  pid_t guardian() const { return guardian_ ? guardian_->pid() : 0; }  // 0: nothing was raised

 private:
  void raise(uint64_t bytes, const std::string& file);
  void dismiss_guardian();
  Limits& shared_limits() const;  // what the guardian puts back

  UniqueFd file_, record_;
  Mapping memory_;  // shared with the guardian
  uint64_t before_bytes_ = 0, bytes_ = 0;
  std::optional<Guardian> guardian_;
};

}  // namespace pipetop
