// Reads what a Recorder has written, as far as it is whole: any snapshot, by its time. It needs
// nothing of the machine that it was recorded on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/recording_header.h"

namespace pipetop {

class Recording {
 public:
  // Throws Error if it is no recording, was made by a newer pipetop, or has not one whole frame.
  explicit Recording(const std::string& path);
  // The same from a file's contents; `name` is its name in messages.
  static Recording of_bytes(std::string name, std::string bytes);
  ~Recording();
  Recording(Recording&&) noexcept;

  const RecordingHeader& header() const;
  const std::string& version() const;  // of the pipetop that wrote it
  uint64_t bytes() const;              // of the file

  // "", or why it ends before the file does: "damaged after 12.4 s: ...". Further damage may be
  // found later, when a frame is read: then there are fewer frames.
  const std::string& damage() const;

  size_t frames() const { return times().size(); }  // at least one
  std::span<const uint64_t> times() const;          // of the frames, as Snapshot::now_ns
  uint64_t begin_ns() const { return times().front(); }
  uint64_t duration_ns() const { return times().back() - times().front(); }
  // The last frame that is not after this time; the first one if all are.
  size_t frame_at(uint64_t now_ns) const;

  // The changes and the scenes, by time. The first is how it begins.
  std::span<const RecordedMark> marks() const;
  // The closed segments, each as it was when it was closed; those before the recording, too, as
  // far as they were still in the log.
  std::vector<std::shared_ptr<const Segment>> segments() const;

  // Valid until the next call. It is fast for a frame shortly after the last one. If that frame is
  // damaged, the last one before it.
  const Snapshot& frame(size_t index);
  // By seconds since its beginning.
  const Snapshot& snapshot_at(double seconds);

 private:
  class Impl;
  explicit Recording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop
