// How fast a copy moves bytes and when it will be done, from counts at certain times; and which
// side it waits for most of the time, by a few samples per second: each asks whether the input is
// empty or the output is full.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "engine/copy/copier.h"

namespace pipetop::tui {

class ByteRate {
 public:
  explicit ByteRate(uint64_t now_ns);

  // `bytes` in all. Times never go back.
  void add(uint64_t now_ns, uint64_t bytes);

  // We were stopped for so long: that doesn't count.
  void leave_out(uint64_t ns);

  uint64_t bytes() const { return points_.back().bytes; }
  uint64_t elapsed_ns() const { return points_.back().at_ns - begin_ns_; }

  // In bytes per second. Nothing before any time has passed.
  std::optional<double> last() const;     // since the add() before
  std::optional<double> average() const;  // of everything

  // Until `bytes` have moved, at the rate of the last half minute. Nothing while nothing moves.
  std::optional<uint64_t> remaining_ns(uint64_t bytes) const;

 private:
  struct Point {
    uint64_t at_ns, bytes;
  };
  static std::optional<double> rate(const Point& from, const Point& to);

  uint64_t begin_ns_;
  std::deque<Point> points_;
};

class Waiting {
 public:
  void add(CopySide side);

  // That of more than half of the last looks, if there were some.
  CopySide side() const;

 private:
  std::deque<CopySide> samples_;
};

// "waiting for gzip", "blocked by ssh"; for a neighbour without a name "waiting for stdin". "" for
// neither side.
std::string waiting_text(CopySide side, const std::string& upstream, const std::string& downstream);

}  // namespace pipetop::tui
