#include "tui/view/byte_rate.h"

#include "engine/base/clock.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRecent_ns = 30 * kSecond;

// More is as good as never, and doesn't fit into a number.
constexpr double kFarSeconds = 1e9;

}  // namespace

ByteRate::ByteRate(uint64_t now_ns) : begin_ns_(now_ns), points_{{now_ns, 0}} {}

void ByteRate::add(uint64_t now_ns, uint64_t bytes) {
  points_.push_back({now_ns, bytes});
  // The second one is to be old enough, so that the rest is half a minute at least.
  while (points_.size() > 2 && points_[1].at_ns + kRecent_ns <= now_ns) points_.pop_front();
}

void ByteRate::leave_out(uint64_t ns) {
  begin_ns_ += ns;
  for (Point& point : points_) point.at_ns += ns;
}

std::optional<double> ByteRate::rate(const Point& from, const Point& to) {
  if (to.at_ns <= from.at_ns) return {};
  return double(to.bytes - from.bytes) * double(kSecond) / double(to.at_ns - from.at_ns);
}

std::optional<double> ByteRate::last() const {
  return points_.size() < 2 ? std::nullopt : rate(points_[points_.size() - 2], points_.back());
}

std::optional<double> ByteRate::average() const { return rate({begin_ns_, 0}, points_.back()); }

std::optional<uint64_t> ByteRate::remaining_ns(uint64_t bytes) const {
  if (bytes <= points_.back().bytes) return 0;
  const auto recent = rate(points_.front(), points_.back());
  const double left = double(bytes - points_.back().bytes);
  if (!recent || *recent <= 0 || left / *recent > kFarSeconds) return {};
  return uint64_t(left / *recent * double(kSecond));
}

}  // namespace pipetop::tui
