#include "tui/view/waiting.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr size_t kLooks = 10, kLeastLooks = 4;

}  // namespace

void Waiting::look(CopySide side) {
  looks_.push_back(side);
  if (looks_.size() > kLooks) looks_.pop_front();
}

CopySide Waiting::side() const {
  if (looks_.size() < kLeastLooks) return CopySide::none;
  for (const CopySide side : {CopySide::in, CopySide::out})
    if (2 * size_t(std::ranges::count(looks_, side)) > looks_.size()) return side;
  return CopySide::none;
}

std::string waiting_text(CopySide side, const std::string& upstream,
                         const std::string& downstream) {
  if (side == CopySide::in) return "waiting for " + (upstream.empty() ? "stdin" : upstream);
  if (side == CopySide::out) return "held up by " + (downstream.empty() ? "stdout" : downstream);
  return "";
}

}  // namespace pipetop::tui
