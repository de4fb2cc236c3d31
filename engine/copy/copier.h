// Moves all bytes from one descriptor to another, as `pipetop view` does: without copying them
// through user space where the kernel can, and no faster than asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/copy/methods.h"

namespace pipetop {

// A limit of bytes per second: a bucket that fills at that rate, and holds a tenth of a second.
// Starts empty, so that a short copy keeps to the limit, too. Knows no clock: its callers say
// what time it is, by CLOCK_MONOTONIC.
class TokenBucket {
 public:
  TokenBucket(uint64_t bytes_per_s, uint64_t now_ns) : bytes_per_s_(bytes_per_s), at_ns_(now_ns) {}

  // Bytes that may go now; 0 until a piece of about a hundredth of a second has come together, so
  // that there are few wakeups and calls. Whole pages where that is possible: half a slot of a pipe
  // costs as much as a whole one.
  uint64_t available(uint64_t now_ns);

  // They went. At most as many as available() has said.
  void take(uint64_t bytes) { bytes_ -= double(bytes); }

  // From the time of the last available() until there is a piece.
  uint64_t wait_ns() const;

  // Keeps what is in the bucket.
  void set_rate(uint64_t bytes_per_s, uint64_t now_ns);

 private:
  double most() const;
  double piece() const;
  void fill(uint64_t now_ns);

  uint64_t bytes_per_s_;
  uint64_t at_ns_;
  double bytes_ = 0;
};

struct CopyOptions {
  int in = 0, out = 1;
  std::string in_name = "stdin", out_name = "stdout";  // for messages
  // Of bytes, or of what is counted if the buffer says so.
  uint64_t limit_bytes_per_s = 0;      // 0: none
  std::optional<uint64_t> stop_after;  // no more bytes are taken from `in`
  bool may_splice = true;  // else by read and write, so that what is moved can't change any more
  CopyBuffer buffer = {};  // what it asks for takes read and write, too
  // What can't be read of a file is left out, with zeros in its place.
  bool skips_errors = false;
  uint64_t skip_bytes = 0;  // at once; 0: few at first, up to 512
};

struct CopyProgress {
  uint64_t bytes = 0;    // that `out` has taken
  uint64_t counted = 0;  // of these, if some are
  uint64_t skipped = 0;  // of these, in place of what could not be read
  bool ended = false;    // end of file, and `out` has everything
  CopyMethod method = CopyMethod::copy;
  std::string why;  // why it isn't a better one: "stdout appends, and splice doesn't"
};

// An error of one of the ends.
class CopyError : public SystemError {
 public:
  CopyError(const std::string& operation, int error_number, CopySide side)
      : SystemError(operation, error_number), side_(side) {}

  CopySide side() const { return side_; }  // never none

 private:
  CopySide side_;
};

// A step at a time, so that a front end can do something else between them.
//
// The ends' flags aren't changed: others share them. A descriptor that doesn't block is waited for.
// A pipe that a file is spliced into is made larger, if it has the usual size: 256 KiB in place of
// 64 make that half as fast again, and only pages that the file has anyway are in it. A pipe that
// we read from keeps its size: whoever lends pages to it by vmsplice counts on that.
class Copier {
 public:
  // Looks at both ends, which are no same_file(); moves nothing yet. Throws SystemError for ends
  // that can't be used: a directory.
  explicit Copier(const CopyOptions& options);

  // Moves something, and waits until that is possible. A signal whose handler doesn't restart
  // system calls ends the wait: then nothing may have moved. What was taken and not yet given is
  // kept for the next step. Throws CopyError for what an end refuses, with the bytes that got
  // through: ENOSPC, EIO, ECONNRESET; EPIPE, if SIGPIPE is ignored.
  const CopyProgress& step();

  const CopyProgress& progress() const { return progress_; }

  // Which end isn't ready at this instant: an empty input, a full output. By poll(2), which takes
  // no lock of a pipe.
  CopySide waits_for() const;

  void set_limit(uint64_t bytes_per_s);  // 0: none

  std::optional<double> buffer_used() const { return mover_->used(); }
  std::string_view last_written() const { return mover_->last(); }

  static constexpr uint64_t kLeastSkip = 4, kMostSkip = 512;  // bytes

  const CopyEnd& in() const { return in_; }
  const CopyEnd& out() const { return out_; }

 private:
  // Bytes that may be taken now; nothing if the limit says wait, or if it was interrupted.
  std::optional<uint64_t> quota();
  bool has_really_ended() const;
  void use_next(std::string why);
  void react(int error, CopySide side);
  void wait_until_ready(CopySide side);
  void enlarge_output();
  bool skip();

  CopyEnd in_, out_;
  const CopyBuffer buffer_;
  std::optional<uint64_t> left_;  // of stop_after
  std::optional<TokenBucket> limit_;
  std::vector<CopyMethod> worse_;  // what is left to try, best first
  std::unique_ptr<ByteMover> mover_;
  CopyProgress progress_;
  uint64_t enlarge_at_bytes_ = UINT64_MAX;  // once so much has moved
  const bool skips_errors_;
  const uint64_t skip_bytes_;
  uint64_t next_skip_ = kLeastSkip;
  int false_alarms_ = 0;  // times that both ends were ready, and nothing moved
};

}  // namespace pipetop
