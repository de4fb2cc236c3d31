#include "tui/view/waiting.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr size_t kSamples = 10, kLeastSamples = 4;

}  // namespace

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
  if (side == CopySide::out) return "held up by " + (downstream.empty() ? "stdout" : downstream);
  return "";
}

}  // namespace pipetop::tui
