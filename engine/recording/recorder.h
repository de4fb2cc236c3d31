// Writes what a dashboard showed, so that it can be shown again: the snapshots, not the screen. See
// `pipetop help recording` for the format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/config/talk.h"
#include "engine/model/snapshot.h"
#include "engine/recording/recording_header.h"

namespace pipetop {

class Recorder {
 public:
  // Takes the bytes of whole blocks, one after the other. It may throw Error.
  using Write = std::function<void(std::string_view bytes)>;

  // The host and the settings of the header are those of the first snapshot.
  Recorder(RecordingHeader header, Write write);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Every snapshot may be given: those that follow too soon on another are left out, unless the
  // settings changed. A block is written every two seconds. Throws Error if it cannot be written;
  // then nothing more is recorded, and what was written can be replayed.
  void add(const Snapshot& snapshot);

  // The next snapshots show this scene, the `number`-th of a talk, from 1.
  void begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene);

  // Writes the rest. Without it up to two seconds are lost. Throws Error.
  void finish();

  uint64_t bytes() const;  // written so far

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop
