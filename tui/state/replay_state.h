// Where a recording is, while it is replayed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/recording/recording_header.h"

namespace pipetop::tui {

struct ReplayState {
  uint64_t begin_ns = 0;     // as Snapshot::now_ns
  uint64_t at_ns = 0;        // since then
  uint64_t duration_ns = 0;  // of all
  double speed = 1;
  bool paused = false;
  std::span<const RecordedMark> marks;
  const RecordedMark* scene = nullptr;  // the last one that has begun, null before the first

  std::string_view damage = {};  // why it ends early, "" if it does not

  bool at_end() const { return at_ns >= duration_ns; }
  // Of `scene`, among all scenes.
  size_t scene_index() const {
    size_t index = 0;
    for (const RecordedMark* mark = marks.data(); mark != scene; ++mark)
      if (mark->kind == RecordedMark::Kind::scene) ++index;
    return index;
  }
};

}  // namespace pipetop::tui
