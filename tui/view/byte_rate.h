// How fast bytes have moved, and when the rest of them will have: from counts at certain times.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

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

}  // namespace pipetop::tui
