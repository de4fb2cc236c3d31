#include "tui/view/copy_meter.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kRecent_ns = 30 * kSecond;

// More is as good as never, and doesn't fit into a number.
constexpr double kFarSeconds = 1e9;

constexpr size_t kSamples = 10, kLeastSamples = 4;

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

void Waiting::add(CopySide side) {
  samples_.push_back(side);
  if (samples_.size() > kSamples) samples_.pop_front();
}

CopySide Waiting::side() const {
  if (samples_.size() < kLeastSamples) return CopySide::none;
  for (const CopySide side : {CopySide::in, CopySide::out})
    if (2 * size_t(std::ranges::count(samples_, side)) > samples_.size()) return side;
  return CopySide::none;
}

std::string waiting_text(CopySide side, const std::string& upstream,
                         const std::string& downstream) {
  if (side == CopySide::in) return "waiting for " + (upstream.empty() ? "stdin" : upstream);
  if (side == CopySide::out) return "blocked by " + (downstream.empty() ? "stdout" : downstream);
  return "";
}

}  // namespace pipetop::tui
