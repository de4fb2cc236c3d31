#include "tui/view/waiting.h"

#include <algorithm>

namespace pipetop::tui {
namespace {

constexpr size_t kLooks = 10, kLeastLooks = 4;

}  // namespace

void Waiting::look(TransferSide side) {
  looks_.push_back(side);
  if (looks_.size() > kLooks) looks_.pop_front();
}

TransferSide Waiting::side() const {
  if (looks_.size() < kLeastLooks) return TransferSide::none;
  for (const TransferSide side : {TransferSide::in, TransferSide::out})
    if (2 * size_t(std::ranges::count(looks_, side)) > looks_.size()) return side;
  return TransferSide::none;
}

std::string waiting_text(TransferSide side, const std::string& upstream,
                         const std::string& downstream) {
  if (side == TransferSide::in) return "waiting for " + (upstream.empty() ? "stdin" : upstream);
  if (side == TransferSide::out)
    return "held up by " + (downstream.empty() ? "stdout" : downstream);
  return "";
}

}  // namespace pipetop::tui
