#include "tui/state/playback.h"

#include <algorithm>
#include <array>

#include "engine/base/clock.h"

namespace pipetop::tui {
namespace {

constexpr std::array kSpeeds = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0};
constexpr size_t kNormal = 2;
// While nothing was recorded (pipetop was suspended) there is nothing to wait for.
constexpr uint64_t kLongestGap_ns = 2 * kSecond;
// Back to the mark before, unless this one has only just begun.
constexpr uint64_t kJustBegun_ns = kSecond;

}  // namespace

Playback::Playback(std::span<const uint64_t> times, std::span<const RecordedMark> marks)
    : times_(times), marks_(marks), speed_(kNormal) {}

void Playback::shorten(std::span<const uint64_t> times, std::span<const RecordedMark> marks) {
  times_ = times;
  marks_ = marks;
  go_to(at_ns_);
}

double Playback::speed() const { return kSpeeds[speed_]; }

bool Playback::change_speed(int steps) {
  const int next = static_cast<int>(speed_) + steps;
  if (next < 0 || next >= static_cast<int>(kSpeeds.size())) return false;
  speed_ = static_cast<size_t>(next);
  return true;
}

void Playback::pass(uint64_t ns) {
  if (paused_ || at_end()) return;
  const uint64_t from_ns = at_ns_;
  go_to(at_ns_ + static_cast<uint64_t>(double(ns) * speed()));
  if (holds_) {
    const auto scenes = scene_times();
    const auto next = std::ranges::upper_bound(scenes, from_ns);
    if (next != scenes.end() && at_ns_ >= *next) {
      go_to(*next);
      step(-1);
      return;
    }
  }
  if (at_end()) return;
  const uint64_t next = times_[frame_ + 1];
  const bool gap = next - times_[frame_] > kLongestGap_ns;
  if (gap && times_.front() + at_ns_ > times_[frame_] + kLongestGap_ns) step(1);
}

void Playback::go_to(uint64_t at_ns) {
  at_ns_ = std::min(at_ns, duration_ns());
  follow();
}

void Playback::follow() {
  const auto after = std::ranges::upper_bound(times_, times_.front() + at_ns_);
  frame_ = static_cast<size_t>(after - times_.begin()) - 1;
}

void Playback::go(int64_t by_ns) {
  const auto back = static_cast<uint64_t>(-by_ns);
  go_to(by_ns >= 0 ? at_ns_ + static_cast<uint64_t>(by_ns) : at_ns_ - std::min(back, at_ns_));
}

void Playback::step(int frames) {
  const auto last = static_cast<int64_t>(times_.size()) - 1;
  frame_ = static_cast<size_t>(std::clamp<int64_t>(int64_t(frame_) + frames, 0, last));
  at_ns_ = times_[frame_] - times_.front();
}

// The first frame that shows it.
uint64_t Playback::time_of(const RecordedMark& mark) const {
  const auto frame = std::ranges::lower_bound(times_, mark.at_ns);
  return (frame == times_.end() ? times_.back() : *frame) - times_.front();
}

bool Playback::go_to_mark(bool forward) {
  if (forward) {
    const auto next = std::ranges::find_if(
        marks_, [this](const RecordedMark& mark) { return time_of(mark) > at_ns_; });
    if (next == marks_.end()) return false;
    go_to(time_of(*next));
    return true;
  }
  const uint64_t before = at_ns_ > kJustBegun_ns ? at_ns_ - kJustBegun_ns : 0;
  const auto last = std::find_if(marks_.rbegin(), marks_.rend(), [&](const RecordedMark& mark) {
    return time_of(mark) < std::max<uint64_t>(before, 1);
  });
  if (at_ns_ == 0) return false;
  go_to(last == marks_.rend() ? 0 : time_of(*last));
  return true;
}

// In their order.
std::vector<uint64_t> Playback::scene_times() const {
  std::vector<uint64_t> begin;
  for (const RecordedMark& mark : marks_)
    if (mark.kind == RecordedMark::Kind::scene) begin.push_back(time_of(mark));
  return begin;
}

void Playback::go_to_scene(size_t index) {
  const auto scenes = scene_times();
  if (index < scenes.size()) go_to(scenes[index]);
  paused_ = false;
}

const RecordedMark* Playback::scene() const {
  const RecordedMark* scene = nullptr;
  for (const RecordedMark& mark : marks_)
    if (mark.kind == RecordedMark::Kind::scene && time_of(mark) <= at_ns_) scene = &mark;
  return scene;
}

}  // namespace pipetop::tui
