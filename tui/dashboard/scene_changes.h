// What each scene of a talk has gained, and why. As in a rehearsal it is compared with the scene
// before it that has such a rate, and with the first one, whatever was shown in between.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "engine/base/reading.h"
#include "engine/config/talk.h"
#include "engine/model/segment.h"

namespace pipetop::tui {

class SceneChanges {
 public:
  // The settings of scene `index` were in force during `segment`, the last time until now. Without
  // a settled rate it is left out.
  void keep(size_t index, Segment segment);

  // Of scene `index`, in force during `segment`. Unavailable, with words for an audience, if there
  // is nothing to compare with, or if its settings are those of the scene before.
  Reading<Change> of(std::span<const Scene> scenes, size_t index, const Segment& segment) const;

 private:
  std::map<size_t, std::shared_ptr<const Segment>> kept_;  // by scene
};

}  // namespace pipetop::tui
