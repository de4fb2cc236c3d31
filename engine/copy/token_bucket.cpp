#include "engine/copy/token_bucket.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr double kPieceSeconds = 0.01, kMostSeconds = 0.1;
constexpr double kPage = 4096;
constexpr double kWorthPages = 2 * kPage;

}  // namespace

// A limit of some bytes per second, too, needs room for what comes while its owner oversleeps.
double TokenBucket::most() const {
  return std::max(double(bytes_per_s_) * kMostSeconds, 2 * piece());
}

double TokenBucket::piece() const {
  const double bytes = double(bytes_per_s_) * kPieceSeconds;
  return bytes < kWorthPages ? std::max(std::floor(bytes), 1.0) : std::floor(bytes / kPage) * kPage;
}

void TokenBucket::fill(uint64_t now_ns) {
  const uint64_t passed_ns = now_ns > at_ns_ ? now_ns - at_ns_ : 0;
  at_ns_ = std::max(at_ns_, now_ns);
  const double come = double(bytes_per_s_) * double(passed_ns) / double(kSecond);
  bytes_ = std::min(bytes_ + come, most());
}

uint64_t TokenBucket::available(uint64_t now_ns) {
  fill(now_ns);
  if (bytes_ < piece()) return 0;
  return uint64_t(bytes_ < kWorthPages ? bytes_ : std::floor(bytes_ / kPage) * kPage);
}

uint64_t TokenBucket::wait_ns() const {
  const double missing = std::max(piece() - bytes_, 0.0);
  return uint64_t(std::ceil(missing * double(kSecond) / double(bytes_per_s_)));
}

void TokenBucket::set_rate(uint64_t bytes_per_s, uint64_t now_ns) {
  fill(now_ns);
  bytes_per_s_ = bytes_per_s;
}

}  // namespace pipetop
