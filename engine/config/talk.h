// A talk: scenes in their order. See `pipetop help talk`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/settings.h"

namespace pipetop {

// What fills the screen beside the rate and its factor.
enum class ShowPart : uint8_t { ring, functions, tree, waiting, log, ladder, throughput };

// How long a scene lasts before the talk may go on by itself, and rehearsal does.
struct SceneWait {
  enum class For : uint8_t { settled, time, key } what = For::settled;
  uint64_t ns = 0;  // for `time`
};

// What must hold: a comparison, ">= 1.5", or a name.
struct Expectation {
  enum class Of : uint8_t {
    ratio_to_previous,
    ratio_to_first,
    rate,
    verdict,  // its name: "lock-bound"
    sees,     // a function that is seen, running or waiting
  } of = Of::ratio_to_previous;
  enum class Is : uint8_t { at_least, at_most, more, less } is = Is::at_least;
  double than = 0;        // of a comparison; a rate is in the workload's unit
  std::string name = {};  // of the others

  bool compares() const { return of < Of::verdict; }
};

// As the config names them; each is indexed by its enumeration.
inline constexpr std::array<std::string_view, 5> kExpected = {"ratio_to_previous", "ratio_to_first",
                                                              "rate", "verdict", "sees"};
inline constexpr std::array<std::string_view, 4> kComparisons = {">=", "<=", ">", "<"};

// A pipeline of other programs that a scene shows in the place of ours.
struct SceneWatch {
  std::string command;  // what sh -c runs while the scene is shown; "": `target` runs already
  std::string target;   // PID, PID:FD or the path of a FIFO

  // As the config names it.
  std::string text() const { return command.empty() ? target : "-- " + command; }
};

// The whole state: nothing of the scene before is left.
struct Scene {
  std::string title, caption, notes;  // caption and notes may have several lines, "" for none
  std::string preset;                 // the preset that the settings came from, "" for none
  Settings settings;                  // the workload may change
  ShowPart view = ShowPart::ring;
  bool transition = true;  // it may begin in slow motion
  std::string highlight;   // a function's name, or "slots", "verdict" or "rate"; "" for nothing
  SceneWait wait;
  std::vector<Expectation> expect;
  std::string otherwise;            // for the speaker: what to say if that does not come true
  uint64_t planned_ns = 0;          // that the speaker takes for it; 0: there is no plan
  std::optional<SceneWatch> watch;  // then our own pipe stands still, with settings of no meaning
  uint32_t number = 0;              // in the talk that was recorded; 0: as it stands in its list
};

// From 1. A recording may lack scenes of its talk.
inline size_t number_of(std::span<const Scene> scenes, size_t index) {
  return scenes[index].number > 0 ? scenes[index].number : index + 1;
}

// A rate in slow motion means nothing.
constexpr bool has_rate(const Settings& s) {
  return s.workload != WorkloadKind::pipe || !s.pipe.slow_motion;
}
inline bool has_rate(const Scene& s) { return !s.watch && has_rate(s.settings); }
// Whether a ratio of their rates means anything.
inline bool are_comparable(const Scene& a, const Scene& b) {
  return a.settings.workload == b.settings.workload && has_rate(a) && has_rate(b);
}

}  // namespace pipetop
