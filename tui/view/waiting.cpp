#include "tui/view/waiting.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/base/blocked_signals.h"
#include "engine/base/clock.h"
#include "engine/copy/neighbours.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kPause_ns = 5 * kSecond;
constexpr uint64_t kPausesPerLookUp = 100;  // at most a hundredth of a CPU, however many processes
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
  if (side == CopySide::out) return "blocked by " + (downstream.empty() ? "stdout" : downstream);
  return "";
}

void NeighbourNames::refresh(uint64_t now_ns) {
  if (!ended_.load(std::memory_order_acquire)) return;
  if (thread_.joinable()) {
    thread_.join();
    known_ = std::move(found_);
    next_ns_ = now_ns + std::max(kPause_ns, kPausesPerLookUp * known_.took_ns);
  }
  if (now_ns >= next_ns_) start();
}

// All signals are the main thread's: they end its waits.
void NeighbourNames::start() {
  const BlockedSignals blocked;
  ended_ = false;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      const uint64_t begin_ns = monotonic_ns();
      found_.upstream = names_of(holders_of_other_end(in_, stop));
      found_.downstream = names_of(holders_of_other_end(out_, stop));
      found_.took_ns = monotonic_ns() - begin_ns;
      ended_.store(true, std::memory_order_release);
    });
  } catch (const std::system_error&) {
    ended_ = true;  // no thread to be had: no names, and the data flows on
    next_ns_ = UINT64_MAX;
  }
}

}  // namespace pipetop::tui
