// A limit of bytes per second: a bucket that fills at that rate, and holds a tenth of a second.
// Starts empty, so that a short copy keeps to the limit, too. Knows no clock: its callers say
// what time it is, by CLOCK_MONOTONIC.
#pragma once

#include <cstdint>

namespace pipetop {

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

}  // namespace pipetop
