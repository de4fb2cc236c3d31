#include "engine/steady_verdict.h"

#include <utility>

namespace pipetop {
namespace {

bool agree(const Reading<Verdict>& a, const Reading<Verdict>& b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() == b.has_value();
  return a->bound == b->bound;
}

}  // namespace

void SteadyVerdict::add(uint64_t now_ns, Reading<Verdict> judged) {
  if (!shown_.has_value() || agree(shown_, judged)) {
    shown_ = std::move(judged);
    rival_since_ns_ = 0;
    return;
  }
  if (rival_since_ns_ == 0 || !agree(rival_, judged)) rival_since_ns_ = now_ns;
  rival_ = std::move(judged);
  if (now_ns < rival_since_ns_ + kHoldNs) return;
  shown_ = std::move(rival_);
  rival_since_ns_ = 0;
}

void SteadyVerdict::restart() { *this = {}; }

}  // namespace pipetop
