// What a recording says of itself, and of its moments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/config/talk.h"
#include "engine/model/fields.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"

namespace pipetop {

struct RecordingHeader {
  uint64_t unix_s = 0;         // when it began, by the wall clock
  uint32_t frames_per_s = 20;  // at most
  Settings settings;           // at its beginning
  std::vector<Preset> presets;
  Reading<double> roof_gib_per_s;  // warming if it was not asked for
  HostInfo host;
};

// A change of the settings, or the beginning of a scene.
struct RecordedMark {
  enum class Kind : uint8_t { change, scene };

  uint64_t at_ns = 0;  // as in Snapshot::now_ns
  Kind kind = Kind::change;
  uint32_t number = 0;  // the segment's, or the scene's from 1
  std::string label;    // the segment's, or the scene's title
  std::string key;      // that made the change, "" if none
  // A scene has these, a change does not.
  std::string caption = {};
  ShowPart view = ShowPart::ring;
  std::string highlight = {};
  std::string notes = {};
  SceneWait wait = {};
  uint64_t planned_ns = 0;
};

constexpr auto fields(const RecordingHeader*) {
  using T = RecordingHeader;
  return Fields<&T::unix_s, &T::frames_per_s, &T::settings, &T::presets, &T::roof_gib_per_s,
                &T::host>();
}
constexpr auto fields(const SceneWait*) {
  using T = SceneWait;
  return Fields<&T::what, &T::ns>();
}
constexpr auto fields(const RecordedMark*) {
  using T = RecordedMark;
  return Fields<&T::at_ns, &T::kind, &T::number, &T::label, &T::key, &T::caption, &T::view,
                &T::highlight, &T::notes, &T::wait, &T::planned_ns>();
}

}  // namespace pipetop
