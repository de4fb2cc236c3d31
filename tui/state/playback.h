// The transport of a recording: which of its frames is shown. It has no clock and reads no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/recording/recording_header.h"

namespace pipetop::tui {

class Playback {
 public:
  // `times` are those of the frames, in order; there is at least one. It begins with the first.
  explicit Playback(std::span<const uint64_t> times, std::span<const RecordedMark> marks = {});

  // There are fewer: the rest is damaged.
  void shorten(std::span<const uint64_t> times, std::span<const RecordedMark> marks);

  // So much time has passed for the viewer. At the end it stays on the last frame.
  void pass(uint64_t ns);

  void pause(bool on) { paused_ = on; }
  bool paused() const { return paused_; }
  double speed() const;
  // To the next higher or lower speed. False: there is none.
  bool change_speed(int steps);

  void go_to(uint64_t at_ns);  // since the first frame; to the end if it is later
  void go(int64_t by_ns);
  void step(int frames);
  // To the next mark, or one before. False: there is none.
  bool go_to_mark(bool forward);

  size_t frame() const { return frame_; }
  uint64_t at_ns() const { return at_ns_; }
  uint64_t duration_ns() const { return times_.back() - times_.front(); }
  bool at_end() const { return frame_ + 1 == times_.size(); }
  const RecordedMark* scene() const;

  // A talk stays on the last frame of each scene until it is told to go on.
  void hold_at_scenes() { holds_ = true; }
  // To the beginning of a scene; `index` counts them in their order, from 0.
  void go_to_scene(size_t index);

 private:
  void follow();
  uint64_t time_of(const RecordedMark& mark) const;
  std::vector<uint64_t> scene_times() const;

  std::span<const uint64_t> times_;
  std::span<const RecordedMark> marks_;
  size_t frame_ = 0;
  uint64_t at_ns_ = 0;
  size_t speed_;
  bool paused_ = false, holds_ = false;
};

}  // namespace pipetop::tui
